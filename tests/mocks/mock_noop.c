/* SPDX-License-Identifier: Apache-2.0 */
/* A backend whose every call returns at once: what remains of a call's time is the library's own.
 */
#include <anydnn/plugin.h>

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_TOGGLE_COLLECT
#endif

struct anydnn_plugin_context {
    int unused;
};

struct anydnn_plugin_plan {
    int unused;
};

static struct anydnn_plugin_context noop_context;
static struct anydnn_plugin_plan noop_plan;

static int32_t noop_candidates(struct anydnn_plugin_context *context,
                               const struct anydnn_plugin_problem *problem,
                               anydnn_plugin_offer_fn offer, void *cookie)
{
    static const struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate),
        .engine = 1,
        .algorithm = -1,
        .math = ANYDNN_PLUGIN_MATH_DEFAULT,
    };

    (void)context;
    (void)problem;
    offer(cookie, &candidate);
    return 0;
}

static int32_t noop_plan_create(struct anydnn_plugin_context *context,
                                const struct anydnn_plugin_problem *problem, uint64_t engine,
                                struct anydnn_plugin_plan **plan)
{
    (void)context;
    (void)problem;
    (void)engine;
    *plan = &noop_plan;
    return 0;
}

static int32_t noop_plan_execute(struct anydnn_plugin_plan *plan,
                                 const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    /* Ends what the benchmark of calls counts; a few instructions that do nothing elsewhere. */
    CALLGRIND_TOGGLE_COLLECT;
    (void)plan;
    (void)operands;
    (void)effect;
    return 0;
}

static void noop_plan_destroy(struct anydnn_plugin_plan *plan)
{
    (void)plan;
}

static int32_t noop_context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
    *context = &noop_context;
    return 0;
}

static void noop_context_destroy(struct anydnn_plugin_context *context)
{
    (void)context;
}

static struct anydnn_plugin_operation offered[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *offered_list[ANYDNN_PLUGIN_OPERATION_END];

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .flags = ANYDNN_PLUGIN_FORK_SAFE,
    .name = "mock_noop",
    .vendor = "the anydnn tests",
    .version = "1.0",
    .build_id = "",
    .space = "host",
    .operation_count = ANYDNN_PLUGIN_OPERATION_END - 1,
    .operations = offered_list,
    .context_create = noop_context_create,
    .context_destroy = noop_context_destroy,
};

const struct anydnn_plugin_abi anydnn_plugin_abi = ANYDNN_PLUGIN_ABI_INITIALIZER;

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    (void)host;
    for (int32_t i = 1; i < ANYDNN_PLUGIN_OPERATION_END; i++) {
        offered[i] = (struct anydnn_plugin_operation){
            .struct_size = sizeof(struct anydnn_plugin_operation),
            .operation = i,
            .types = 0x7ff,
            .layouts = 0xf,
            .maths = 0xf,
            .candidates = noop_candidates,
            .plan_create = noop_plan_create,
            .plan_execute = noop_plan_execute,
            .plan_destroy = noop_plan_destroy,
        };
        offered_list[i - 1] = &offered[i];
    }
    *plugin = &description;
    return 0;
}
