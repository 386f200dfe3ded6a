/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the family hopper that every operand type has. Numbers stay what they are for
 * ever: what goes out of use leaves a gap. */
#ifndef CUDA_TENSORCORE_HOPPER_TABLE_H
#define CUDA_TENSORCORE_HOPPER_TABLE_H

#include "hopper_gemm.h"
#include "shape.h"

/* Numbers: by type (0 half, 1 bfloat16), direction (0 fprop, 1 dgrad), tile. */
#define TC_HOPPER_NUMBER(type, what, tile) (TC_HOPPER << 8 | (type) << 6 | (what) << 4 | (tile))

template <class S>
constexpr struct tc_kernel tc_hopper_row(int32_t number, int32_t type, int32_t direction,
                                         double part)
{
    return {number,  type,       direction,       TC_BY_MAP,        75,
            S::ROWS, S::COLUMNS, TC_HOPPER_DEPTH, S::THREADS,       S::SHARED_BYTES,
            1,       part,       tc_hopper_takes, tc_hopper_step<S>};
}

#define TC_HOPPER_ROW(math, number, type, what, direction, tile, part, ...)                        \
    tc_hopper_row<tc_hopper_shape<math, __VA_ARGS__, what>>(TC_HOPPER_NUMBER(number, what, tile),  \
                                                            type, direction, part)

/* Tile, schedule, stages. */
#define TC_HOPPER_TILES(math, number, type, what, direction)                                       \
    TC_HOPPER_ROW(math, number, type, what, direction, 0, 0.71, 128, 256, TC_COOPERATIVE, 4),      \
        TC_HOPPER_ROW(math, number, type, what, direction, 1, 0.83, 128, 128, TC_PING_PONG, 6),    \
        TC_HOPPER_ROW(math, number, type, what, direction, 2, 0.66, 256, 64, TC_COOPERATIVE, 4)

#define TC_HOPPER_TABLE(name, math, number, type)                                                  \
    static const struct tc_kernel kernels[] = {                                                    \
        TC_HOPPER_TILES(math, number, type, 0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD),                 \
        TC_HOPPER_TILES(math, number, type, 1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA)};          \
    const struct tc_table name = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])}

#endif
