/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a plan's problem, arranges and checks it, and describes it to cuDNN. */
#include "backend.h"

#include <stdio.h>

void cdn_copy_problem(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *from)
{
    kit_copy_problem(&plan->problem, &plan->copies, from);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (plan->problem.tensor[slot])
            plan->wide |= plan->problem.tensor[slot]->type == ANYDNN_PLUGIN_DOUBLE;
}

const void *cdn_number(const struct anydnn_plugin_plan *plan, enum cdn_factor factor)
{
    static const float single[] = {0, 1};
    static const double wide[] = {0, 1};

    return plan->wide ? (const void *)&wide[factor] : (const void *)&single[factor];
}

int32_t cdn_plan_check(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    int32_t reason = kit_check_extensions(problem, why);

    if (reason)
        return reason;
    if (plan->operation->arrange)
        plan->operation->arrange(plan);
    return plan->operation->check ? plan->operation->check(problem, why) : 0;
}

int32_t cdn_plan_prepare(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct cdn_operation *operation = plan->operation;
    int32_t most = operation->dims_max ? operation->dims_max : CDN_USUAL_DIMS;
    int32_t reason;
    char role[40];

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (!(operation->tensors & plan->problem.present & UINT32_C(1) << slot))
            continue;
        snprintf(role, sizeof role, "operand %d", slot);
        reason =
            cdn_tensor_make(&plan->made.tensor[slot], plan->problem.tensor[slot], most, role, why);
        if (reason)
            return reason;
    }
    reason = cdn_moves_make(plan, why);
    return reason || !operation->prepare ? reason : operation->prepare(plan, why);
}

void cdn_plan_release(struct anydnn_plugin_plan *plan)
{
    if (plan->operation->release)
        plan->operation->release(plan);
    cdn_descriptors_destroy(&plan->made);
}

struct anydnn_plugin_plan *cdn_plan_like(const struct anydnn_plugin_plan *plan, uint64_t engine,
                                         enum cdn_whose whose, struct kit_refusal *why)
{
    struct anydnn_plugin_plan *made = kit_alloc(sizeof *made, "a plan");
    struct anydnn_plugin_problem problem = plan->problem;

    if (!made) {
        kit_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY, "out of memory for a plan");
        return NULL;
    }
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (whose == CDN_CALLERS && (plan->moved >> slot & 1))
            problem.tensor[slot] = &plan->home[slot];
    }
    made->operation = plan->operation;
    made->context = plan->context;
    made->engine = engine;
    cdn_copy_problem(made, &problem);
    if (cdn_plan_check(made, why)) {
        kit_host->free(made);
        return NULL;
    }
    return made;
}
