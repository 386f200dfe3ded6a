/* SPDX-License-Identifier: Apache-2.0 */
/* Computes mean and variance of the cells of a batch normalization. oneDNN sums a cell in float:
 * with 100,000 elements, its error is ten times the rounding error of the result. */
#include "batch_norm.h"

#include <math.h>
#include <string.h>

#define COLUMNS ONEDNN_NORM_COLUMNS

/* The sums over the elements of (x - shift) and (x - shift)^2. */
struct sums {
    double shift, sum, square;
};

struct measure {
    struct onednn_view work;
    int64_t count;
    struct onednn_place x, mean, variance;
    struct onednn_place shift, sum, square; /* one double per cell, for channels-last layouts */
};

/* The arrays of a call, shared by its threads. */
struct measuring {
    const struct measure *m;
    const float *x;
    float *mean, *variance;
    double *shift, *sum, *square;
    int64_t share; /* cells per thread, for channels-last layouts */
};

/* Returns the shift of a cell. Any number near the mean prevents cancellation in the squares; this
 * is the first element, if it is finite. */
static double shift_of(float first)
{
    return isfinite(first) ? (double)first : 0;
}

static void put(const struct sums *sums, int64_t count, float *mean, float *variance)
{
    double rest = sums->sum / (double)count;
    double square = sums->square / (double)count - rest * rest;

    *mean = (float)(sums->shift + rest);
    *variance = (float)(square < 0 ? 0 : square);
}

/* Adds a run. Whole rows go to all columns, each of which holds a part of the cell's sums; the
 * remainder goes to the first column. */
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

void onednn_norm_measure_runs(const float *x, int64_t images, int64_t stride, int64_t length,
                              float *mean, float *variance)
{
    struct sums sums = {.shift = shift_of(x[0])};
    struct onednn_norm_columns columns = {.sum = {0}};

    for (int k = 0; k < COLUMNS; k++)
        columns.shift[k] = sums.shift;
    for (int64_t image = 0; image < images; image++)
        add_run(&columns, x + image * stride, length);
    for (int k = 0; k < COLUMNS; k++) {
        sums.sum += columns.sum[k];
        sums.square += columns.square[k];
    }
    put(&sums, images * length, mean, variance);
}

/* Computes a cell that is a run in every image. */
static void measure_runs(void *arg, int64_t cell)
{
    const struct measuring *work = arg;
    const int64_t *dims = work->m->work.dims, *strides = work->m->work.strides;

    onednn_norm_measure_runs(work->x + cell * strides[1], dims[0], strides[0], dims[3],
                             &work->mean[cell], &work->variance[cell]);
}

/* The rows that stay in cache while all cells iterate over them. */
#define ROWS 32

/* Adds as many adjacent cells as there are columns. */
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

/* Computes a range of cells in a channels-last layout: each row holds one element of every cell. */
static void measure_rows(void *arg, int64_t piece)
{
    const struct measuring *work = arg;
    const float *x = work->x;
    double *shift = work->shift, *sum = work->sum, *square = work->square;
    int64_t cells = work->m->work.dims[1], count = work->m->count;
    int64_t first = piece * work->share;
    int64_t end = cells - first < work->share ? cells : first + work->share;

    for (int64_t cell = first; cell < end; cell++) {
        shift[cell] = shift_of(x[cell]);
        sum[cell] = square[cell] = 0;
    }
    for (int64_t row = 0; row < count; row += ROWS) {
        int64_t rows = count - row < ROWS ? count - row : ROWS;
        int64_t cell = first;

        for (; cell + COLUMNS <= end; cell += COLUMNS)
            add_cells(x + row * cells + cell, cells, rows, &shift[cell], &sum[cell], &square[cell]);
        for (; cell < end; cell++)
            add_column(x + row * cells + cell, cells, rows, shift[cell], &sum[cell], &square[cell]);
    }
    for (int64_t cell = first; cell < end; cell++)
        put(&(struct sums){shift[cell], sum[cell], square[cell]}, count, &work->mean[cell],
            &work->variance[cell]);
}

/* Distributes the cells over the threads. One thread sums each cell, so the result does not depend
 * on the thread count. */
static void run_measure(const struct onednn_call *call, const void *data)
{
    const struct measure *m = data;
    struct measuring work = {m,
                             onednn_at(call, m->x),
                             onednn_at(call, m->mean),
                             onednn_at(call, m->variance),
                             onednn_at(call, m->shift),
                             onednn_at(call, m->sum),
                             onednn_at(call, m->square),
                             0};
    int64_t cells = m->work.dims[1], threads = onednn_share_threads(call);

    if (m->work.dims[3] != 1) {
        onednn_share(call, cells, measure_runs, &work);
        return;
    }
    work.share = ((cells + threads - 1) / threads + COLUMNS - 1) / COLUMNS * COLUMNS;
    onednn_share(call, (cells + work.share - 1) / work.share, measure_rows, &work);
}

void onednn_norm_measure(struct onednn_build *build, const struct onednn_norm *norm, int x,
                         int mean, int variance)
{
    size_t bytes = kit_bytes(norm->cells, sizeof(double));
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
