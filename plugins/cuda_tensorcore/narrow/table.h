/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for layers of few channels that each 16-bit type has. Numbers stay what they are for
 * ever. */
#ifndef CUDA_TENSORCORE_NARROW_TABLE_H
#define CUDA_TENSORCORE_NARROW_TABLE_H

#include "../common/table.h"
#include "gemm.h"

template <class S> constexpr tc_narrow_limits tc_narrow_limits_of()
{
    return {S::CHANNELS, S::N, S::TAPS, S::HEIGHT, S::OCCUPANCY, S::STAYS};
}

template <class S>
static int32_t tc_narrow_takes_shape(const struct conv *conv, const struct tc_target *target)
{
    return tc_narrow_takes(*conv, *target, tc_narrow_limits_of<S>());
}

template <class S> static void tc_narrow_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_narrow_params params;
    int64_t blocks = tc_narrow_prepare(&params, *job, tc_narrow_limits_of<S>());

    tc_step_make(step, tc_narrow_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, blocks, params);
}

/* Numbers: by type, taps, channels. mma_efficiency is such that the model's blocks do what these do
 * in the time that they take: moving is what counts. */
#define TC_NARROW_NUMBER(type, taps, index)                                                        \
    (TC_NARROW << 8 | (type) << 6 | ((taps) == 3) << 4 | (index))
#define TC_NARROW_EFFICIENCY 1.0

template <class S>
constexpr struct tc_kernel tc_narrow_row(int32_t type, int32_t number, int32_t index)
{
    struct tc_kernel kernel = tc_table_gemm_row<S>(TC_NARROW_NUMBER(number, S::TAPS, index), type,
                                                   0, TC_NARROW_EFFICIENCY);

    kernel.load = TC_LOAD_OWN;
    kernel.capability = 80;
    kernel.occupancy = S::OCCUPANCY;
    kernel.takes = tc_narrow_takes_shape<S>;
    kernel.step = tc_narrow_step<S>;
    return kernel;
}

#define TC_NARROW_ROW(math, number, type, index, ...)                                              \
    tc_narrow_row<tc_narrow_shape<math, __VA_ARGS__>>(type, number, index)

/* Channels of A, results, taps; rows of a warp, warps, occupancy. */
#define TC_NARROW_ROWS(math, number, type, taps)                                                   \
    TC_NARROW_ROW(math, number, type, 0, 16, 16, taps, 2, 8, 3),                                   \
        TC_NARROW_ROW(math, number, type, 1, 16, 32, taps, 2, 8, 2),                               \
        TC_NARROW_ROW(math, number, type, 2, 32, 16, taps, 1, 8, 4),                               \
        TC_NARROW_ROW(math, number, type, 3, 32, 32, taps, 1, 8, 3),                               \
        TC_NARROW_ROW(math, number, type, 4, 32, 64, taps, 1, 4, 3),                               \
        TC_NARROW_ROW(math, number, type, 5, 64, 32, taps, 1, 4, 3)

#define TC_NARROW_TABLE(name, math, number, type)                                                  \
    static const struct tc_kernel kernels[] = {TC_NARROW_ROWS(math, number, type, 1),              \
                                               TC_NARROW_ROWS(math, number, type, 3)};             \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
