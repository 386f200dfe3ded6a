/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family hopper for floats as sums of two TF32 (hopper/split.h). */
#include "table.h"

static const struct tc_kernel kernels[] = {
    TC_HOPPER_SPLIT(0, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 1),
    TC_HOPPER_SPLIT(1, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 1),
    TC_HOPPER_SPLIT(3, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, TC_HOPPER_CLASSES)};
const struct tc_table tc_hopper_split = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])};
