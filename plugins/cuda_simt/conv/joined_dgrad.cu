/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which problems dgrad of float to few channels accepts, and launches its kernels. */
#include "joined_dgrad_device.h"

static const struct {
    void (*kernel)(joined_job), (*wide)(joined_job);
    int32_t n;
} shapes[] = {
    {joined_kernel<4, false>, joined_kernel<4, true>, 4},
    {joined_kernel<12, false>, joined_kernel<12, true>, 12},
    {joined_kernel<16, false>, joined_kernel<16, true>, 16},
};

static int64_t floor_div(int64_t n, int64_t by)
{
    return n >= 0 ? n / by : -((by - 1 - n) / by);
}

static bool fill_dim(joined_dim *to, const conv_dim &dim)
{
    int64_t last = floor_div(dim.stride - 1 + dim.pad, dim.stride);
    int64_t first = -floor_div(dim.taps - 1 - dim.pad, dim.stride);

    if ((dim.dilation != 1 && dim.taps > 1) || last - first + 1 > MASK_BITS)
        return false;
    to->a_extent = (int32_t)dim.a_extent;
    to->extent = (int32_t)dim.positions;
    to->positions = (int32_t)cuda_ceil_div(dim.positions, dim.stride);
    to->stride = (int32_t)dim.stride;
    to->pad = (int32_t)dim.pad;
    to->filter = (int32_t)dim.taps;
    to->first = (int32_t)first;
    to->taps = (int32_t)(last - first + 1);
    to->a = (int32_t)dim.a;
    to->tap = (int32_t)dim.tap;
    to->position = (int32_t)dim.position;
    to->by_positions = cuda_divisor_of(to->positions);
    to->by_taps = cuda_divisor_of(to->taps);
    return true;
}

static bool is_wide(const conv &conv)
{
    bool wide = conv.a.step == 1 && conv.channels % 4 == 0 && conv.a_image % 4 == 0;

    for (int d = CONV_DIMS_MAX - JOINED_DIMS; d < CONV_DIMS_MAX; d++)
        wide = wide && conv.dim[d].a % 4 == 0;
    return wide;
}

/* Returns true if all dims before the last two have length 1. */
static bool is_flat(const conv &conv)
{
    for (int d = 0; d < CONV_DIMS_MAX - JOINED_DIMS; d++) {
        const conv_dim &dim = conv.dim[d];

        if (dim.positions != 1 || dim.taps != 1 || dim.a_extent != 1 || dim.pad != 0)
            return false;
    }
    return true;
}

void joined_prepare(joined_state *state, const conv &conv, int32_t multiprocessors)
{
    joined_job *job = &state->job;
    joined_dim *h = &job->dim[0], *w = &job->dim[1];
    int32_t shape = 0, shapes_count = (int32_t)(sizeof shapes / sizeof *shapes);

    *state = {};
    if (!conv_is_dgrad(&conv) || conv.groups != 1 || !is_flat(conv) || !pipelined_reaches(conv) ||
        !fill_dim(h, conv.dim[CONV_DIMS_MAX - 2]) || !fill_dim(w, conv.dim[CONV_DIMS_MAX - 1]) ||
        h->taps * w->taps > TAPS_MAX)
        return;
    while (shape < shapes_count && shapes[shape].n < conv.n * h->stride * w->stride)
        shape++;
    if (shape == shapes_count)
        return;
    job->position_image = conv.position_image;
    job->a_image = (int32_t)conv.a_image;
    job->a_step = (int32_t)conv.a.step;
    job->position_step = (int32_t)conv.position.step;
    job->tap_first = (int32_t)conv.tap_first;
    job->tap_depth = (int32_t)conv.tap_channel;
    job->tap_n = (int32_t)conv.tap_n;
    job->m = (int32_t)(conv.images * h->positions * w->positions);
    job->channels = (int32_t)conv.n;
    job->n = job->channels * h->stride * w->stride;
    job->depth = (int32_t)conv.channels;
    job->taps = h->taps * w->taps;
    job->steps = job->taps * (int32_t)cuda_ceil_div(conv.channels, (int64_t)K_STEP);
    state->shape = shape;
    state->is_wide = is_wide(conv);
    state->is_full = cuda_ceil_div((int64_t)job->m, (int64_t)TILE_M) >= multiprocessors;
    state->is_possible = 1;
}

int32_t joined_run(const joined_state *state, const cuda_call *call, const conv_job &job)
{
    joined_job own = state->job;
    bool wide = state->is_wide && (uintptr_t)job.a % 16 == 0;

    own.a = (const float *)job.a;
    own.b = (const float *)job.b;
    own.output = job.output;
    return cuda_launch_threads(call, wide ? shapes[state->shape].wide : shapes[state->shape].kernel,
                               cuda_ceil_div((int64_t)own.m, (int64_t)TILE_M), 1, THREADS, own);
}
