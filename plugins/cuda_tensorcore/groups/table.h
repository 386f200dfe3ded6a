/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels for grouped convolutions that exist for each 16-bit type. Kernel numbers
 * are never reused. */
#ifndef CUDA_TENSORCORE_GROUPS_TABLE_H
#define CUDA_TENSORCORE_GROUPS_TABLE_H

#include "../common/table.h"
#include "gemm.h"
#include "wgrad.h"
#include "wgrad_reduce.h"

template <class M, int CHANNELS, bool DGRAD, int SLAB>
static void tc_groups_make_gemm(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[2][TC_DEVICES_SEEN];
    tc_groups_params groups;
    int64_t blocks = tc_groups_prepare(&groups, *job, SLAB);

    tc_step_make(step, tc_groups_gemm_kernel<M, CHANNELS, DGRAD, true, SLAB>, asked[0],
                 TC_GROUPS_THREADS, groups.shared_bytes, blocks, groups);
    tc_step_or(step, 1, tc_groups_gemm_kernel<M, CHANNELS, DGRAD, false, SLAB>, asked[1]);
}

template <class M, int CHANNELS, int SLAB>
static void tc_groups_make_wgrad(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_groups_params groups;
    int64_t blocks = tc_groups_prepare(&groups, *job, SLAB);

    tc_step_make(step, tc_groups_wgrad_kernel<M, CHANNELS, SLAB>, asked, TC_GROUPS_THREADS,
                 groups.shared_bytes, blocks, groups);
    tc_step_or(step, 1, tc_groups_wgrad_kernel<M, CHANNELS, SLAB>, asked);
}

template <class M, bool DGRAD>
static void tc_groups_step_gemm(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.channels;

    if (channels == 4)
        tc_groups_make_gemm<M, 4, DGRAD, TC_GROUPS_SLAB>(step, job);
    else if (channels == 8)
        tc_groups_make_gemm<M, 8, DGRAD, TC_GROUPS_SLAB>(step, job);
    else if (channels == 16)
        tc_groups_make_gemm<M, 16, DGRAD, TC_GROUPS_SLAB>(step, job);
    else
        tc_groups_make_gemm<M, 32, DGRAD, TC_GROUPS_SLAB>(step, job);
}

template <class M> static void tc_groups_step_narrow(struct tc_step *step, const struct tc_job *job)
{
    if (job->conv.channels == 16)
        tc_groups_make_gemm<M, 16, false, TC_GROUPS_NARROW>(step, job);
    else
        tc_groups_make_gemm<M, 32, false, TC_GROUPS_NARROW>(step, job);
}

template <class M> static void tc_groups_step_wgrad(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.channels;

    if (channels == 4)
        tc_groups_make_wgrad<M, 4, TC_GROUPS_SLAB>(step, job);
    else if (channels == 8)
        tc_groups_make_wgrad<M, 8, TC_GROUPS_SLAB>(step, job);
    else if (channels == 16)
        tc_groups_make_wgrad<M, 16, TC_GROUPS_SLAB>(step, job);
    else
        tc_groups_make_wgrad<M, 32, TC_GROUPS_SLAB>(step, job);
}

template <class M>
static void tc_groups_step_wgrad_narrow(struct tc_step *step, const struct tc_job *job)
{
    if (job->conv.channels == 16)
        tc_groups_make_wgrad<M, 16, TC_GROUPS_NARROW>(step, job);
    else
        tc_groups_make_wgrad<M, 32, TC_GROUPS_NARROW>(step, job);
}

template <class E> static void tc_groups_reduce(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_groups_params groups;
    tc_groups_reducer adder;
    int64_t blocks;

    (void)tc_groups_prepare(&groups, *job, TC_GROUPS_SLAB);
    blocks = tc_groups_make_reducer(&adder, groups);
    tc_step_make(step, tc_groups_reduce_kernel<E>, asked, TC_GROUPS_THREADS, 0, blocks, adder);
}

/* Kernel numbers consist of the type, the direction and the slab. The tile sizes serve the
 * model: a block counts as the slab's groups of 4 columns. The sums of fprop and dgrad, which
 * are never split, count as the longest ones. mma_efficiency is chosen so that the expected time
 * matches layers of 9 taps, which are limited by memory. A block with a narrow slab does half of
 * the work. */
#define TC_GROUPS_NUMBER(type, what, narrow) (TC_GROUPS << 8 | (type) << 6 | (what) << 4 | (narrow))

/* The values in which the kernels differ. */
struct tc_groups_entry {
    int32_t slab; /* TC_GROUPS_SLAB or TC_GROUPS_NARROW */
    double mma_efficiency;
    void (*step)(struct tc_step *step, const struct tc_job *job);
    void (*reduce)(struct tc_step *step, const struct tc_job *job);
};

template <class M>
constexpr struct tc_kernel tc_groups_row(int32_t what, const tc_groups_entry &entry)
{
    bool narrow = entry.slab == TC_GROUPS_NARROW, wgrad = what == TC_WGRAD;

    return {.number = TC_GROUPS_NUMBER(M::NUMBER, what, narrow),
            .type = M::TYPE,
            .direction = tc_direction_of(what),
            .load = TC_LOAD_OWN,
            .code = TC_CODE_ANY,
            .capability = 80,
            .tile_m = wgrad ? 288 : 1024,
            .tile_n = 4,
            .tile_k = wgrad ? 16 : TC_GROUPS_TAPS * 32,
            .threads = TC_GROUPS_THREADS,
            .occupancy = 2,
            .mma_efficiency = entry.mma_efficiency,
            .groups = entry.slab / 4,
            .takes = narrow ? tc_groups_takes_narrow : tc_groups_takes,
            .plan = narrow ? tc_groups_plan_narrow : tc_groups_plan,
            .step = entry.step,
            .reduce = entry.reduce};
}

/* Defines the table of an operand type. */
#define TC_GROUPS_TABLE(name, math)                                                                \
    TC_TABLE(name,                                                                                 \
             tc_groups_row<math>(TC_FPROP, {.slab = TC_GROUPS_SLAB,                                \
                                            .mma_efficiency = 0.25,                                \
                                            .step = tc_groups_step_gemm<math, false>}),            \
             tc_groups_row<math>(TC_FPROP, {.slab = TC_GROUPS_NARROW,                              \
                                            .mma_efficiency = 0.5,                                 \
                                            .step = tc_groups_step_narrow<math>}),                 \
             tc_groups_row<math>(TC_DGRAD, {.slab = TC_GROUPS_SLAB,                                \
                                            .mma_efficiency = 0.5,                                 \
                                            .step = tc_groups_step_gemm<math, true>}),             \
             tc_groups_row<math>(TC_WGRAD, {.slab = TC_GROUPS_SLAB,                                \
                                            .mma_efficiency = 0.03,                                \
                                            .step = tc_groups_step_wgrad<math>,                    \
                                            .reduce = tc_groups_reduce<math::element>}),           \
             tc_groups_row<math>(TC_WGRAD, {.slab = TC_GROUPS_NARROW,                              \
                                            .mma_efficiency = 0.06,                                \
                                            .step = tc_groups_step_wgrad_narrow<math>,             \
                                            .reduce = tc_groups_reduce<math::element>}))

#endif
