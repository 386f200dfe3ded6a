/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates and plans, the same for every operation. */
#include "plan.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct anydnn_plugin_convolution) <= ONEDNN_PARAMS_MAX, "convolution");
_Static_assert(sizeof(struct anydnn_plugin_pooling) <= ONEDNN_PARAMS_MAX, "pooling");

/* A problem with copies of its tensors and parameters, complete in this version's sense. */
struct whole_problem {
    struct anydnn_plugin_problem problem;
    struct anydnn_plugin_tensor tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    uint64_t params[ONEDNN_PARAMS_MAX / 8];
};

/* Copies what the host knew of a size-prefixed structure; the rest is zero. */
static void copy_struct(void *to, size_t size, const void *from, uint32_t from_size)
{
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

static void complete(struct whole_problem *whole, const struct onednn_operation *operation,
                     const struct anydnn_plugin_problem *problem)
{
    struct anydnn_plugin_problem *copy = &whole->problem;

    copy_struct(copy, sizeof *copy, problem, problem->struct_size);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = copy->tensor[slot];

        if (!(copy->present >> slot & 1) || !tensor) {
            copy->present &= ~(UINT32_C(1) << slot);
            copy->tensor[slot] = NULL;
            continue;
        }
        copy_struct(&whole->tensor[slot], sizeof *tensor, tensor, tensor->struct_size);
        copy->tensor[slot] = &whole->tensor[slot];
    }
    if (operation->params_size && copy->params) {
        uint32_t size;

        memcpy(&size, copy->params, sizeof size);
        copy_struct(whole->params, operation->params_size, copy->params, size);
        copy->params = whole->params;
    } else {
        copy->params = NULL;
    }
}

/* ------------------------------------------------------------------ candidates */

static int32_t check_extensions(const struct anydnn_plugin_problem *problem,
                                struct onednn_refusal *why)
{
    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next)
        if (node->must_understand)
            return onednn_refuse(why, ANYDNN_PLUGIN_REASON_EXTENSION,
                                 "onednn knows no extension of kind %d, and this one must be "
                                 "understood",
                                 node->kind);
    return 0;
}

static int32_t check_type(const struct onednn_operation *operation,
                          const struct anydnn_plugin_problem *problem, struct onednn_refusal *why)
{
    int32_t type = problem->tensor[0]->type;

    if (type >= 0 && type < 32 && (operation->types >> type & 1))
        return 0;
    return onednn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "oneDNN has no such operation in %s",
                         onednn_type_name(type));
}

static int32_t check(const struct onednn_operation *operation,
                     const struct anydnn_plugin_problem *problem, struct onednn_refusal *why)
{
    const char *sentence;
    int32_t reason;

    if (onednn_library_open(&sentence) != ONEDNN_SUCCESS)
        return onednn_refuse(why, ANYDNN_PLUGIN_REASON_LIBRARY, "%.300s", sentence);
    if ((operation->required & ~problem->present) || (operation->params_size && !problem->params))
        return onednn_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                             "an operand or the parameters are absent");
    reason = check_extensions(problem, why);
    if (!reason)
        reason = check_type(operation, problem, why);
    return reason ? reason : operation->check(problem, why);
}

int32_t onednn_candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    const struct onednn_operation *operation = onednn_operation_find(problem->operation);
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate, .algorithm = -1, .math = ANYDNN_PLUGIN_MATH_DEFAULT};
    struct whole_problem whole;
    struct onednn_refusal why;

    (void)context;
    complete(&whole, operation, problem);
    candidate.reason = check(operation, &whole.problem, &why);
    if (candidate.reason) {
        candidate.sentence = why.sentence;
        offer(cookie, &candidate);
        return ONEDNN_SUCCESS;
    }
    for (uint32_t i = 0; i < operation->way_count; i++) {
        const struct onednn_way *way = &operation->ways[i];

        if (operation->has_way && !operation->has_way(&whole.problem, way))
            continue;
        candidate.engine = way->engine;
        candidate.algorithm = way->algorithm;
        candidate.notes = way->notes;
        if (offer(cookie, &candidate))
            break;
    }
    return ONEDNN_SUCCESS;
}

/* ------------------------------------------------------------------ plans */

/* Temporaries are passed over whole at each call: large pages save the processor the search for
 * small ones, where the system gives them. The host's memory begins anywhere. */
#define SMALL_PAGE ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)

/* Room in the arena of the context for a mode of the plan. */
static int32_t grow_arena(struct anydnn_plugin_context *context, size_t bytes)
{
    size_t page = bytes < LARGE_PAGE ? SMALL_PAGE : LARGE_PAGE;

    if (bytes <= context->arena_bytes)
        return ONEDNN_SUCCESS;
    if (context->arena_memory)
        onednn_host->free(context->arena_memory);
    context->arena_bytes = 0;
    context->arena_memory = onednn_host->alloc(bytes + page);
    if (!context->arena_memory)
        return onednn_fail(ONEDNN_ALLOC_FAILED, "no memory for %zu bytes of temporaries", bytes);
    context->arena =
        (char *)context->arena_memory + (page - (uintptr_t)context->arena_memory % page) % page;
    context->arena_bytes = bytes;
    if (page == LARGE_PAGE)
        (void)madvise(context->arena, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return ONEDNN_SUCCESS;
}

int32_t onednn_plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    const struct onednn_operation *operation = onednn_operation_find(problem->operation);
    struct onednn_build build = {.context = context, .engine = engine, .when = ONEDNN_BOTH};
    struct whole_problem whole;
    struct onednn_refusal why;
    int threads;

    complete(&whole, operation, problem);
    if (check(operation, &whole.problem, &why))
        return onednn_fail(ONEDNN_NOT_SUPPORTED, "%s", why.sentence);
    build.problem = &whole.problem;
    build.plan = onednn_host->alloc(sizeof *build.plan);
    if (!build.plan)
        return onednn_fail(ONEDNN_ALLOC_FAILED, "no memory for a plan");
    memset(build.plan, 0, sizeof *build.plan);
    build.plan->operation = operation;
    build.plan->context = context;
    build.plan->threads = onednn_threads_for(&whole.problem);
    threads = onednn_threads_enter(build.plan->threads);
    onednn_build_begin(&build);
    operation->build(&build);
    onednn_build_end(&build);
    onednn_threads_leave(threads);
    if (build.status == ONEDNN_SUCCESS)
        build.status = grow_arena(context, build.plan->arena_bytes[0]);
    if (build.status != ONEDNN_SUCCESS) {
        onednn_plan_destroy(build.plan);
        return build.status;
    }
    *plan = build.plan;
    return ONEDNN_SUCCESS;
}

/* Memories follow the call's pointers. Telling oneDNN costs more than looking whether it knows. */
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
    return onednn.dnnl_stream_wait(stream) == dnnl_success ? 0 : -1;
}

static uint32_t mode_of(const struct anydnn_plugin_plan *plan,
                        const struct anydnn_plugin_operands *operands)
{
    if (plan->operation->mode)
        return plan->operation->mode(operands);
    return operands->scale[0] == 1 && operands->scale[1] == 0 ? ONEDNN_FAST : ONEDNN_GENERAL;
}

int32_t onednn_plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct onednn_modes modes;
    struct onednn_call call;
    uint32_t mode;
    int threads, failed;

    if (operands->struct_size < sizeof whole) {
        copy_struct(&whole, sizeof whole, operands, operands->struct_size);
        operands = &whole;
    }
    mode = mode_of(plan, operands);
    if (grow_arena(plan->context, plan->arena_bytes[mode - 1]) != ONEDNN_SUCCESS)
        return ONEDNN_ALLOC_FAILED;
    call = (struct onednn_call){operands, plan->context->arena};
    if (bind_memories(plan, mode, &call) != 0)
        return onednn_fail(ONEDNN_INTERNAL_ERROR, "oneDNN refuses a memory's address");
    *effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    threads = onednn_threads_enter(plan->threads);
    onednn_modes_enter(&modes, plan->threads);
    failed = run_steps(plan, mode, &call);
    onednn_modes_leave(&modes);
    onednn_threads_leave(threads);
    return failed ? onednn_fail(ONEDNN_EXECUTION_FAILED, "a primitive of oneDNN failed")
                  : ONEDNN_SUCCESS;
}

void onednn_plan_destroy(struct anydnn_plugin_plan *plan)
{
    for (int32_t i = 0; i < plan->step_count; i++) {
        if (plan->step[i].primitive)
            onednn.dnnl_primitive_destroy(plan->step[i].primitive);
        if (plan->step[i].data)
            onednn_host->free(plan->step[i].data);
    }
    for (int32_t i = 0; i < plan->value_count; i++)
        onednn.dnnl_memory_destroy(plan->value[i].memory);
    onednn_host->free(plan);
}
