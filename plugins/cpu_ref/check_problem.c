/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the limits of every operation: extensions, types, outputs in place. Guarantees of plugin.h
 * are not checked. */
#include "cpu_ref.h"

#include <stdio.h>
#include <string.h>

int32_t cpu_ref_check_uniform(const struct anydnn_plugin_problem *problem, int32_t main_slot,
                              uint32_t mask, struct kit_refusal *why)
{
    int32_t type = problem->tensor[main_slot]->type;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (tensor && (mask >> slot & 1) && tensor->type != type)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s: %s is %s, but %s is %s; cpu_ref requires the same type for both",
                              kit_operation_name(problem->operation),
                              kit_slot_name(problem->operation, slot), kit_type_name(tensor->type),
                              kit_slot_name(problem->operation, main_slot), kit_type_name(type));
    }
    return 0;
}

static int32_t check_types(const struct cpu_ref_kernel *kernel,
                           const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const char *name = kit_operation_name(kernel->operation);
    const char *main_name = kit_slot_name(kernel->operation, kernel->main_slot);
    int32_t type = problem->tensor[kernel->main_slot]->type;
    char taken[120] = "";

    if (type < 0 || type >= KIT_TYPES || !kernel->run[type]) {
        for (int32_t t = 0; t < KIT_TYPES; t++) {
            size_t used = strlen(taken);
            if (kernel->run[t])
                snprintf(taken + used, sizeof taken - used, "%s%s", used ? ", " : "",
                         kit_type_name(t));
        }
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "%s: %s is %s; cpu_ref supports only these types: %s", name, main_name,
                          kit_type_name(type), taken);
    }
    return kernel->check_types
               ? kernel->check_types(problem, why)
               : cpu_ref_check_uniform(problem, kernel->main_slot, kernel->uniform, why);
}

/* Refuses outputs that would overwrite operands which the operation still reads. */
static int32_t check_in_place(const struct cpu_ref_kernel *kernel,
                              const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    for (uint32_t left = kernel->apart & problem->present; left; left &= left - 1) {
        int32_t out = __builtin_ctz(left);

        if (problem->alias[out])
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS, "%s: %s must not overwrite %s",
                              kit_operation_name(problem->operation),
                              kit_slot_name(problem->operation, out),
                              kit_slot_name(problem->operation, problem->alias[out] - 1));
    }
    return 0;
}

int32_t cpu_ref_check_problem(const struct cpu_ref_kernel *kernel,
                              const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t reason = kit_check_extensions(problem, why);

    if (!reason)
        reason = check_types(kernel, problem, why);
    if (!reason)
        reason = check_in_place(kernel, problem, why);
    return reason || !kernel->check ? reason : kernel->check(problem, why);
}
