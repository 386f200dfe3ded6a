/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates and plans, the same for every operation: copy the problem, check it, run it. */
#include "cpu_ref.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* There is one way to run a problem. */
#define THE_ENGINE 1

_Static_assert(sizeof(struct anydnn_plugin_convolution) <= CPU_REF_PARAMS_MAX, "convolution");
_Static_assert(sizeof(struct anydnn_plugin_pooling) <= CPU_REF_PARAMS_MAX, "pooling");
_Static_assert(sizeof(struct anydnn_plugin_transform) <= CPU_REF_PARAMS_MAX, "transform");

/* Copies what the host knew of a size-prefixed structure; the rest is zero. */
static void copy_struct(void *to, size_t size, const void *from, uint32_t from_size)
{
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

/* What the host guarantees and the code behind this cannot do without. */
static void assert_guaranteed(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;

    assert(problem->tensor[plan->kernel->main_slot]);
    assert(!plan->kernel->params_size || problem->params);
    for (uint32_t left = problem->present; left; left &= left - 1) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[__builtin_ctz(left)];

        assert(tensor->ndims >= 1 && tensor->ndims <= ANYDNN_PLUGIN_DIM_MAX);
        for (int32_t d = 0; d < tensor->ndims; d++)
            assert(tensor->dims[d] >= 1 && tensor->strides[d] >= 1);
        assert(cpu_ref_lanes(tensor->type) == 1 ||
               (tensor->ndims > 1 && tensor->dims[1] % cpu_ref_lanes(tensor->type) == 0));
        (void)tensor;
    }
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
    assert_guaranteed(plan);
}

/* Unless it emulates, default math, which is within every mode. */
static int32_t math_used(const struct anydnn_plugin_context *context,
                         const struct anydnn_plugin_plan *plan)
{
    return context->emulates && plan->kernel->emulates ? plan->problem.math
                                                       : ANYDNN_PLUGIN_MATH_DEFAULT;
}

/* ------------------------------------------------------------------ candidates */

/* Two terms of TF32 have the precision of float; one has not. */
static uint32_t notes_on(const struct anydnn_plugin_plan *plan)
{
    int32_t type = plan->problem.tensor[plan->kernel->main_slot]->type;
    int rounds = plan->math == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION && type == ANYDNN_PLUGIN_FLOAT;

    return rounds ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0;
}

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

    if (!kernel) {
        cpu_ref_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "cpu_ref does not have %s",
                       cpu_ref_operation_name(problem->operation));
        return offer_refusal(&why, offer, cookie);
    }
    copy_problem(&plan, kernel, problem);
    if (cpu_ref_check_problem(kernel, &plan.problem, &why))
        return offer_refusal(&why, offer, cookie);
    candidate.math = plan.math = math_used(context, &plan);
    candidate.notes = notes_on(&plan);
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

    if (!kernel || engine != THE_ENGINE)
        return cpu_ref_fail(CPU_REF_BAD_PARAM, "%s has no engine %llu",
                            cpu_ref_operation_name(problem->operation), (unsigned long long)engine);
    made = cpu_ref_host->alloc(state_at + kernel->state_size);
    if (!made)
        return cpu_ref_fail(CPU_REF_ALLOC_FAILED, "no memory for a plan of %s",
                            cpu_ref_operation_name(problem->operation));
    memset(made, 0, state_at + kernel->state_size);
    copy_problem(made, kernel, problem);
    if (cpu_ref_check_problem(kernel, &made->problem, &why)) {
        cpu_ref_host->free(made);
        return cpu_ref_fail(CPU_REF_NOT_SUPPORTED, "%s", why.sentence);
    }
    made->problem.extension = NULL;
    made->math = math_used(context, made);
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

    /* Whatever fails, fails before an output is touched. */
    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    if (operands->struct_size < sizeof whole) {
        copy_struct(&whole, sizeof whole, operands, operands->struct_size);
        operands = &whole;
    }
    for (uint32_t left = plan->problem.present; left; left &= left - 1)
        assert(operands->data[__builtin_ctz(left)]);
    return plan->run(plan, operands);
}

void cpu_ref_plan_destroy(struct anydnn_plugin_plan *plan)
{
    cpu_ref_host->free(plan);
}
