/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a rule's backends are asked, and whose offer is the choice. */
#include "dispatch/select/select.h"

#include <stdio.h>
#include <string.h>

#include "desc/operations.h"

const struct adn_route_rule *adn_rule_of(const struct anydnnContext *handle,
                                         const struct adn_problem *problem)
{
    return adn_settings_route(handle->world->settings, handle->rules, handle->rule_count,
                              adn_operation_name(problem->operation), problem->math);
}

void adn_walk_begin(struct adn_walk *walk, anydnnHandle_t handle, const struct adn_wish *wish)
{
    const struct adn_world *world = handle->world;

    memset(walk, 0, sizeof(*walk));
    walk->handle = handle;
    walk->wish = wish;
    walk->rule = adn_rule_of(handle, wish->problem);
    walk->fallback = walk->rule->fallback != ADN_FALLBACK_UNSET ? walk->rule->fallback
                                                                : world->settings->fallback;
    walk->count = walk->rule->count;
    for (int32_t i = 0; i < walk->count; i++) {
        struct adn_answer *answer = &walk->answer[i];
        int missing;

        snprintf(answer->name, sizeof(answer->name), "%s", walk->rule->backend[i]);
        answer->backend = adn_load_find(world->registry, answer->name);
        missing = !answer->backend || answer->backend->stage == ADN_LOAD_MISSING;
        /* Of the built-in routes, which name every backend that we know, only the installed ones of
         * this handle's space are choices; whatever a user names is one. */
        answer->chooses =
            walk->rule->layer != ADN_LAYER_BUILTIN ||
            (!missing && (answer->backend->stage != ADN_LOAD_LIVE ||
                          strcmp(answer->backend->plugin->space, handle->space->name) == 0));
    }
}

/* Whether a backend comes after all of the handle's own, as those of another space do with staging
 * = last; that is known once it is open. */
static int learn_late(struct adn_walk *walk, struct adn_answer *answer)
{
    const struct anydnnContext *handle = walk->handle;

    if (handle->world->settings->staging == ADN_STAGING_LAST && answer->backend &&
        adn_world_open(handle->world, answer->backend))
        answer->late = strcmp(answer->backend->plugin->space, handle->space->name) != 0;
    return answer->late;
}

/* With fallback = off only those up to the first choice count; -1 when there is no choice. Under
 * `fastest` each is a first choice. */
static int32_t end_of(struct adn_walk *walk, int late)
{
    if (walk->fallback != ADN_FALLBACK_OFF || walk->rule->fastest)
        return walk->count;
    for (int32_t i = 0; i < walk->count; i++)
        if (walk->answer[i].chooses && learn_late(walk, &walk->answer[i]) == late)
            return i + 1;
    return -1;
}

int32_t adn_walk_end(struct adn_walk *walk)
{
    int32_t end = end_of(walk, 0);

    return end < 0 ? walk->count : end;
}

static int32_t choose_among(struct adn_walk *walk, int late, int32_t end,
                            const struct anydnn_plugin_candidate **candidate)
{
    const struct adn_pin *pin = walk->wish->pin;
    int32_t best = -1;

    for (int32_t i = 0; i < end; i++) {
        struct adn_answer *answer = &walk->answer[i];

        if (answer->outcome == ADN_PLAN_FAILED ||
            (pin && !(answer->backend && answer->backend->index == pin->backend)) ||
            learn_late(walk, answer) != late)
            continue;
        adn_walk_ask(walk, answer);
        if (walk->starved)
            return -1;
        if (answer->outcome == ADN_OFFERED && answer->has_algorithm) {
            *candidate = &answer->with_algorithm;
            return i;
        }
        if (answer->outcome == ADN_OFFERED && best < 0) {
            best = i;
            *candidate = &answer->best;
            if (walk->wish->problem->algorithm == ADN_ALGORITHM_ANY || pin)
                break;
        }
    }
    return best;
}

int32_t adn_walk_choose(struct adn_walk *walk, const struct anydnn_plugin_candidate **candidate)
{
    int32_t at = choose_among(walk, 0, adn_walk_end(walk), candidate);
    int32_t end;

    if (at >= 0 || walk->starved || (walk->fallback == ADN_FALLBACK_OFF && end_of(walk, 0) >= 0))
        return at;
    end = end_of(walk, 1);
    return choose_among(walk, 1, end < 0 ? walk->count : end, candidate);
}
