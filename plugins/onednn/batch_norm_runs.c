/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizes NCHW images forward: each cell is measured and normalized while it is in cache.
 * oneDNN's kernel for such images (2.6: ncsp_bnorm) is not JIT-compiled, and takes twice as long
 * for the normalization alone. */
#include "batch_norm.h"
#include "wide.h"

#include <math.h>
#include <string.h>

struct normalizing {
    const struct onednn_norm_runs *runs;
    const float *x, *scale, *bias;
    float *y, *mean, *variance;
};

/* The values of a cell: y = (x - mean) * factor + bias. */
struct line {
    float mean, factor, bias;
};

/* The elements of a vector. */
#define LANES 16

/* Normalizes n elements. y may equal x. */
ONEDNN_INLINE int normalize_body(float *y, const float *x, int64_t n, const struct line *line)
{
    const float mean = line->mean, factor = line->factor, bias = line->bias;
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        float part[LANES];

        for (int k = 0; k < LANES; k++)
            part[k] = (x[i + k] - mean) * factor + bias;
        memcpy(y + i, part, sizeof part);
    }
    for (; i < n; i++)
        y[i] = (x[i] - mean) * factor + bias;
    return 0;
}

ONEDNN_WIDE(normalize, normalize_body,
            (float *y, const float *x, int64_t n, const struct line *line), (y, x, n, line))

static void normalize_cell(void *arg, int64_t cell)
{
    const struct normalizing *work = arg;
    const struct onednn_norm_runs *runs = work->runs;
    const int64_t *dims = runs->work.dims, *strides = runs->work.strides;
    int64_t first = cell * strides[1];
    struct line line;

    if (runs->measures)
        onednn_norm_measure_runs(work->x + first, dims[0], strides[0], dims[3], &work->mean[cell],
                                 &work->variance[cell]);
    line.mean = work->mean[cell];
    line.bias = work->bias[cell];
    line.factor =
        (float)((double)work->scale[cell] / sqrt((double)work->variance[cell] + runs->epsilon));
    for (int64_t image = 0; image < dims[0]; image++, first += strides[0])
        (void)normalize(work->y + first, work->x + first, dims[3], &line);
}

static void run(const struct onednn_call *call, const void *data)
{
    const struct onednn_norm_runs *runs = data;
    struct normalizing work = {runs,
                               onednn_at(call, runs->x),
                               onednn_at(call, runs->scale),
                               onednn_at(call, runs->bias),
                               onednn_at(call, runs->y),
                               onednn_at(call, runs->mean),
                               onednn_at(call, runs->variance)};

    onednn_share(call, runs->work.dims[1], normalize_cell, &work);
}

void onednn_norm_run_runs(struct onednn_build *build, const struct onednn_norm_runs *runs)
{
    onednn_run_own(build, run, runs, sizeof *runs);
}
