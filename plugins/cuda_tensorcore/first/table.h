/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for first layers that each 16-bit type has. Numbers stay what they are for ever. */
#ifndef CUDA_TENSORCORE_FIRST_TABLE_H
#define CUDA_TENSORCORE_FIRST_TABLE_H

#include "../common/wgrad_reduce.h"
#include "dgrad.h"
#include "fprop.h"
#include "wgrad.h"

static void tc_first_step(struct tc_step *step, const struct tc_job *job,
                          void (*kernel)(tc_first_job), uint8_t *asked)
{
    tc_first_job first;
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

TC_FIRST_STEP(tc_first_step_forward, tc_first_forward_kernel)
TC_FIRST_STEP(tc_first_step_filter, tc_first_filter_kernel)

template <class M> static void tc_first_step_data(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];

    tc_first_step(step, job, tc_first_data_kernel<M>, asked);
}

/* Numbers: by type, direction. Tiles are such that the model's blocks do what these do in the time
 * that they take; shared memory depends on the problem and is looked at by what takes it. */
#define TC_FIRST_NUMBER(type, what) (TC_FIRST << 8 | (type) << 6 | (what) << 4)
#define TC_FIRST_ROW(math, number, type, what, direction, rows, columns, terms, part, name, add)   \
    {                                                                                              \
        TC_FIRST_NUMBER(number, what), type, direction, TC_BY_ITSELF, 80, rows, columns, terms,    \
            TC_FIRST_WARPS * 32, 0, 2, part, tc_first_takes_##name, tc_first_step_##name<math>,    \
            add                                                                                    \
    }

#define TC_FIRST_TABLE(name, math, number, type)                                                   \
    static const struct tc_kernel kernels[] = {                                                    \
        TC_FIRST_ROW(math, number, type, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 128, 64, 256, 0.8,  \
                     forward, nullptr),                                                            \
        TC_FIRST_ROW(math, number, type, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 128, 8, 1024, \
                     0.9, data, nullptr),                                                          \
        TC_FIRST_ROW(math, number, type, 2, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, 256, 64,    \
                     64, 0.5, filter, tc_taps_add<math::element>)};                                \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
