/* SPDX-License-Identifier: Apache-2.0 */
/* LRN by our own code. */
#include "lrn.h"

#include <math.h>

/* Places that are worked on at a time, all channels of each. */
#define LANES 32

struct range {
    int64_t begin, end;
};

static struct range clip(int64_t begin, int64_t end, int64_t channels)
{
    return (struct range){begin < 0 ? 0 : begin, end > channels ? channels : end};
}

static void scale_of(const struct onednn_lrn_own *lrn, const float *x, int64_t c, int64_t lanes,
                     double scale[LANES])
{
    struct range window = clip(c - lrn->before, c + lrn->after + 1, lrn->channels);
    double sum[LANES] = {0};

    for (int64_t j = window.begin; j < window.end; j++)
        for (int64_t i = 0; i < lanes; i++) {
            double v = (double)x[j * lrn->inner + i];
            sum[i] += v * v;
        }
    for (int64_t i = 0; i < lanes; i++)
        scale[i] = lrn->k + lrn->alpha * sum[i];
}

static void forward_lanes(const struct onednn_lrn_own *lrn, const float *x, float *y, int64_t lanes)
{
    double scale[LANES];

    for (int64_t c = 0; c < lrn->channels; c++) {
        scale_of(lrn, x, c, lanes, scale);
        for (int64_t i = 0; i < lanes; i++)
            y[c * lrn->inner + i] =
                (float)((double)x[c * lrn->inner + i] * pow(scale[i], -lrn->beta));
    }
}

void onednn_lrn_own_forward(const struct onednn_call *call, const void *data)
{
    const struct onednn_lrn_own *lrn = data;
    const float *x = onednn_at(call, lrn->x);
    float *y = onednn_at(call, lrn->out);

    for (int64_t o = 0; o < lrn->outer; o++) {
        int64_t first = o * lrn->channels * lrn->inner;

        for (int64_t i = 0; i < lrn->inner; i += LANES)
            forward_lanes(lrn, x + first + i, y + first + i,
                          lrn->inner - i < LANES ? lrn->inner - i : LANES);
    }
}

/* With p = scale^-beta: dx = dy p - 2 alpha beta x * (sum of dy x p / scale over the channels in
 * whose windows c lies). What a channel adds to such sums is worked out for each of them anew. */
static void backward_lanes(const struct onednn_lrn_own *lrn, const float *x, const float *dy,
                           float *dx, int64_t lanes)
{
    double scale[LANES], sum[LANES], own[LANES];

    for (int64_t c = 0; c < lrn->channels; c++) {
        struct range over = clip(c - lrn->after, c + lrn->before + 1, lrn->channels);

        for (int64_t i = 0; i < lanes; i++)
            sum[i] = 0;
        for (int64_t j = over.begin; j < over.end; j++) {
            scale_of(lrn, x, j, lanes, scale);
            for (int64_t i = 0; i < lanes; i++) {
                double g = (double)dy[j * lrn->inner + i] * pow(scale[i], -lrn->beta);

                sum[i] += g * (double)x[j * lrn->inner + i] / scale[i];
                own[i] = j == c ? g : own[i];
            }
        }
        for (int64_t i = 0; i < lanes; i++)
            dx[c * lrn->inner + i] = (float)(own[i] - 2 * lrn->alpha * lrn->beta *
                                                          (double)x[c * lrn->inner + i] * sum[i]);
    }
}

void onednn_lrn_own_backward(const struct onednn_call *call, const void *data)
{
    const struct onednn_lrn_own *lrn = data;
    const float *x = onednn_at(call, lrn->x), *dy = onednn_at(call, lrn->dy);
    float *dx = onednn_at(call, lrn->out);

    for (int64_t o = 0; o < lrn->outer; o++) {
        int64_t first = o * lrn->channels * lrn->inner;

        for (int64_t i = 0; i < lrn->inner; i += LANES)
            backward_lanes(lrn, x + first + i, dy + first + i, dx + first + i,
                           lrn->inner - i < LANES ? lrn->inner - i : LANES);
    }
}
