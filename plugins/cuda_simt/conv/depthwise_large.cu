/* SPDX-License-Identifier: Apache-2.0 */
/* Decides how depthwise convolutions with large filters are cut: chooses the shape of a block by
 * the expected number of instructions, and counts tiles and streams. */
#include "depthwise_large_shapes.h"

/* The members of a large_shape by which problems are cut. `slots` is the approximate number of
 * instructions of a thread for a unit. */
struct large_cut {
    int32_t wide, high, tiles, threads, blocks, slots;
};

/* Instructions that copy a vector to shared memory, with its address and its bounds. */
enum { PER_COPY = 9 };

template <class SHAPE>
static const large_cut cut_of = {SHAPE::X *SHAPE::WIDE,
                                 SHAPE::Y *SHAPE::HIGH,
                                 SHAPE::TILES,
                                 SHAPE::THREADS,
                                 SHAPE::BLOCKS,
                                 SHAPE::SQUARE *SHAPE::WIDE *SHAPE::HIGH *SHAPE::EACH +
                                     (SHAPE::UNDER_X * SHAPE::UNDER_Y + SHAPE::WIDE * SHAPE::HIGH) *
                                         (1 + SHAPE::EACH) +
                                     PER_COPY *SHAPE::TILES *SHAPE::TILE_VECTORS / SHAPE::THREADS};

/* The shapes for a direction, a number of taps and a stride. */
struct large_cuts {
    const large_cut *const *cuts;
    int32_t count;
};

#define LARGE_CUTS(name, shapes)                                                                   \
    static const large_cut *const name##_list[] = {shapes(&cut_of)};                               \
    static_assert(sizeof name##_list / sizeof *name##_list <= DEPTHWISE_LARGE_SHAPES,              \
                  "each shape has an engine");                                                     \
    static const large_cuts name = {name##_list, sizeof name##_list / sizeof *name##_list}

LARGE_CUTS(fprop5, LARGE_FPROP_5);
LARGE_CUTS(fprop7, LARGE_FPROP_7);
LARGE_CUTS(fprop5_stride2, LARGE_FPROP_5_STRIDE2);
LARGE_CUTS(fprop7_stride2, LARGE_FPROP_7_STRIDE2);
LARGE_CUTS(wgrad5, LARGE_WGRAD_5);
LARGE_CUTS(wgrad7, LARGE_WGRAD_7);
LARGE_CUTS(wgrad5_stride2, LARGE_WGRAD_5_STRIDE2);
LARGE_CUTS(wgrad7_stride2, LARGE_WGRAD_7_STRIDE2);
LARGE_CUTS(dgrad5_stride2, LARGE_DGRAD_5_STRIDE2);
LARGE_CUTS(dgrad7_stride2, LARGE_DGRAD_7_STRIDE2);

static const large_cuts *cuts_for(const depthwise_state *state, int filter)
{
    static const large_cuts *const all[3][2][2] = {
        {{&fprop5, &fprop5_stride2}, {&fprop7, &fprop7_stride2}},
        {{&wgrad5, &wgrad5_stride2}, {&wgrad7, &wgrad7_stride2}},
        {{NULL, &dgrad5_stride2}, {NULL, &dgrad7_stride2}}};

    return all[filter ? 1 : state->spreads ? 2 : 0][state->taps == 7][state->stride == 2];
}

/* How a shape cuts a problem. A stream is the work of a block: one group of tiles, or several. */
struct large_plan {
    int64_t across, along, tiles, streams;
    int64_t cycles; /* expected, of a multiprocessor */
};

/* A multiprocessor has four schedulers, each of which issues an instruction of one of its warps in
 * a cycle. If `together` warps of a scheduler are resident, it is taken to wait for results in one
 * of 2 together + 1 cycles. */
enum { SCHEDULERS = 4, WARP = 32 };

static int64_t cycles_of(const large_cut *cut, int64_t blocks, int64_t each)
{
    int64_t warps = cuda_ceil_div(blocks * cut->threads / WARP, SCHEDULERS);
    int64_t most = cut->blocks * cut->threads / WARP / SCHEDULERS;
    int64_t together = warps < most ? warps : most;

    return each * warps * cut->slots * (2 * together + 1) / (2 * together);
}

/* Without partial sums, a block has up to EACH_MOST groups of tiles, if that leaves WAVES times the
 * resident blocks. */
enum { EACH_MOST = 4, WAVES = 4 };

/* Returns the groups of a block. In wgrad, all blocks are resident at once; a further one would
 * begin late and end after all others. */
static int64_t groups_of_block(int64_t all, int64_t resident, int32_t slabs, int filter)
{
    int64_t each = all / (resident * WAVES);

    if (filter)
        each = cuda_ceil_div(all / slabs, resident > slabs ? resident / slabs : 1);
    else if (each > EACH_MOST)
        each = EACH_MOST;
    return each < 1 ? 1 : each;
}

/* Partial sums that the device stores and reads again in a cycle, at 2000 bytes of its L2. */
enum { JOINED = 250 };

static large_plan plan_of(const depthwise_state *state, const large_cut *cut, int64_t images,
                          int32_t multiprocessors, int filter)
{
    const depthwise_job *job = &state->job;
    large_plan plan = {};
    int64_t groups, each;

    plan.across = cuda_ceil_div(job->across.results, cut->high);
    plan.along = cuda_ceil_div(job->along.results, cut->wide);
    plan.tiles = images * plan.across * plan.along;
    groups = cuda_ceil_div(plan.tiles, cut->tiles);
    each = groups_of_block(groups * job->first, (int64_t)multiprocessors * cut->blocks, job->first,
                           filter);
    plan.streams = cuda_ceil_div(groups, each);
    if (filter)
        plan.cycles = plan.streams * state->taps * state->taps * job->channels / JOINED;
    plan.cycles += cycles_of(cut, cuda_ceil_div(plan.streams * job->first, multiprocessors), each);
    return plan;
}

/* Returns 1 if vectors of 16 bytes hold adjacent channels of all tensors that are copied, and if
 * the filters of a slab are contiguous. */
static int has_slabs(const depthwise_state *state, int filter)
{
    const depthwise_job *job = &state->job;
    int32_t taps = state->taps, first = job->tap_along < 0 ? taps * taps - 1 : 0;

    if (job->channels % 8 || job->x.image % 8 || job->x.across % 8 || job->x.along % 8)
        return 0;
    if (filter)
        return job->out.image % 8 == 0 && job->out.across % 8 == 0 && job->out.along % 8 == 0;
    return (job->tap_along == 1 || job->tap_along == -1) &&
           job->tap_across == taps * job->tap_along && job->tap_channel == taps * taps &&
           job->tap_first == first;
}

/* Returns the shape with this rank by expected cycles, or NULL if there are fewer shapes. Sets
 * `plan` to how it cuts the problem, and state->shape to its number. */
static const large_cut *shape_of(depthwise_state *state, large_plan *plan, int64_t images,
                                 int32_t multiprocessors, int filter, int32_t rank)
{
    const large_cuts *list = cuts_for(state, filter);
    large_plan plans[DEPTHWISE_LARGE_SHAPES];
    int32_t order[DEPTHWISE_LARGE_SHAPES], at;

    if (rank >= list->count)
        return NULL;
    for (int32_t s = 0; s < list->count; s++) {
        plans[s] = plan_of(state, list->cuts[s], images, multiprocessors, filter);
        for (at = s; at > 0 && plans[order[at - 1]].cycles > plans[s].cycles; at--)
            order[at] = order[at - 1];
        order[at] = s;
    }
    state->shape = order[rank];
    *plan = plans[state->shape];
    return list->cuts[state->shape];
}

/* Accepts no dilation, so that U is the stride. */
int depthwise_large_prepare(depthwise_state *state, int64_t images, int32_t multiprocessors,
                            int filter, int32_t rank)
{
    depthwise_job *job = &state->job;
    const large_cut *cut;
    large_plan plan;

    if (job->across.step != 1 || job->along.step != 1 || !has_slabs(state, filter))
        return 0;
    job->first = (int32_t)cuda_ceil_div(job->channels, SLAB);
    job->by_first = cuda_divisor_of(job->first);
    cut = shape_of(state, &plan, images, multiprocessors, filter, rank);
    if (!cut || plan.tiles >= INT64_C(1) << 30)
        return 0;
    job->tiles = (int32_t)plan.tiles;
    job->streams = (int32_t)plan.streams;
    job->across.pieces = (int32_t)plan.across;
    job->along.pieces = (int32_t)plan.along;
    job->by_across = cuda_divisor_of(job->across.pieces);
    job->by_along = cuda_divisor_of(job->along.pieces);
    job->threads = plan.streams * job->first * cut->threads;
    if (filter)
        state->workspace =
            plan.streams * state->taps * state->taps * job->channels * (int64_t)sizeof(float);
    return job->threads < INT64_C(1) << 30;
}

int32_t depthwise_large(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job)
{
    if (state->workspace) {
        int32_t status =
            (state->taps == 5 ? depthwise_large_wgrad5 : depthwise_large_wgrad7)(state, call, job);

        return status ? status : depthwise_wgrad_join(state, call, job);
    }
    if (state->spreads)
        return depthwise_large_dgrad_stride2(state, call, job);
    return (state->taps == 5 ? depthwise_large_fprop5 : depthwise_large_fprop7)(state, call, job);
}
