/* SPDX-License-Identifier: Apache-2.0 */
/* Implements candidates and plans for all operations: copies the problem, checks it, runs it. */
#include "cpu_ref.h"

#include <assert.h>
#include <stddef.h>

/* The only engine. */
#define THE_ENGINE 1

/* Asserts the host's guarantees on which the code relies. */
static void assert_guaranteed(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;

    assert(problem->tensor[plan->kernel->main_slot]);
    assert(!kit_params_size(problem->operation) || problem->params);
    for (uint32_t left = problem->present; left; left &= left - 1) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[__builtin_ctz(left)];

        assert(tensor->ndims >= 1 && tensor->ndims <= ANYDNN_PLUGIN_DIM_MAX);
        for (int32_t d = 0; d < tensor->ndims; d++)
            assert(tensor->dims[d] >= 1 && tensor->strides[d] >= 1);
        assert(kit_lanes(tensor->type) == 1 ||
               (tensor->ndims > 1 && tensor->dims[1] % kit_lanes(tensor->type) == 0));
        (void)tensor;
    }
}

/* Copies the problem into `plan`; only `state` remains to be filled. */
static void copy_problem(struct anydnn_plugin_plan *plan, const struct cpu_ref_kernel *kernel,
                         const struct anydnn_plugin_problem *problem)
{
    plan->kernel = kernel;
    kit_copy_problem(&plan->problem, &plan->copies, problem);
    assert_guaranteed(plan);
}

/* Returns the math mode in use: default math, which every mode permits, unless the plan
 * emulates. */
static int32_t math_used(const struct anydnn_plugin_context *context,
                         const struct anydnn_plugin_plan *plan)
{
    return context->emulates && plan->kernel->emulates ? plan->problem.math
                                                       : ANYDNN_PLUGIN_MATH_DEFAULT;
}

/* ------------------------------------------------------------------ candidates */

/* Returns the notes of the candidate. Two TF32 terms have the precision of float; a single one does
 * not. Each element is summed in an order that depends on the shape of one sample only. */
static uint32_t notes_on(const struct anydnn_plugin_plan *plan)
{
    int32_t type = plan->problem.tensor[plan->kernel->main_slot]->type;
    int rounds = plan->math == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION && type == ANYDNN_PLUGIN_FLOAT;

    uint64_t covered = ANYDNN_PLUGIN_BATCH_INVARIANT_OPERATIONS;

    return (rounds ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0) |
           (covered >> plan->problem.operation & 1 ? ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT : 0);
}

int32_t cpu_ref_candidates(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem,
                           anydnn_plugin_offer_fn offer, void *cookie)
{
    const struct cpu_ref_kernel *kernel = cpu_ref_kernel_lookup(problem->operation);
    struct anydnn_plugin_candidate candidate = {.engine = THE_ENGINE};
    struct anydnn_plugin_plan plan;
    struct kit_refusal why;

    if (kernel)
        copy_problem(&plan, kernel, problem);
    else
        kit_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "cpu_ref does not provide %s",
                   kit_operation_name(problem->operation));
    if (!kernel || cpu_ref_check_problem(kernel, &plan.problem, &why)) {
        kit_offer_refusal(&why, offer, cookie);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    candidate.math = plan.math = math_used(context, &plan);
    candidate.notes = notes_on(&plan);
    kit_offer(&candidate, 1, kernel->algorithms, kernel->first, offer, cookie);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ plans */

int32_t cpu_ref_plan_create(struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem, uint64_t engine,
                            struct anydnn_plugin_plan **plan)
{
    const struct cpu_ref_kernel *kernel = cpu_ref_kernel_lookup(problem->operation);
    /* The state is aligned for any object. */
    size_t state_at = (sizeof **plan + 63) / 64 * 64;
    struct anydnn_plugin_plan *made;
    struct kit_refusal why;

    if (!kernel || engine != THE_ENGINE)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "%s: engine %llu does not exist",
                        kit_operation_name(problem->operation), (unsigned long long)engine);
    made = kit_alloc(state_at + kernel->state_size, "a plan");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    copy_problem(made, kernel, problem);
    if (cpu_ref_check_problem(kernel, &made->problem, &why)) {
        kit_host->free(made);
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why.sentence);
    }
    made->problem.extension = NULL;
    made->math = math_used(context, made);
    made->run = kernel->run[made->problem.tensor[kernel->main_slot]->type];
    made->state = (char *)made + state_at;
    if (kernel->prepare)
        kernel->prepare(made);
    *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t cpu_ref_plan_execute(struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;

    /* A failure occurs only before an output is touched. */
    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    operands = kit_whole_operands(operands, &whole);
    for (uint32_t left = plan->problem.present; left; left &= left - 1)
        assert(operands->data[__builtin_ctz(left)]);
    return plan->run(plan, operands);
}

void cpu_ref_plan_destroy(struct anydnn_plugin_plan *plan)
{
    kit_host->free(plan);
}
