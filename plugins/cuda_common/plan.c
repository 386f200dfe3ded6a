/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates and plans, the same for every operation: copy the problem, prepare, launch. */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of operations with one way to run a problem. */
#define THE_ENGINE 1

_Static_assert(sizeof(struct anydnn_plugin_convolution) <= CUDA_PARAMS_MAX, "convolution");
_Static_assert(sizeof(struct anydnn_plugin_pooling) <= CUDA_PARAMS_MAX, "pooling");
_Static_assert(sizeof(struct anydnn_plugin_transform) <= CUDA_PARAMS_MAX, "transform");

int32_t cuda_refuse(struct cuda_refusal *why, int32_t reason, const char *format, ...)
{
    va_list list;

    why->reason = reason;
    va_start(list, format);
    vsnprintf(why->sentence, sizeof why->sentence, format, list);
    va_end(list);
    return reason;
}

static const struct cuda_operation *find(int32_t operation)
{
    for (uint32_t i = 0; i < cuda_operation_count; i++) {
        if (cuda_operations[i]->operation == operation)
            return cuda_operations[i];
    }
    return NULL;
}

/* Copies what the host knew of a size-prefixed structure; the rest is zero. */
static void copy_struct(void *to, size_t size, const void *from, uint32_t from_size)
{
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

/* Fills all of a plan but its job. */
static void begin(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_context *context,
                  const struct cuda_operation *operation, const struct anydnn_plugin_problem *from)
{
    struct anydnn_plugin_problem *copy = &plan->problem;

    plan->operation = operation;
    plan->device = context->device;
    plan->multiprocessors = context->multiprocessors;
    plan->has_pools = context->has_pools;
    plan->oracle = context->oracle;
    plan->capability = context->capability;
    plan->generation = context->generation;
    plan->hopper = context->hopper;
    plan->shared_bytes = context->shared_bytes;
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

static int32_t check(const struct anydnn_plugin_plan *plan, struct cuda_refusal *why)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;

    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next) {
        if (node->must_understand)
            return cuda_refuse(why, ANYDNN_PLUGIN_REASON_EXTENSION,
                               "%s knows no extension of kind %d, and this one must be understood",
                               cuda_backend_name, node->kind);
    }
    if (plan->operation->scratch && !plan->has_pools)
        return cuda_refuse(why, ANYDNN_PLUGIN_REASON_DEVICE,
                           "CUDA device %d gives no memory in stream order, which this operation "
                           "needs between its kernels",
                           plan->device);
    return plan->operation->check ? plan->operation->check(plan, why) : 0;
}

/* ------------------------------------------------------------------ candidates */

static void offer_refusal(const struct cuda_refusal *why, anydnn_plugin_offer_fn offer,
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

static int32_t engines_of(const struct anydnn_plugin_plan *plan,
                          struct cuda_engine engines[CUDA_ENGINES_MAX])
{
    if (plan->operation->engines)
        return plan->operation->engines(plan, engines);
    engines[0] = (struct cuda_engine){.number = THE_ENGINE};
    return 1;
}

struct engines {
    int32_t count;
    struct cuda_engine engine[CUDA_ENGINES_MAX];
};

/* The engines under one algorithm's number: every one under the first, so that each is tried and
 * timed once, and under others the best, and the best without workspace. Returns another value than
 * 0 when the host wants no more. */
static int32_t offer_engines(const struct engines *engines, int32_t algorithm, int all,
                             anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t enough = 0, has_free = 0;

    for (int32_t i = 0; i < engines->count && !enough; i++) {
        const struct cuda_engine *engine = &engines->engine[i];
        int wanted = all || i == 0 || (!has_free && engine->workspace == 0);
        struct anydnn_plugin_candidate candidate = {.struct_size = sizeof candidate,
                                                    .engine = engine->number,
                                                    .algorithm = algorithm,
                                                    .math = engine->math,
                                                    .workspace = engine->workspace,
                                                    .notes = engine->notes,
                                                    .expected_us = engine->expected_us};

        for (int32_t slot = 0; engine->aligned >> slot; slot++)
            candidate.alignment[slot] = engine->aligned >> slot & 1 ? engine->alignment : 0;
        has_free |= engine->workspace == 0;
        enough = wanted ? offer(cookie, &candidate) : 0;
    }
    return enough;
}

int32_t cuda_candidates(struct anydnn_plugin_context *context,
                        const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                        void *cookie)
{
    const struct cuda_operation *operation = find(problem->operation);
    struct anydnn_plugin_plan plan = {.operation = operation};
    struct engines engines;
    struct cuda_refusal why;
    int32_t enough;

    if (!operation) {
        cuda_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "%s has no operation %d",
                    cuda_backend_name, problem->operation);
        offer_refusal(&why, offer, cookie);
        return CUDA_SUCCESS_STATUS;
    }
    begin(&plan, context, operation, problem);
    if (check(&plan, &why)) {
        offer_refusal(&why, offer, cookie);
        return CUDA_SUCCESS_STATUS;
    }
    engines.count = engines_of(&plan, engines.engine);
    enough =
        offer_engines(&engines, operation->algorithms ? operation->first : -1, 1, offer, cookie);
    for (int32_t number = 0; operation->algorithms >> number && !enough; number++) {
        if (number != operation->first && (operation->algorithms >> number & 1))
            enough = offer_engines(&engines, number, 0, offer, cookie);
    }
    return CUDA_SUCCESS_STATUS;
}

/* ------------------------------------------------------------------ plans */

static int has_engine(const struct anydnn_plugin_plan *plan, uint64_t engine)
{
    struct cuda_engine engines[CUDA_ENGINES_MAX];
    int32_t count;
    int found = 0;

    if (plan->operation->has_engine)
        return plan->operation->has_engine(plan, engine);
    count = engines_of(plan, engines);
    for (int32_t i = 0; i < count; i++)
        found |= engines[i].number == engine;
    return found;
}

int32_t cuda_plan_create(struct anydnn_plugin_context *context,
                         const struct anydnn_plugin_problem *problem, uint64_t engine,
                         struct anydnn_plugin_plan **plan)
{
    const struct cuda_operation *operation = find(problem->operation);
    size_t job_at = (sizeof **plan + 63) / 64 * 64;
    struct anydnn_plugin_plan *made;
    struct cuda_refusal why;
    int32_t status = CUDA_SUCCESS_STATUS;

    if (!operation)
        return cuda_fail(CUDA_BAD_PARAM, "%s has no operation %d", cuda_backend_name,
                         problem->operation);
    made = cuda_host->alloc(job_at + operation->job_size);
    if (!made)
        return cuda_fail(CUDA_ALLOC_FAILED, "no memory for a plan");
    memset(made, 0, job_at + operation->job_size);
    made->job = (char *)made + job_at;
    made->engine = engine;
    begin(made, context, operation, problem);
    if (check(made, &why))
        status = cuda_fail(CUDA_NOT_SUPPORTED, "%s", why.sentence);
    else if (!has_engine(made, engine))
        status = cuda_fail(CUDA_BAD_PARAM, "operation %d has no engine %llu", problem->operation,
                           (unsigned long long)engine);
    if (status) {
        cuda_host->free(made);
        return status;
    }
    made->problem.extension = NULL;
    operation->prepare(made);
    *plan = made;
    return CUDA_SUCCESS_STATUS;
}

/* The parameter blocks are copied at the launch, so that the plan may go while it runs. */
int32_t cuda_plan_execute(struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct cuda_visit visit;
    struct cuda_call call;
    int32_t status;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    if (operands->struct_size < sizeof whole) {
        copy_struct(&whole, sizeof whole, operands, operands->struct_size);
        operands = &whole;
    }
    status = cuda_enter(&visit, plan->device);
    if (status)
        return status;
    call = (struct cuda_call){.operands = operands,
                              .stream = cuda_stream(operands->stream),
                              .device = plan->device,
                              .effect = effect};
    status = plan->operation->run(plan, &call);
    cuda_leave(&visit);
    return status;
}

void cuda_plan_destroy(struct anydnn_plugin_plan *plan)
{
    cuda_host->free(plan);
}
