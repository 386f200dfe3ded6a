/* SPDX-License-Identifier: Apache-2.0 */
/* Implements candidates and plans for all operations: copies the problem, creates cuDNN's
 * descriptors, runs. Descriptors need no device memory, so they are also created to check whether
 * cuDNN supports a problem. A problem that cuDNN's setters refuse is declined. */
#include "backend.h"

#include "table.h"

/* ------------------------------------------------------------------ candidates */

/* Offers candidates, or returns a reason. */
static int32_t answer(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                      anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate, .engine = CDN_ONLY_ENGINE, .algorithm = -1};
    int32_t reason = cdn_plan_check(plan, why);

    if (!reason && plan->operation->offer)
        return plan->operation->offer(plan, why, offer, cookie);
    if (!reason)
        reason = cdn_plan_prepare(plan, why);
    candidate.workspace = plan->workspace;
    candidate.notes = plan->notes;
    if (!reason)
        offer(cookie, &candidate);
    return reason;
}

static int32_t candidates_here(struct anydnn_plugin_context *context,
                               const struct anydnn_plugin_problem *problem,
                               anydnn_plugin_offer_fn offer, void *cookie)
{
    struct kit_refusal why;
    struct anydnn_plugin_plan *plan = kit_alloc(sizeof *plan, "a problem");

    if (!plan)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    plan->operation = cdn_operation_lookup(problem->operation);
    plan->context = context;
    cdn_copy_problem(plan, problem);
    if (answer(plan, &why, offer, cookie))
        kit_offer_refusal(&why, offer, cookie);
    cdn_plan_release(plan);
    kit_host->free(plan);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t cdn_candidates(struct anydnn_plugin_context *context,
                       const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                       void *cookie)
{
    const char *sentence = context->missing;
    struct kit_refusal why;
    struct cuda_visit visit;
    int32_t status;

    if (!cdn_operation_lookup(problem->operation)) {
        kit_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "cudnn does not provide %s",
                   kit_operation_name(problem->operation));
        kit_offer_refusal(&why, offer, cookie);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    if (!context->handle) {
        kit_refuse(&why, ANYDNN_PLUGIN_REASON_LIBRARY, "%s", sentence);
        kit_offer_refusal(&why, offer, cookie);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    status = cuda_enter(&visit, context->device);
    if (status)
        return status;
    status = candidates_here(context, problem, offer, cookie);
    cuda_leave(&visit);
    return status;
}

/* ------------------------------------------------------------------ plans */

static int32_t fill(struct anydnn_plugin_plan *plan)
{
    struct kit_refusal why;
    struct cuda_visit visit;
    int32_t status = cuda_enter(&visit, plan->context->device);

    if (status)
        return status;
    if (cdn_plan_check(plan, &why) || cdn_plan_prepare(plan, &why)) {
        cdn_plan_release(plan);
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why.sentence);
    }
    cuda_leave(&visit);
    return status;
}

int32_t cdn_plan_create(struct anydnn_plugin_context *context,
                        const struct anydnn_plugin_problem *problem, uint64_t engine,
                        struct anydnn_plugin_plan **plan)
{
    const struct cdn_operation *operation = cdn_operation_lookup(problem->operation);
    struct anydnn_plugin_plan *made;
    int32_t status;

    if (!context->handle)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", context->missing);
    if (!operation || (!operation->offer && engine != CDN_ONLY_ENGINE))
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "operation %d: engine %llu does not exist",
                        problem->operation, (unsigned long long)engine);
    made = kit_alloc(sizeof *made, "a plan");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    made->operation = operation;
    made->context = context;
    made->engine = engine;
    cdn_copy_problem(made, problem);
    status = fill(made);
    if (status) {
        kit_host->free(made);
        return status;
    }
    made->problem.extension = NULL;
    *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t run(struct anydnn_plugin_plan *plan, struct cdn_call *call)
{
    struct anydnn_plugin_context *context = plan->context;
    uintptr_t addresses = 0;

    if (call->stream != context->stream) {
        int32_t status =
            cdn_check(cudnn.cudnnSetStream(context->handle, call->stream), "cudnnSetStream");

        if (status)
            return status;
        context->stream = call->stream;
    }
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        addresses |= (uintptr_t)call->operands->data[slot];
    for (int i = 0; i < 4; i++) {
        if (plan->wide)
            call->scale[i].wide = call->operands->scale[i];
        else
            call->scale[i].single = (float)call->operands->scale[i];
    }
    return addresses % CDN_ALIGNMENT ? cdn_run_aligned(plan, call) : cdn_run_here(plan, call);
}

int32_t cdn_plan_execute(struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct cuda_visit visit;
    struct cdn_call call = {.effect = effect};
    int32_t status;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    operands = kit_whole_operands(operands, &whole);
    if (operands->workspace_bytes < plan->workspace)
        return kit_fail(
            ANYDNN_PLUGIN_STATUS_BAD_PARAM, "the workspace has %llu bytes; the plan needs %llu",
            (unsigned long long)operands->workspace_bytes, (unsigned long long)plan->workspace);
    status = cuda_enter(&visit, plan->context->device);
    if (status)
        return status;
    call.operands = operands;
    call.stream = cuda_stream(operands->stream);
    status = run(plan, &call);
    cuda_leave(&visit);
    return status;
}

void cdn_plan_destroy(struct anydnn_plugin_plan *plan)
{
    enum cudaStreamCaptureMode mode;

    if (!cdn_is_reset(plan->context)) {
        cuda_aside_begin(&mode);
        cdn_plan_release(plan);
        cuda_aside_end(mode);
    }
    kit_host->free(plan);
}
