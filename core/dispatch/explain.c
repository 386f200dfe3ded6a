/* SPDX-License-Identifier: Apache-2.0 */
/* What would be done with a problem: the rule, each backend's candidates or reasons, the choice. */
#include "dispatch/run.h"
#include "dispatch/select.h"

#include <inttypes.h>

#include "desc/names.h"
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

static void explain_backend(struct adn_walk *walk, struct adn_answer *answer, struct adn_text *text)
{
    adn_text_add(text, "  %s", answer->name);
    if (answer->backend && answer->backend->stage == ADN_LOAD_LIVE)
        adn_text_add(text, " %s", answer->backend->plugin->version);
    adn_text_add(text, "\n");
    adn_walk_ask(walk, answer);
    if (!answer->has_best)
        adn_text_add(text, "    passed over: %s\n", answer->reason);
}

anydnnStatus_t adn_dispatch_explain(anydnnHandle_t handle, const char *entry,
                                    const struct adn_problem *problem, char *buffer, size_t size,
                                    size_t *needed)
{
    static const char *const fallbacks[] = {"off", "warn", "on"};
    struct adn_wish wish = {problem, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT, 0, NULL};
    const struct anydnn_plugin_candidate *candidate = NULL;
    struct adn_problem now;
    struct adn_walk walk;
    struct adn_text text;
    anydnnStatus_t status = adn_problem_check(problem, entry);
    int32_t at;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_problem_copy(&now, problem);
    now.deterministic = handle->deterministic && problem->deterministic;
    wish.problem = &now;
    adn_text_begin(&text, buffer, size);
    adn_walk_begin(&walk, handle, &wish);
    walk.observe = observe;
    walk.cookie = &text;
    adn_text_add(&text, "device: %s\nrule: [route%s%s] %s = ", handle->device_name,
                 walk.rule->math >= 0 ? " " : "",
                 walk.rule->math >= 0 ? adn_math_name(walk.rule->math) : "", walk.rule->pattern);
    for (int32_t i = 0; i < walk.count; i++)
        adn_text_add(&text, "%s%s", i > 0 ? ", " : "", walk.answer[i].name);
    adn_text_add(&text, "\nfrom: %s\nfallback: %s\nbackends:\n", walk.rule->origin,
                 fallbacks[walk.fallback]);
    for (int32_t i = 0; i < walk.count; i++)
        explain_backend(&walk, &walk.answer[i], &text);
    at = adn_walk_choose(&walk, &candidate);
    if (at >= 0)
        adn_text_add(
            &text, "choice: %s engine %" PRIu64 ", %s math, algorithm %s, workspace %" PRIu64 "\n",
            walk.answer[at].name, candidate->engine, adn_math_name(candidate->math),
            candidate->algorithm == ADN_ALGORITHM_ANY
                ? "none"
                : adn_problem_algorithm_name(now.operation, candidate->algorithm),
            candidate->workspace);
    else
        adn_text_add(&text, "choice: none; the call would answer ANYDNN_STATUS_NOT_SUPPORTED\n");
    if (needed)
        *needed = text.length + 1;
    return ANYDNN_STATUS_SUCCESS;
}
