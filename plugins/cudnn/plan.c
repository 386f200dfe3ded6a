/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates and plans, the same for every operation: copy the problem, make cuDNN's descriptors,
 * run. Descriptors live on the host alone, so that they are made for the question whether cuDNN
 * takes a problem, too: what its setters refuse is declined. */
#include "backend.h"

#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct anydnn_plugin_convolution) <= CUDNN_PARAMS_MAX, "convolution");
_Static_assert(sizeof(struct anydnn_plugin_pooling) <= CUDNN_PARAMS_MAX, "pooling");
_Static_assert(sizeof(struct anydnn_plugin_transform) <= CUDNN_PARAMS_MAX, "transform");

/* Dims of the tensors of an operation that says nothing else. */
#define USUAL_DIMS 5

int32_t cudnn_refuse(struct cudnn_refusal *why, int32_t reason, const char *format, ...)
{
    va_list list;

    why->reason = reason;
    va_start(list, format);
    vsnprintf(why->sentence, sizeof why->sentence, format, list);
    va_end(list);
    return reason;
}

/* cuDNN's own words of the last failure in this thread, on one line. */
static void last_words(char *text, size_t size)
{
    text[0] = 0;
    cudnn.cudnnGetLastErrorString(text, size);
    text[size - 1] = 0;
    for (char *at = text; *at; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
}

int32_t cudnn_refuse_status(struct cudnn_refusal *why, int32_t reason, cudnnStatus_t status,
                            const char *what)
{
    char words[400];

    last_words(words, sizeof words);
    return cudnn_refuse(why, reason, "cuDNN refuses %s: %s (%d) %s", what,
                        cudnn.cudnnGetErrorString(status), (int)status, words);
}

static int32_t status_of(cudnnStatus_t status)
{
    if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
        status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
        return CUDA_ALLOC_FAILED;
    switch (CUDNN_STATUS_CATEGORY((int)status)) {
    case CUDNN_STATUS_BAD_PARAM:
    case CUDNN_STATUS_NOT_SUPPORTED:
        return CUDA_NOT_SUPPORTED;
    case CUDNN_STATUS_EXECUTION_FAILED:
        return CUDA_EXECUTION_FAILED;
    default:
        return CUDA_INTERNAL_ERROR;
    }
}

int32_t cudnn_check(cudnnStatus_t status, const char *what)
{
    char words[400];

    if (status == CUDNN_STATUS_SUCCESS)
        return CUDA_SUCCESS_STATUS;
    last_words(words, sizeof words);
    return cuda_fail(status_of(status), "%s: %s (%d) %s", what, cudnn.cudnnGetErrorString(status),
                     (int)status, words);
}

int32_t cudnn_ran(const struct cudnn_call *call, cudnnStatus_t status, const char *function)
{
    if (status == CUDNN_STATUS_SUCCESS) {
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
        return CUDA_SUCCESS_STATUS;
    }
    if (status_of(status) != CUDA_NOT_SUPPORTED)
        *call->effect = ANYDNN_PLUGIN_EFFECT_UNKNOWN;
    return cudnn_check(status, function);
}

/* ------------------------------------------------------------------ problems */

/* Copies what the host knew of a size-prefixed structure; the rest is zero. */
static void copy_struct(void *to, size_t size, const void *from, uint32_t from_size)
{
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

static void copy_problem(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *from)
{
    struct anydnn_plugin_problem *copy = &plan->problem;

    copy_struct(copy, sizeof *copy, from, from->struct_size);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = copy->tensor[slot];

        if (!(copy->present >> slot & 1) || !tensor) {
            copy->present &= ~(UINT32_C(1) << slot);
            copy->tensor[slot] = NULL;
            continue;
        }
        copy_struct(&plan->tensor[slot], sizeof *tensor, tensor, tensor->struct_size);
        copy->tensor[slot] = &plan->tensor[slot];
        plan->wide |= tensor->type == ANYDNN_PLUGIN_DOUBLE;
    }
    if (plan->operation->params_size && copy->params) {
        uint32_t size;

        memcpy(&size, copy->params, sizeof size);
        copy_struct(plan->params, plan->operation->params_size, copy->params, size);
        copy->params = plan->params;
    } else {
        copy->params = NULL;
    }
}

static int32_t check(const struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
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
    return plan->operation->check ? plan->operation->check(problem, why) : 0;
}

static int32_t prepare(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct cudnn_operation *operation = plan->operation;
    int32_t most = operation->dims_max ? operation->dims_max : USUAL_DIMS;
    char role[40];

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        int32_t reason;

        if (!(operation->tensors & plan->problem.present & UINT32_C(1) << slot))
            continue;
        snprintf(role, sizeof role, "operand %d", slot);
        reason = cudnn_tensor_make(&plan->made.tensor[slot], plan->problem.tensor[slot], most, role,
                                   why);
        if (reason)
            return reason;
    }
    return operation->prepare ? operation->prepare(plan, why) : 0;
}

static void release(struct anydnn_plugin_plan *plan)
{
    if (plan->operation->release)
        plan->operation->release(plan);
    cudnn_descriptors_destroy(&plan->made);
}

/* ------------------------------------------------------------------ candidates */

static void offer_refusal(const struct cudnn_refusal *why, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate,
        .reason = why->reason,
        .algorithm = -1,
        .sentence = why->sentence,
    };
    offer(cookie, &candidate);
}

/* Offers, or returns a reason. */
static int32_t answer(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why,
                      anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate, .engine = CUDNN_ONLY_ENGINE, .algorithm = -1};
    int32_t reason = check(plan, why);

    if (!reason && plan->operation->offer)
        return plan->operation->offer(plan, why, offer, cookie);
    if (!reason)
        reason = prepare(plan, why);
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
    struct cudnn_refusal why;
    struct anydnn_plugin_plan *plan = cuda_host->alloc(sizeof *plan);

    if (!plan)
        return cuda_fail(CUDA_ALLOC_FAILED, "no memory for a problem");
    memset(plan, 0, sizeof *plan);
    plan->operation = cudnn_operation_find(problem->operation);
    plan->context = context;
    copy_problem(plan, problem);
    if (answer(plan, &why, offer, cookie))
        offer_refusal(&why, offer, cookie);
    release(plan);
    cuda_host->free(plan);
    return CUDA_SUCCESS_STATUS;
}

int32_t cudnn_candidates(struct anydnn_plugin_context *context,
                         const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                         void *cookie)
{
    const char *sentence = context->missing;
    struct cudnn_refusal why;
    struct cuda_visit visit;
    int32_t status;

    if (!cudnn_operation_find(problem->operation)) {
        cudnn_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "cudnn has no operation %d",
                     problem->operation);
        offer_refusal(&why, offer, cookie);
        return CUDA_SUCCESS_STATUS;
    }
    if (!context->handle) {
        cudnn_refuse(&why, ANYDNN_PLUGIN_REASON_LIBRARY, "%s", sentence);
        offer_refusal(&why, offer, cookie);
        return CUDA_SUCCESS_STATUS;
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
    struct cudnn_refusal why;
    struct cuda_visit visit;
    int32_t status = cuda_enter(&visit, plan->context->device);

    if (status)
        return status;
    if (check(plan, &why) || prepare(plan, &why)) {
        release(plan);
        status = cuda_fail(CUDA_NOT_SUPPORTED, "%s", why.sentence);
    }
    cuda_leave(&visit);
    return status;
}

int32_t cudnn_plan_create(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, uint64_t engine,
                          struct anydnn_plugin_plan **plan)
{
    const struct cudnn_operation *operation = cudnn_operation_find(problem->operation);
    struct anydnn_plugin_plan *made;
    int32_t status;

    if (!context->handle)
        return cuda_fail(CUDA_NOT_SUPPORTED, "%s", context->missing);
    if (!operation || (!operation->offer && engine != CUDNN_ONLY_ENGINE))
        return cuda_fail(CUDA_BAD_PARAM, "operation %d has no engine %llu", problem->operation,
                         (unsigned long long)engine);
    made = cuda_host->alloc(sizeof *made);
    if (!made)
        return cuda_fail(CUDA_ALLOC_FAILED, "no memory for a plan");
    memset(made, 0, sizeof *made);
    made->operation = operation;
    made->context = context;
    made->engine = engine;
    copy_problem(made, problem);
    status = fill(made);
    if (status) {
        cuda_host->free(made);
        return status;
    }
    made->problem.extension = NULL;
    *plan = made;
    return CUDA_SUCCESS_STATUS;
}

static int32_t run(struct anydnn_plugin_plan *plan, struct cudnn_call *call)
{
    struct anydnn_plugin_context *context = plan->context;
    uintptr_t addresses = 0;

    if (call->stream != context->stream) {
        int32_t status =
            cudnn_check(cudnn.cudnnSetStream(context->handle, call->stream), "cudnnSetStream");

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
    return addresses % CUDNN_ALIGNMENT ? cudnn_run_moved(plan, call)
                                       : plan->operation->run(plan, call);
}

int32_t cudnn_plan_execute(struct anydnn_plugin_plan *plan,
                           const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct cuda_visit visit;
    struct cudnn_call call = {.effect = effect};
    int32_t status;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    if (operands->struct_size < sizeof whole) {
        copy_struct(&whole, sizeof whole, operands, operands->struct_size);
        operands = &whole;
    }
    if (operands->workspace_bytes < plan->workspace)
        return cuda_fail(CUDA_BAD_PARAM, "the workspace has %llu bytes; the plan needs %llu",
                         (unsigned long long)operands->workspace_bytes,
                         (unsigned long long)plan->workspace);
    status = cuda_enter(&visit, plan->context->device);
    if (status)
        return status;
    call.operands = operands;
    call.stream = cuda_stream(operands->stream);
    status = run(plan, &call);
    cuda_leave(&visit);
    return status;
}

void cudnn_plan_destroy(struct anydnn_plugin_plan *plan)
{
    release(plan);
    cuda_host->free(plan);
}
