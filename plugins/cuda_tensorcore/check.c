/* SPDX-License-Identifier: Apache-2.0 */
/* Declines unsupported problems, with a sentence that gives the reason. */
#include "tensorcore.h"

/* The supported types, with the lowest compute capability of their code. */
static const struct {
    int32_t type, capability;
    const char *name;
} types[] = {
    {.type = ANYDNN_PLUGIN_HALF, .capability = 75, .name = "half"},
    {.type = ANYDNN_PLUGIN_BFLOAT16, .capability = 80, .name = "bfloat16"},
    {.type = ANYDNN_PLUGIN_FLOAT, .capability = 80, .name = "TF32"},
    {.type = ANYDNN_PLUGIN_INT8, .capability = 75, .name = "int8"},
    {.type = ANYDNN_PLUGIN_UINT8, .capability = 75, .name = "uint8"},
    {.type = ANYDNN_PLUGIN_INT8X4, .capability = 75, .name = "int8x4"},
    {.type = ANYDNN_PLUGIN_UINT8X4, .capability = 75, .name = "uint8x4"},
    {.type = ANYDNN_PLUGIN_INT8X32, .capability = 75, .name = "int8x32"},
};

/* Checks the operand types. Integer operands may have different types, which the core has
 * checked. */
static int32_t check_types(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    int32_t type = plan->problem.tensor[0]->type;
    int32_t capability = tc_context_of(plan)->capability[TC_CODE_ANY];
    int mixed = params->compute_type == ANYDNN_PLUGIN_INT32;

    for (int32_t slot = 1; slot < ANYDNN_PLUGIN_OPERAND_MAX && !mixed; slot++) {
        if (plan->problem.tensor[slot] && plan->problem.tensor[slot]->type != type)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "cuda_tensorcore requires the same type for all operands; operand 0 "
                              "has type %d, but operand %d has type %d",
                              type, slot, plan->problem.tensor[slot]->type);
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type != type)
            continue;
        if (capability >= types[i].capability)
            return 0;
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_DEVICE,
                          "matrix units support %s from compute capability %d.%d on; this device "
                          "runs code for %d.%d",
                          types[i].name, types[i].capability / 10, types[i].capability % 10,
                          capability / 10, capability % 10);
    }
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                      "cuda_tensorcore supports half, bfloat16, float and 8-bit integers; the "
                      "operands have type %d",
                      type);
}

static int32_t check_math(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    if (problem->math == ANYDNN_PLUGIN_MATH_DEFAULT)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_MATH,
            "default math does not permit matrix units, and cuda_tensorcore has no other kernels");
    if (problem->tensor[0]->type != ANYDNN_PLUGIN_FLOAT)
        return 0;
    if (problem->math == ANYDNN_PLUGIN_MATH_TENSOR_OP)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_MATH,
                          "float operands would be rounded to TF32, which tensor_op does not "
                          "permit; allow_conversion does");
    return 0;
}

int32_t tc_check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t reason = check_math(problem, why);
    const struct conv *conv = tc_conv_of(plan);
    int64_t channels;

    if (!reason)
        reason = check_types(plan, why);
    if (reason)
        return reason;
    if (params->compute_type == ANYDNN_PLUGIN_DOUBLE)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "matrix units compute sums in float; the compute type is double");
    channels =
        conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA ? conv->n : conv->channels;
    if (conv->groups > 1 && channels == 1)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_GROUPS,
            "cuda_tensorcore does not support depthwise convolutions (%lld groups of one channel)",
            (long long)conv->groups);
    if (!conv->narrow)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "cuda_tensorcore supports up to 3 spatial dims, and positions and taps "
                          "of up to 30 bits");
    return 0;
}
