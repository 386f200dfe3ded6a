/* SPDX-License-Identifier: Apache-2.0 */
/* Implements forward convolution, plain and fused with bias, addition and activation. */
#include "activate.h"
#include "conv_integer.h"
#include "conv_operands.h"
#include "table.h"

#include <string.h>

#define CPU_REF_TEMPLATE "conv_forward.inc"
#include "each_float.inc"

/* The operands as bits of slots: x, w, y; and x, w, z, bias, y. */
#define PLAIN_OPERANDS 0x7
#define FUSED_OPERANDS 0x1f

static const struct conv_roles plain_roles = {.x = 0, .w = 1, .y = 2};
static const struct conv_roles fused_roles = {.x = 0, .w = 1, .y = 4};

static int32_t check_plain_types(const struct anydnn_plugin_problem *problem,
                                 struct kit_refusal *why)
{
    return cpu_ref_conv_of_integers(problem)
               ? cpu_ref_conv_integer_types(problem, &plain_roles, why)
               : cpu_ref_check_uniform(problem, plain_roles.x, PLAIN_OPERANDS, why);
}

/* Checks the types of the fused operation. z and the bias have the type of y; for integers, the
 * bias is float. */
static int32_t check_fused_types(const struct anydnn_plugin_problem *problem,
                                 struct kit_refusal *why)
{
    int32_t reason;

    if (!cpu_ref_conv_of_integers(problem))
        return cpu_ref_check_uniform(problem, fused_roles.x, FUSED_OPERANDS, why);
    reason = cpu_ref_conv_integer_types(problem, &fused_roles, why);
    if (!reason)
        reason = cpu_ref_check_uniform(problem, fused_roles.y, 1u << 2, why);
    if (!reason && problem->tensor[3]->type != ANYDNN_PLUGIN_FLOAT)
        reason = kit_refuse(
            why, ANYDNN_PLUGIN_REASON_TYPE, "%s: bias is %s; it must be float for integers",
            kit_operation_name(problem->operation), kit_type_name(problem->tensor[3]->type));
    return reason;
}

static void prepare_plain(struct anydnn_plugin_plan *plan)
{
    cpu_ref_conv_state(plan, &plain_roles, NULL);
}

static void prepare_fused(struct anydnn_plugin_plan *plan)
{
    cpu_ref_conv_state(plan, &fused_roles, plan->problem.tensor[2]);
}

/* The numbers of implicit_gemm, implicit_precomp_gemm, gemm and direct. All of them name the one
 * algorithm without a transform. */
#define FORWARD_ALGORITHMS 0xf

const struct cpu_ref_kernel cpu_ref_convolution_forward = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = 0,
    .apart = 0x4,
    .state_size = sizeof(struct conv_state),
    .algorithms = FORWARD_ALGORITHMS,
    .emulates = 1,
    .check_types = check_plain_types,
    .check = cpu_ref_conv_check,
    .prepare = prepare_plain,
    .run = {CPU_REF_EACH_FLOAT(forward_plain), CPU_REF_ANY_8BIT(cpu_ref_conv_integer_plain)},
};

const struct cpu_ref_kernel cpu_ref_convolution_bias_activation_forward = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = 0,
    .state_size = sizeof(struct conv_state),
    .algorithms = FORWARD_ALGORITHMS,
    .emulates = 1,
    .check_types = check_fused_types,
    .check = cpu_ref_conv_check,
    .prepare = prepare_fused,
    .run = {CPU_REF_EACH_FLOAT(forward_fused), CPU_REF_ANY_8BIT(cpu_ref_conv_integer_fused)},
};
