/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that every operation sets: extensions known, operands present, of types that are
 * taken, with dims and strides that make sense. */
#include "cpu_ref.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int32_t cpu_ref_refuse(struct cpu_ref_refusal *why, int32_t reason, const char *format, ...)
{
    va_list list;

    why->reason = reason;
    va_start(list, format);
    vsnprintf(why->sentence, sizeof why->sentence, format, list);
    va_end(list);
    return reason;
}

static int32_t check_extensions(const struct anydnn_plugin_problem *problem,
                                struct cpu_ref_refusal *why)
{
    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next) {
        if (node->must_understand)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_EXTENSION,
                                  "cpu_ref knows no extension of kind %d, and this one must be "
                                  "understood",
                                  node->kind);
    }
    return 0;
}

static int32_t check_presence(const struct cpu_ref_kernel *kernel,
                              const struct anydnn_plugin_problem *problem,
                              struct cpu_ref_refusal *why)
{
    uint32_t missing = kernel->required & ~problem->present;

    if (missing)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "%s: %s is required and absent",
                              cpu_ref_operation_name(kernel->operation),
                              cpu_ref_slot_name(kernel->operation, __builtin_ctz(missing)));
    if (kernel->params_size && !problem->params)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: the parameters are required and absent",
                              cpu_ref_operation_name(kernel->operation));
    return 0;
}

int32_t cpu_ref_check_uniform(const struct anydnn_plugin_problem *problem, int32_t main_slot,
                              uint32_t mask, struct cpu_ref_refusal *why)
{
    int32_t type = problem->tensor[main_slot]->type;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (tensor && (mask >> slot & 1) && tensor->type != type)
            return cpu_ref_refuse(
                why, ANYDNN_PLUGIN_REASON_TYPE,
                "%s: %s is %s, but %s is %s; cpu_ref wants one type for both",
                cpu_ref_operation_name(problem->operation),
                cpu_ref_slot_name(problem->operation, slot), cpu_ref_type_name(tensor->type),
                cpu_ref_slot_name(problem->operation, main_slot), cpu_ref_type_name(type));
    }
    return 0;
}

static int32_t check_types(const struct cpu_ref_kernel *kernel,
                           const struct anydnn_plugin_problem *problem, struct cpu_ref_refusal *why)
{
    const char *name = cpu_ref_operation_name(kernel->operation);
    const char *main_name = cpu_ref_slot_name(kernel->operation, kernel->main_slot);
    int32_t type = problem->tensor[kernel->main_slot]->type;
    char taken[120] = "";

    if (type < 0 || type >= CPU_REF_TYPES || !kernel->run[type]) {
        for (int32_t t = 0; t < CPU_REF_TYPES; t++) {
            size_t used = strlen(taken);
            if (kernel->run[t])
                snprintf(taken + used, sizeof taken - used, "%s%s", used ? ", " : "",
                         cpu_ref_type_name(t));
        }
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s: %s is %s; cpu_ref takes only these types: %s", name, main_name,
                              cpu_ref_type_name(type), taken);
    }
    return kernel->check_types
               ? kernel->check_types(problem, why)
               : cpu_ref_check_uniform(problem, kernel->main_slot, kernel->uniform, why);
}

/* Whether two index tuples may meet: taken from the smallest stride up, each must step over all
 * that lies below it. */
static int may_overlap(const struct anydnn_plugin_tensor *tensor)
{
    int64_t below = 0;
    uint32_t left = (UINT32_C(1) << tensor->ndims) - 1;

    while (left) {
        int32_t smallest = cpu_ref_smallest_stride(tensor, left);

        left &= ~(UINT32_C(1) << smallest);
        if (cpu_ref_extent(tensor, smallest) == 1)
            continue;
        if (tensor->strides[smallest] <= below)
            return 1;
        below += (cpu_ref_extent(tensor, smallest) - 1) * tensor->strides[smallest];
    }
    return 0;
}

static int32_t check_tensor(const struct cpu_ref_kernel *kernel, int32_t slot,
                            const struct anydnn_plugin_tensor *tensor, struct cpu_ref_refusal *why)
{
    const char *name = cpu_ref_operation_name(kernel->operation);
    const char *slot_name = cpu_ref_slot_name(kernel->operation, slot);
    int64_t lanes = cpu_ref_lanes(tensor->type);
    struct cpu_ref_text text;

    if (tensor->ndims < 1 || tensor->ndims > ANYDNN_PLUGIN_DIM_MAX)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %s has %d dimensions; 1 to %d are possible", name, slot_name,
                              tensor->ndims, ANYDNN_PLUGIN_DIM_MAX);
    if (lanes > 1 && (tensor->ndims < 2 || tensor->dims[1] % lanes))
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                              "%s: %s has dims %s; the channels of %s must be whole vectors of %d",
                              name, slot_name,
                              cpu_ref_dims_text(&text, tensor->dims, tensor->ndims),
                              cpu_ref_type_name(tensor->type), (int)lanes);
    for (int32_t d = 0; d < tensor->ndims; d++) {
        if (tensor->dims[d] < 1)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                                  "%s: %s has dims %s; each must be at least 1", name, slot_name,
                                  cpu_ref_dims_text(&text, tensor->dims, tensor->ndims));
        if (cpu_ref_extent(tensor, d) > 1 && tensor->strides[d] < 1)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                                  "%s: %s has strides %s; each must be at least 1", name, slot_name,
                                  cpu_ref_dims_text(&text, tensor->strides, tensor->ndims));
    }
    if ((kernel->outputs >> slot & 1) && may_overlap(tensor))
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                              "%s: %s is written and has strides %s, with which elements may share "
                              "a place; each must step over all dimensions of smaller stride",
                              name, slot_name,
                              cpu_ref_dims_text(&text, tensor->strides, tensor->ndims));
    return 0;
}

int32_t cpu_ref_check_problem(const struct cpu_ref_kernel *kernel,
                              const struct anydnn_plugin_problem *problem,
                              struct cpu_ref_refusal *why)
{
    int32_t reason = check_extensions(problem, why);

    if (!reason)
        reason = check_presence(kernel, problem, why);
    if (!reason)
        reason = check_types(kernel, problem, why);
    for (int32_t slot = 0; !reason && slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (problem->tensor[slot])
            reason = check_tensor(kernel, slot, problem->tensor[slot], why);
    }
    return reason ? reason : kernel->check(problem, why);
}
