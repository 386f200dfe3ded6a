/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family hopper that exist for every operand type. Kernel numbers are
 * never reused; a removed kernel leaves a gap. */
#ifndef CUDA_TENSORCORE_HOPPER_TABLE_H
#define CUDA_TENSORCORE_HOPPER_TABLE_H

#include "../common/table.h"
#include "../common/wgrad_reduce.h"
#include "gemm.h"
#include "halo.h"
#include "wgrad.h"

/* The code for dgrad with strides, in addition to TC_FPROP, TC_DGRAD and TC_WGRAD. */
#define TC_HOPPER_STRIDED 3

/* Returns a kernel's number, which consists of the type (2: floats, rounded or split, 3:
 * integers), the direction and the index. Integers have only fprop. Their numbers contain 0 for
 * signed and 1 for unsigned x instead of the direction. */
template <class M> constexpr int32_t tc_hopper_number(int32_t what, int32_t index)
{
    int32_t type = M::SPLITS ? (int32_t)tc_tf32::NUMBER : (int32_t)M::NUMBER;

    if (tc_is_integer<M>())
        what = (int32_t)M::TYPE == ANYDNN_PLUGIN_UINT8;
    return TC_HOPPER << 8 | type << 6 | what << 4 | index;
}

static constexpr int32_t tc_hopper_direction_of(int32_t what)
{
    return tc_direction_of(what == TC_HOPPER_STRIDED ? (int32_t)TC_DGRAD : what);
}

/* Returns 1 if the N of filters are contiguous, as in dgrad of 16 bits. */
template <class M> constexpr int32_t tc_hopper_is_mn_major(int32_t what)
{
    return (what == TC_DGRAD || what == TC_HOPPER_STRIDED) && sizeof(typename M::element) == 2;
}

static constexpr int32_t tc_hopper_classes_of(int32_t what)
{
    return what == TC_HOPPER_STRIDED ? TC_HOPPER_CLASSES : 1;
}

/* ------------------------------------------------------------------ rows */

/* The values of a row of fprop or dgrad, set by name. */
struct tc_hopper_entry {
    int32_t index; /* lowest bits of the kernel's number */
    double mma_efficiency;
    int32_t tile_m, tile_n, schedule, stages;
};

template <class S>
constexpr struct tc_kernel tc_hopper_row(int32_t what, const tc_hopper_entry &entry)
{
    return {.number = tc_hopper_number<typename S::math>(what, entry.index),
            .type = S::math::TYPE,
            .direction = tc_hopper_direction_of(what),
            .load = TC_LOAD_TMA,
            .code = TC_CODE_90A,
            .capability = TC_HOPPER_CAPABILITY,
            .tf32_split = S::math::SPLITS,
            .tile_m = S::TILE_M,
            .tile_n = S::TILE_N,
            .tile_k = S::TILE_K,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .occupancy = 1,
            .mma_efficiency = entry.mma_efficiency,
            .splits = TC_SPLITS_ONE,
            .k_by_tap = 1,
            .takes = tc_is_integer<typename S::math>() ? tc_hopper_takes_signed
                     : S::CLASSES > 1                  ? tc_hopper_takes_classes
                                                       : tc_hopper_takes,
            .cycles = tc_hopper_cycles,
            .step = tc_hopper_step<S>};
}

/* Makes a row of the halo kernels, whose epilogue is completely hidden. */
template <class S> constexpr struct tc_kernel tc_hopper_halo_row(int32_t what, int32_t index)
{
    return {.number = tc_hopper_number<typename S::math>(what, index),
            .type = S::math::TYPE,
            .direction = tc_hopper_direction_of(what),
            .load = TC_LOAD_TMA,
            .code = TC_CODE_90A,
            .capability = TC_HOPPER_CAPABILITY,
            .tile_m = S::TILE_M,
            .tile_n = S::TILE_N,
            .tile_k = S::TILE_K,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .occupancy = 1,
            .mma_efficiency = 1.1,
            .splits = TC_SPLITS_ONE,
            .k_by_tap = 1,
            .takes = tc_hopper_halo_takes,
            .cycles = tc_hopper_halo_cycles,
            .step = tc_hopper_halo_step<S>};
}

/* The values of a row of wgrad, set by name. M and N are those of wgmma. */
struct tc_hopper_wgrad_entry {
    int32_t index; /* lowest bits of the kernel's number */
    double mma_efficiency;
    int32_t m, n, x_is_m; /* x_is_m: 1 if M are taps and channels, and N filters */
    int32_t positions;    /* positions per stage */
    int32_t stages;
};

/* Makes a row of wgrad. The choice regards taps and channels as M and filters as N, as in the
 * other families, whichever is the M of wgmma. */
template <class S>
constexpr struct tc_kernel tc_hopper_wgrad_row(const tc_hopper_wgrad_entry &entry)
{
    return {.number = tc_hopper_number<typename S::math>(TC_WGRAD, entry.index),
            .type = S::math::TYPE,
            .direction = tc_direction_of(TC_WGRAD),
            .load = TC_LOAD_TMA,
            .code = TC_CODE_90A,
            .capability = TC_HOPPER_CAPABILITY,
            .tile_m = S::X_BLOCKS * TC_HOPPER_BLOCK,
            .tile_n = S::FILTER_BLOCKS * TC_HOPPER_BLOCK,
            .tile_k = S::POSITIONS,
            .threads = S::THREADS,
            .shared_bytes = S::SHARED_BYTES,
            .occupancy = 1,
            .mma_efficiency = entry.mma_efficiency,
            .splits = TC_SPLITS_PARTIAL,
            .m_channels = TC_HOPPER_BLOCK,
            .takes = tc_hopper_wgrad_takes,
            .cycles = tc_hopper_wgrad_cycles,
            .step = tc_hopper_wgrad_step<S>,
            .reduce = tc_wgrad_reduce<typename S::element>};
}

/* These macros make rows from the members of an entry, set by name. */
#define TC_HOPPER_ROW(math, what, ...)                                                             \
    tc_hopper_row<tc_hopper_shape<                                                                 \
        math, tc_hopper_entry{__VA_ARGS__}.tile_m, tc_hopper_entry{__VA_ARGS__}.tile_n,            \
        tc_hopper_entry{__VA_ARGS__}.schedule, tc_hopper_entry{__VA_ARGS__}.stages,                \
        tc_hopper_is_mn_major<math>(what), tc_hopper_classes_of(what)>>(what, {__VA_ARGS__})
#define TC_HOPPER_WGRAD(math, ...)                                                                 \
    tc_hopper_wgrad_row<tc_hopper_wgrad_shape<                                                     \
        math, tc_hopper_wgrad_entry{__VA_ARGS__}.m, tc_hopper_wgrad_entry{__VA_ARGS__}.n,          \
        tc_hopper_wgrad_entry{__VA_ARGS__}.x_is_m, tc_hopper_wgrad_entry{__VA_ARGS__}.positions,   \
        tc_hopper_wgrad_entry{__VA_ARGS__}.stages>>({__VA_ARGS__})

/* ------------------------------------------------------------------ tables */

#define TC_HOPPER_TILES(math, what)                                                                \
    TC_HOPPER_ROW(math, what, .index = 0, .mma_efficiency = 0.71, .tile_m = 128, .tile_n = 256,    \
                  .schedule = TC_COOPERATIVE, .stages = 4),                                        \
        TC_HOPPER_ROW(math, what, .index = 1, .mma_efficiency = 0.83, .tile_m = 128,               \
                      .tile_n = 128, .schedule = TC_PING_PONG, .stages = 6),                       \
        TC_HOPPER_ROW(math, what, .index = 2, .mma_efficiency = 0.66, .tile_m = 256, .tile_n = 64, \
                      .schedule = TC_COOPERATIVE, .stages = 4)

/* The additional tiles of 16-bit types. One residue class; N = 256 covers every output channel.
 * The other row is the halo kernel. */
#define TC_HOPPER_MORE_TILES(math, what)                                                           \
    TC_HOPPER_ROW(math, what, .index = 4, .mma_efficiency = 0.8, .tile_m = 64, .tile_n = 256,      \
                  .schedule = TC_PING_PONG, .stages = 4),                                          \
        tc_hopper_halo_row<tc_hopper_halo_shape<math, tc_hopper_is_mn_major<math>(what)>>(what, 3)

#define TC_HOPPER_WGRAD_TILES(math)                                                                \
    TC_HOPPER_WGRAD(math, .index = 0, .mma_efficiency = 0.81, .m = 128, .n = 256, .x_is_m = 0,     \
                    .positions = 64, .stages = 4),                                                 \
        TC_HOPPER_WGRAD(math, .index = 1, .mma_efficiency = 0.76, .m = 128, .n = 192, .x_is_m = 0, \
                        .positions = 64, .stages = 5),                                             \
        TC_HOPPER_WGRAD(math, .index = 2, .mma_efficiency = 0.83, .m = 128, .n = 128, .x_is_m = 0, \
                        .positions = 64, .stages = 6),                                             \
        TC_HOPPER_WGRAD(math, .index = 3, .mma_efficiency = 0.67, .m = 384, .n = 64, .x_is_m = 1,  \
                        .positions = 64, .stages = 4),                                             \
        TC_HOPPER_WGRAD(math, .index = 4, .mma_efficiency = 0.84, .m = 128, .n = 128, .x_is_m = 0, \
                        .positions = 128, .stages = 3)

/* Defines the table of a 16-bit operand type. */
#define TC_HOPPER_TABLE(name, math)                                                                \
    TC_TABLE(name, TC_HOPPER_TILES(math, TC_FPROP), TC_HOPPER_MORE_TILES(math, TC_FPROP),          \
             TC_HOPPER_TILES(math, TC_DGRAD), TC_HOPPER_MORE_TILES(math, TC_DGRAD),                \
             TC_HOPPER_WGRAD_TILES(math), TC_HOPPER_TILES(math, TC_HOPPER_STRIDED))

#endif
