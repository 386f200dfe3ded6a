/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates and plans, the same for every operation: copy the problem, check it, run it. */
#include "cpu_ref.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* There is one way to run a problem. */
#define THE_ENGINE 1

_Static_assert(sizeof(struct anydnn_plugin_convolution) <= CPU_REF_PARAMS_MAX, "convolution");
_Static_assert(sizeof(struct anydnn_plugin_pooling) <= CPU_REF_PARAMS_MAX, "pooling");
_Static_assert(sizeof(struct anydnn_plugin_transform) <= CPU_REF_PARAMS_MAX, "transform");

int32_t cpu_ref_refuse(struct cpu_ref_refusal *why, int32_t reason, const char *format, ...)
{
    va_list list;

    why->reason = reason;
    va_start(list, format);
    vsnprintf(why->sentence, sizeof why->sentence, format, list);
    va_end(list);
    return reason;
}

/* Copies what the host knew of a size-prefixed structure; the rest is zero. */
static void copy_struct(void *to, size_t size, const void *from, uint32_t from_size)
{
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

/* Makes `plan` hold the problem; only `state` is left open. */
static void copy_problem(struct anydnn_plugin_plan *plan, const struct cpu_ref_kernel *kernel,
                         const struct anydnn_plugin_problem *problem)
{
    struct anydnn_plugin_problem *copy = &plan->problem;

    plan->kernel = kernel;
    copy_struct(copy, sizeof *copy, problem, problem->struct_size);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = copy->tensor[slot];

        if (!(copy->present >> slot & 1) || !tensor) {
            copy->present &= ~(UINT32_C(1) << slot);
            copy->tensor[slot] = NULL;
            continue;
        }
        copy_struct(&plan->tensor[slot], sizeof *tensor, tensor, tensor->struct_size);
        copy->tensor[slot] = &plan->tensor[slot];
    }
    if (kernel->params_size && copy->params) {
        uint32_t size;

        memcpy(&size, copy->params, sizeof size);
        copy_struct(plan->params, kernel->params_size, copy->params, size);
        copy->params = plan->params;
    } else {
        copy->params = NULL;
    }
}

/* ------------------------------------------------------------------ checks common to all
 * operations */

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
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (tensor && (kernel->uniform >> slot & 1) && tensor->type != type)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                                  "%s: %s is %s, but %s is %s; cpu_ref wants one type for both",
                                  name, cpu_ref_slot_name(kernel->operation, slot),
                                  cpu_ref_type_name(tensor->type), main_name,
                                  cpu_ref_type_name(type));
    }
    return 0;
}

/* Whether two index tuples may meet: taken from the smallest stride up, each must step over all
 * that lies below it. */
static int may_overlap(const struct anydnn_plugin_tensor *tensor)
{
    int64_t below = 0;
    uint32_t left = (UINT32_C(1) << tensor->ndims) - 1;

    while (left) {
        int32_t smallest = 0;
        while (!(left >> smallest & 1))
            smallest++;
        for (int32_t d = smallest + 1; d < tensor->ndims; d++) {
            if ((left >> d & 1) && tensor->strides[d] < tensor->strides[smallest])
                smallest = d;
        }
        left &= ~(UINT32_C(1) << smallest);
        if (tensor->dims[smallest] == 1)
            continue;
        if (tensor->strides[smallest] <= below)
            return 1;
        below += (tensor->dims[smallest] - 1) * tensor->strides[smallest];
    }
    return 0;
}

static int32_t check_tensor(const struct cpu_ref_kernel *kernel, int32_t slot,
                            const struct anydnn_plugin_tensor *tensor, struct cpu_ref_refusal *why)
{
    const char *name = cpu_ref_operation_name(kernel->operation);
    const char *slot_name = cpu_ref_slot_name(kernel->operation, slot);
    struct cpu_ref_text text;

    if (tensor->ndims < 1 || tensor->ndims > ANYDNN_PLUGIN_DIM_MAX)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %s has %d dimensions; 1 to %d are possible", name, slot_name,
                              tensor->ndims, ANYDNN_PLUGIN_DIM_MAX);
    for (int32_t d = 0; d < tensor->ndims; d++) {
        if (tensor->dims[d] < 1)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                                  "%s: %s has dims %s; each must be at least 1", name, slot_name,
                                  cpu_ref_dims_text(&text, tensor->dims, tensor->ndims));
        if (tensor->dims[d] > 1 && tensor->strides[d] < 1)
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

static int32_t check_problem(const struct cpu_ref_kernel *kernel,
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

/* ------------------------------------------------------------------ candidates */

static int32_t offer_refusal(const struct cpu_ref_refusal *why, anydnn_plugin_offer_fn offer,
                             void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate,
        .reason = why->reason,
        .algorithm = -1,
        .sentence = why->sentence,
    };
    offer(cookie, &candidate);
    return CPU_REF_SUCCESS;
}

int32_t cpu_ref_candidates(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem,
                           anydnn_plugin_offer_fn offer, void *cookie)
{
    const struct cpu_ref_kernel *kernel = cpu_ref_kernel_find(problem->operation);
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate, .engine = THE_ENGINE, .algorithm = -1};
    struct anydnn_plugin_plan plan;
    struct cpu_ref_refusal why;

    (void)context;
    if (!kernel) {
        cpu_ref_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "cpu_ref does not have %s",
                       cpu_ref_operation_name(problem->operation));
        return offer_refusal(&why, offer, cookie);
    }
    copy_problem(&plan, kernel, problem);
    if (check_problem(kernel, &plan.problem, &why))
        return offer_refusal(&why, offer, cookie);
    if (!kernel->algorithms) {
        offer(cookie, &candidate);
        return CPU_REF_SUCCESS;
    }
    candidate.algorithm = kernel->first;
    if (offer(cookie, &candidate))
        return CPU_REF_SUCCESS;
    for (int32_t number = 0; kernel->algorithms >> number; number++) {
        candidate.algorithm = number;
        if (number != kernel->first && (kernel->algorithms >> number & 1) &&
            offer(cookie, &candidate))
            break;
    }
    return CPU_REF_SUCCESS;
}

/* ------------------------------------------------------------------ plans */

int32_t cpu_ref_plan_create(struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem, uint64_t engine,
                            struct anydnn_plugin_plan **plan)
{
    const struct cpu_ref_kernel *kernel = cpu_ref_kernel_find(problem->operation);
    /* The state begins where any object may. */
    size_t state_at = (sizeof **plan + 63) / 64 * 64;
    struct anydnn_plugin_plan *made;
    struct cpu_ref_refusal why;

    (void)context;
    if (!kernel || engine != THE_ENGINE)
        return cpu_ref_fail(CPU_REF_BAD_PARAM, "%s has no engine %llu",
                            cpu_ref_operation_name(problem->operation), (unsigned long long)engine);
    made = cpu_ref_host->alloc(state_at + kernel->state_size);
    if (!made)
        return cpu_ref_fail(CPU_REF_ALLOC_FAILED, "no memory for a plan of %s",
                            cpu_ref_operation_name(problem->operation));
    memset(made, 0, state_at + kernel->state_size);
    copy_problem(made, kernel, problem);
    if (check_problem(kernel, &made->problem, &why)) {
        cpu_ref_host->free(made);
        return cpu_ref_fail(CPU_REF_NOT_SUPPORTED, "%s", why.sentence);
    }
    made->problem.extension = NULL;
    made->run = kernel->run[made->problem.tensor[kernel->main_slot]->type];
    made->state = (char *)made + state_at;
    if (kernel->prepare)
        kernel->prepare(made);
    *plan = made;
    return CPU_REF_SUCCESS;
}

int32_t cpu_ref_plan_execute(struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    int32_t operation = plan->problem.operation;

    /* Whatever fails, fails before an output is touched. */
    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    if (operands->struct_size < sizeof whole) {
        copy_struct(&whole, sizeof whole, operands, operands->struct_size);
        operands = &whole;
    }
    for (uint32_t left = plan->problem.present; left; left &= left - 1) {
        int32_t slot = __builtin_ctz(left);
        if (!operands->data[slot])
            return cpu_ref_fail(CPU_REF_BAD_PARAM, "%s: %s is a NULL pointer",
                                cpu_ref_operation_name(operation),
                                cpu_ref_slot_name(operation, slot));
    }
    return plan->run(plan, operands);
}

void cpu_ref_plan_destroy(struct anydnn_plugin_plan *plan)
{
    cpu_ref_host->free(plan);
}
