/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for grouped convolutions that each 16-bit type has. Numbers stay what they are for
 * ever. */
#ifndef CUDA_TENSORCORE_GROUPS_TABLE_H
#define CUDA_TENSORCORE_GROUPS_TABLE_H

#include "gemm.h"
#include "wgrad.h"
#include "wgrad_reduce.h"

template <class M, int CHANNELS, bool DATA, int SLAB>
static void tc_groups_make_gemm(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[2][TC_DEVICES_SEEN];
    tc_groups_job groups;
    int64_t blocks = tc_groups_prepare(&groups, *job, SLAB);

    tc_step_make(step, tc_groups_gemm_kernel<M, CHANNELS, DATA, true, SLAB>, asked[0],
                 TC_GROUPS_THREADS, groups.shared_bytes, blocks, groups);
    tc_step_or(step, 1, tc_groups_gemm_kernel<M, CHANNELS, DATA, false, SLAB>, asked[1]);
}

template <class M, int CHANNELS, int SLAB>
static void tc_groups_make_filter(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_groups_job groups;
    int64_t blocks = tc_groups_prepare(&groups, *job, SLAB);

    tc_step_make(step, tc_groups_filter_kernel<M, CHANNELS, SLAB>, asked, TC_GROUPS_THREADS,
                 groups.shared_bytes, blocks, groups);
    tc_step_or(step, 1, tc_groups_filter_kernel<M, CHANNELS, SLAB>, asked);
}

template <class M, bool DATA>
static void tc_groups_step_gemm(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.depth;

    if (channels == 4)
        tc_groups_make_gemm<M, 4, DATA, TC_GROUPS_SLAB>(step, job);
    else if (channels == 8)
        tc_groups_make_gemm<M, 8, DATA, TC_GROUPS_SLAB>(step, job);
    else if (channels == 16)
        tc_groups_make_gemm<M, 16, DATA, TC_GROUPS_SLAB>(step, job);
    else
        tc_groups_make_gemm<M, 32, DATA, TC_GROUPS_SLAB>(step, job);
}

template <class M> static void tc_groups_step_narrow(struct tc_step *step, const struct tc_job *job)
{
    if (job->conv.depth == 16)
        tc_groups_make_gemm<M, 16, false, TC_GROUPS_NARROW>(step, job);
    else
        tc_groups_make_gemm<M, 32, false, TC_GROUPS_NARROW>(step, job);
}

template <class M> static void tc_groups_step_filter(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.depth;

    if (channels == 4)
        tc_groups_make_filter<M, 4, TC_GROUPS_SLAB>(step, job);
    else if (channels == 8)
        tc_groups_make_filter<M, 8, TC_GROUPS_SLAB>(step, job);
    else if (channels == 16)
        tc_groups_make_filter<M, 16, TC_GROUPS_SLAB>(step, job);
    else
        tc_groups_make_filter<M, 32, TC_GROUPS_SLAB>(step, job);
}

template <class M>
static void tc_groups_step_filter_narrow(struct tc_step *step, const struct tc_job *job)
{
    if (job->conv.depth == 16)
        tc_groups_make_filter<M, 16, TC_GROUPS_NARROW>(step, job);
    else
        tc_groups_make_filter<M, 32, TC_GROUPS_NARROW>(step, job);
}

template <class E> static void tc_groups_add(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_groups_job groups;
    tc_groups_adder adder;
    int64_t blocks;

    (void)tc_groups_prepare(&groups, *job, TC_GROUPS_SLAB);
    blocks = tc_groups_make_adder(&adder, groups);
    tc_step_make(step, tc_groups_add_kernel<E>, asked, TC_GROUPS_THREADS, 0, blocks, adder);
}

/* Numbers: by type, direction, slab. Tiles are the model's: a block works on as many groups of 4
 * columns as a slab has; sums of directions forward and data, which are never split, count as the
 * longest there are; and the part is such that the time expected is about what layers of 9 taps
 * take, which is memory's; a narrow slab's block has half to do. */
#define TC_GROUPS_NUMBER(type, what, narrow) (TC_GROUPS << 8 | (type) << 6 | (what) << 4 | (narrow))
typedef void tc_groups_step(struct tc_step *step, const struct tc_job *job);

static constexpr struct tc_kernel tc_groups_row(int32_t type, int32_t number, int32_t what,
                                                int32_t direction, bool narrow,
                                                tc_groups_step *step, tc_groups_step *add)
{
    bool filter = direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    struct tc_kernel kernel = {};

    kernel.number = TC_GROUPS_NUMBER(number, what, narrow);
    kernel.type = type;
    kernel.direction = direction;
    kernel.how = TC_BY_ITSELF;
    kernel.capability = 80;
    kernel.rows = filter ? 288 : 1024;
    kernel.columns = 4;
    kernel.terms = filter ? 16 : TC_GROUPS_TAPS * 32;
    kernel.groups = (narrow ? TC_GROUPS_NARROW : TC_GROUPS_SLAB) / 4;
    kernel.threads = TC_GROUPS_THREADS;
    kernel.resident = 2;
    kernel.part = (filter                                           ? 0.03
                   : direction == ANYDNN_PLUGIN_CONVOLUTION_FORWARD ? 0.25
                                                                    : 0.5) *
                  (narrow ? 2 : 1);
    kernel.takes = narrow ? tc_groups_takes_narrow : tc_groups_takes;
    kernel.plan = narrow ? tc_groups_plan_narrow : tc_groups_plan;
    kernel.step = step;
    kernel.add = add;
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
                      tc_groups_step_filter<math>, tc_groups_add<math::element>),                  \
        tc_groups_row(type, number, 2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, true,            \
                      tc_groups_step_filter_narrow<math>, tc_groups_add<math::element>)};          \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
