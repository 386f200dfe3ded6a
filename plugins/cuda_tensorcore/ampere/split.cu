/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family ampere for float as sums of TF32. A warp has 32 x 64
 * results at most: sums and products that are not yet added to them take
 * registers each. */
#include "table.h"

#define GEMM(what, direction, index, efficiency, ...)                                              \
    TC_AMPERE_GEMM(tc_split, 3, ANYDNN_PLUGIN_FLOAT, what, direction, index, efficiency,           \
                   __VA_ARGS__)
#define POSITIONS(what, direction)                                                                 \
    GEMM(what, direction, 1, 0.6, 128, 64, 32, 64, 3, 2),                                          \
        GEMM(what, direction, 2, 0.55, 64, 64, 32, 32, 3, 3)
#define FILTER(index, efficiency, ...)                                                             \
    TC_AMPERE_WGRAD(tc_split, 3, ANYDNN_PLUGIN_FLOAT, index, efficiency, __VA_ARGS__)

static const struct tc_kernel kernels[] = {
    POSITIONS(TC_FPROP, ANYDNN_PLUGIN_CONVOLUTION_FORWARD),
    POSITIONS(TC_DGRAD, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA),
    FILTER(1, 0.6, 128, 64, 32, 64, 3, 2), FILTER(2, 0.52, 64, 64, 32, 32, 3, 3)};
const struct tc_table tc_ampere_split = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])};
