/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the family mma that every operand type has. Numbers stay what they are for ever:
 * what goes out of use leaves a gap. */
#ifndef CUDA_TENSORCORE_MMA_TABLE_H
#define CUDA_TENSORCORE_MMA_TABLE_H

#include "gemm.h"

typedef tc_size<128, 128, 64, 64, 3, 2> tc_large;
typedef tc_size<128, 64, 64, 32, 4, 2> tc_narrow;
typedef tc_size<64, 64, 32, 32, 4, 4> tc_small;
/* Read through registers: one tile is in them, one in shared memory. */
typedef tc_size<64, 64, 32, 32, 2, 4> tc_any_size;

/* Numbers: by type (0 half, 1 bfloat16, 2 TF32), direction (0 to 3, 3 any), size. */
#define TC_MMA_NUMBER(type, what, size) (TC_MMA << 8 | (type) << 6 | (what) << 4 | (size))
#define TC_MMA_ROW(math, number, type, what, direction, size, size_number, efficiency)             \
    tc_mma_row<tc_shape<math, size, what>>(TC_MMA_NUMBER(number, what, size_number), type,         \
                                           direction, efficiency)
#define TC_MMA_ROWS(math, number, type, what, direction)                                           \
    TC_MMA_ROW(math, number, type, what, direction, tc_large, 0, 0.24),                            \
        TC_MMA_ROW(math, number, type, what, direction, tc_narrow, 1, 0.22),                       \
        TC_MMA_ROW(math, number, type, what, direction, tc_small, 2, 0.18)

/* Defines the table of an operand type. */
#define TC_MMA_TABLE(name, math, number, type)                                                     \
    static const struct tc_kernel kernels[] = {                                                    \
        TC_MMA_ROWS(math, number, type, TC_FPROP, ANYDNN_PLUGIN_CONVOLUTION_FORWARD),              \
        TC_MMA_ROWS(math, number, type, TC_DGRAD, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA),        \
        TC_MMA_ROWS(math, number, type, TC_WGRAD, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER),      \
        TC_MMA_ROW(math, number, type, TC_ANY, 0, tc_any_size, 0, 0.05)};                          \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
