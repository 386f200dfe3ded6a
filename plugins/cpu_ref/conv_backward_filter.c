/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the gradient of a convolution with respect to its filter. */
#include "conv_operands.h"
#include "table.h"

#include <string.h>

#define CPU_REF_TEMPLATE "conv_backward_filter.inc"
#include "each_float.inc"

static const struct conv_roles roles = {.x = 0, .w = 2, .y = 1};

static void prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_conv_state(plan, &roles, NULL);
}

const struct cpu_ref_kernel cpu_ref_convolution_backward_filter = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
    .layouts = KIT_LAYOUTS,
    .main_slot = 0,
    .apart = 0x4,
    .uniform = 0x7,
    .state_size = sizeof(struct conv_state),
    .algorithms = 0xb, /* 0, 1 and 3, which are no transforms */
    .first = 1,        /* the deterministic one of cuDNN */
    .emulates = 1,
    .check = cpu_ref_conv_check,
    .prepare = prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_filter_run)},
};
