/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels for layers with few channels that exist for each 16-bit type. Kernel
 * numbers are never reused. */
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

/* Kernel numbers consist of the type, the taps and the index. mma_efficiency is chosen so that
 * the model's cost of a block matches its measured time, which memory traffic dominates. */
#define TC_NARROW_NUMBER(type, taps, index)                                                        \
    (TC_NARROW << 8 | (type) << 6 | ((taps) == 3) << 4 | (index))
#define TC_NARROW_EFFICIENCY 1.0

/* The values of a row, set by name. */
struct tc_narrow_entry {
    int32_t index;       /* lowest bits of the kernel's number */
    int32_t channels, n; /* most channels of A and of the results */
    int32_t rows, warps; /* rows of results per warp */
    int32_t occupancy;
};

template <class S> constexpr struct tc_kernel tc_narrow_row(const tc_narrow_entry &entry)
{
    return {.number = TC_NARROW_NUMBER(S::math::NUMBER, S::TAPS, entry.index),
            .type = S::math::TYPE,
            .load = TC_LOAD_OWN,
            .code = TC_CODE_ANY,
            .capability = 80,
            .tile_m = S::TILE_M,
            .tile_n = S::TILE_N,
            .tile_k = S::TILE_K,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .occupancy = S::OCCUPANCY,
            .mma_efficiency = TC_NARROW_EFFICIENCY,
            .takes = tc_narrow_takes_shape<S>,
            .step = tc_narrow_step<S>};
}

/* Makes a row from the members of a tc_narrow_entry, set by name. */
#define TC_NARROW_ROW(math, taps, ...)                                                             \
    tc_narrow_row<tc_narrow_shape<                                                                 \
        math, tc_narrow_entry{__VA_ARGS__}.channels, tc_narrow_entry{__VA_ARGS__}.n, taps,         \
        tc_narrow_entry{__VA_ARGS__}.rows, tc_narrow_entry{__VA_ARGS__}.warps,                     \
        tc_narrow_entry{__VA_ARGS__}.occupancy>>({__VA_ARGS__})

#define TC_NARROW_ROWS(math, taps)                                                                 \
    TC_NARROW_ROW(math, taps, .index = 0, .channels = 16, .n = 16, .rows = 2, .warps = 8,          \
                  .occupancy = 3),                                                                 \
        TC_NARROW_ROW(math, taps, .index = 1, .channels = 16, .n = 32, .rows = 2, .warps = 8,      \
                      .occupancy = 2),                                                             \
        TC_NARROW_ROW(math, taps, .index = 2, .channels = 32, .n = 16, .rows = 1, .warps = 8,      \
                      .occupancy = 4),                                                             \
        TC_NARROW_ROW(math, taps, .index = 3, .channels = 32, .n = 32, .rows = 1, .warps = 8,      \
                      .occupancy = 3),                                                             \
        TC_NARROW_ROW(math, taps, .index = 4, .channels = 32, .n = 64, .rows = 1, .warps = 4,      \
                      .occupancy = 3),                                                             \
        TC_NARROW_ROW(math, taps, .index = 5, .channels = 64, .n = 32, .rows = 1, .warps = 4,      \
                      .occupancy = 3)

/* Defines the table of an operand type. */
#define TC_NARROW_TABLE(name, math) TC_TABLE(name, TC_NARROW_ROWS(math, 1), TC_NARROW_ROWS(math, 3))

#endif
