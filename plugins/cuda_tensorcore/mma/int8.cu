/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the 8-bit integer kernels of the family mma, for fprop. x and filters are both signed,
 * both unsigned, or only x is unsigned. */
#include "table.h"

typedef tc_integers<1, 1> all_signed;
typedef tc_integers<0, 1> unsigned_x;
typedef tc_integers<0, 0> all_unsigned;

/* The size for element-wise loads. It is small, because the addresses of a chunk of 16 elements
 * occupy registers. */
typedef TC_SIZE(.tile_m = 64, .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 2,
                .occupancy = 2) tc_int8_any;

static int32_t takes_signed(const struct conv *, const struct tc_target *target)
{
    return target->b_type == ANYDNN_PLUGIN_INT8;
}

static int32_t takes_unsigned(const struct conv *, const struct tc_target *target)
{
    return target->b_type == ANYDNN_PLUGIN_UINT8;
}

/* Kernel numbers consist of the signs (0: both signed, 1: only filters signed, 2: both unsigned)
 * and the index. Element-wise kernels are also restricted to fprop, although their shape permits
 * any direction. */
#define NUMBERS(math) (TC_INT8 << 8 | (2 - math::X_SIGNED - math::OTHER_SIGNED) << 4)
#define ROW(math, what, size, ...)                                                                 \
    tc_mma_row<tc_shape<math, size, what>>(NUMBERS(math), math::TYPE, TC_FPROP, {__VA_ARGS__})

/* all_unsigned serves only vectors of 4 channels, which cannot be loaded by 16 bytes. */
TC_TABLE(
    tc_mma_int8,
    ROW(all_signed, TC_FPROP, tc_narrow, .index = 0, .mma_efficiency = 0.4, .takes = takes_signed),
    ROW(all_signed, TC_FPROP, tc_small, .index = 1, .mma_efficiency = 0.3, .takes = takes_signed),
    ROW(all_signed, TC_ANY, tc_int8_any, .index = 8, .mma_efficiency = 0.05, .takes = takes_signed),
    ROW(unsigned_x, TC_FPROP, tc_small, .index = 1, .mma_efficiency = 0.3, .takes = takes_signed),
    ROW(unsigned_x, TC_ANY, tc_int8_any, .index = 8, .mma_efficiency = 0.05, .takes = takes_signed),
    ROW(all_unsigned, TC_ANY, tc_int8_any, .index = 8, .mma_efficiency = 0.05,
        .takes = takes_unsigned));
