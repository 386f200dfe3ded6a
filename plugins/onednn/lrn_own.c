/* SPDX-License-Identifier: Apache-2.0 */
/* LRN by our own code. */
#include "lrn.h"

#include <math.h>

/* Places that are worked on at a time, all channels of each. */
#define LANES 32

/* So many places, and the steps from one channel and from one place to the next. */
struct lanes {
    const float *x, *dy;
    float *out;
    int64_t count, channel, place;
};

struct range {
    int64_t begin, end;
};

static struct range clip(int64_t begin, int64_t end, int64_t channels)
{
    return (struct range){begin < 0 ? 0 : begin, end > channels ? channels : end};
}

static void scale_of(const struct onednn_lrn_own *lrn, const struct lanes *lanes, int64_t c,
                     double scale[LANES])
{
    struct range window = clip(c - lrn->before, c + lrn->after + 1, lrn->channels);
    double sum[LANES] = {0};

    for (int64_t j = window.begin; j < window.end; j++) {
        const float *x = lanes->x + j * lanes->channel;

        for (int64_t i = 0; i < lanes->count; i++) {
            double v = (double)x[i * lanes->place];
            sum[i] += v * v;
        }
    }
    for (int64_t i = 0; i < lanes->count; i++)
        scale[i] = lrn->k + lrn->alpha * sum[i];
}

static void forward_lanes(const struct onednn_lrn_own *lrn, const struct lanes *lanes)
{
    double scale[LANES];

    for (int64_t c = 0; c < lrn->channels; c++) {
        const float *x = lanes->x + c * lanes->channel;
        float *y = lanes->out + c * lanes->channel;

        scale_of(lrn, lanes, c, scale);
        for (int64_t i = 0; i < lanes->count; i++)
            y[i * lanes->place] = (float)((double)x[i * lanes->place] * pow(scale[i], -lrn->beta));
    }
}

/* Of a channel: dy p with p = scale^-beta, and dy x p / scale. */
struct terms {
    double own[LANES], shared[LANES];
};

static void compute_terms(const struct onednn_lrn_own *lrn, const struct lanes *lanes, int64_t c,
                          struct terms *terms)
{
    const float *x = lanes->x + c * lanes->channel, *dy = lanes->dy + c * lanes->channel;
    double scale[LANES];

    scale_of(lrn, lanes, c, scale);
    for (int64_t i = 0; i < lanes->count; i++) {
        double g = (double)dy[i * lanes->place] * pow(scale[i], -lrn->beta);

        terms->own[i] = g;
        terms->shared[i] = g * (double)x[i * lanes->place] / scale[i];
    }
}

/* The terms of a channel lie in the ring at its number modulo the ring's length. */
static void store_gradient(const struct onednn_lrn_own *lrn, const struct lanes *lanes, int64_t c,
                           const struct terms ring[ONEDNN_LRN_WINDOW_MAX])
{
    struct range over = clip(c - lrn->after, c + lrn->before + 1, lrn->channels);
    const double *own = ring[c % ONEDNN_LRN_WINDOW_MAX].own;
    const float *x = lanes->x + c * lanes->channel;
    float *dx = lanes->out + c * lanes->channel;
    double sum[LANES] = {0};

    for (int64_t j = over.begin; j < over.end; j++)
        for (int64_t i = 0; i < lanes->count; i++)
            sum[i] += ring[j % ONEDNN_LRN_WINDOW_MAX].shared[i];
    for (int64_t i = 0; i < lanes->count; i++)
        dx[i * lanes->place] =
            (float)(own[i] - 2 * lrn->alpha * lrn->beta * (double)x[i * lanes->place] * sum[i]);
}

/* dx = dy p - 2 alpha beta x * (sum of dy x p / scale over the channels in whose windows c lies).
 */
static void backward_lanes(const struct onednn_lrn_own *lrn, const struct lanes *lanes)
{
    struct terms ring[ONEDNN_LRN_WINDOW_MAX];

    for (int64_t c = -lrn->before; c < lrn->channels; c++) {
        int64_t ahead = c + lrn->before;

        if (ahead < lrn->channels)
            compute_terms(lrn, lanes, ahead, &ring[ahead % ONEDNN_LRN_WINDOW_MAX]);
        if (c >= 0)
            store_gradient(lrn, lanes, c, ring);
    }
}

/* ------------------------------------------------------------------ steps */

struct work {
    const struct onednn_lrn_own *lrn;
    struct lanes whole; /* of a row: places that have one step */
    int64_t row;        /* elements from one row to the next */
    int64_t blocks;     /* of a row */
    void (*run)(const struct onednn_lrn_own *lrn, const struct lanes *lanes);
};

static void run_block(void *arg, int64_t piece)
{
    const struct work *work = arg;
    int64_t done = piece % work->blocks * LANES, left = work->whole.count - done;
    int64_t first = piece / work->blocks * work->row + done * work->whole.place;
    struct lanes lanes = work->whole;

    lanes.x += first;
    lanes.dy += lanes.dy ? first : 0;
    lanes.out += first;
    lanes.count = left < LANES ? left : LANES;
    work->run(work->lrn, &lanes);
}

/* With channels last all places are one row. */
static void run_blocks(const struct onednn_call *call, struct work *work)
{
    const struct onednn_lrn_own *lrn = work->lrn;
    int last = lrn->inner == 1;
    int64_t rows = last ? 1 : lrn->outer;

    work->whole.count = last ? lrn->outer : lrn->inner;
    work->whole.channel = lrn->inner;
    work->whole.place = last ? lrn->channels : 1;
    work->row = lrn->channels * lrn->inner;
    work->blocks = (work->whole.count + LANES - 1) / LANES;
    onednn_share(call, rows * work->blocks, run_block, work);
}

void onednn_lrn_own_forward(const struct onednn_call *call, const void *data)
{
    const struct onednn_lrn_own *lrn = data;
    struct work work = {.lrn = lrn, .run = forward_lanes};

    work.whole.x = onednn_at(call, lrn->x);
    work.whole.out = onednn_at(call, lrn->out);
    run_blocks(call, &work);
}

void onednn_lrn_own_backward(const struct onednn_call *call, const void *data)
{
    const struct onednn_lrn_own *lrn = data;
    struct work work = {.lrn = lrn, .run = backward_lanes};

    work.whole.x = onednn_at(call, lrn->x);
    work.whole.dy = onednn_at(call, lrn->dy);
    work.whole.out = onednn_at(call, lrn->out);
    run_blocks(call, &work);
}
