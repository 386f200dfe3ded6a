/* SPDX-License-Identifier: Apache-2.0 */
/* Implements candidates and plans for all operations: copies the problem, prepares a job, and
 * launches it. */
#include "plan.h"

/* The number of the only engine of an operation without `engines`. */
#define THE_ENGINE 1

static const struct cuda_operation *find(int32_t operation)
{
    for (uint32_t i = 0; i < cuda_operation_count; i++) {
        if (cuda_operations[i]->operation == operation)
            return cuda_operations[i];
    }
    return NULL;
}

static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int32_t reason = kit_check_extensions(&plan->problem, why);

    if (reason)
        return reason;
    if (plan->operation->scratch && !plan->context->has_pools)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_DEVICE,
                          "CUDA device %d does not support memory in stream order, which this "
                          "operation requires between its kernels",
                          plan->context->device);
    return plan->operation->check ? plan->operation->check(plan, why) : 0;
}

/* Creates the part of a plan that candidates and plans share: a checked and analyzed problem.
 * Returns a status. If the problem is refused, it returns SUCCESS without a plan, and fills in
 * `why`. */
static int32_t begin(const struct anydnn_plugin_context *context,
                     const struct cuda_operation *operation,
                     const struct anydnn_plugin_problem *problem, struct anydnn_plugin_plan **plan,
                     struct kit_refusal *why)
{
    size_t job_at = (sizeof **plan + 63) / 64 * 64;
    struct anydnn_plugin_plan *made = kit_alloc(job_at + operation->job_size, "a plan");

    *plan = NULL;
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    made->operation = operation;
    made->context = (const struct cuda_context *)context;
    made->job = (char *)made + job_at;
    kit_copy_problem(&made->problem, &made->copies, problem);
    if (operation->analyse)
        operation->analyse(made);
    if (check(made, why))
        kit_host->free(made);
    else
        *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ candidates */

static int32_t engines_of(const struct anydnn_plugin_plan *plan,
                          struct anydnn_plugin_candidate engines[CUDA_ENGINES_MAX])
{
    if (plan->operation->engines)
        return plan->operation->engines(plan, engines);
    engines[0] =
        (struct anydnn_plugin_candidate){.engine = THE_ENGINE, .notes = plan->operation->notes};
    return 1;
}

/* Offers every engine of a plan under the operation's algorithm numbers. */
static void offer_engines(const struct anydnn_plugin_plan *plan, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate engines[CUDA_ENGINES_MAX];
    int32_t count = engines_of(plan, engines);

    kit_offer(engines, count, plan->operation->algorithms, plan->operation->first, offer, cookie);
}

int32_t cuda_candidates(struct anydnn_plugin_context *context,
                        const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                        void *cookie)
{
    const struct cuda_operation *operation = find(problem->operation);
    struct anydnn_plugin_plan *plan = NULL;
    struct kit_refusal why;
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    if (operation)
        status = begin(context, operation, problem, &plan, &why);
    else
        kit_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "%s does not provide %s", kit_name,
                   kit_operation_name(problem->operation));
    if (status)
        return status;
    if (plan)
        offer_engines(plan, offer, cookie);
    else
        kit_offer_refusal(&why, offer, cookie);
    kit_host->free(plan);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ plans */

static int take_engine(struct anydnn_plugin_plan *plan, uint64_t engine)
{
    struct anydnn_plugin_candidate engines[CUDA_ENGINES_MAX];
    int32_t count;
    int found = 0;

    if (plan->operation->take_engine)
        return plan->operation->take_engine(plan, engine);
    count = engines_of(plan, engines);
    for (int32_t i = 0; i < count; i++)
        found |= engines[i].engine == engine;
    return found;
}

int32_t cuda_plan_create(struct anydnn_plugin_context *context,
                         const struct anydnn_plugin_problem *problem, uint64_t engine,
                         struct anydnn_plugin_plan **plan)
{
    const struct cuda_operation *operation = find(problem->operation);
    struct anydnn_plugin_plan *made;
    struct kit_refusal why;
    int32_t status;

    if (!operation)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "%s does not provide operation %d",
                        kit_name, problem->operation);
    status = begin(context, operation, problem, &made, &why);
    if (status)
        return status;
    if (!made)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why.sentence);
    if (!take_engine(made, engine)) {
        kit_host->free(made);
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "operation %d: engine %llu does not exist",
                        problem->operation, (unsigned long long)engine);
    }
    made->engine = engine;
    made->problem.extension = NULL;
    if (operation->prepare)
        operation->prepare(made);
    *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Runs a plan. A launch copies the parameter blocks, so the plan may be destroyed while its kernels
 * run. */
int32_t cuda_plan_execute(struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct cuda_visit visit;
    struct cuda_call call;
    int32_t status;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    operands = kit_whole_operands(operands, &whole);
    status = cuda_enter(&visit, plan->context->device);
    if (status)
        return status;
    call = (struct cuda_call){.operands = operands,
                              .stream = cuda_stream(operands->stream),
                              .device = plan->context->device,
                              .effect = effect};
    status = plan->operation->run(plan, &call);
    cuda_leave(&visit);
    return status;
}

void cuda_plan_destroy(struct anydnn_plugin_plan *plan)
{
    kit_host->free(plan);
}
