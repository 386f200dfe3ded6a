/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions under which one element of the output needs only the elements of the same index.
 */
#include "walk.h"

int32_t cpu_ref_check_dims(const struct anydnn_plugin_problem *problem, uint32_t mask, int32_t out,
                           struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *want = problem->tensor[out];

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *have = problem->tensor[slot];
        struct cpu_ref_text a, b;

        if (!(mask >> slot & 1) || !have || cpu_ref_same_dims(have, want))
            continue;
        return cpu_ref_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE, "%s: %s has dims %s and %s has %s; they must be equal",
            cpu_ref_operation_name(problem->operation), cpu_ref_slot_name(problem->operation, slot),
            cpu_ref_dims_text(&a, have->dims, have->ndims),
            cpu_ref_slot_name(problem->operation, out),
            cpu_ref_dims_text(&b, want->dims, want->ndims));
    }
    return 0;
}

int32_t cpu_ref_check_broadcast(const struct anydnn_plugin_problem *problem, int32_t in,
                                int32_t out, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *have = problem->tensor[in];
    const struct anydnn_plugin_tensor *want = problem->tensor[out];
    struct cpu_ref_text a, b;
    int fits = have->ndims == want->ndims;

    for (int32_t d = 0; fits && d < want->ndims; d++)
        fits = have->dims[d] == want->dims[d] || have->dims[d] == 1;
    if (fits)
        return 0;
    return cpu_ref_refuse(
        why, ANYDNN_PLUGIN_REASON_SHAPE,
        "%s: %s has dims %s and %s has %s; each must be equal or 1",
        cpu_ref_operation_name(problem->operation), cpu_ref_slot_name(problem->operation, in),
        cpu_ref_dims_text(&a, have->dims, have->ndims), cpu_ref_slot_name(problem->operation, out),
        cpu_ref_dims_text(&b, want->dims, want->ndims));
}

int32_t cpu_ref_check_alias(const struct anydnn_plugin_problem *problem, int32_t out,
                            struct cpu_ref_refusal *why)
{
    int32_t in = problem->alias[out] - 1;

    if (in < 0 || !problem->tensor[in] ||
        cpu_ref_same_places(problem->tensor[in], problem->tensor[out]))
        return 0;
    return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                          "%s: %s is written over %s, and their dims or strides differ",
                          cpu_ref_operation_name(problem->operation),
                          cpu_ref_slot_name(problem->operation, out),
                          cpu_ref_slot_name(problem->operation, in));
}

int32_t cpu_ref_check_pointers(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, uint32_t inputs,
                               int32_t out)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;

    for (uint32_t left = inputs & problem->present; left; left &= left - 1) {
        int32_t in = __builtin_ctz(left);

        if (operands->data[in] == operands->data[out] &&
            !cpu_ref_same_places(problem->tensor[in], problem->tensor[out]))
            return cpu_ref_fail(CPU_REF_NOT_SUPPORTED,
                                "%s: %s is written over %s, and their dims or strides differ",
                                cpu_ref_operation_name(problem->operation),
                                cpu_ref_slot_name(problem->operation, out),
                                cpu_ref_slot_name(problem->operation, in));
    }
    return CPU_REF_SUCCESS;
}
