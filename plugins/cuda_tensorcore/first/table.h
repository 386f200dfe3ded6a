/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for first layers that each 16-bit type has. Numbers stay what they are for ever. */
#ifndef CUDA_TENSORCORE_FIRST_TABLE_H
#define CUDA_TENSORCORE_FIRST_TABLE_H

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

/* A kernel that has a form for 3 channels and one for 4. */
#define TC_FIRST_STEP(name, kernel)                                                                \
    template <class M> static void name(struct tc_step *step, const struct tc_job *job)            \
    {                                                                                              \
        static uint8_t asked[2][TC_DEVICES_SEEN];                                                  \
                                                                                                   \
        if (job->conv.depth == 3)                                                                  \
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

/* Numbers: by type, direction. Tiles are such that the model's blocks do what these do in the time
 * that they take; shared memory depends on the problem and is looked at by what takes it. */
#define TC_FIRST_NUMBER(type, what) (TC_FIRST << 8 | (type) << 6 | (what) << 4)
static constexpr struct tc_kernel tc_first_row(int32_t type, int32_t number, int32_t what,
                                               int32_t direction)
{
    struct tc_kernel kernel = {};

    kernel.number = TC_FIRST_NUMBER(number, what);
    kernel.type = type;
    kernel.direction = direction;
    kernel.load = TC_LOAD_OWN;
    kernel.capability = 80;
    kernel.threads = TC_FIRST_WARPS * 32;
    kernel.occupancy = 2;
    return kernel;
}

template <class M>
static constexpr struct tc_kernel tc_first_fprop_row(int32_t type, int32_t number)
{
    struct tc_kernel kernel = tc_first_row(type, number, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD);

    kernel.tile_m = 128;
    kernel.tile_n = 64;
    kernel.tile_k = 256;
    kernel.mma_efficiency = 0.8;
    kernel.takes = tc_first_takes_fprop;
    kernel.step = tc_first_step_fprop<M>;
    return kernel;
}

template <class M>
static constexpr struct tc_kernel tc_first_dgrad_row(int32_t type, int32_t number)
{
    struct tc_kernel kernel =
        tc_first_row(type, number, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA);

    kernel.tile_m = 128;
    kernel.tile_n = 8;
    kernel.tile_k = 1024;
    kernel.mma_efficiency = 0.9;
    kernel.takes = tc_first_takes_dgrad;
    kernel.step = tc_first_step_dgrad<M>;
    return kernel;
}

template <class M>
static constexpr struct tc_kernel tc_first_wgrad_row(int32_t type, int32_t number)
{
    struct tc_kernel kernel =
        tc_first_row(type, number, 2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER);

    kernel.tile_m = 256;
    kernel.tile_n = 64;
    kernel.tile_k = 64;
    kernel.mma_efficiency = 0.5;
    kernel.takes = tc_first_takes_wgrad;
    kernel.step = tc_first_step_wgrad<M>;
    kernel.reduce = tc_wgrad_reduce<typename M::element>;
    return kernel;
}

#define TC_FIRST_TABLE(name, math, number, type)                                                   \
    static const struct tc_kernel kernels[] = {tc_first_fprop_row<math>(type, number),             \
                                               tc_first_dgrad_row<math>(type, number),             \
                                               tc_first_wgrad_row<math>(type, number)};            \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
