/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family ampere that exist for every operand type. Kernel numbers are
 * never reused; a removed kernel leaves a gap. */
#ifndef CUDA_TENSORCORE_AMPERE_TABLE_H
#define CUDA_TENSORCORE_AMPERE_TABLE_H

#include "../common/table.h"
#include "../common/wgrad_reduce.h"
#include "gemm.h"
#include "wgrad.h"

/* Kernel numbers consist of the type, the direction (0 to 2) and the index. */
#define TC_AMPERE_NUMBERS(type, what) (TC_AMPERE << 8 | (type) << 6 | (what) << 4)

/* The values of a row, set by name. */
struct tc_ampere_entry {
    int32_t index; /* lowest bits of the kernel's number */
    double mma_efficiency;
    int32_t tile_m, tile_n, warp_m, warp_n, stages, occupancy;
    int32_t k_slices;  /* 0 means 1 */
    int32_t one_class; /* dgrad: 1 if it supports only one class */
};

static constexpr int32_t tc_ampere_slices(int32_t k_slices)
{
    return k_slices > 0 ? k_slices : 1;
}

template <class S> constexpr struct tc_kernel tc_ampere_gemm_row(const tc_ampere_entry &entry)
{
    bool one_class = (int)S::DIRECTION == (int)TC_DGRAD && !S::CLASSES;

    return {.number = TC_AMPERE_NUMBERS(S::math::NUMBER, S::DIRECTION) | entry.index,
            .type = S::math::TYPE,
            .direction = tc_direction_of(S::DIRECTION),
            .load = TC_LOAD_16_BYTES,
            .code = TC_CODE_ANY,
            .capability = 80,
            .tf32_split = S::math::SPLITS,
            .tile_m = S::TILE_M,
            .tile_n = S::TILE_N,
            .tile_k = S::TILE_K,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .tap_bytes = sizeof(tc_ampere_tap),
            .occupancy = S::OCCUPANCY,
            .mma_efficiency = entry.mma_efficiency,
            .k_slices = S::K_SLICES,
            .k_by_tap = !S::PACKED,
            .takes = one_class ? tc_ampere_takes_one_class : tc_ampere_takes,
            .step = tc_ampere_gemm_step<S>,
            .reduce = tc_ampere_reduce<typename S::math::element>};
}

template <class S> constexpr struct tc_kernel tc_ampere_wgrad_row(const tc_ampere_entry &entry)
{
    return {.number = TC_AMPERE_NUMBERS(S::math::NUMBER, TC_WGRAD) | entry.index,
            .type = S::math::TYPE,
            .direction = tc_direction_of(TC_WGRAD),
            .load = TC_LOAD_16_BYTES,
            .code = TC_CODE_ANY,
            .capability = 80,
            .tf32_split = S::math::SPLITS,
            .tile_m = S::TILE_M,
            .tile_n = S::TILE_N,
            .tile_k = S::TILE_K,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .occupancy = S::OCCUPANCY,
            .mma_efficiency = entry.mma_efficiency,
            .takes = tc_ampere_takes,
            .step = tc_ampere_wgrad_step<S>,
            .reduce = tc_wgrad_reduce<typename S::math::element>};
}

/* These macros make rows from the members of a tc_ampere_entry, set by name. */
#define TC_AMPERE_GEMM(math, what, ...)                                                            \
    tc_ampere_gemm_row<tc_ampere_shape<                                                            \
        math,                                                                                      \
        tc_ampere_size<tc_ampere_entry{__VA_ARGS__}.tile_m, tc_ampere_entry{__VA_ARGS__}.tile_n,   \
                       tc_ampere_entry{__VA_ARGS__}.warp_m, tc_ampere_entry{__VA_ARGS__}.warp_n,   \
                       tc_ampere_entry{__VA_ARGS__}.stages,                                        \
                       tc_ampere_entry{__VA_ARGS__}.occupancy,                                     \
                       tc_ampere_slices(tc_ampere_entry{__VA_ARGS__}.k_slices),                    \
                       !tc_ampere_entry{__VA_ARGS__}.one_class>,                                   \
        what>>({__VA_ARGS__})
#define TC_AMPERE_WGRAD(math, ...)                                                                 \
    tc_ampere_wgrad_row<tc_ampere_wgrad_shape<                                                     \
        math,                                                                                      \
        tc_size<tc_ampere_entry{__VA_ARGS__}.tile_m, tc_ampere_entry{__VA_ARGS__}.tile_n,          \
                tc_ampere_entry{__VA_ARGS__}.warp_m, tc_ampere_entry{__VA_ARGS__}.warp_n,          \
                tc_ampere_entry{__VA_ARGS__}.stages, tc_ampere_entry{__VA_ARGS__}.occupancy>>>(    \
        {__VA_ARGS__})

#define TC_AMPERE_TILES(math, what)                                                                \
    TC_AMPERE_GEMM(math, what, .index = 0, .mma_efficiency = 0.93, .tile_m = 128, .tile_n = 128,   \
                   .warp_m = 64, .warp_n = 64, .stages = 3, .occupancy = 2),                       \
        TC_AMPERE_GEMM(math, what, .index = 1, .mma_efficiency = 0.83, .tile_m = 128,              \
                       .tile_n = 256, .warp_m = 64, .warp_n = 64, .stages = 4, .occupancy = 1,     \
                       .one_class = 1),                                                            \
        TC_AMPERE_GEMM(math, what, .index = 3, .mma_efficiency = 0.56, .tile_m = 64, .tile_n = 64, \
                       .warp_m = 32, .warp_n = 32, .stages = 4, .occupancy = 3),                   \
        TC_AMPERE_GEMM(math, what, .index = 4, .mma_efficiency = 0.49, .tile_m = 128,              \
                       .tile_n = 32, .warp_m = 64, .warp_n = 32, .stages = 5, .occupancy = 2,      \
                       .k_slices = 2),                                                             \
        TC_AMPERE_GEMM(math, what, .index = 6, .mma_efficiency = 0.82, .tile_m = 128,              \
                       .tile_n = 64, .warp_m = 64, .warp_n = 64, .stages = 4, .occupancy = 2,      \
                       .k_slices = 2)

/* The tiles that only half has, in addition to those of all types. */
#define TC_AMPERE_TILES_OF_HALF(math, what)                                                        \
    TC_AMPERE_TILES(math, what),                                                                   \
        TC_AMPERE_GEMM(math, what, .index = 2, .mma_efficiency = 0.73, .tile_m = 128,              \
                       .tile_n = 64, .warp_m = 32, .warp_n = 64, .stages = 3, .occupancy = 3,      \
                       .one_class = 1),                                                            \
        TC_AMPERE_GEMM(math, what, .index = 5, .mma_efficiency = 0.66, .tile_m = 64, .tile_n = 64, \
                       .warp_m = 64, .warp_n = 64, .stages = 6, .occupancy = 2, .k_slices = 4,     \
                       .one_class = 1),                                                            \
        TC_AMPERE_GEMM(math, what, .index = 7, .mma_efficiency = 0.88, .tile_m = 96,               \
                       .tile_n = 128, .warp_m = 48, .warp_n = 64, .stages = 3, .occupancy = 2,     \
                       .one_class = 1),                                                            \
        TC_AMPERE_GEMM(math, what, .index = 8, .mma_efficiency = 0.68, .tile_m = 128,              \
                       .tile_n = 64, .warp_m = 64, .warp_n = 64, .stages = 2, .occupancy = 4)

#define TC_AMPERE_WGRAD_TILES(math)                                                                \
    TC_AMPERE_WGRAD(math, .index = 0, .mma_efficiency = 0.79, .tile_m = 128, .tile_n = 128,        \
                    .warp_m = 64, .warp_n = 64, .stages = 3, .occupancy = 2),                      \
        TC_AMPERE_WGRAD(math, .index = 1, .mma_efficiency = 0.81, .tile_m = 256, .tile_n = 128,    \
                        .warp_m = 64, .warp_n = 64, .stages = 4, .occupancy = 1),                  \
        TC_AMPERE_WGRAD(math, .index = 2, .mma_efficiency = 0.81, .tile_m = 128, .tile_n = 256,    \
                        .warp_m = 64, .warp_n = 64, .stages = 4, .occupancy = 1),                  \
        TC_AMPERE_WGRAD(math, .index = 3, .mma_efficiency = 0.58, .tile_m = 192, .tile_n = 64,     \
                        .warp_m = 64, .warp_n = 32, .stages = 3, .occupancy = 2),                  \
        TC_AMPERE_WGRAD(math, .index = 4, .mma_efficiency = 0.44, .tile_m = 64, .tile_n = 64,      \
                        .warp_m = 32, .warp_n = 32, .stages = 4, .occupancy = 3)

/* Defines the table of an operand type. `tiles` lists its tiles for fprop and dgrad. */
#define TC_AMPERE_TABLE(name, math, tiles)                                                         \
    TC_TABLE(name, tiles(math, TC_FPROP), tiles(math, TC_DGRAD), TC_AMPERE_WGRAD_TILES(math))

#endif
