/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family mma for float as sums of TF32; small tiles, since sums and products that
 * are not yet added to them take registers each. */
#include "table.h"

#define ROW(what, direction, size, index, efficiency)                                              \
    TC_MMA_ROW(tc_split, 3, ANYDNN_PLUGIN_FLOAT, what, direction, size, index, efficiency)

typedef tc_size<64, 64, 32, 32, 4, 3> tc_split_small;
typedef tc_size<64, 64, 32, 32, 2, 3> tc_split_any;

static const struct tc_kernel kernels[] = {
    ROW(TC_FPROP, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, tc_split_small, 2, 0.5),
    ROW(TC_DGRAD, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, tc_split_small, 2, 0.5),
    ROW(TC_WGRAD, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, tc_split_small, 2, 0.5),
    ROW(TC_ANY, 0, tc_split_any, 0, 0.1)};
const struct tc_table tc_mma_split = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])};
