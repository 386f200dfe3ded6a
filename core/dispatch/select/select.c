/* SPDX-License-Identifier: Apache-2.0 */
/* From the walk's choice to a plan, and the sentences about what was passed over. */
#include "dispatch/select/select.h"
#include "dispatch/foreign/staging.h"
#include "dispatch/plan/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

/* Whether backend i comes before that at `at`. */
static int before(const struct adn_walk *walk, int32_t i, int32_t at)
{
    int later = walk->answer[i].late - walk->answer[at].late;

    return later != 0 ? later < 0 : i < at;
}

/* One line a backend that was asked before that at `at`, or that the rule names before it. */
static void passed_over(const struct adn_walk *walk, int32_t at, struct adn_text *text)
{
    for (int32_t i = 0; i < walk->count; i++) {
        const struct adn_answer *answer = &walk->answer[i];

        if (!before(walk, i, at) && !(answer->late && i < at))
            continue;
        if (answer->outcome != ADN_NOT_ASKED)
            adn_text_add(text, "%s: %s\n", answer->name,
                         answer->outcome == ADN_OFFERED
                             ? "has not the algorithm that the call names"
                             : answer->reason);
        else if (walk->wish->pin)
            adn_text_add(text, "%s: not asked, since the choice was pinned\n", answer->name);
        else if (answer->late)
            adn_text_add(text,
                         "%s: works in the memory of `%s`, this handle in that of `%s`; "
                         "staging = last asks it after all others\n",
                         answer->name, answer->backend->plugin->space, walk->handle->space->name);
    }
}

static char *passed_over_copy(const struct adn_walk *walk, int32_t at)
{
    char buffer[ADN_ROUTE_MAX * 450];
    struct adn_text text;

    adn_text_begin(&text, buffer, sizeof(buffer));
    passed_over(walk, at, &text);
    return strdup(buffer);
}

/* "ENTRY: no backend of ... runs this: a: why; b: why" */
anydnnStatus_t adn_walk_refuse(const struct adn_walk *walk, const char *entry)
{
    const struct adn_wish *wish = walk->wish;
    char buffer[ADN_ERROR_MAX];
    char problem[600];
    struct adn_text text;
    int installed = 0;

    adn_text_begin(&text, buffer, sizeof(buffer) - 700);
    for (int32_t i = 0; i < walk->count; i++) {
        const struct adn_answer *answer = &walk->answer[i];
        const char *lead = text.length > 0 ? "; " : "";

        installed += answer->backend && answer->backend->stage != ADN_LOAD_MISSING;
        if (answer->outcome != ADN_NOT_ASKED)
            adn_text_add(&text, "%s%s: %s", lead, answer->name, answer->reason);
        else if (!wish->pin)
            adn_text_add(&text, "%s%s: not asked (fallback = off)", lead, answer->name);
    }
    if (walk->count == 0)
        adn_text_add(&text, "its list is empty");
    else if (installed == 0)
        adn_text_add(&text, " (`anydnn info` lists what is installed)");
    adn_problem_print(wish->problem, NULL, problem, sizeof(problem));
    if (walk->starved)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: memory or descriptors ran out while a plan was sought: %s; the next "
                        "call tries again. Problem: %s",
                        entry, buffer, problem);
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "%s: no backend of the route `%s` (%s) runs it: %s. Problem: %s", entry,
                    walk->rule->pattern, walk->rule->origin, buffer, problem);
}

static void fill_plan(struct adn_plan *plan, const struct adn_walk *walk, int32_t at,
                      const struct anydnn_plugin_candidate *candidate)
{
    const struct adn_problem *problem = walk->wish->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    struct adn_backend *backend = walk->answer[at].backend;
    int staged = walk->answer[at].staged;

    plan->execute = backend->operation[problem->operation]->plan_execute;
    plan->workspace = staged ? 0 : candidate->workspace;
    plan->slot_count = (uint32_t)info->slot_count;
    plan->fork_safe = (backend->plugin->flags & ANYDNN_PLUGIN_FORK_SAFE) != 0;
    plan->fork_number = adn_process_fork_number;
    for (int32_t i = 0; i < info->slot_count; i++)
        if (problem->present >> i & 1) {
            uint32_t element = (uint32_t)adn_type_size(problem->tensor[i].type);
            uint32_t needed = staged ? 0 : candidate->alignment[i];

            plan->mask[i] = (needed > element ? needed : element) - 1;
            plan->largest_mask |= plan->mask[i];
        }
    plan->backend = backend;
    adn_problem_copy(&plan->problem, problem);
    plan->engine = candidate->engine;
    plan->algorithm = candidate->algorithm;
    plan->math = candidate->math;
    plan->notes = candidate->notes;
    plan->expected_us = candidate->expected_us;
    plan->fallback = walk->fallback;
    for (int32_t i = 0; i < walk->count; i++)
        plan->past_first |= before(walk, i, at) && walk->answer[i].chooses && !walk->rule->fastest;
    snprintf(plan->rule, sizeof(plan->rule), "[route%s%s] %s", walk->rule->math >= 0 ? " " : "",
             walk->rule->math >= 0 ? adn_math_name(walk->rule->math) : "", walk->rule->pattern);
    snprintf(plan->rule_origin, sizeof(plan->rule_origin), "%s", walk->rule->origin);
    plan->serial = adn_process_stamp();
    plan->references = 1;
}

/* plan_create of the chosen engine; on failure the answer gets the reason. */
static struct adn_plan *make_plan(struct adn_walk *walk, int32_t at,
                                  const struct anydnn_plugin_candidate *candidate)
{
    struct adn_answer *answer = &walk->answer[at];
    const struct anydnn_plugin_operation *functions =
        answer->backend->operation[walk->wish->problem->operation];
    struct adn_plan *plan = calloc(1, sizeof(*plan));
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_problem view;
    const char *reason = NULL;
    int32_t result;

    if (plan && walk->wish->excluded)
        plan->excluded = adn_excluded_copy(walk->wish->excluded, -1);
    if (!plan || (walk->wish->excluded && !plan->excluded)) {
        free(plan);
        answer->outcome = ADN_PLAN_FAILED;
        walk->starved = 1;
        snprintf(answer->reason, sizeof(answer->reason), "made no plan: out of memory");
        return NULL;
    }
    fill_plan(plan, walk, at, candidate);
    context = adn_handle_context(walk->handle, answer->backend, &reason);
    adn_problem_view(&plan->problem, walk->handle->contexts[answer->backend->index].device, &view);
    result =
        ADN_BACKEND_CALL(functions->plan_create(context, &view, candidate->engine, &plan->body));
    plan->made = plan->body;
    plan->passed_over = passed_over_copy(walk, at);
    if (result == 0 && plan->body && plan->passed_over &&
        (!answer->staged || adn_stage_wrap(walk->handle, plan, candidate->workspace) == 0))
        return plan;
    answer->outcome = ADN_PLAN_FAILED;
    walk->starved = result == ANYDNN_STATUS_ALLOC_FAILED || (result == 0 && plan->body);
    snprintf(answer->reason, sizeof(answer->reason), "made no plan (%d): %.300s", (int)result,
             result != 0   ? adn_load_error_text()
             : !plan->body ? "it reported success without one"
                           : "out of memory");
    if (result != 0)
        plan->made = NULL;
    adn_plan_release(plan);
    return NULL;
}

/* Get or Find chose among all; that is no fallback. */
static int searched(const struct adn_walk *walk)
{
    return walk->wish->pin && walk->wish->pin->searched;
}

/* cuda_naive held the fast kernels once, and settings of that time name it for them: a rule that
 * leads to its plain kernels past a usable cuda_simt is named once in a process. A program that
 * asks for one backend without fallback, as shadow does, means it. */
static void warn_of_plain_kernels(const struct adn_walk *walk, const struct adn_plan *plan)
{
    static const char plain[] = "cuda_naive", fast[] = "cuda_simt";
    struct adn_world *world = walk->handle->world;
    struct adn_backend *other;

    if (strcmp(plan->backend->name, plain) != 0 ||
        (walk->rule->layer == ADN_LAYER_API && walk->fallback == ADN_FALLBACK_OFF))
        return;
    for (int32_t i = 0; i < walk->rule->count; i++)
        if (strcmp(walk->rule->backend[i], fast) == 0)
            return;
    other = adn_load_find(world->registry, fast);
    if (other && adn_world_open(world, other) && adn_log_first(plain, strlen(plain), fast))
        adn_warn(
            "%s: the route `%s` leads to %s, whose kernels are plain and slow, and does not name "
            "%s, which has the fast ones",
            walk->rule->origin, walk->rule->pattern, plain, fast);
}

static void tell(const struct adn_walk *walk, const struct adn_plan *plan)
{
    char problem[ADN_PROBLEM_TEXT_MAX];
    char *line;

    if (plan->staged)
        adn_stage_warn(walk->handle, plan);
    warn_of_plain_kernels(walk, plan);
    if (!adn_log_on(ADN_LOG_WARN) || (!adn_log_on(ADN_LOG_INFO) && !plan->past_first))
        return;
    adn_problem_print(&plan->problem, NULL, problem, sizeof(problem));
    line = strchr(plan->passed_over, '\n');
    if (plan->past_first && walk->fallback == ADN_FALLBACK_WARN && !searched(walk) && !plan->staged)
        adn_warn("fell back to %s (%.*s) for %s", plan->backend->name,
                 line ? (int)(line - plan->passed_over) : 0, plan->passed_over, problem);
    adn_info("plan: %s engine %llu, %s math%s, for %s", plan->backend->name,
             (unsigned long long)plan->engine, adn_math_name(plan->math),
             walk->wish->pin && walk->wish->pin->measured ? ", as measured before" : "", problem);
}

/* At level debug a line for each backend that was asked, and what came of it. */
static void tell_answers(const struct adn_walk *walk, const struct adn_plan *plan)
{
    char problem[ADN_PROBLEM_TEXT_MAX];

    if (!adn_log_on(ADN_LOG_DEBUG))
        return;
    adn_problem_print(walk->wish->problem, NULL, problem, sizeof(problem));
    for (int32_t i = 0; i < walk->count; i++) {
        const struct adn_answer *answer = &walk->answer[i];
        int chosen = plan && plan->backend == answer->backend;

        if (answer->outcome == ADN_OFFERED)
            adn_debug("asked %s: %s: %s", answer->name, chosen ? "chosen" : "offered, not chosen",
                      problem);
        else if (answer->outcome != ADN_NOT_ASKED)
            adn_debug("asked %s: passed over: %s: %s", answer->name, answer->reason, problem);
    }
}

anydnnStatus_t adn_select_plan(anydnnHandle_t handle, const char *entry,
                               const struct adn_wish *wish, struct adn_plan **out)
{
    const struct anydnn_plugin_candidate *candidate = NULL;
    struct adn_walk *walk = malloc(sizeof(*walk));
    struct adn_plan *plan = NULL;
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    int32_t at;

    if (!walk)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    adn_walk_begin(walk, handle, wish);
    while (!plan && !walk->starved && (at = adn_walk_choose(walk, &candidate)) >= 0)
        plan = make_plan(walk, at, candidate);
    tell_answers(walk, plan);
    if (plan) {
        if (adn_log_on(ADN_LOG_TRACE))
            adn_plan_trace(plan);
        handle->counters.fallbacks += plan->past_first && !searched(walk);
        tell(walk, plan);
        *out = plan;
    } else {
        status = adn_walk_refuse(walk, entry);
    }
    free(walk);
    return status;
}
