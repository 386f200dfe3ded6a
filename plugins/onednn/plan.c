/* SPDX-License-Identifier: Apache-2.0 */
/* Implements candidates and plans for all operations. */
#include "plan.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* ------------------------------------------------------------------ candidates */

static int32_t check_type(const struct onednn_operation *operation,
                          const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t type = problem->tensor[0]->type;

    if (type >= 0 && type < 32 && (operation->types >> type & 1))
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                      "oneDNN does not provide this operation in %s", kit_type_name(type));
}

static int32_t check(const struct onednn_operation *operation,
                     const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const char *sentence;
    int32_t reason;

    if (onednn_library_open(&sentence) != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LIBRARY, "%.300s", sentence);
    reason = kit_check_extensions(problem, why);
    if (!reason)
        reason = check_type(operation, problem, why);
    return reason ? reason : operation->check(problem, why);
}

/* Builds the steps of build->plan. */
static void put_together(struct onednn_build *build, const struct onednn_operation *operation)
{
    int threads;

    build->when = ONEDNN_BOTH;
    build->plan->operation = operation;
    build->plan->context = build->context;
    build->plan->threads = onednn_threads_for(build->problem);
    threads = onednn_threads_enter(build->plan->threads);
    onednn_build_begin(build);
    operation->build(build);
    onednn_build_end(build);
    onednn_threads_leave(threads);
}

/* Searches like plan_create and returns the same status, except for failures while primitives are
 * created. Fills in `why` if the status is not success. */
static int32_t probe(const struct onednn_operation *operation,
                     const struct anydnn_plugin_problem *problem, uint64_t engine,
                     struct kit_refusal *why)
{
    struct anydnn_plugin_plan plan = {0};
    struct onednn_build build = {.problem = problem, .engine = engine, .probes = 1, .plan = &plan};

    put_together(&build, operation);
    if (build.status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        kit_refuse(why, ANYDNN_PLUGIN_REASON_OTHER, "%s", build.sentence);
    return build.status;
}

/* Offers the ways of an operation. Ways of one engine are adjacent, and one probe decides for all
 * of them. If no way is feasible, the refusal is that of the first. */
static int32_t offer_ways(const struct onednn_operation *operation,
                          const struct anydnn_plugin_problem *problem, int by_sample,
                          anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate, .algorithm = -1, .math = ANYDNN_PLUGIN_MATH_DEFAULT};
    struct kit_refusal first = {0}, why;
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;
    uint64_t probed = 0;
    int offered = 0;

    for (uint32_t i = 0; i < operation->way_count; i++) {
        const struct onednn_way *way = &operation->ways[i];

        if (operation->may_have_way && !operation->may_have_way(problem, way))
            continue;
        if (way->engine != probed)
            status = probe(operation, problem, way->engine, &why);
        probed = way->engine;
        if (status == ANYDNN_PLUGIN_STATUS_ALLOC_FAILED)
            return kit_fail(status, "%s", why.sentence);
        if (status != ANYDNN_PLUGIN_STATUS_SUCCESS) {
            first = first.reason ? first : why;
            continue;
        }
        candidate.engine = way->engine | (by_sample ? ONEDNN_BY_SAMPLE : 0);
        candidate.algorithm = way->algorithm;
        candidate.notes = way->notes | (by_sample ? ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT : 0);
        offered = 1;
        if (offer(cookie, &candidate))
            break;
    }
    if (!offered)
        kit_offer_refusal(&first, offer, cookie);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t onednn_candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    const struct onednn_operation *operation = onednn_operation_lookup(problem->operation);
    struct anydnn_plugin_problem whole;
    struct kit_copies copies;
    struct onednn_samples samples;
    struct kit_refusal why;
    int by_sample;

    (void)context;
    kit_copy_problem(&whole, &copies, problem);
    by_sample = (whole.guarantees & ANYDNN_PLUGIN_GUARANTEE_BATCH_INVARIANT) &&
                onednn_take_sample(&whole, &copies, &samples);
    if (check(operation, &whole, &why)) {
        kit_offer_refusal(&why, offer, cookie);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    return offer_ways(operation, &whole, by_sample, offer, cookie);
}

/* ------------------------------------------------------------------ plans */

/* The page sizes to which the arena is aligned. Each call passes through all temporaries, so large
 * pages save TLB misses where the system provides them. The host's memory has no such alignment. */
#define SMALL_PAGE ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)

/* Ensures that the context's arena is large enough for a mode of the plan. */
static int32_t grow_arena(struct anydnn_plugin_context *context, size_t bytes)
{
    size_t page = bytes < LARGE_PAGE ? SMALL_PAGE : LARGE_PAGE;

    if (bytes <= context->arena_bytes)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    if (context->arena_memory)
        kit_host->free(context->arena_memory);
    context->arena_bytes = 0;
    context->arena_memory = kit_host->alloc(bytes + page);
    if (!context->arena_memory)
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                        "out of memory for %zu bytes of temporaries", bytes);
    context->arena =
        (char *)context->arena_memory + (page - (uintptr_t)context->arena_memory % page) % page;
    context->arena_bytes = bytes;
    if (page == LARGE_PAGE)
        (void)madvise(context->arena, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t onednn_plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    const struct onednn_operation *operation = onednn_operation_lookup(problem->operation);
    struct onednn_build build = {.context = context, .engine = engine & ~ONEDNN_BY_SAMPLE};
    struct onednn_samples samples = {0};
    struct anydnn_plugin_problem whole;
    struct kit_copies copies;
    struct kit_refusal why;

    kit_copy_problem(&whole, &copies, problem);
    if ((engine & ONEDNN_BY_SAMPLE) && !onednn_take_sample(&whole, &copies, &samples))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "%s has no plan for each sample of this problem",
                        kit_operation_name(problem->operation));
    if (check(operation, &whole, &why))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why.sentence);
    build.problem = &whole;
    build.plan = kit_alloc(sizeof *build.plan, "a plan");
    if (!build.plan)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    build.plan->samples = samples;
    put_together(&build, operation);
    if (build.status == ANYDNN_PLUGIN_STATUS_SUCCESS)
        build.status = grow_arena(context, build.plan->arena_bytes[0]);
    else
        kit_fail(build.status, "%s", build.sentence);
    if (build.status != ANYDNN_PLUGIN_STATUS_SUCCESS) {
        onednn_plan_destroy(build.plan);
        return build.status;
    }
    *plan = build.plan;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Sets the memories to the call's pointers. Comparing a pointer costs less than setting it. */
static int bind_memories(struct anydnn_plugin_plan *plan, uint32_t mode,
                         const struct onednn_call *call)
{
    for (int32_t i = 0; i < plan->value_count; i++) {
        struct onednn_value *value = &plan->value[i];
        void *handle;

        if (!(value->when & mode))
            continue;
        handle = onednn_at(call, value->place);
        if (handle == value->handle)
            continue;
        if (onednn.dnnl_memory_set_data_handle(value->memory, handle) != dnnl_success)
            return -1;
        value->handle = handle;
    }
    return 0;
}

static int run_steps(const struct anydnn_plugin_plan *plan, uint32_t mode,
                     const struct onednn_call *call)
{
    dnnl_stream_t stream = plan->context->stream;

    for (int32_t i = 0; i < plan->step_count; i++) {
        const struct onednn_step *step = &plan->step[i];

        if (!(step->when & mode))
            continue;
        if (!step->primitive)
            step->run(call, step->data);
        else if (onednn.dnnl_primitive_execute(step->primitive, stream, step->count,
                                               step->arguments) != dnnl_success)
            return -1;
    }
    return onednn.dnnl_stream_wait(stream) == dnnl_success && !plan->part_failed ? 0 : -1;
}

void onednn_plan_part(const struct onednn_call *call, uint32_t mode,
                      const struct anydnn_plugin_operands *operands)
{
    const struct onednn_call moved = {operands, call->arena, call->plan};

    if (bind_memories(call->plan, mode, &moved) != 0 || run_steps(call->plan, mode, &moved) != 0)
        call->plan->part_failed = 1;
}

void onednn_share(const struct onednn_call *call, int64_t pieces,
                  void (*work)(void *arg, int64_t piece), void *arg)
{
    onednn_threads_share(call->plan->threads, pieces, work, arg);
}

int onednn_share_threads(const struct onednn_call *call)
{
    return call->plan->threads;
}

static uint32_t mode_of(const struct anydnn_plugin_plan *plan,
                        const struct anydnn_plugin_operands *operands)
{
    if (plan->operation->mode)
        return plan->operation->mode(operands);
    return operands->scale[0] == 1 && operands->scale[1] == 0 ? ONEDNN_FAST : ONEDNN_GENERAL;
}

/* Runs the plan for each sample. */
static int run_samples(struct anydnn_plugin_plan *plan, uint32_t mode,
                       const struct anydnn_plugin_operands *operands)
{
    for (int64_t i = 0; i < plan->samples.count; i++) {
        struct anydnn_plugin_operands moved;
        const struct onednn_call call = {&moved, plan->context->arena, plan};

        onednn_move_to_sample(&plan->samples, i, operands, &moved);
        if (bind_memories(plan, mode, &call) != 0 || run_steps(plan, mode, &call) != 0)
            return -1;
    }
    return 0;
}

int32_t onednn_plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct onednn_modes modes;
    struct onednn_call call;
    uint32_t mode;
    int threads, failed;

    operands = kit_whole_operands(operands, &whole);
    mode = mode_of(plan, operands);
    if (grow_arena(plan->context, plan->arena_bytes[mode - 1]) != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    call = (struct onednn_call){operands, plan->context->arena, plan};
    plan->part_failed = 0;
    if (bind_memories(plan, mode, &call) != 0)
        return kit_fail(ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                        "oneDNN rejected the address of a memory object");
    *effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    threads = onednn_threads_enter(plan->threads);
    onednn_modes_enter(&modes, plan->threads);
    failed = plan->samples.count ? run_samples(plan, mode, operands) : run_steps(plan, mode, &call);
    onednn_modes_leave(&modes);
    onednn_threads_leave(threads);
    return failed ? kit_fail(ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED, "a primitive of oneDNN failed")
                  : ANYDNN_PLUGIN_STATUS_SUCCESS;
}

void onednn_plan_destroy(struct anydnn_plugin_plan *plan)
{
    for (int32_t i = 0; i < plan->step_count; i++) {
        if (plan->step[i].primitive)
            onednn.dnnl_primitive_destroy(plan->step[i].primitive);
        if (plan->step[i].data)
            kit_host->free(plan->step[i].data);
    }
    for (int32_t i = 0; i < plan->value_count; i++)
        onednn.dnnl_memory_destroy(plan->value[i].memory);
    kit_host->free(plan);
}
