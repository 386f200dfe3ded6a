/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch record: documented keys report what a handle's last call did, and why. */
#include "dispatch/last_call.h"
#include "dispatch/foreign/staging.h"
#include "dispatch/handle/arena.h"
#include "dispatch/handle/handle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"
#include "sys/text.h"

typedef void (*text_fn)(const struct anydnnContext *handle, struct adn_text *text);
typedef int64_t (*int_fn)(const struct anydnnContext *handle);

static const struct adn_plan *plan_of(const struct anydnnContext *handle)
{
    return handle->last.plan;
}

static void say_operation(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", adn_operation_name(plan_of(handle)->problem.operation));
}

static void say_problem(const struct anydnnContext *handle, struct adn_text *text)
{
    char buffer[ADN_PROBLEM_TEXT_MAX];

    adn_problem_print(&plan_of(handle)->problem, NULL, buffer, sizeof(buffer));
    adn_text_add(text, "%s", buffer);
}

static void say_backend(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", plan_of(handle)->backend->name);
}

static void say_math(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", adn_math_name(plan_of(handle)->math));
}

static void say_math_requested(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", adn_math_name(plan_of(handle)->problem.math));
}

static void say_algorithm(const struct anydnnContext *handle, struct adn_text *text)
{
    const struct adn_plan *plan = plan_of(handle);

    adn_text_add(text, "%s",
                 plan->algorithm == ADN_ALGORITHM_ANY
                     ? "none"
                     : adn_problem_algorithm_name(plan->problem.operation, plan->algorithm));
}

static void say_algorithm_requested(const struct anydnnContext *handle, struct adn_text *text)
{
    const struct adn_problem *problem = &plan_of(handle)->problem;

    adn_text_add(text, "%s", adn_problem_algorithm_name(problem->operation, problem->algorithm));
}

static void say_notes(const struct anydnnContext *handle, struct adn_text *text)
{
    /* Batch invariance has a key of its own. */
    static const char *const names[] = {"nondeterministic", "transform", "reduced_precision", NULL,
                                        "flushes_subnormals"};
    const char *lead = "";

    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i] && plan_of(handle)->notes >> i & 1) {
            adn_text_add(text, "%s%s", lead, names[i]);
            lead = ",";
        }
    if (plan_of(handle)->timed)
        adn_text_add(text, "%stimed", lead);
}

static void say_plan(const struct anydnnContext *handle, struct adn_text *text)
{
    static const char *const names[] = {"none", "hit", "equal", "miss"};

    adn_text_add(text, "%s", names[handle->last.how]);
}

static void say_effect(const struct anydnnContext *handle, struct adn_text *text)
{
    static const char *const names[] = {"none", "enqueued", "unknown"};
    int32_t effect = handle->last.effect;

    adn_text_add(text, "%s", names[effect >= 0 && effect <= 2 ? effect : 2]);
}

static void say_rule(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", plan_of(handle)->rule);
}

static void say_rule_origin(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", plan_of(handle)->rule_origin);
}

static void say_passed_over(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", plan_of(handle)->passed_over);
}

static void say_errata(const struct anydnnContext *handle, struct adn_text *text)
{
    adn_text_add(text, "%s", plan_of(handle)->errata);
}

static void say_staged_on(const struct anydnnContext *handle, struct adn_text *text)
{
    const char *device = plan_of(handle)->staged_on;

    adn_text_add(text, "%s", device ? device : "");
}

#define NUMBER(name, value)                                                                        \
    static int64_t get_##name(const struct anydnnContext *handle)                                  \
    {                                                                                              \
        return (int64_t)(value);                                                                   \
    }

NUMBER(backend_index, plan_of(handle)->backend->index)
NUMBER(engine, plan_of(handle)->engine)
NUMBER(math, plan_of(handle)->math)
NUMBER(math_requested, plan_of(handle)->problem.math)
NUMBER(algorithm, plan_of(handle)->algorithm)
NUMBER(algorithm_requested, plan_of(handle)->problem.algorithm)
NUMBER(workspace, plan_of(handle)->workspace)
NUMBER(deterministic, !(plan_of(handle)->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC))
NUMBER(batch_invariant, (plan_of(handle)->notes & ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT) != 0)
NUMBER(notes, plan_of(handle)->notes)
NUMBER(effect, handle->last.effect)
NUMBER(unaligned, handle->last.unaligned)
NUMBER(workspace_short, handle->last.workspace_short)
NUMBER(staged, plan_of(handle)->staged != NULL)
NUMBER(staged_bytes, adn_stage_copied(plan_of(handle)))
NUMBER(config_dropped, handle->global->settings->dropped)
NUMBER(fallback, plan_of(handle)->past_first)
NUMBER(calls, handle->counters.calls)
NUMBER(plan_hits, handle->counters.plan_hits)
NUMBER(plan_equal_hits, handle->counters.plan_equal_hits)
NUMBER(plan_misses, handle->counters.plan_misses)
NUMBER(evictions, handle->counters.evictions)
NUMBER(fallbacks, handle->counters.fallbacks)
NUMBER(pins_dropped, handle->counters.pins_dropped)
NUMBER(staged_calls, handle->counters.staged_calls)
NUMBER(plans, handle->cache.count)
NUMBER(pins, handle->cache.pin_count)
NUMBER(arena, adn_arena_bytes(handle))

/* The keys. A key has a text, a number, or both. `always` is 1 if the key needs no earlier call. */
static const struct {
    const char *key;
    text_fn text;
    int_fn number;
    int always;
} items[] = {
    {"operation", say_operation, NULL, 0},
    {"problem", say_problem, NULL, 0},
    {"backend", say_backend, NULL, 0},
    {"backend_index", NULL, get_backend_index, 0},
    {"engine", NULL, get_engine, 0},
    {"math", say_math, get_math, 0},
    {"math_requested", say_math_requested, get_math_requested, 0},
    {"algorithm", say_algorithm, get_algorithm, 0},
    {"algorithm_requested", say_algorithm_requested, get_algorithm_requested, 0},
    {"workspace", NULL, get_workspace, 0},
    {"deterministic", NULL, get_deterministic, 0},
    {"batch_invariant", NULL, get_batch_invariant, 0},
    {"notes", say_notes, get_notes, 0},
    {"plan", say_plan, NULL, 0},
    {"effect", say_effect, get_effect, 0},
    {"rule", say_rule, NULL, 0},
    {"rule_origin", say_rule_origin, NULL, 0},
    {"passed_over", say_passed_over, NULL, 0},
    {"errata", say_errata, NULL, 0},
    {"unaligned", NULL, get_unaligned, 0},
    {"workspace_short", NULL, get_workspace_short, 0},
    {"staged", NULL, get_staged, 0},
    {"staged_on", say_staged_on, NULL, 0},
    {"staged_bytes", NULL, get_staged_bytes, 0},
    {"config_dropped", NULL, get_config_dropped, 1},
    {"fallback", NULL, get_fallback, 0},
    {"calls", NULL, get_calls, 1},
    {"plan_hits", NULL, get_plan_hits, 1},
    {"plan_equal_hits", NULL, get_plan_equal_hits, 1},
    {"plan_misses", NULL, get_plan_misses, 1},
    {"plans", NULL, get_plans, 1},
    {"evictions", NULL, get_evictions, 1},
    {"fallbacks", NULL, get_fallbacks, 1},
    {"pins", NULL, get_pins, 1},
    {"pins_dropped", NULL, get_pins_dropped, 1},
    {"staged_calls", NULL, get_staged_calls, 1},
    {"arena", NULL, get_arena, 1},
};

#define ITEM_COUNT ((int)(sizeof(items) / sizeof(items[0])))

/* Returns the item of a key, or -1 with a message that names the nearest key. */
static int lookup_item(anydnnHandle_t handle, const char *entry, const char *key)
{
    const char *names[ITEM_COUNT];
    const char *near;

    for (int i = 0; i < ITEM_COUNT; i++) {
        if (strcmp(items[i].key, key) != 0) {
            names[i] = items[i].key;
            continue;
        }
        if (items[i].always || handle->last.plan)
            return i;
        adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: key `%s`: no call has run on this handle yet", entry,
                 key);
        return -1;
    }
    near = adn_name_nearest(key, names, ITEM_COUNT);
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: unknown key `%s`%s%s%s", entry, key,
             near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    return -1;
}

anydnnStatus_t adn_record_text(anydnnHandle_t handle, const char *key, char *buffer, size_t size)
{
    int at = lookup_item(handle, "anydnnGetDispatchInfo", key);
    struct adn_text text;

    if (at < 0)
        return ANYDNN_STATUS_BAD_PARAM;
    adn_text_begin(&text, buffer, size);
    if (items[at].text)
        items[at].text(handle, &text);
    else
        adn_text_add(&text, "%" PRId64, items[at].number(handle));
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_record_int(anydnnHandle_t handle, const char *key, int64_t *value)
{
    int at = lookup_item(handle, "anydnnGetDispatchInfoInt", key);

    if (at < 0)
        return ANYDNN_STATUS_BAD_PARAM;
    if (!items[at].number)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnGetDispatchInfoInt: the value of key `%s` is a text, not a number; "
                        "use anydnnGetDispatchInfo",
                        key);
    *value = items[at].number(handle);
    return ANYDNN_STATUS_SUCCESS;
}
