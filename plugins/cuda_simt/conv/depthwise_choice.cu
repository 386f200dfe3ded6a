/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which convolutions the depthwise kernels accept, and how they are cut. The decision
 * depends only on shapes and the number of multiprocessors, so that results are the same in every
 * run on a device. */
#include "../../cuda_common/table.h"
#include "depthwise_device.h"

/* Threads that a multiprocessor should have, and the least length of a strip. */
enum { THREADS_WANTED = 8 * CUDA_THREADS, LENGTH_LEAST = 14 };
/* Resident blocks of a multiprocessor with tall tiles. */
enum { TALL_BLOCKS = 2 };
/* Resident blocks of a multiprocessor in wgrad, and the most vectors of a block. */
enum { FILTER_BLOCKS = 3, FILTER_LANES = 64 };

static int64_t common_of(int64_t a, int64_t b)
{
    return b ? common_of(b, a % b) : a;
}

static int is_short(int64_t number)
{
    return number > -(INT64_C(1) << 30) && number < INT64_C(1) << 30;
}

/* ------------------------------------------------------------------ what is taken */

static int has_types(const struct anydnn_plugin_problem *problem, const conv_slots &slots)
{
    int32_t type = problem->tensor[slots.a]->type;

    return (type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_HALF ||
            type == ANYDNN_PLUGIN_BFLOAT16) &&
           problem->tensor[slots.b]->type == type && problem->tensor[slots.output]->type == type;
}

static int is_depthwise(const conv &conv)
{
    int dgrad = conv_is_dgrad(&conv);

    for (int d = 0; d < CONV_DIMS_MAX - 2; d++) {
        if (conv.dim[d].a_extent != 1 || conv.dim[d].positions != 1 || conv.dim[d].taps != 1 ||
            conv.dim[d].pad != 0)
            return 0;
    }
    return conv.narrow && conv.groups > 1 && (dgrad ? conv.n : conv.channels) == 1;
}

/* Returns 1 if the kernels accept the filter and the strides. Sets state->stride to U: the stride
 * divided by its common divisor with the dilation. In dgrad, U is the stride. */
static int has_taps(depthwise_state *state, const conv &conv)
{
    const struct conv_dim *across = &conv.dim[CONV_DIMS_MAX - 2], *along = across + 1;
    int64_t common = common_of(along->stride, along->dilation);

    state->taps = (int32_t)along->taps;
    state->stride = (int32_t)(along->stride / common);
    if (across->taps != along->taps || across->stride != along->stride ||
        across->dilation != along->dilation ||
        (along->taps != 3 && along->taps != 5 && along->taps != 7))
        return 0;
    if (conv_is_dgrad(&conv)) {
        state->stride = (int32_t)along->stride;
        state->spreads = along->stride == 2;
        return along->stride == 1 || (along->stride == 2 && along->dilation == 1);
    }
    return state->stride <= 2;
}

/* ------------------------------------------------------------------ geometry */

static void make_line(depthwise_line *line, const depthwise_state *state, const conv &conv,
                      const struct conv_dim *dim)
{
    int dgrad = conv_is_dgrad(&conv);

    line->a_extent = (int32_t)dim->a_extent;
    line->positions = line->results = (int32_t)dim->positions;
    line->stride = (int32_t)dim->stride;
    line->step = (int32_t)dim->dilation;
    line->classes = (int32_t)(dim->dilation / common_of(dim->stride, dim->dilation));
    line->origin =
        dgrad ? (int32_t)(dim->pad - (dim->taps - 1) * dim->dilation) : (int32_t)-dim->pad;
    if (state->spreads) {
        line->origin = (int32_t)dim->pad;
        line->results = (int32_t)(dim->pad + dim->positions - 1) / 2 - line->origin / 2 + 1;
        line->classes = 1;
    }
    if (line->classes > line->results)
        line->classes = line->results;
}

/* Sets the geometry of the dims. `along` is W where channels are adjacent, so that a tile across
 * spans rows; otherwise it is H. */
static void make_sides(depthwise_state *state, const conv &conv)
{
    depthwise_job *job = &state->job;
    const struct conv_dim *h = &conv.dim[CONV_DIMS_MAX - 2], *w = h + 1;
    const struct conv_dim *across = job->channels_inside ? h : w;
    const struct conv_dim *along = job->channels_inside ? w : h;

    make_line(&job->across, state, conv, across);
    make_line(&job->along, state, conv, along);
    job->x = {conv.a_image, conv.a.step, (int32_t)across->a, (int32_t)along->a};
    job->out = {conv.position_image, conv.position.step, (int32_t)across->position,
                (int32_t)along->position};
    job->z = {conv.z_image, conv.z.step, (int32_t)across->z, (int32_t)along->z};
    job->tap_first = conv.tap_first;
    job->tap_channel = conv_is_dgrad(&conv) || conv.n == 1 ? conv.tap_group : conv.tap_n;
    job->tap_depth = conv.tap_channel;
    job->tap_across = (int32_t)across->tap;
    job->tap_along = (int32_t)along->tap;
    if (conv_is_dgrad(&conv) && !state->spreads) {
        job->tap_first += (state->taps - 1) * (across->tap + along->tap);
        job->tap_across = -job->tap_across;
        job->tap_along = -job->tap_along;
    }
}

/* Returns 1 if 31 bits hold all offsets within an image, and those outside it that are computed but
 * not used. */
static int has_short_strides(const conv &conv)
{
    for (int d = CONV_DIMS_MAX - 2; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv.dim[d];
        int64_t reach = 16 * (dim->dilation + dim->stride);

        if (!is_short(dim->a) || !is_short(dim->position) || !is_short(dim->z) ||
            !is_short(dim->tap) || !is_short(reach * dim->a) || !is_short(reach * dim->position) ||
            !is_short(reach * dim->z))
            return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ pieces */

static void make_order(depthwise_job *job, int32_t images, int filter)
{
    int32_t across = job->across.pieces * job->across.classes;
    int32_t along = job->along.pieces * job->along.classes;

    job->first = filter || !job->channels_inside ? across : job->vectors;
    job->second = filter ? along : job->channels_inside ? across : job->vectors;
    job->third = along;
    job->by_first = cuda_divisor_of(job->first);
    job->by_second = cuda_divisor_of(job->second);
    job->by_third = cuda_divisor_of(job->third);
    job->by_across = cuda_divisor_of(job->across.pieces);
    job->by_along = cuda_divisor_of(job->along.pieces);
    job->by_multiplier = cuda_divisor_of(job->multiplier);
    job->threads = (int64_t)across * along * images * (filter ? 1 : job->vectors);
}

static int32_t tile_of(const depthwise_state *state, int filter)
{
    return state->form == DEPTHWISE_BY_TALL ? DEPTHWISE_TALL
           : state->spreads ? DEPTHWISE_TILE_DGRAD_STRIDE2(state->lanes, state->taps)
           : filter         ? DEPTHWISE_TILE_WGRAD(state->lanes, state->taps, state->stride)
                            : DEPTHWISE_TILE(state->lanes, state->taps, state->stride);
}

/* Cuts a problem into tiles and strips. A strip is a whole line if there are enough threads. */
static void cut(depthwise_state *state, const struct anydnn_plugin_plan *plan, int64_t images,
                int filter)
{
    depthwise_job *job = &state->job;
    int32_t tile = tile_of(state, filter);
    int32_t rows = job->across.positions + (state->spreads ? job->across.origin % 2 : 0);
    int64_t line = cuda_ceil_div(job->along.results, job->along.classes), threads, pieces;

    job->across.pieces = (int32_t)cuda_ceil_div(cuda_ceil_div(rows, job->across.classes), tile);
    threads = images * job->vectors * job->across.pieces * job->across.classes * job->along.classes;
    pieces = cuda_ceil_div((int64_t)THREADS_WANTED * plan->context->multiprocessors, threads);
    if (pieces > line / LENGTH_LEAST)
        pieces = line / LENGTH_LEAST;
    if (pieces < 1)
        pieces = 1;
    job->length = (int32_t)cuda_ceil_div(line, pieces);
    job->along.pieces = (int32_t)cuda_ceil_div(line, job->length);
}

/* Distributes wgrad over slabs of channels and streams of strips, so that all blocks have about the
 * same work. */
static void share(depthwise_state *state, const struct anydnn_plugin_plan *plan)
{
    depthwise_job *job = &state->job;
    int64_t most, each;

    job->slabs =
        job->channels_inside ? (int32_t)cuda_ceil_div(job->vectors, FILTER_LANES) : job->vectors;
    job->lanes = (int32_t)cuda_ceil_div(job->vectors, job->slabs);
    job->slots = CUDA_THREADS / job->lanes;
    most = cuda_ceil_div((int64_t)plan->context->multiprocessors * FILTER_BLOCKS, job->slabs);
    each = cuda_ceil_div(job->threads, most * job->slots);
    job->streams = (int32_t)cuda_ceil_div(job->threads, each * job->slots);
    state->workspace =
        (int64_t)job->streams * state->taps * state->taps * job->channels * (int64_t)sizeof(float);
}

/* Returns 1 if one access can hold adjacent channels in both tensors that the kernel iterates
 * over. */
static int has_vectors(const depthwise_job *job, int lanes)
{
    const depthwise_side *side[] = {&job->x, &job->out};

    for (int s = 0; s < 2; s++) {
        if (side[s]->channel != 1 || side[s]->image % lanes || side[s]->across % lanes ||
            side[s]->along % lanes)
            return 0;
    }
    return job->channels_inside && job->channels % lanes == 0 && job->multiplier == 1 &&
           job->depth == 1;
}

/* Returns 1 if the problem suits the requested form. The caller checks that halo tiles fit. */
static int has_form(const depthwise_state *state, int filter)
{
    if (state->form == DEPTHWISE_BY_RING)
        return 1;
    if (state->lanes != 2 || state->type == ANYDNN_PLUGIN_FLOAT)
        return 0;
    if (state->form == DEPTHWISE_BY_LARGE)
        return state->taps > 3;
    if (state->spreads || state->taps != 3)
        return 0;
    return state->form == DEPTHWISE_BY_HALO ||
           (!filter && state->stride == 1 && state->job.across.positions % DEPTHWISE_TALL == 0);
}

void depthwise_prepare(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                       const conv &conv, int lanes, enum depthwise_form form, int32_t rank)
{
    depthwise_job *job = &state->job;
    conv_slots slots = conv_slots_of(plan->problem.operation);
    int filter = conv_is_wgrad(&conv), dgrad = conv_is_dgrad(&conv);
    int64_t blocks, waves;

    *state = {};
    if (!has_types(&plan->problem, slots) || !is_depthwise(conv) || !has_taps(state, conv) ||
        !has_short_strides(conv))
        return;
    state->type = plan->problem.tensor[slots.a]->type;
    state->lanes = lanes;
    state->form = form;
    state->deep = conv.channels > 1;
    job->channels = (int32_t)(conv.groups * conv.n);
    job->multiplier = dgrad ? 1 : (int32_t)conv.n;
    job->depth = dgrad ? (int32_t)conv.channels : 1;
    job->channels_inside = conv.position.step == 1;
    job->vectors = job->channels / lanes;
    make_sides(state, conv);
    if ((lanes > 1 && !has_vectors(job, lanes)) || !has_form(state, filter))
        return;
    if (form == DEPTHWISE_BY_HALO) {
        state->is_possible =
            depthwise_halo_prepare(state, conv.images, plan->context->multiprocessors, filter);
        return;
    }
    if (form == DEPTHWISE_BY_LARGE) {
        state->is_possible = depthwise_large_prepare(state, conv.images,
                                                     plan->context->multiprocessors, filter, rank);
        return;
    }
    cut(state, plan, conv.images, filter);
    make_order(job, (int32_t)conv.images, filter);
    if (job->threads + CUDA_THREADS > INT64_C(1) << 30)
        return;
    if (filter)
        share(state, plan);
    blocks = cuda_ceil_div(job->threads, CUDA_THREADS);
    waves = cuda_ceil_div(blocks, (int64_t)TALL_BLOCKS * plan->context->multiprocessors);
    state->is_full = 7 * waves * TALL_BLOCKS * plan->context->multiprocessors <= 8 * blocks;
    state->is_possible = !filter || state->job.streams <= 65535;
}

int32_t depthwise_run(const depthwise_state *state, const depthwise_state *single,
                      const cuda_call *call, const conv_job &conv)
{
    depthwise_job job;

    if (!state->workspace && !depthwise_is_plain(conv.output))
        state = single;
    job = state->job;
    job.a = conv.a;
    job.b = conv.b;
    job.output = conv.output;
    job.partials = (float *)conv.partial;
    if (state->form == DEPTHWISE_BY_LARGE)
        return depthwise_large(state, call, job);
    if (state->workspace)
        return state->form == DEPTHWISE_BY_HALO ? depthwise_halo_wgrad(state, call, job)
                                                : depthwise_wgrad(state, call, job);
    if (state->form == DEPTHWISE_BY_HALO)
        return depthwise_halo(state, call, job);
    return state->spreads ? depthwise_dgrad_stride2(state, call, job)
                          : depthwise_fprop(state, call, job);
}
