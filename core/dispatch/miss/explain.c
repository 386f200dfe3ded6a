/* SPDX-License-Identifier: Apache-2.0 */
/* What would be done with a problem: the rule, each backend's candidates or reasons, the choice. */
#include "dispatch/miss/explain.h"
#include "dispatch/autotune/store.h"
#include "dispatch/select/select.h"

#include <inttypes.h>
#include <stdlib.h>

#include "desc/names.h"
#include "problem/check_problem.h"
#include "problem/operation.h"
#include "sys/error.h"
#include "sys/text.h"

static void observe(struct adn_walk *walk, const struct adn_answer *answer,
                    const struct anydnn_plugin_candidate *candidate, const char *reason)
{
    struct adn_text *text = walk->cookie;

    (void)answer;
    if (candidate->reason != 0)
        return;
    adn_text_add(
        text, "    engine %" PRIu64 ": %s math, algorithm %s, workspace %" PRIu64,
        candidate->engine, adn_math_name(candidate->math),
        candidate->algorithm == ADN_ALGORITHM_ANY
            ? "none"
            : adn_problem_algorithm_name(walk->wish->problem->operation, candidate->algorithm),
        candidate->workspace);
    if (candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC)
        adn_text_add(text, ", nondeterministic");
    if (candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM)
        adn_text_add(text, ", transform");
    if (candidate->expected_us > 0)
        adn_text_add(text, ", expected %.1f us", candidate->expected_us);
    adn_text_add(text, "%s%s\n", reason[0] != '\0' ? ": not taken: " : "", reason);
}

/* The device of another space where a backend serves the handle. */
static const char *staged_on(const struct adn_walk *walk, const struct adn_answer *answer,
                             char *device, size_t size)
{
    const struct anydnnContext *handle = walk->handle;

    adn_space_device_name(adn_world_space(handle->world, answer->backend->plugin->space),
                          handle->contexts[answer->backend->index].device, device, size);
    return device;
}

static void explain_backend(struct adn_walk *walk, struct adn_answer *answer, struct adn_text *text)
{
    char device[64];

    adn_text_add(text, "  %s", answer->name);
    if (answer->backend && answer->backend->stage == ADN_LOAD_LIVE)
        adn_text_add(text, " %s", answer->backend->plugin->version);
    adn_text_add(text, "\n");
    adn_walk_ask(walk, answer);
    if (answer->outcome != ADN_OFFERED)
        adn_text_add(text, "    passed over: %s\n", answer->reason);
    else if (answer->staged)
        adn_text_add(text, "    staged: operands are copied from %s to %s and back%s\n",
                     walk->handle->device_name, staged_on(walk, answer, device, sizeof(device)),
                     walk->handle->world->settings->staging == ADN_STAGING_LAST
                         ? "; asked when no backend of the handle's own memory runs it"
                         : "");
}

static void explain_choice(const struct adn_walk *walk, const struct adn_answer *answer,
                           const struct anydnn_plugin_candidate *candidate,
                           const struct adn_pin *pin, struct adn_text *text)
{
    int32_t operation = walk->wish->problem->operation;
    char device[64];

    adn_text_add(text,
                 "choice: %s engine %" PRIu64 ", %s math, algorithm %s, workspace %" PRIu64 "%s",
                 answer->name, candidate->engine, adn_math_name(candidate->math),
                 candidate->algorithm == ADN_ALGORITHM_ANY
                     ? "none"
                     : adn_problem_algorithm_name(operation, candidate->algorithm),
                 answer->staged ? 0 : candidate->workspace,
                 !pin            ? ""
                 : pin->measured ? " (measured before)"
                                 : " (pinned)");
    if (answer->staged)
        adn_text_add(text, ", staged on %s", staged_on(walk, answer, device, sizeof(device)));
    adn_text_add(text, "\n");
}

static int32_t choose_pinned(struct adn_walk *pinned, anydnnHandle_t handle, struct adn_wish *wish,
                             const struct adn_pin *pin,
                             const struct anydnn_plugin_candidate **candidate)
{
    wish->pin = pin;
    adn_walk_begin(pinned, handle, wish);
    return adn_walk_choose(pinned, candidate);
}

/* The choice that a search or a workspace query fixed, or an earlier process measured, where its
 * backend still offers it, else the walk's; index and candidate as adn_walk_choose. */
static int32_t choose(struct adn_walk *walk, struct adn_walk *pinned, struct adn_wish *wish,
                      struct adn_pin *measured, const struct anydnn_plugin_candidate **candidate)
{
    anydnnHandle_t handle = walk->handle;
    const struct adn_pin *pin =
        adn_table_find_pin(&handle->cache, wish->problem, adn_problem_hash(wish->problem));
    int32_t at = pin ? choose_pinned(pinned, handle, wish, pin, candidate) : -1;

    if (at < 0 && adn_tuned_find(handle, wish->problem, measured))
        at = choose_pinned(pinned, handle, wish, measured, candidate);
    if (at < 0) {
        wish->pin = NULL;
        at = adn_walk_choose(walk, candidate);
    }
    return at;
}

anydnnStatus_t adn_dispatch_explain(anydnnHandle_t handle, const char *entry,
                                    const struct adn_problem *problem, char *buffer, size_t size,
                                    size_t *needed)
{
    static const char *const fallbacks[] = {"off", "warn", "on"};
    struct adn_wish wish = {problem, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT, NULL, NULL};
    const struct anydnn_plugin_candidate *candidate = NULL;
    struct adn_problem now;
    struct adn_walk *walks, *walk, *pinned;
    struct adn_pin measured;
    struct adn_text text;
    anydnnStatus_t status = adn_problem_check(problem, entry);
    int32_t at;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    /* Too large for the stacks of some threads. */
    walks = malloc(2 * sizeof(*walks));
    if (!walks)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    walk = walks;
    pinned = walks + 1;
    adn_problem_copy(&now, problem);
    now.deterministic = handle->deterministic && problem->deterministic;
    wish.problem = &now;
    adn_text_begin(&text, buffer, size);
    adn_walk_begin(walk, handle, &wish);
    walk->observe = observe;
    walk->cookie = &text;
    adn_text_add(&text, "device: %s\nrule: [route%s%s] %s = ", handle->device_name,
                 walk->rule->math >= 0 ? " " : "",
                 walk->rule->math >= 0 ? adn_math_name(walk->rule->math) : "", walk->rule->pattern);
    if (walk->rule->fastest)
        adn_text_add(&text, "fastest, ");
    for (int32_t i = 0; i < walk->count; i++)
        adn_text_add(&text, "%s%s", i > 0 ? ", " : "", walk->answer[i].name);
    adn_text_add(&text, "\nfrom: %s\nfallback: %s\nbackends:\n", walk->rule->origin,
                 fallbacks[walk->fallback]);
    for (int32_t i = 0; i < walk->count; i++)
        explain_backend(walk, &walk->answer[i], &text);
    at = choose(walk, pinned, &wish, &measured, &candidate);
    if (at >= 0 && walk->rule->fastest && !wish.pin)
        adn_text_add(&text,
                     "fastest: not timed yet; the first call does, and may choose another\n");
    if (at >= 0)
        explain_choice(walk, &walk->answer[at], candidate, wish.pin, &text);
    else
        adn_text_add(&text, "choice: none; the call would answer ANYDNN_STATUS_NOT_SUPPORTED\n");
    if (needed)
        *needed = text.length + 1;
    free(walks);
    return ANYDNN_STATUS_SUCCESS;
}
