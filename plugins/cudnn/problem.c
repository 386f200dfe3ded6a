/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's copy of its problem: arranged, checked, described to cuDNN. */
#include "backend.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct anydnn_plugin_convolution) <= CUDNN_PARAMS_MAX, "convolution");
_Static_assert(sizeof(struct anydnn_plugin_pooling) <= CUDNN_PARAMS_MAX, "pooling");
_Static_assert(sizeof(struct anydnn_plugin_transform) <= CUDNN_PARAMS_MAX, "transform");

/* Copies what the host knew of a size-prefixed structure; the rest is zero. */
void cudnn_copy_struct(void *to, size_t size, const void *from, uint32_t from_size)
{
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

void cudnn_copy_problem(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *from)
{
    struct anydnn_plugin_problem *copy = &plan->problem;

    cudnn_copy_struct(copy, sizeof *copy, from, from->struct_size);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = copy->tensor[slot];

        if (!(copy->present >> slot & 1) || !tensor) {
            copy->present &= ~(UINT32_C(1) << slot);
            copy->tensor[slot] = NULL;
            continue;
        }
        cudnn_copy_struct(&plan->tensor[slot], sizeof *tensor, tensor, tensor->struct_size);
        copy->tensor[slot] = &plan->tensor[slot];
        plan->wide |= tensor->type == ANYDNN_PLUGIN_DOUBLE;
    }
    if (plan->operation->params_size && copy->params) {
        uint32_t size;

        memcpy(&size, copy->params, sizeof size);
        cudnn_copy_struct(plan->params, plan->operation->params_size, copy->params, size);
        copy->params = plan->params;
    } else {
        copy->params = NULL;
    }
}

const void *cudnn_number(const struct anydnn_plugin_plan *plan, enum cudnn_factor factor)
{
    static const float single[] = {0, 1};
    static const double wide[] = {0, 1};

    return plan->wide ? (const void *)&wide[factor] : (const void *)&single[factor];
}

int32_t cudnn_plan_check(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;

    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next) {
        if (node->must_understand)
            return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_EXTENSION,
                                "cudnn knows no extension of kind %d, and this one must be "
                                "understood",
                                node->kind);
    }
    if (!problem->tensor[0] || problem->tensor[0]->type < 0 || problem->tensor[0]->type > 31 ||
        !(plan->operation->types & ANYDNN_PLUGIN_TYPE_BIT(problem->tensor[0]->type)))
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "%s does not take %s",
                            plan->operation->function,
                            problem->tensor[0] ? cudnn_type_name(problem->tensor[0]->type)
                                               : "an absent first operand");
    if (plan->operation->params_size && !problem->params)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                            "the parameters are required and absent");
    if (plan->operation->arrange)
        plan->operation->arrange(plan);
    return plan->operation->check ? plan->operation->check(problem, why) : 0;
}

int32_t cudnn_plan_prepare(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct cudnn_operation *operation = plan->operation;
    int32_t most = operation->dims_max ? operation->dims_max : CUDNN_USUAL_DIMS;
    int32_t reason;
    char role[40];

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (!(operation->tensors & plan->problem.present & UINT32_C(1) << slot))
            continue;
        snprintf(role, sizeof role, "operand %d", slot);
        reason = cudnn_tensor_make(&plan->made.tensor[slot], plan->problem.tensor[slot], most, role,
                                   why);
        if (reason)
            return reason;
    }
    reason = cudnn_moves_make(plan, why);
    return reason || !operation->prepare ? reason : operation->prepare(plan, why);
}

void cudnn_plan_release(struct anydnn_plugin_plan *plan)
{
    if (plan->operation->release)
        plan->operation->release(plan);
    cudnn_descriptors_destroy(&plan->made);
}

struct anydnn_plugin_plan *cudnn_plan_like(const struct anydnn_plugin_plan *plan, uint64_t engine,
                                           enum cudnn_whose whose, struct cudnn_refusal *why)
{
    struct anydnn_plugin_plan *made = cuda_host->alloc(sizeof *made);
    struct anydnn_plugin_problem problem = plan->problem;

    if (!made) {
        cudnn_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY, "no memory for a plan");
        return NULL;
    }
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (whose == CUDNN_CALLERS && (plan->moved >> slot & 1))
            problem.tensor[slot] = &plan->home[slot];
    }
    memset(made, 0, sizeof *made);
    made->operation = plan->operation;
    made->context = plan->context;
    made->engine = engine;
    cudnn_copy_problem(made, &problem);
    if (cudnn_plan_check(made, why)) {
        cuda_host->free(made);
        return NULL;
    }
    return made;
}
