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

/* What the three directions differ in. */
struct tc_first_own {
    int32_t what, direction;
    int32_t tile_m, tile_n, tile_k;
    double mma_efficiency;
    int32_t (*takes)(const struct conv *conv, const struct tc_target *target);
    void (*step)(struct tc_step *step, const struct tc_job *job);
    void (*reduce)(struct tc_step *step, const struct tc_job *job);
};

static constexpr struct tc_kernel tc_first_row(int32_t type, int32_t number,
                                               const tc_first_own &own)
{
    struct tc_kernel kernel = {};

    kernel.number = TC_FIRST_NUMBER(number, own.what);
    kernel.type = type;
    kernel.direction = own.direction;
    kernel.load = TC_LOAD_OWN;
    kernel.capability = 80;
    kernel.tile_m = own.tile_m;
    kernel.tile_n = own.tile_n;
    kernel.tile_k = own.tile_k;
    kernel.threads = TC_FIRST_WARPS * 32;
    kernel.occupancy = 2;
    kernel.mma_efficiency = own.mma_efficiency;
    kernel.takes = own.takes;
    kernel.step = own.step;
    kernel.reduce = own.reduce;
    return kernel;
}

/* mma_efficiency behind the tile. */
#define TC_FIRST_TABLE(name, math, number, type)                                                   \
    static const struct tc_kernel kernels[] = {                                                    \
        tc_first_row(type, number,                                                                 \
                     {0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 128, 64, 256, 0.8,                     \
                      tc_first_takes_fprop, tc_first_step_fprop<math>, nullptr}),                  \
        tc_first_row(type, number,                                                                 \
                     {1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 128, 8, 1024, 0.9,               \
                      tc_first_takes_dgrad, tc_first_step_dgrad<math>, nullptr}),                  \
        tc_first_row(type, number,                                                                 \
                     {2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, 256, 64, 64, 0.5,              \
                      tc_first_takes_wgrad, tc_first_step_wgrad<math>,                             \
                      tc_wgrad_reduce<typename math::element>})};                                  \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
