/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test backend mock_mirror of the space "mockdev". It runs every operation of another backend's
 * object (cpu_ref) on the addresses at which memory of the space is accessible. A staged call must
 * therefore give the same bits as a direct call of the other backend. Settings:
 *
 *   set.of = /path/anydnn_cpu_ref.so   the object; read once
 *   set.workspace = N                  additional workspace of candidates, in bytes
 *   set.alignment = N                  alignment that candidates require of operands
 *   set.decline = NAME                 declines that operation
 *   set.log = /path                    logs plan_execute and the functions of the space
 *
 * A run fails with a sentence if a pointer is not memory of the space or is misaligned, or if the
 * workspace is incomplete. It overwrites the workspace.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mock.h"
#include "mock_settings.h"

struct anydnn_plugin_context {
    struct anydnn_plugin_context *of;
    int32_t device;
};

struct anydnn_plugin_plan {
    const struct anydnn_plugin_operation *operation; /* the operation of the other backend */
    struct anydnn_plugin_plan *of;
    uint32_t present;
    int32_t type; /* type of set_tensor's value */
    uint64_t bytes[ANYDNN_PLUGIN_OPERAND_MAX];
    uint64_t workspace;
};

static const struct anydnn_plugin *other;
static const struct anydnn_plugin_operation *other_operation[ANYDNN_PLUGIN_OPERATION_END];

/* ------------------------------------------------------------------ candidates */

struct offering {
    anydnn_plugin_offer_fn offer;
    void *cookie;
};

static int32_t offer_more(void *cookie, const struct anydnn_plugin_candidate *offered)
{
    const struct offering *offering = cookie;
    struct anydnn_plugin_candidate candidate = *offered;

    candidate.workspace += (uint64_t)mock_setting_number("workspace", 0);
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        candidate.alignment[slot] = (uint32_t)mock_setting_number("alignment", 0);
    return offering->offer(offering->cookie, &candidate);
}

static int32_t mirror_candidates(struct anydnn_plugin_context *context,
                                 const struct anydnn_plugin_problem *problem,
                                 anydnn_plugin_offer_fn offer, void *cookie)
{
    static const struct anydnn_plugin_candidate declined = {
        .struct_size = sizeof(declined),
        .reason = ANYDNN_PLUGIN_REASON_OTHER,
        .algorithm = -1,
        .sentence = "the mirror was told to decline",
    };
    struct offering offering = {offer, cookie};
    struct anydnn_plugin_problem inner = *problem;

    if (problem->device != context->device)
        return kit_fail(4, "the problem is of another device than the context");
    if (mock_setting_is("decline", mock_operations[problem->operation].name)) {
        offer(cookie, &declined);
        return 0;
    }
    inner.device = 0;
    return other_operation[problem->operation]->candidates(context->of, &inner, offer_more,
                                                           &offering);
}

/* ------------------------------------------------------------------ plans */

static uint64_t span_of(const struct anydnn_plugin_tensor *tensor)
{
    int64_t lanes = kit_lanes(tensor->type), elements = 1;

    for (int32_t d = 0; d < tensor->ndims; d++)
        elements += ((d == 1 ? (tensor->dims[d] + lanes - 1) / lanes : tensor->dims[d]) - 1) *
                    tensor->strides[d];
    return (uint64_t)elements * mock_type_size(tensor->type);
}

static int32_t mirror_plan_create(struct anydnn_plugin_context *context,
                                  const struct anydnn_plugin_problem *problem, uint64_t engine,
                                  struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_problem inner = *problem;
    struct anydnn_plugin_plan *made = kit_alloc(sizeof(*made), "a plan");
    int32_t result;

    if (!made)
        return 2;
    made->operation = other_operation[problem->operation];
    made->present = problem->present;
    made->type = problem->tensor[0]->type;
    made->workspace = (uint64_t)mock_setting_number("workspace", 0);
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (problem->present >> slot & 1)
            made->bytes[slot] = span_of(problem->tensor[slot]);
    inner.device = 0;
    result = made->operation->plan_create(context->of, &inner, engine, &made->of);
    if (result != 0)
        kit_host->free(made);
    else
        *plan = made;
    return result;
}

/* Returns 1 for labels and lengths of ctc_loss, which plugin.h marks @: they are in host memory. */
static int is_on_host(const struct anydnn_plugin_plan *plan, int slot)
{
    return plan->operation->operation == ANYDNN_PLUGIN_CTC_LOSS && slot >= 1 && slot <= 3;
}

static int32_t reach_all(const struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands,
                         struct anydnn_plugin_operands *inner)
{
    uintptr_t alignment = (uintptr_t)mock_setting_number("alignment", 1);

    *inner = *operands;
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (!(plan->present >> slot & 1) || is_on_host(plan, slot))
            continue;
        if ((uintptr_t)operands->data[slot] % alignment != 0)
            return kit_fail(8, "the mirror got an operand that is not aligned as it asked");
        inner->data[slot] = mock_space_reach(operands->data[slot], plan->bytes[slot]);
        if (!inner->data[slot])
            return kit_fail(8, "the mirror got an operand that is not all in memory of its space");
    }
    if (plan->workspace > 0) {
        inner->workspace = mock_space_reach(operands->workspace, plan->workspace);
        if (!inner->workspace || operands->workspace_bytes < plan->workspace ||
            (uintptr_t)operands->workspace % 256 != 0)
            return kit_fail(8, "the mirror got no workspace as it asked for");
        memset(inner->workspace, 0x5a, plan->workspace);
    }
    inner->workspace = NULL;
    inner->workspace_bytes = 0;
    inner->stream = NULL;
    return 0;
}

static int32_t mirror_plan_execute(struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands inner;
    struct mock_line line;
    int32_t result = reach_all(plan, operands, &inner);

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    mock_line_begin(&line, "plan_execute");
    mock_line_add(&line, " operation=%s", mock_operations[plan->operation->operation].name);
    mock_line_operands(&line, operands, plan->present, plan->type);
    mock_line_add(&line, " answer=%d", result);
    mock_line_end(&line);
    return result != 0 ? result : plan->operation->plan_execute(plan->of, &inner, effect);
}

static void mirror_plan_destroy(struct anydnn_plugin_plan *plan)
{
    plan->operation->plan_destroy(plan->of);
    kit_host->free(plan);
}

/* ------------------------------------------------------------------ contexts, description */

static int32_t mirror_context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made = kit_alloc(sizeof(*made), "a context");
    int32_t result;

    if (!made)
        return 2;
    made->device = device;
    result = other->context_create(0, &made->of);
    if (result != 0)
        kit_host->free(made);
    else
        *context = made;
    return result;
}

static void mirror_context_destroy(struct anydnn_plugin_context *context)
{
    other->context_destroy(context->of);
    kit_host->free(context);
}

const char mock_space_name[] = MOCK_SPACE;

static struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = MOCK_NAME,
    .vendor = "the anydnn tests",
    .version = "1.0",
    .build_id = "",
    .space = MOCK_SPACE,
    .flags = MOCK_FLAGS,
    .space_functions = &mock_space,
    .space_convention = MOCK_CONVENTION,
    .context_create = mirror_context_create,
    .context_destroy = mirror_context_destroy,
    MOCK_SETTINGS,
};

/* Opens the object as the library opens backends; if it is already loaded, both share it. */
static int32_t open_other(void)
{
    int32_t (*entry)(const struct anydnn_plugin_host *, const struct anydnn_plugin **);
    const char *path = mock_setting("of");
    void *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;

    if (!object)
        return kit_fail(4, "%s", path ? dlerror() : "set.of names no object");
    *(void **)&entry = dlsym(object, "anydnn_plugin_main");
    return entry ? entry(kit_host, &other) : kit_fail(4, "that object is no backend");
}

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    int32_t result;

    kit_begin(host, &description);
    result = open_other();
    if (result != 0)
        return result;
    for (uint32_t i = 0; i < other->operation_count; i++) {
        struct anydnn_plugin_operation mirrored = *other->operations[i];

        other_operation[mirrored.operation] = other->operations[i];
        mirrored.candidates = mirror_candidates;
        mirrored.plan_create = mirror_plan_create;
        mirrored.plan_execute = mirror_plan_execute;
        mirrored.plan_destroy = mirror_plan_destroy;
        kit_publish(&description, &mirrored, mirrored.operation, mirrored.types, mirrored.layouts);
    }
    *plugin = &description;
    return 0;
}
