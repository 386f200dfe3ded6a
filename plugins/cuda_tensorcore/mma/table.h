/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family mma that exist for every operand type. Kernel numbers are
 * never reused; a removed kernel leaves a gap. */
#ifndef CUDA_TENSORCORE_MMA_TABLE_H
#define CUDA_TENSORCORE_MMA_TABLE_H

#include "../common/table.h"
#include "gemm.h"

typedef TC_SIZE(.tile_m = 128, .tile_n = 128, .warp_m = 64, .warp_n = 64, .stages = 3,
                .occupancy = 2) tc_large;
typedef TC_SIZE(.tile_m = 128, .tile_n = 64, .warp_m = 64, .warp_n = 32, .stages = 4,
                .occupancy = 2) tc_narrow;
typedef TC_SIZE(.tile_m = 64, .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 4,
                .occupancy = 4) tc_small;
/* The size for loads through registers. One tile is in registers and one in shared memory. */
typedef TC_SIZE(.tile_m = 64, .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 2,
                .occupancy = 4) tc_any_size;

/* The values that a row adds to its kernel's shape. */
struct tc_mma_entry {
    int32_t index; /* lowest bits of the kernel's number */
    double mma_efficiency;
    int32_t (*takes)(const struct conv *conv, const struct tc_target *target);
};

template <class S>
constexpr struct tc_kernel tc_mma_row(int32_t numbers, int32_t type, int32_t what,
                                      const tc_mma_entry &entry)
{
    return {.number = numbers | entry.index,
            .type = type,
            .direction = tc_direction_of(what),
            .load = S::LOAD,
            .code = TC_CODE_ANY,
            .capability = S::math::CAPABILITY,
            .tf32_split = S::math::SPLITS,
            .tile_m = S::TILE_M,
            .tile_n = S::TILE_N,
            .tile_k = S::TILE_K,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .occupancy = S::OCCUPANCY,
            .mma_efficiency = entry.mma_efficiency,
            .splits = tc_is_integer<typename S::math>() ? TC_SPLITS_ONE : TC_SPLITS_ANY,
            .takes = entry.takes,
            .step = tc_gemm_step<S>};
}

/* Kernel numbers consist of the type, the direction (0 to 2; 3 means any) and the index. */
#define TC_MMA_NUMBERS(type, what) (TC_MMA << 8 | (type) << 6 | (what) << 4)
#define TC_MMA_ROW(math, what, size, ...)                                                          \
    tc_mma_row<tc_shape<math, size, what>>(TC_MMA_NUMBERS(math::NUMBER, what), math::TYPE, what,   \
                                           {__VA_ARGS__})
#define TC_MMA_ROWS(math, what)                                                                    \
    TC_MMA_ROW(math, what, tc_large, .index = 0, .mma_efficiency = 0.24),                          \
        TC_MMA_ROW(math, what, tc_narrow, .index = 1, .mma_efficiency = 0.22),                     \
        TC_MMA_ROW(math, what, tc_small, .index = 2, .mma_efficiency = 0.18)

/* Defines the table of an operand type. */
#define TC_MMA_TABLE(name, math)                                                                   \
    TC_TABLE(name, TC_MMA_ROWS(math, TC_FPROP), TC_MMA_ROWS(math, TC_DGRAD),                       \
             TC_MMA_ROWS(math, TC_WGRAD),                                                          \
             TC_MMA_ROW(math, TC_ANY, tc_any_size, .index = 0, .mma_efficiency = 0.05))

#endif
