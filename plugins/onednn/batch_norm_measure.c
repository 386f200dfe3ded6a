/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance of batch normalization's cells. oneDNN adds up a cell in float: with 100,000
 * elements results are off by ten times what rounding them costs. */
#include "batch_norm.h"

#include <math.h>
#include <string.h>

/* Sums of a run, so that additions need not wait for one another. */
#define LANES 4

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

static void add_run(struct sums *sums, const float *x, int64_t n)
{
    double sum[LANES] = {0}, square[LANES] = {0};
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double rest = (double)x[i + l] - sums->shift;

            sum[l] += rest;
            square[l] += rest * rest;
        }
    for (; i < n; i++) {
        double rest = (double)x[i] - sums->shift;

        sum[0] += rest;
        square[0] += rest * rest;
    }
    for (int l = 0; l < LANES; l++) {
        sums->sum += sum[l];
        sums->square += square[l];
    }
}

/* Each cell is a run in every image. */
static void measure_runs(const struct onednn_call *call, const struct measure *m)
{
    const float *x = onednn_at(call, m->x);
    const int64_t *dims = m->work.dims, *strides = m->work.strides;

    for (int64_t cell = 0; cell < dims[1]; cell++) {
        struct sums sums = {.shift = shift_of(x[cell * strides[1]])};

        for (int64_t image = 0; image < dims[0]; image++)
            add_run(&sums, x + image * strides[0] + cell * strides[1], dims[3]);
        put(call, m, cell, &sums);
    }
}

/* Rows that stay in the processor's cache while all cells pass over them. */
#define ROWS 32

/* LANES neighbouring cells of some rows, so that their sums stay in registers. */
static void add_rows(const float *x, int64_t cells, int64_t rows, const double *shifts,
                     double *sums, double *squares)
{
    double shift[LANES], sum[LANES] = {0}, square[LANES] = {0};

    memcpy(shift, shifts, sizeof shift);
    for (int64_t row = 0; row < rows; row++, x += cells)
        for (int k = 0; k < LANES; k++) {
            double rest = (double)x[k] - shift[k];

            sum[k] += rest;
            square[k] += rest * rest;
        }
    for (int k = 0; k < LANES; k++) {
        sums[k] += sum[k];
        squares[k] += square[k];
    }
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

        for (; cell + LANES <= cells; cell += LANES)
            add_rows(x + row * cells + cell, cells, rows, &shift[cell], &sum[cell], &square[cell]);
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
