/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for grouped convolutions that each 16-bit type has. Numbers stay what they are for
 * ever. */
#ifndef CUDA_TENSORCORE_GROUPS_TABLE_H
#define CUDA_TENSORCORE_GROUPS_TABLE_H

#include "groups_filter.h"
#include "groups_gemm.h"

typedef void tc_groups_kernel(tc_groups_job);

template <class M, int CHANNELS, bool DATA>
static void tc_groups_gemm_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[2][TC_DEVICES_SEEN];
    tc_groups_job groups;
    int64_t blocks = tc_groups_prepare(&groups, *job);

    tc_step_make(step, tc_groups_gemm_kernel<M, CHANNELS, DATA, true>, asked[0], TC_GROUPS_THREADS,
                 groups.shared_bytes, blocks, groups);
    tc_step_or(step, 1, tc_groups_gemm_kernel<M, CHANNELS, DATA, false>, asked[1]);
}

template <class M, int CHANNELS>
static void tc_groups_filter_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_groups_job groups;
    int64_t blocks = tc_groups_prepare(&groups, *job);

    tc_step_make(step, tc_groups_filter_kernel<M, CHANNELS>, asked, TC_GROUPS_THREADS,
                 groups.shared_bytes, blocks, groups);
    tc_step_or(step, 1, tc_groups_filter_kernel<M, CHANNELS>, asked);
}

template <class M, bool DATA>
static void tc_groups_step_gemm(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.depth;

    if (channels == 4)
        tc_groups_gemm_step<M, 4, DATA>(step, job);
    else if (channels == 8)
        tc_groups_gemm_step<M, 8, DATA>(step, job);
    else if (channels == 16)
        tc_groups_gemm_step<M, 16, DATA>(step, job);
    else
        tc_groups_gemm_step<M, 32, DATA>(step, job);
}

template <class M> static void tc_groups_step_filter(struct tc_step *step, const struct tc_job *job)
{
    int64_t channels = job->conv.depth;

    if (channels == 4)
        tc_groups_filter_step<M, 4>(step, job);
    else if (channels == 8)
        tc_groups_filter_step<M, 8>(step, job);
    else if (channels == 16)
        tc_groups_filter_step<M, 16>(step, job);
    else
        tc_groups_filter_step<M, 32>(step, job);
}

template <class E> static void tc_groups_add(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_groups_job groups;
    int64_t blocks;

    (void)tc_groups_prepare(&groups, *job);
    blocks = cuda_blocks((int64_t)groups.channels * groups.entries * job->conv.depth,
                         TC_GROUPS_ADD_EACH);
    tc_step_make(step, tc_groups_add_kernel<E>, asked, TC_GROUPS_THREADS, 0, blocks, groups);
    tc_step_or(step, 1, tc_groups_add_kernel<E>, asked);
}

/* Numbers: by type, direction. Tiles are the model's: a block works on 16 groups of 4 columns; sums
 * of directions forward and data, which are never split, count as the longest there are; and the
 * part is such that the time expected is about what layers of 9 taps take, which is memory's. */
#define TC_GROUPS_NUMBER(type, what) (TC_GROUPS << 8 | (type) << 6 | (what) << 4)
typedef void tc_groups_step(struct tc_step *step, const struct tc_job *job);

static constexpr struct tc_kernel tc_groups_row(int32_t type, int32_t number, int32_t what,
                                                int32_t direction, tc_groups_step *step,
                                                tc_groups_step *add)
{
    bool filter = direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    struct tc_kernel kernel = {};

    kernel.number = TC_GROUPS_NUMBER(number, what);
    kernel.type = type;
    kernel.direction = direction;
    kernel.how = TC_BY_ITSELF;
    kernel.capability = 80;
    kernel.rows = filter ? 288 : 1024;
    kernel.columns = 4;
    kernel.terms = filter ? 128 : TC_GROUPS_TAPS * 32;
    kernel.groups = TC_GROUPS_SLAB / 4;
    kernel.threads = TC_GROUPS_THREADS;
    kernel.resident = 2;
    kernel.part = filter ? 0.02 : direction == ANYDNN_PLUGIN_CONVOLUTION_FORWARD ? 0.17 : 0.45;
    kernel.takes = tc_groups_takes;
    kernel.plan = tc_groups_plan;
    kernel.step = step;
    kernel.add = add;
    return kernel;
}

#define TC_GROUPS_TABLE(name, math, number, type)                                                  \
    static const struct tc_kernel kernels[] = {                                                    \
        tc_groups_row(type, number, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD,                          \
                      (tc_groups_step_gemm<math, false>), nullptr),                                \
        tc_groups_row(type, number, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,                    \
                      (tc_groups_step_gemm<math, true>), nullptr),                                 \
        tc_groups_row(type, number, 2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,                  \
                      tc_groups_step_filter<math>, tc_groups_add<math::element>)};                 \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
