/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the convolutions that are first layers, and fills the parameters of their kernels
 * (first/params.h). It runs on the host. */
#include "params.h"

/* The largest stride along the height, the most warps per block, and the positions of a row per
 * warp. */
#define STRIDE_MAX 4
#define WARPS_MAX  TC_FIRST_WARPS
#define WARP_Q     16
/* The blocks per multiprocessor in fprop. Each block processes several tiles. */
#define OCCUPANCY 2

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static int32_t warps_for(int64_t positions)
{
    return least((positions + WARP_Q - 1) / WARP_Q, WARPS_MAX);
}

/* These functions return the first index and the size of a window of dy along one dim. The
 * window contributes to a pair of positions j of dx. It holds each j + d for which tap u + pad -
 * 2 d exists, with u = 0 or 1. */
static int32_t window_first(const conv_dim &dim)
{
    int32_t last = (int32_t)(dim.pad - dim.taps + 1);

    return last >= 0 ? (last + 1) / 2 : -(-last / 2);
}

static int32_t window_count(const conv_dim &dim)
{
    return (int32_t)(1 + dim.pad) / 2 - window_first(dim) + 1;
}

/* ------------------------------------------------------------------ shared memory */

static int64_t fprop_bytes(const conv_dim &h, int32_t warps)
{
    int64_t rows = (TC_FIRST_FPROP_P - 1) * h.stride + h.taps;
    int64_t image = rows * tc_first_pixels(warps * WARP_Q) * TC_FIRST_PIXEL;

    return TC_FIRST_FILTERS * tc_first_filter_bytes((int32_t)h.taps) + (image + 15) / 16 * 16 +
           warps * WARP_Q * TC_FIRST_RESULT;
}

static int64_t wgrad_bytes(const conv_dim &h, const conv_dim &w)
{
    int64_t rows = (TC_FIRST_WGRAD_P - 1) * h.stride + h.taps;

    return TC_FIRST_WGRAD_P * w.positions * TC_FIRST_FILTERS * 2 +
           rows * tc_first_pixels((int32_t)w.positions) * TC_FIRST_PIXEL;
}

static int64_t dgrad_bytes(const conv_dim &h, const conv_dim &w, int32_t warps, int64_t channels)
{
    int64_t rows = TC_FIRST_PAIRS + window_count(h) - 1;
    int64_t window = rows * (warps * WARP_Q + window_count(w) - 1) * TC_FIRST_FILTERS * 2;
    int64_t pixels = 2 * TC_FIRST_PAIRS * 2 * warps * WARP_Q * channels * 2;

    return h.taps * w.taps * TC_FIRST_TAP_BYTES + (window > pixels ? window : pixels);
}

/* ------------------------------------------------------------------ supported problems */

/* Returns 1 if a problem meets the conditions of all directions. The depth must be 1. */
static int is_first(const conv *conv, const tc_target *target, int64_t channels)
{
    const conv_dim *more = &conv->dim[CONV_FIRST], *h = more + 1, *w = more + 2;

    return tc_ampere_takes(conv, target) && conv->groups == 1 && channels <= 4 &&
           more->a_extent == 1 && more->positions == 1 && more->taps == 1 && h->dilation == 1 &&
           w->dilation == 1 && w->stride == 2 && h->stride <= STRIDE_MAX &&
           h->taps <= TC_FIRST_TAPS_H && w->taps <= TC_FIRST_TAPS;
}

/* Returns 1 if the image's rows are packed and begin at multiples of 8 bytes. */
static int reads_image(const conv *conv)
{
    const conv_dim *h = &conv->dim[CONV_FIRST + 1], *w = h + 1;

    return conv->a.step == 1 && conv->channels >= 3 && w->a == conv->channels && h->a % 4 == 0 &&
           conv->a_image % 4 == 0 && w->a_extent % 4 == 0;
}

extern "C" int32_t tc_first_takes_fprop(const struct conv *conv, const struct tc_target *target)
{
    const conv_dim *h = &conv->dim[CONV_FIRST + 1], *w = h + 1;

    return is_first(conv, target, conv->channels) && reads_image(conv) &&
           fprop_bytes(*h, warps_for(w->positions)) <= target->context->shared_bytes;
}

extern "C" int32_t tc_first_takes_wgrad(const struct conv *conv, const struct tc_target *target)
{
    const conv_dim *h = &conv->dim[CONV_FIRST + 1], *w = h + 1;

    return is_first(conv, target, conv->channels) && reads_image(conv) &&
           conv->position.step == 1 && conv->n % 8 == 0 && conv->position_image % 8 == 0 &&
           h->position % 8 == 0 && w->position % 8 == 0 && w->positions % WARP_Q == 0 &&
           wgrad_bytes(*h, *w) <= target->context->shared_bytes;
}

extern "C" int32_t tc_first_takes_dgrad(const struct conv *conv, const struct tc_target *target)
{
    const conv_dim *h = &conv->dim[CONV_FIRST + 1], *w = h + 1;
    int32_t warps = warps_for((w->positions + 1) / 2);

    return is_first(conv, target, conv->n) && h->stride == 2 &&
           conv->channels == TC_FIRST_FILTERS && conv->a.step == 1 && conv->a_image % 8 == 0 &&
           h->a % 8 == 0 && w->a % 8 == 0 && conv->position_image <= INT32_MAX &&
           h->position <= INT32_MAX &&
           dgrad_bytes(*h, *w, warps, conv->n) <= target->context->shared_bytes;
}

/* ------------------------------------------------------------------ jobs */

static tc_first_grid prepare_image(tc_first_params *first, const tc_job &job)
{
    const conv &conv = job.conv;
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];
    int32_t warps = warps_for(w.positions);
    int64_t most = (int64_t)job.context->cuda.multiprocessors * OCCUPANCY;

    first->channels = (int32_t)conv.channels;
    first->filters = (int32_t)conv.n;
    first->height = (int32_t)h.a_extent;
    first->width = (int32_t)w.a_extent;
    first->out_height = (int32_t)h.positions;
    first->out_width = (int32_t)w.positions;
    first->x_image = (int32_t)conv.a_image;
    first->x_h = (int32_t)h.a;
    first->y_image = (int32_t)conv.position_image;
    first->y_h = (int32_t)h.position;
    first->y_w = (int32_t)w.position;
    if (conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER) {
        first->tiles_h = (first->out_height + TC_FIRST_WGRAD_P - 1) / TC_FIRST_WGRAD_P;
        first->tiles = first->images * first->tiles_h;
        return {first->taps_h * 32, (int32_t)wgrad_bytes(h, w),
                (int64_t)first->splits * first->n_tiles};
    }
    first->tiles_h = (first->out_height + TC_FIRST_FPROP_P - 1) / TC_FIRST_FPROP_P;
    first->tiles_w = (first->out_width + warps * WARP_Q - 1) / (warps * WARP_Q);
    first->tiles = first->images * first->tiles_h * first->tiles_w;
    return {warps * 32, (int32_t)fprop_bytes(h, warps),
            (int64_t)least(first->tiles, most) * first->n_tiles};
}

static tc_first_grid prepare_dgrad(tc_first_params *first, const tc_job &job)
{
    const conv &conv = job.conv;
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];
    int32_t warps = warps_for((w.positions + 1) / 2), pairs = warps * WARP_Q;
    int32_t channels = (int32_t)conv.n;

    first->channels = channels;
    first->filters = (int32_t)conv.channels;
    first->height = (int32_t)h.positions;
    first->width = (int32_t)w.positions;
    first->out_height = (int32_t)h.a_extent;
    first->out_width = (int32_t)w.a_extent;
    first->x_image = (int32_t)conv.position_image;
    first->x_h = (int32_t)h.position;
    first->y_image = (int32_t)conv.a_image;
    first->y_h = (int32_t)h.a;
    first->y_w = (int32_t)w.a;
    first->dy_h = window_first(h);
    first->dy_w = window_first(w);
    first->window_h = window_count(h);
    first->window_w = window_count(w);
    first->tiles_h = ((first->height + 1) / 2 + TC_FIRST_PAIRS - 1) / TC_FIRST_PAIRS;
    first->tiles_w = ((first->width + 1) / 2 + pairs - 1) / pairs;
    first->tiles = first->images * first->tiles_h * first->tiles_w;
    first->stores_by_16 = w.position == channels && (channels == 1 || conv.position.step == 1) &&
                          first->width * channels % 8 == 0 && first->x_h % 8 == 0 &&
                          first->x_image % 8 == 0;
    return {warps * 32, (int32_t)dgrad_bytes(h, w, warps, channels),
            least(first->tiles, job.context->cuda.multiprocessors)};
}

tc_first_grid tc_first_prepare(tc_first_params *first, const tc_job &job)
{
    const conv &conv = job.conv;
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];

    *first = {};
    tc_slim_of(first, job);
    first->stores_by_16 = tc_ampere_is_packed(conv, 8);
    first->images = (int32_t)conv.images;
    first->taps_h = (int32_t)h.taps;
    first->taps_w = (int32_t)w.taps;
    first->pad_h = (int32_t)h.pad;
    first->pad_w = (int32_t)w.pad;
    first->stride_h = (int32_t)h.stride;
    return conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA ? prepare_dgrad(first, job)
                                                                     : prepare_image(first, job);
}
