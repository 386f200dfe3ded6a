/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the convolutions that are layers with few channels, and fills the parameters of their
 * kernels (narrow/params.h). It runs on the host. */
#include "params.h"

#include "../../cuda_common/divide.h"
#include "../ampere/epilogue.h"
#include "../common/tiled_image.h"
#include "shape.h"

/* The channels in 16 bytes. */
#define CHUNK TC_NARROW_CHUNK

/* The fewest tiles per resident block for which blocks process several tiles (measured on an
 * H200). */
#define STAYING_WAVES 4

/* Returns the rows or columns by which the first tap precedes a result. */
static int64_t lead_of(const conv &conv, const conv_dim &dim)
{
    return conv_is_dgrad(&conv) ? dim.taps - 1 - dim.pad : dim.pad;
}

/* Returns true if at least half of the tiles' positions are inside the image. */
static bool fills_tiles(const conv_dim &h, const conv_dim &w, int64_t height)
{
    return h.positions * w.positions * 2 >= tc_tiled_area(h, w, height, TC_NARROW_WIDTH);
}

int32_t tc_narrow_takes(const conv &conv, const tc_target &target, const tc_narrow_limits &limits)
{
    const conv_dim &more = conv.dim[CONV_FIRST], &h = conv.dim[CONV_FIRST + 1],
                   &w = conv.dim[CONV_FIRST + 2];
    int64_t least_channels = limits.channels / 2, least_n = limits.n / 2;

    return tc_ampere_takes(&conv, &target) && !conv_is_wgrad(&conv) && conv.groups == 1 &&
           conv.classes == 1 && more.a_extent == 1 && more.positions == 1 && more.taps == 1 &&
           more.pad == 0 && tc_is_plain_dim(h, limits.taps) && tc_is_plain_dim(w, limits.taps) &&
           conv.channels <= limits.channels && conv.n <= limits.n &&
           (conv.channels > least_channels || limits.channels == 16) &&
           (conv.n > least_n || limits.n == 16) && fills_tiles(h, w, limits.height) &&
           conv.images * cuda_ceil_div(h.positions, limits.height) *
                   cuda_ceil_div(w.positions, TC_NARROW_WIDTH) <=
               INT32_MAX;
}

/* Returns true if channels are contiguous, and offsets along the other dims are multiples of 8. */
static bool reads_a_by_16(const conv &conv)
{
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];

    return conv.a.step == 1 && conv.channels % CHUNK == 0 && conv.a_image % CHUNK == 0 &&
           h.a % CHUNK == 0 && w.a % CHUNK == 0;
}

static int32_t filters_of(const conv &conv)
{
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];

    if (conv.tap_first % CHUNK || h.tap % CHUNK || w.tap % CHUNK)
        return TC_NARROW_ELEMENTS;
    if (conv.tap_channel == 1 && conv.channels % CHUNK == 0 && conv.tap_n % CHUNK == 0)
        return TC_NARROW_K_MAJOR;
    if (conv.tap_n == 1 && conv.n % CHUNK == 0 && conv.tap_channel % CHUNK == 0)
        return TC_NARROW_N_MAJOR;
    return TC_NARROW_ELEMENTS;
}

int64_t tc_narrow_prepare(tc_narrow_params *params, const tc_job &job,
                          const tc_narrow_limits &limits)
{
    const conv &conv = job.conv;
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];
    int64_t resident = (int64_t)job.context->cuda.multiprocessors * limits.occupancy;

    *params = {};
    tc_slim_of(params, job);
    if (conv_is_dgrad(&conv)) {
        /* Tap t of position p reads p + pad - t, so the taps are reversed. */
        params->conv.tap_first += (int32_t)((h.taps - 1) * h.tap + (w.taps - 1) * w.tap);
        params->conv.dim.last[1].tap = -(int32_t)h.tap;
        params->conv.dim.last[2].tap = -(int32_t)w.tap;
    }
    params->out_height = (int32_t)h.positions;
    params->out_width = (int32_t)w.positions;
    params->lead_h = (int32_t)lead_of(conv, h);
    params->lead_w = (int32_t)lead_of(conv, w);
    params->tiles_h = (int32_t)cuda_ceil_div(h.positions, limits.height);
    params->tiles_w = (int32_t)cuda_ceil_div(w.positions, TC_NARROW_WIDTH);
    params->a_by_16 = reads_a_by_16(conv);
    params->a_step = (int32_t)conv.a.step;
    params->filters = filters_of(conv);
    params->results = tc_ampere_is_packed(conv, CHUNK) ? TC_NARROW_ROUNDED : TC_NARROW_BLENDED;
    params->tiles = (int32_t)conv.images * params->tiles_h * params->tiles_w;
    return limits.stays && params->tiles >= STAYING_WAVES * resident ? resident : params->tiles;
}

int32_t tc_settle(tc_narrow_params *job)
{
    if (job->results == TC_NARROW_BLENDED || tc_is_plain_by(job->output, 16))
        return 0;
    job->bounds = tc_bounds_of(job->output.f);
    job->results = tc_is_biased_by(job->output, 16) ? TC_NARROW_BIASED : TC_NARROW_BLENDED;
    return 0;
}
