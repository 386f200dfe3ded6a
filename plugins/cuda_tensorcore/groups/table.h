/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for grouped convolutions that each 16-bit type has. Numbers stay what they are for
 * ever. */
#ifndef CUDA_TENSORCORE_GROUPS_TABLE_H
#define CUDA_TENSORCORE_GROUPS_TABLE_H

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
    int64_t channels = job->conv.depth;

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
    if (job->conv.depth == 16)
        tc_groups_make_gemm<M, 16, false, TC_GROUPS_NARROW>(step, job);
    else
        tc_groups_make_gemm<M, 32, false, TC_GROUPS_NARROW>(step, job);
}

template <class M> static void tc_groups_step_wgrad(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.depth;

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
    if (job->conv.depth == 16)
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

/* Numbers: by type, direction, slab. Tiles are the model's: a block works on as many groups of 4
 * columns as a slab has; sums of fprop and dgrad, which are never split, count as the
 * longest there are; and mma_efficiency is such that the time expected is about what layers of 9
 * taps take, which is memory's; a narrow slab's block has half to do. */
#define TC_GROUPS_NUMBER(type, what, narrow) (TC_GROUPS << 8 | (type) << 6 | (what) << 4 | (narrow))
typedef void tc_groups_step(struct tc_step *step, const struct tc_job *job);

static constexpr struct tc_kernel tc_groups_row(int32_t type, int32_t number, int32_t what,
                                                int32_t direction, bool narrow,
                                                tc_groups_step *step, tc_groups_step *reduce)
{
    bool wgrad = direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    struct tc_kernel kernel = {};

    kernel.number = TC_GROUPS_NUMBER(number, what, narrow);
    kernel.type = type;
    kernel.direction = direction;
    kernel.load = TC_LOAD_OWN;
    kernel.capability = 80;
    kernel.tile_m = wgrad ? 288 : 1024;
    kernel.tile_n = 4;
    kernel.tile_k = wgrad ? 16 : TC_GROUPS_TAPS * 32;
    kernel.groups = (narrow ? TC_GROUPS_NARROW : TC_GROUPS_SLAB) / 4;
    kernel.threads = TC_GROUPS_THREADS;
    kernel.occupancy = 2;
    kernel.mma_efficiency = (wgrad                                            ? 0.03
                             : direction == ANYDNN_PLUGIN_CONVOLUTION_FORWARD ? 0.25
                                                                              : 0.5) *
                            (narrow ? 2 : 1);
    kernel.takes = narrow ? tc_groups_takes_narrow : tc_groups_takes;
    kernel.plan = narrow ? tc_groups_plan_narrow : tc_groups_plan;
    kernel.step = step;
    kernel.reduce = reduce;
    return kernel;
}

#define TC_GROUPS_TABLE(name, math, number, type)                                                  \
    static const struct tc_kernel kernels[] = {                                                    \
        tc_groups_row(type, number, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, false,                   \
                      (tc_groups_step_gemm<math, false>), nullptr),                                \
        tc_groups_row(type, number, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, true,                    \
                      tc_groups_step_narrow<math>, nullptr),                                       \
        tc_groups_row(type, number, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, false,             \
                      (tc_groups_step_gemm<math, true>), nullptr),                                 \
        tc_groups_row(type, number, 2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, false,           \
                      tc_groups_step_wgrad<math>, tc_groups_reduce<math::element>),                \
        tc_groups_row(type, number, 2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, true,            \
                      tc_groups_step_wgrad_narrow<math>, tc_groups_reduce<math::element>)};        \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
