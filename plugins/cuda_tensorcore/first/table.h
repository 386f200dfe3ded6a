/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels for first layers that exist for each 16-bit type. Kernel numbers are never
 * reused. */
#ifndef CUDA_TENSORCORE_FIRST_TABLE_H
#define CUDA_TENSORCORE_FIRST_TABLE_H

#include "../common/table.h"
#include "../common/wgrad_reduce.h"
#include "dgrad.h"
#include "fprop.h"
#include "wgrad.h"

static void tc_first_step(struct tc_step *step, const struct tc_job *job,
                          void (*kernel)(tc_first_params), uint8_t *asked)
{
    tc_first_params first;
    tc_first_grid grid = tc_first_prepare(&first, *job);

    tc_step_make(step, kernel, asked, grid.threads, grid.shared_bytes, grid.blocks, first);
}

/* Defines the step function of a kernel with one instance for 3 channels and one for 4. */
#define TC_FIRST_STEP(name, kernel)                                                                \
    template <class M> static void name(struct tc_step *step, const struct tc_job *job)            \
    {                                                                                              \
        static uint8_t asked[2][TC_DEVICES_SEEN];                                                  \
                                                                                                   \
        if (job->conv.channels == 3)                                                               \
            tc_first_step(step, job, kernel<M, 3>, asked[0]);                                      \
        else                                                                                       \
            tc_first_step(step, job, kernel<M, 4>, asked[1]);                                      \
    }

TC_FIRST_STEP(tc_first_step_fprop, tc_first_fprop_kernel)
TC_FIRST_STEP(tc_first_step_wgrad, tc_first_wgrad_kernel)

template <class M> static void tc_first_step_dgrad(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];

    tc_first_step(step, job, tc_first_dgrad_kernel<M>, asked);
}

/* Kernel numbers consist of the type and the direction. The tile sizes are chosen so that the
 * model's cost of a block matches its measured time. Shared memory depends on the problem, so
 * `takes` checks it. */
#define TC_FIRST_NUMBER(type, what) (TC_FIRST << 8 | (type) << 6 | (what) << 4)

/* The values in which the three directions differ. */
struct tc_first_entry {
    int32_t tile_m, tile_n, tile_k;
    double mma_efficiency;
    int32_t (*takes)(const struct conv *conv, const struct tc_target *target);
    void (*step)(struct tc_step *step, const struct tc_job *job);
    void (*reduce)(struct tc_step *step, const struct tc_job *job);
};

template <class M>
constexpr struct tc_kernel tc_first_row(int32_t what, const tc_first_entry &entry)
{
    return {.number = TC_FIRST_NUMBER(M::NUMBER, what),
            .type = M::TYPE,
            .direction = tc_direction_of(what),
            .load = TC_LOAD_OWN,
            .code = TC_CODE_ANY,
            .capability = 80,
            .tile_m = entry.tile_m,
            .tile_n = entry.tile_n,
            .tile_k = entry.tile_k,
            .threads = TC_FIRST_WARPS * 32,
            .occupancy = 2,
            .mma_efficiency = entry.mma_efficiency,
            .takes = entry.takes,
            .step = entry.step,
            .reduce = entry.reduce};
}

/* Defines the table of an operand type. */
#define TC_FIRST_TABLE(name, math)                                                                 \
    TC_TABLE(name,                                                                                 \
             tc_first_row<math>(TC_FPROP, {.tile_m = 128,                                          \
                                           .tile_n = 64,                                           \
                                           .tile_k = 256,                                          \
                                           .mma_efficiency = 0.8,                                  \
                                           .takes = tc_first_takes_fprop,                          \
                                           .step = tc_first_step_fprop<math>}),                    \
             tc_first_row<math>(TC_DGRAD, {.tile_m = 128,                                          \
                                           .tile_n = 8,                                            \
                                           .tile_k = 1024,                                         \
                                           .mma_efficiency = 0.9,                                  \
                                           .takes = tc_first_takes_dgrad,                          \
                                           .step = tc_first_step_dgrad<math>}),                    \
             tc_first_row<math>(TC_WGRAD, {.tile_m = 256,                                          \
                                           .tile_n = 64,                                           \
                                           .tile_k = 64,                                           \
                                           .mma_efficiency = 0.5,                                  \
                                           .takes = tc_first_takes_wgrad,                          \
                                           .step = tc_first_step_wgrad<math>,                      \
                                           .reduce = tc_wgrad_reduce<typename math::element>}))

#endif
