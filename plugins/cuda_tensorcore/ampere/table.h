/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the family ampere that every operand type has. Numbers stay what they are for
 * ever: what goes out of use leaves a gap. */
#ifndef CUDA_TENSORCORE_AMPERE_TABLE_H
#define CUDA_TENSORCORE_AMPERE_TABLE_H

#include "../common/table.h"
#include "../common/wgrad_reduce.h"
#include "gemm.h"
#include "wgrad.h"

/* Numbers: by type (0 half, 1 bfloat16, 2 TF32), direction (0 to 2), size. */
#define TC_AMPERE_NUMBER(type, what, size) (TC_AMPERE << 8 | (type) << 6 | (what) << 4 | (size))

template <class S>
constexpr struct tc_kernel tc_ampere_row(int32_t number, int32_t type, int32_t direction,
                                         double mma_efficiency)
{
    struct tc_kernel kernel = tc_table_gemm_row<S>(number, type, direction, mma_efficiency);

    kernel.load = TC_LOAD_16_BYTES;
    kernel.capability = 80;
    kernel.occupancy = S::OCCUPANCY;
    kernel.takes = tc_ampere_takes;
    return kernel;
}

template <class S>
constexpr struct tc_kernel tc_ampere_gemm_row(int32_t number, int32_t type, int32_t direction,
                                              double mma_efficiency)
{
    struct tc_kernel kernel = tc_ampere_row<S>(number, type, direction, mma_efficiency);

    kernel.step = tc_ampere_gemm_step<S>;
    kernel.reduce = tc_ampere_reduce<typename S::math::element>;
    kernel.tap_bytes = sizeof(tc_ampere_tap);
    kernel.k_slices = S::K_SLICES;
    kernel.k_by_tap = !S::PACKED;
    if ((int)S::DIRECTION == (int)TC_DGRAD && !S::CLASSES)
        kernel.takes = tc_ampere_takes_one_class;
    return kernel;
}

template <class S>
constexpr struct tc_kernel tc_ampere_wgrad_table_row(int32_t number, int32_t type,
                                                     double mma_efficiency)
{
    struct tc_kernel kernel =
        tc_ampere_row<S>(number, type, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, mma_efficiency);

    kernel.step = tc_ampere_wgrad_step<S>;
    kernel.reduce = tc_wgrad_reduce<typename S::math::element>;
    return kernel;
}

#define TC_AMPERE_GEMM(math, number, type, what, direction, index, efficiency, ...)                \
    tc_ampere_gemm_row<tc_ampere_shape<math, tc_ampere_size<__VA_ARGS__>, what>>(                  \
        TC_AMPERE_NUMBER(number, what, index), type, direction, efficiency)
#define TC_AMPERE_WGRAD(math, number, type, index, efficiency, ...)                                \
    tc_ampere_wgrad_table_row<tc_ampere_wgrad_shape<math, tc_size<__VA_ARGS__>>>(                  \
        TC_AMPERE_NUMBER(number, TC_WGRAD, index), type, efficiency)

/* mma_efficiency; tile, a warp's tile, stages, occupancy, K slices (1), whether several classes are
 * taken (1). */
#define TC_AMPERE_TILES(math, number, type, what, direction)                                       \
    TC_AMPERE_GEMM(math, number, type, what, direction, 0, 0.93, 128, 128, 64, 64, 3, 2),          \
        TC_AMPERE_GEMM(math, number, type, what, direction, 1, 0.83, 128, 256, 64, 64, 4, 1, 1,    \
                       0),                                                                         \
        TC_AMPERE_GEMM(math, number, type, what, direction, 3, 0.56, 64, 64, 32, 32, 4, 3),        \
        TC_AMPERE_GEMM(math, number, type, what, direction, 4, 0.49, 128, 32, 64, 32, 5, 2, 2),    \
        TC_AMPERE_GEMM(math, number, type, what, direction, 6, 0.82, 128, 64, 64, 64, 4, 2, 2)

/* Those besides that half has. */
#define TC_AMPERE_TILES_OF_HALF(math, number, type, what, direction)                               \
    TC_AMPERE_TILES(math, number, type, what, direction),                                          \
        TC_AMPERE_GEMM(math, number, type, what, direction, 2, 0.73, 128, 64, 32, 64, 3, 3, 1, 0), \
        TC_AMPERE_GEMM(math, number, type, what, direction, 5, 0.66, 64, 64, 64, 64, 6, 2, 4, 0),  \
        TC_AMPERE_GEMM(math, number, type, what, direction, 7, 0.88, 96, 128, 48, 64, 3, 2, 1, 0), \
        TC_AMPERE_GEMM(math, number, type, what, direction, 8, 0.68, 128, 64, 64, 64, 2, 4)

#define TC_AMPERE_TABLE(name, math, number, type, POSITIONS)                                       \
    static const struct tc_kernel kernels[] = {                                                    \
        POSITIONS(math, number, type, TC_FPROP, ANYDNN_PLUGIN_CONVOLUTION_FORWARD),                \
        POSITIONS(math, number, type, TC_DGRAD, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA),          \
        TC_AMPERE_WGRAD(math, number, type, 0, 0.79, 128, 128, 64, 64, 3, 2),                      \
        TC_AMPERE_WGRAD(math, number, type, 1, 0.81, 256, 128, 64, 64, 4, 1),                      \
        TC_AMPERE_WGRAD(math, number, type, 2, 0.81, 128, 256, 64, 64, 4, 1),                      \
        TC_AMPERE_WGRAD(math, number, type, 3, 0.58, 192, 64, 64, 32, 3, 2),                       \
        TC_AMPERE_WGRAD(math, number, type, 4, 0.44, 64, 64, 32, 32, 4, 3)};                       \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
