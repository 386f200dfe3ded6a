/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the family hopper that every operand type has. Numbers stay what they are for
 * ever: what goes out of use leaves a gap. */
#ifndef CUDA_TENSORCORE_HOPPER_TABLE_H
#define CUDA_TENSORCORE_HOPPER_TABLE_H

#include "../common/shape.h"
#include "../common/table.h"
#include "../common/wgrad_reduce.h"
#include "gemm.h"
#include "halo.h"
#include "wgrad.h"

/* Numbers: by type (0 half, 1 bfloat16, 2 TF32, 3 integers), what it is (0 fprop, 1 dgrad, 2 wgrad,
 * 3 dgrad with strides), tile. */
#define TC_HOPPER_NUMBER(type, what, tile) (TC_HOPPER << 8 | (type) << 6 | (what) << 4 | (tile))

/* What every kernel of the family has. */
static constexpr struct tc_kernel tc_hopper_own(struct tc_kernel kernel)
{
    kernel.load = TC_LOAD_TMA;
    kernel.code = TC_CODE_90A;
    kernel.capability = TC_HOPPER_CAPABILITY;
    kernel.occupancy = 1;
    return kernel;
}

template <class S>
constexpr struct tc_kernel
tc_hopper_row(int32_t number, int32_t type, int32_t direction, double mma_efficiency,
              int32_t (*takes)(const struct conv *, const struct tc_target *))
{
    struct tc_kernel kernel =
        tc_hopper_own(tc_table_gemm_row<S>(number, type, direction, mma_efficiency));

    kernel.splits = TC_SPLITS_ONE;
    kernel.k_by_tap = 1;
    kernel.takes = takes;
    kernel.cycles = tc_hopper_cycles;
    kernel.step = tc_hopper_step<S>;
    return kernel;
}

template <class S>
constexpr struct tc_kernel tc_hopper_halo_row(int32_t number, int32_t type, int32_t direction,
                                              double mma_efficiency)
{
    struct tc_kernel kernel =
        tc_hopper_own(tc_table_gemm_row<S>(number, type, direction, mma_efficiency));

    kernel.splits = TC_SPLITS_ONE;
    kernel.k_by_tap = 1;
    kernel.takes = tc_hopper_halo_takes;
    kernel.cycles = tc_hopper_halo_cycles;
    kernel.step = tc_hopper_halo_step<S>;
    return kernel;
}

/* To the choice, M are taps of channels and N filters, as in the other families, whichever of them
 * is the M of wgmma. */
template <class S>
constexpr struct tc_kernel tc_hopper_wgrad_row(int32_t number, int32_t type, double mma_efficiency)
{
    struct tc_kernel kernel = tc_hopper_own(
        tc_table_row<S>(number, type, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, mma_efficiency));

    kernel.tile_m = S::X_BLOCKS * TC_HOPPER_BLOCK;
    kernel.tile_n = S::FILTER_BLOCKS * TC_HOPPER_BLOCK;
    kernel.tile_k = S::POSITIONS;
    kernel.splits = TC_SPLITS_PARTIAL;
    kernel.m_channels = TC_HOPPER_BLOCK;
    kernel.takes = tc_hopper_wgrad_takes;
    kernel.cycles = tc_hopper_wgrad_cycles;
    kernel.step = tc_hopper_wgrad_step<S>;
    kernel.reduce = tc_wgrad_reduce<typename S::element>;
    return kernel;
}

#define TC_HOPPER_ROW(math, number, type, what, direction, lines, classes, tile, efficiency, ...)  \
    tc_hopper_row<tc_hopper_shape<math, __VA_ARGS__, lines, classes>>(                             \
        TC_HOPPER_NUMBER(number, what, tile), type, direction, efficiency,                         \
        (classes) > 1 ? tc_hopper_takes_classes : tc_hopper_takes)
#define TC_HOPPER_WGRAD(math, number, type, tile, efficiency, ...)                                 \
    tc_hopper_wgrad_row<tc_hopper_wgrad_shape<math, __VA_ARGS__>>(                                 \
        TC_HOPPER_NUMBER(number, 2, tile), type, efficiency)

/* mma_efficiency; tile, schedule, stages. */
#define TC_HOPPER_TILES(math, number, type, what, direction, lines, classes)                       \
    TC_HOPPER_ROW(math, number, type, what, direction, lines, classes, 0, 0.71, 128, 256,          \
                  TC_COOPERATIVE, 4),                                                              \
        TC_HOPPER_ROW(math, number, type, what, direction, lines, classes, 1, 0.83, 128, 128,      \
                      TC_PING_PONG, 6),                                                            \
        TC_HOPPER_ROW(math, number, type, what, direction, lines, classes, 2, 0.66, 256, 64,       \
                      TC_COOPERATIVE, 4)

/* Of one class: all columns of widening layers at once. */
#define TC_HOPPER_WIDE(math, number, type, what, direction, lines)                                 \
    TC_HOPPER_ROW(math, number, type, what, direction, lines, 1, 4, 0.8, 64, 256, TC_PING_PONG, 4)

/* By halos, whose epilogue hides altogether. */
#define TC_HOPPER_HALO(math, number, type, what, direction, lines)                                 \
    tc_hopper_halo_row<tc_hopper_halo_shape<math, lines>>(TC_HOPPER_NUMBER(number, what, 3), type, \
                                                          direction, 1.1)

/* mma_efficiency; M, N, whether M are taps of channels, positions of a stage, stages. */
#define TC_HOPPER_WGRAD_TILES(math, number, type)                                                  \
    TC_HOPPER_WGRAD(math, number, type, 0, 0.81, 128, 256, 0, 64, 4),                              \
        TC_HOPPER_WGRAD(math, number, type, 1, 0.76, 128, 192, 0, 64, 5),                          \
        TC_HOPPER_WGRAD(math, number, type, 2, 0.83, 128, 128, 0, 64, 6),                          \
        TC_HOPPER_WGRAD(math, number, type, 3, 0.67, 384, 64, 1, 64, 4),                           \
        TC_HOPPER_WGRAD(math, number, type, 4, 0.84, 128, 128, 0, 128, 3)

/* Forward; `signs` 1 where those of x have none. */
#define TC_HOPPER_INTEGERS(math, signs, type, tile, efficiency, ...)                               \
    tc_hopper_row<tc_hopper_shape<math, __VA_ARGS__, 0, 1>>(                                       \
        TC_HOPPER_NUMBER(3, signs, tile), type, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, efficiency,     \
        tc_hopper_takes_signed)

/* Floats by three products each; tiles count on behind those of TF32. */
#define TC_HOPPER_SPLIT(what, direction, classes)                                                  \
    TC_HOPPER_ROW(tc_split, 2, ANYDNN_PLUGIN_FLOAT, what, direction, 0, classes, 8, 0.27, 128,     \
                  128, TC_COOPERATIVE, 3),                                                         \
        TC_HOPPER_ROW(tc_split, 2, ANYDNN_PLUGIN_FLOAT, what, direction, 0, classes, 9, 0.24, 128, \
                      64, TC_COOPERATIVE, 4)

/* Of 32-bit operands, whose filters are K-major as well. */
#define TC_HOPPER_TABLE_32(name, math, number, type)                                               \
    static const struct tc_kernel kernels[] = {                                                    \
        TC_HOPPER_TILES(math, number, type, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0, 1),           \
        TC_HOPPER_TILES(math, number, type, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 0, 1),     \
        TC_HOPPER_TILES(math, number, type, 3, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 0,         \
                        TC_HOPPER_CLASSES)};                                                       \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#define TC_HOPPER_TABLE(name, math, number, type)                                                  \
    static const struct tc_kernel kernels[] = {                                                    \
        TC_HOPPER_TILES(math, number, type, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0, 1),           \
        TC_HOPPER_WIDE(math, number, type, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0),               \
        TC_HOPPER_HALO(math, number, type, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0),               \
        TC_HOPPER_TILES(math, number, type, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 1, 1),     \
        TC_HOPPER_WIDE(math, number, type, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 1),         \
        TC_HOPPER_HALO(math, number, type, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 1),         \
        TC_HOPPER_WGRAD_TILES(math, number, type),                                                 \
        TC_HOPPER_TILES(math, number, type, 3, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 1,         \
                        TC_HOPPER_CLASSES)};                                                       \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
