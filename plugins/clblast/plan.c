/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the host's queries and runs plans. */
#include "clblast.h"

#define THE_ENGINE 1

/* The algorithms of the convolution, GEMM first. */
#define ALGORITHMS                                                                                 \
    (1 << ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM |                                       \
     1 << ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM |                               \
     1 << ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_GEMM)

/* Checks a problem and fills in a plan. Returns 0 or a reason. */
static int32_t take(const struct anydnn_plugin_context *context,
                    const struct anydnn_plugin_problem *problem, struct anydnn_plugin_plan *plan,
                    struct kit_refusal *why)
{
    int32_t reason = kit_check_extensions(problem, why);

    *plan = (struct anydnn_plugin_plan){.context = context, .operation = problem->operation};
    if (reason)
        return reason;
    switch (problem->operation) {
    case ANYDNN_PLUGIN_MATMUL:
        return clblast_matmul_take(context, problem, plan, why);
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
        return clblast_convolution_take(context, problem, plan, why);
    default:
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_OPERATION, "%s does not provide %s", kit_name,
                          kit_operation_name(problem->operation));
    }
}

int32_t clblast_candidates(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem,
                           anydnn_plugin_offer_fn offer, void *cookie)
{
    int is_convolution = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD;
    struct anydnn_plugin_candidate candidate = {.engine = THE_ENGINE};
    struct anydnn_plugin_problem copy;
    struct anydnn_plugin_plan plan;
    struct kit_copies copies;
    struct kit_refusal why;

    kit_copy_problem(&copy, &copies, problem);
    if (take(context, &copy, &plan, &why)) {
        kit_offer_refusal(&why, offer, cookie);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    candidate.workspace = plan.convolution.workspace;
    kit_offer(&candidate, 1, is_convolution ? ALGORITHMS : 0,
              ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_GEMM, offer, cookie);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t clblast_plan_create(struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem, uint64_t engine,
                            struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_problem copy;
    struct anydnn_plugin_plan *made;
    struct kit_copies copies;
    struct kit_refusal why;

    if (engine != THE_ENGINE)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "operation %d: engine %llu does not exist",
                        problem->operation, (unsigned long long)engine);
    made = kit_alloc(sizeof *made, "a plan");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    kit_copy_problem(&copy, &copies, problem);
    if (take(context, &copy, made, &why)) {
        kit_host->free(made);
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why.sentence);
    }
    *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t clblast_plan_execute(struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    const struct anydnn_plugin_context *context = plan->context;
    struct anydnn_plugin_operands whole;
    struct clblast_call call = {.plan = plan, .effect = effect};
    void *queue = NULL;
    int32_t status, flushed = ANYDNN_PLUGIN_STATUS_SUCCESS;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    call.operands = kit_whole_operands(operands, &whole);
    if (call.operands->flags & ANYDNN_PLUGIN_OPERANDS_RECORDED)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "CLBlast's calls cannot be recorded");
    status = context->space->native(context->device, ANYDNN_PLUGIN_NATIVE_STREAM,
                                    call.operands->stream, &queue);
    if (status)
        return status;
    call.queue = queue;
    status = plan->operation == ANYDNN_PLUGIN_MATMUL ? clblast_matmul_run(&call)
                                                     : clblast_convolution_run(&call);
    if (*effect == ANYDNN_PLUGIN_EFFECT_ENQUEUED && context->space->flush)
        flushed = context->space->flush(context->device, call.operands->stream);
    return status ? status : flushed;
}

void clblast_plan_destroy(struct anydnn_plugin_plan *plan)
{
    kit_host->free(plan);
}
