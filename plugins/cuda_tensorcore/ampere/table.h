/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the family taps that every operand type has. Numbers stay what they are for ever:
 * what goes out of use leaves a gap. */
#ifndef CUDA_TENSORCORE_AMPERE_TABLE_H
#define CUDA_TENSORCORE_AMPERE_TABLE_H

#include "../common/wgrad_reduce.h"
#include "gemm.h"
#include "wgrad.h"

/* Numbers: by type (0 half, 1 bfloat16, 2 TF32), direction (0 to 2), size. */
#define TC_TAPS_NUMBER(type, what, size) (TC_TAPS << 8 | (type) << 6 | (what) << 4 | (size))

typedef void (*tc_taps_function)(struct tc_step *step, const struct tc_job *job);

template <class S>
constexpr struct tc_kernel tc_taps_row(int32_t number, int32_t type, int32_t direction, double part,
                                       tc_taps_function step, tc_taps_function add)
{
    return {number,        type,     direction,  TC_BY_16,        80,          S::ROWS,
            S::COLUMNS,    S::TERMS, S::THREADS, S::SHARED_BYTES, S::RESIDENT, part,
            tc_taps_takes, step,     add,        S::math::SPLITS};
}

template <class S>
constexpr struct tc_kernel tc_taps_gemm_row(int32_t number, int32_t type, int32_t direction,
                                            double part)
{
    struct tc_kernel row = tc_taps_row<S>(number, type, direction, part, tc_taps_gemm_step<S>,
                                          tc_taps_add_parts<typename S::math::element>);

    row.sharers = S::SHARERS;
    if ((int)S::DIRECTION == (int)TC_DATA && !S::CLASSES)
        row.takes = tc_taps_takes_one_class;
    return row;
}

#define TC_TAPS_GEMM(math, number, type, what, direction, index, part, ...)                        \
    tc_taps_gemm_row<tc_taps_shape<math, tc_taps_size<__VA_ARGS__>, what>>(                        \
        TC_TAPS_NUMBER(number, what, index), type, direction, part)
#define TC_TAPS_FILTER(math, number, type, index, part, ...)                                       \
    tc_taps_row<tc_filter_shape<math, tc_size<__VA_ARGS__>>>(                                      \
        TC_TAPS_NUMBER(number, TC_FILTER, index), type, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, \
        part, tc_filter_step_of<tc_filter_shape<math, tc_size<__VA_ARGS__>>>,                      \
        tc_taps_add<math::element>)

/* Tile, a warp's part, stages, blocks of a multiprocessor, warps that share results (1), whether
 * several classes are taken (1). */
#define TC_TAPS_POSITIONS(math, number, type, what, direction)                                     \
    TC_TAPS_GEMM(math, number, type, what, direction, 0, 0.93, 128, 128, 64, 64, 3, 2),            \
        TC_TAPS_GEMM(math, number, type, what, direction, 1, 0.83, 128, 256, 64, 64, 4, 1, 1, 0),  \
        TC_TAPS_GEMM(math, number, type, what, direction, 3, 0.56, 64, 64, 32, 32, 4, 3),          \
        TC_TAPS_GEMM(math, number, type, what, direction, 4, 0.49, 128, 32, 64, 32, 5, 2, 2),      \
        TC_TAPS_GEMM(math, number, type, what, direction, 6, 0.82, 128, 64, 64, 64, 4, 2, 2)

/* Those besides that half has. */
#define TC_TAPS_MORE(math, number, type, what, direction)                                          \
    TC_TAPS_POSITIONS(math, number, type, what, direction),                                        \
        TC_TAPS_GEMM(math, number, type, what, direction, 2, 0.73, 128, 64, 32, 64, 3, 3, 1, 0),   \
        TC_TAPS_GEMM(math, number, type, what, direction, 5, 0.66, 64, 64, 64, 64, 6, 2, 4, 0),    \
        TC_TAPS_GEMM(math, number, type, what, direction, 7, 0.88, 96, 128, 48, 64, 3, 2, 1, 0),   \
        TC_TAPS_GEMM(math, number, type, what, direction, 8, 0.68, 128, 64, 64, 64, 2, 4)

#define TC_TAPS_TABLE(name, math, number, type, POSITIONS)                                         \
    static const struct tc_kernel kernels[] = {                                                    \
        POSITIONS(math, number, type, TC_FORWARD, ANYDNN_PLUGIN_CONVOLUTION_FORWARD),              \
        POSITIONS(math, number, type, TC_DATA, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA),           \
        TC_TAPS_FILTER(math, number, type, 0, 0.79, 128, 128, 64, 64, 3, 2),                       \
        TC_TAPS_FILTER(math, number, type, 1, 0.81, 256, 128, 64, 64, 4, 1),                       \
        TC_TAPS_FILTER(math, number, type, 2, 0.81, 128, 256, 64, 64, 4, 1),                       \
        TC_TAPS_FILTER(math, number, type, 3, 0.58, 192, 64, 64, 32, 3, 2),                        \
        TC_TAPS_FILTER(math, number, type, 4, 0.44, 64, 64, 32, 32, 4, 3)};                        \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
