/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the gradient of a convolution with respect to its bias. */
#include "conv.h"
#include "table.h"

#include <string.h>

/* The partial sums of a row, so that additions do not wait for one another. */
#define LANES 8

#define CPU_REF_TEMPLATE "conv_backward_bias.inc"
#include "each_float.inc"

/* Refuses a tensor without spatial dimensions, which has no rows apart from the channels. */
static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    if (problem->tensor[0]->ndims < 3)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE,
            "convolution_backward_bias: dy has %d dimensions; it must have at least 3",
            problem->tensor[0]->ndims);
    return 0;
}

const struct cpu_ref_kernel cpu_ref_convolution_backward_bias = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS,
    .layouts = KIT_LAYOUTS,
    .main_slot = 0,
    .apart = 0x2,
    .uniform = 0x3,
    .check = check,
    .run = {CPU_REF_EACH_FLOAT(backward_bias_run)},
};
