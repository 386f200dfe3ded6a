/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance of batch normalization's cells. oneDNN adds up a cell in float: with 100,000
 * elements results are off by ten times what rounding them costs. */
#include "batch_norm.h"

#include <math.h>
#include <string.h>

#define COLUMNS ONEDNN_NORM_COLUMNS

/* Sums of what is left of the elements without a shift, and of its squares. */
struct sums {
    double shift, sum, square;
};

struct measure {
    struct onednn_view work;
    int64_t count;
    struct onednn_place x, mean, variance;
    struct onednn_place shift, sum, square; /* a double for each cell, where cells lie abreast */
};

/* Any number near the cell's mean keeps the squares from cancelling: its first element, if that is
 * a number. */
static double shift_of(float first)
{
    return isfinite(first) ? (double)first : 0;
}

static void put(const struct onednn_call *call, const struct measure *m, int64_t cell,
                const struct sums *sums)
{
    float *mean = onednn_at(call, m->mean), *variance = onednn_at(call, m->variance);
    double rest = sums->sum / (double)m->count;
    double square = sums->square / (double)m->count - rest * rest;

    mean[cell] = (float)(sums->shift + rest);
    variance[cell] = (float)(square < 0 ? 0 : square);
}

/* Whole rows of a run go to columns, each a part of the cell's sums; the rest to the first. */
static void add_run(struct onednn_norm_columns *columns, const float *x, int64_t n)
{
    int64_t rows = n / COLUMNS;

    onednn_norm_add(x, COLUMNS, rows, columns);
    for (int64_t i = rows * COLUMNS; i < n; i++) {
        double rest = (double)x[i] - columns->shift[0];

        columns->sum[0] += rest;
        columns->square[0] += rest * rest;
    }
}

/* Each cell is a run in every image. */
static void measure_runs(const struct onednn_call *call, const struct measure *m)
{
    const float *x = onednn_at(call, m->x);
    const int64_t *dims = m->work.dims, *strides = m->work.strides;

    for (int64_t cell = 0; cell < dims[1]; cell++) {
        struct sums sums = {.shift = shift_of(x[cell * strides[1]])};
        struct onednn_norm_columns columns = {.sum = {0}};

        for (int k = 0; k < COLUMNS; k++)
            columns.shift[k] = sums.shift;
        for (int64_t image = 0; image < dims[0]; image++)
            add_run(&columns, x + image * strides[0] + cell * strides[1], dims[3]);
        for (int k = 0; k < COLUMNS; k++) {
            sums.sum += columns.sum[k];
            sums.square += columns.square[k];
        }
        put(call, m, cell, &sums);
    }
}

/* Rows that stay in the processor's cache while all cells pass over them. */
#define ROWS 32

/* Neighbouring cells, as many as there are columns. */
static void add_cells(const float *x, int64_t cells, int64_t rows, const double *shift, double *sum,
                      double *square)
{
    const size_t bytes = COLUMNS * sizeof(double);
    struct onednn_norm_columns columns;

    memcpy(columns.shift, shift, bytes);
    memcpy(columns.sum, sum, bytes);
    memcpy(columns.square, square, bytes);
    onednn_norm_add(x, cells, rows, &columns);
    memcpy(sum, columns.sum, bytes);
    memcpy(square, columns.square, bytes);
}

static void add_column(const float *x, int64_t cells, int64_t rows, double shift, double *sum,
                       double *square)
{
    for (int64_t row = 0; row < rows; row++) {
        double rest = (double)x[row * cells] - shift;

        *sum += rest;
        *square += rest * rest;
    }
}

/* All cells lie side by side, row behind row. */
static void measure_rows(const struct onednn_call *call, const struct measure *m)
{
    const float *x = onednn_at(call, m->x);
    double *shift = onednn_at(call, m->shift);
    double *sum = onednn_at(call, m->sum), *square = onednn_at(call, m->square);
    int64_t cells = m->work.dims[1];

    for (int64_t cell = 0; cell < cells; cell++) {
        shift[cell] = shift_of(x[cell]);
        sum[cell] = square[cell] = 0;
    }
    for (int64_t row = 0; row < m->count; row += ROWS) {
        int64_t rows = m->count - row < ROWS ? m->count - row : ROWS;
        int64_t cell = 0;

        for (; cell + COLUMNS <= cells; cell += COLUMNS)
            add_cells(x + row * cells + cell, cells, rows, &shift[cell], &sum[cell], &square[cell]);
        for (; cell < cells; cell++)
            add_column(x + row * cells + cell, cells, rows, shift[cell], &sum[cell], &square[cell]);
    }
    for (int64_t cell = 0; cell < cells; cell++)
        put(call, m, cell, &(struct sums){shift[cell], sum[cell], square[cell]});
}

static void run_measure(const struct onednn_call *call, const void *data)
{
    const struct measure *m = data;

    if (m->work.dims[3] == 1)
        measure_rows(call, m);
    else
        measure_runs(call, m);
}

void onednn_norm_measure(struct onednn_build *build, const struct onednn_norm *norm, int x,
                         int mean, int variance)
{
    size_t bytes = (size_t)norm->cells * sizeof(double);
    struct measure m = {.work = norm->work,
                        .count = norm->count,
                        .x = onednn_place_of(build, x),
                        .mean = onednn_place_of(build, mean),
                        .variance = onednn_place_of(build, variance)};

    m.shift = onednn_reserve(build, bytes);
    m.sum = onednn_reserve(build, bytes);
    m.square = onednn_reserve(build, bytes);
    onednn_run_own(build, run_measure, &m, sizeof m);
}
