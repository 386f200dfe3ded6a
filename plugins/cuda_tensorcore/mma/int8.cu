/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family mma for integers of 8 bits, forward: x and filters both signed, both
 * unsigned, or x unsigned alone. */
#include "table.h"

/* Where a chunk of 16 elements comes from takes registers. */
typedef tc_size<64, 64, 32, 32, 2, 2> tc_int8_any;

static int32_t takes_signed(const struct conv *, const struct tc_target *target)
{
    return target->b_type == ANYDNN_PLUGIN_INT8;
}

static int32_t takes_unsigned(const struct conv *, const struct tc_target *target)
{
    return target->b_type == ANYDNN_PLUGIN_UINT8;
}

/* Numbers: by signs (0 both, 1 the filters alone, 2 none), and of the size. */
#define ROW(a, b, signs, type, takes, what, size, number, efficiency)                              \
    tc_mma_row<tc_shape<tc_integers<a, b>, size, what>>(TC_INT8 << 8 | (signs) << 4 | (number),    \
                                                        type, ANYDNN_PLUGIN_CONVOLUTION_FORWARD,   \
                                                        efficiency, takes)
#define BY_16(a, b, signs, type, takes, size, number, efficiency)                                  \
    ROW(a, b, signs, type, takes, TC_FPROP, size, number, efficiency)
#define BY_ELEMENT(a, b, signs, type, takes)                                                       \
    ROW(a, b, signs, type, takes, TC_ANY, tc_int8_any, 8, 0.05)

/* Both unsigned are vectors of 4 alone, which are not read by 16 bytes. */
static const struct tc_kernel kernels[] = {
    BY_16(1, 1, 0, ANYDNN_PLUGIN_INT8, takes_signed, tc_narrow, 0, 0.4),
    BY_16(1, 1, 0, ANYDNN_PLUGIN_INT8, takes_signed, tc_small, 1, 0.3),
    BY_ELEMENT(1, 1, 0, ANYDNN_PLUGIN_INT8, takes_signed),
    BY_16(0, 1, 1, ANYDNN_PLUGIN_UINT8, takes_signed, tc_small, 1, 0.3),
    BY_ELEMENT(0, 1, 1, ANYDNN_PLUGIN_UINT8, takes_signed),
    BY_ELEMENT(0, 0, 2, ANYDNN_PLUGIN_UINT8, takes_unsigned)};
const struct tc_table tc_mma_int8 = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])};
