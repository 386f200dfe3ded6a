/* SPDX-License-Identifier: Apache-2.0 */
/* Asking backends: the route's rule, each backend's candidates, and whether one may be taken. */
#include "dispatch/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"

#define KNOWN_NOTES                                                                                \
    (ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC | ANYDNN_PLUGIN_NOTE_TRANSFORM |                          \
     ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION)

/* Precision that a mode permits: what each permission includes. */
static int math_permitted(int32_t permission, int32_t used)
{
    if (used == permission || used == ANYDNN_PLUGIN_MATH_DEFAULT)
        return 1;
    if (used == ANYDNN_PLUGIN_MATH_TENSOR_OP)
        return permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION ||
               permission == ANYDNN_PLUGIN_MATH_SPLIT;
    return used == ANYDNN_PLUGIN_MATH_SPLIT && permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION;
}

/* Default math and tensor_op permit no rounding of operands. */
static int rounding_permitted(int32_t permission)
{
    return permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION ||
           permission == ANYDNN_PLUGIN_MATH_SPLIT;
}

/* What no honest backend offers; "" when it is well formed. */
static const char *malformed(int32_t operation, const struct anydnn_plugin_candidate *candidate)
{
    if (candidate->struct_size < offsetof(struct anydnn_plugin_candidate, sentence) ||
        candidate->struct_size > 65536)
        return "its struct_size is impossible";
    if (candidate->reason < 0 || candidate->reason > ANYDNN_PLUGIN_REASON_OTHER)
        return "its reason is no number of plugin.h";
    if (candidate->reason != 0)
        return "";
    if (candidate->math != ANYDNN_PLUGIN_MATH_DEFAULT &&
        candidate->math != ANYDNN_PLUGIN_MATH_TENSOR_OP &&
        candidate->math != ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION &&
        candidate->math != ANYDNN_PLUGIN_MATH_SPLIT)
        return "its math mode does not exist";
    if (strcmp(adn_problem_algorithm_name(operation, candidate->algorithm), "?") == 0)
        return "its algorithm does not exist";
    if (candidate->notes & ~KNOWN_NOTES)
        return "its notes are none of plugin.h";
    if (candidate->workspace > INT64_MAX)
        return "its workspace is impossible";
    if (!(candidate->expected_us >= 0))
        return "its expected time is no time";
    for (int i = 0; i < ADN_SLOTS; i++)
        if (candidate->alignment[i] > 256 ||
            (candidate->alignment[i] & (candidate->alignment[i] - 1)) != 0)
            return "an alignment is no power of two up to 256";
    return "";
}

static void judge(const struct adn_walk *walk, const struct anydnn_plugin_candidate *candidate,
                  char *reason, size_t size)
{
    const struct adn_wish *wish = walk->wish;
    const struct adn_problem *problem = wish->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    reason[0] = '\0';
    if (candidate->reason != 0) {
        snprintf(reason, size, "%s",
                 candidate->sentence ? candidate->sentence : "declined without a sentence");
    } else if (!math_permitted(problem->math, candidate->math)) {
        snprintf(reason, size, "computes in %s, which %s does not permit",
                 adn_math_name(candidate->math), adn_math_name(problem->math));
    } else if ((candidate->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION) &&
               !rounding_permitted(problem->math)) {
        snprintf(reason, size, "rounds operands, which %s does not permit",
                 adn_math_name(problem->math));
    } else if ((candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC) && problem->deterministic) {
        snprintf(reason, size,
                 "is nondeterministic, and the handle permits only deterministic candidates");
    } else if ((candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
               candidate->algorithm != problem->algorithm && !wish->pin) {
        snprintf(reason, size,
                 "is a transform algorithm (%s), which runs only if the call names it",
                 adn_problem_algorithm_name(problem->operation, candidate->algorithm));
    } else if (candidate->workspace > wish->workspace_limit) {
        snprintf(reason, size, "needs %" PRIu64 " bytes of workspace, %" PRIu64 " are allowed",
                 candidate->workspace, wish->workspace_limit);
    } else {
        for (int32_t i = 0; i < info->slot_count && reason[0] == '\0'; i++)
            if ((problem->present >> i & 1) && candidate->alignment[i] > wish->alignment &&
                candidate->alignment[i] > adn_type_size(problem->tensor[i].type))
                snprintf(reason, size, "needs operand %s aligned to %u bytes", info->slot[i].role,
                         candidate->alignment[i]);
    }
}

struct asking {
    struct adn_walk *walk;
    struct adn_answer *answer;
    int offered;
    int declined;
};

static int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *offered)
{
    struct asking *asking = cookie;
    struct adn_answer *answer = asking->answer;
    const struct adn_wish *wish = asking->walk->wish;
    struct anydnn_plugin_candidate candidate;
    const char *fault;
    char reason[sizeof(answer->reason)];

    if (!offered)
        return 1;
    memset(&candidate, 0, sizeof(candidate));
    memcpy(&candidate, offered,
           offered->struct_size < sizeof(candidate) ? offered->struct_size : sizeof(candidate));
    asking->offered += candidate.reason == 0;
    asking->declined += candidate.reason != 0;
    fault = malformed(wish->problem->operation, &candidate);
    if (fault[0] == '\0' && asking->offered > 0 && asking->declined > 0)
        fault = "it declined and offered at once";
    if (fault[0] != '\0') {
        answer->garbage = 1;
        snprintf(answer->reason, sizeof(answer->reason), "offered a malformed candidate: %s",
                 fault);
        return 1;
    }
    judge(asking->walk, &candidate, reason, sizeof(reason));
    if (asking->walk->observe)
        asking->walk->observe(asking->walk, answer, &candidate, reason);
    if (reason[0] != '\0') {
        if (!answer->has_best && answer->reason[0] == '\0')
            snprintf(answer->reason, sizeof(answer->reason), "%s", reason);
        return 0;
    }
    if (wish->pin && wish->pin->backend == answer->backend->index &&
        wish->pin->engine != candidate.engine)
        return 0;
    if (!answer->has_best) {
        answer->best = candidate;
        answer->has_best = 1;
    }
    if (!answer->has_algorithm && wish->problem->algorithm != ADN_ALGORITHM_ANY &&
        candidate.algorithm == wish->problem->algorithm) {
        answer->with_algorithm = candidate;
        answer->has_algorithm = 1;
    }
    return 0;
}

/* Reasons that need no question; 1 when there is one. */
static int refused(struct adn_walk *walk, struct adn_answer *answer)
{
    const struct adn_problem *problem = walk->wish->problem;
    struct adn_backend *backend = answer->backend;
    char *reason = answer->reason;
    size_t size = sizeof(answer->reason);
    int32_t type = adn_problem_type(problem);

    if (!backend)
        snprintf(reason, size, "not installed");
    else if (!adn_world_open(walk->handle->world, backend))
        snprintf(reason, size, "%s: %s", adn_load_stage_name(backend->stage), backend->reason);
    else if (strcmp(backend->plugin->space, walk->handle->space->name) != 0)
        snprintf(reason, size, "works in the memory of `%s`, this handle in that of `%s`",
                 backend->plugin->space, walk->handle->space->name);
    else if (walk->wish->excluded >> (backend->index & 63) & 1)
        snprintf(reason, size, "failed when this problem was run before");
    else if (!backend->operation[problem->operation])
        snprintf(reason, size, "does not offer %s", adn_operation_name(problem->operation));
    else if (type > 31 ||
             !(backend->operation[problem->operation]->types & ANYDNN_PLUGIN_TYPE_BIT(type)))
        snprintf(reason, size, "does not offer %s in %s", adn_operation_name(problem->operation),
                 adn_type_name(type));
    return reason[0] != '\0';
}

void adn_walk_ask(struct adn_walk *walk, struct adn_answer *answer)
{
    struct asking asking = {walk, answer, 0, 0};
    struct anydnn_plugin_problem view;
    struct anydnn_plugin_context *context;
    const char *reason = NULL;
    int32_t result;

    if (answer->asked)
        return;
    answer->asked = 1;
    if (refused(walk, answer))
        return;
    context = adn_handle_context(walk->handle, answer->backend, &reason);
    if (!context) {
        snprintf(answer->reason, sizeof(answer->reason), "%s",
                 reason ? reason : "it could not make a context");
        return;
    }
    adn_problem_view(walk->wish->problem, walk->handle->device, &view);
    adn_load_error_clear();
    result =
        answer->backend->operation[view.operation]->candidates(context, &view, take_offer, &asking);
    if (result != 0 || answer->garbage) {
        answer->has_best = 0;
        answer->has_algorithm = 0;
    }
    if (result != 0)
        snprintf(answer->reason, sizeof(answer->reason), "its candidates failed (%d): %s",
                 (int)result, adn_load_error_text());
    else if (asking.offered == 0 && asking.declined == 0)
        snprintf(answer->reason, sizeof(answer->reason), "offered nothing and gave no reason");
}

void adn_walk_begin(struct adn_walk *walk, anydnnHandle_t handle, const struct adn_wish *wish)
{
    const struct adn_world *world = handle->world;

    memset(walk, 0, sizeof(*walk));
    walk->handle = handle;
    walk->wish = wish;
    walk->rule =
        adn_settings_route(world->settings, handle->rules, handle->rule_count,
                           adn_operation_name(wish->problem->operation), wish->problem->math);
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

int32_t adn_walk_choose(struct adn_walk *walk, const struct anydnn_plugin_candidate **candidate)
{
    int32_t last = walk->count - 1;
    const struct adn_pin *pin = walk->wish->pin;
    int32_t best = -1;

    if (walk->fallback == ADN_FALLBACK_OFF)
        for (int32_t i = walk->count - 1; i >= 0; i--)
            if (walk->answer[i].chooses)
                last = i;
    for (int32_t i = 0; i <= last; i++) {
        struct adn_answer *answer = &walk->answer[i];

        if (answer->failed || (pin && !(answer->backend && answer->backend->index == pin->backend)))
            continue;
        adn_walk_ask(walk, answer);
        if (answer->has_algorithm) {
            *candidate = &answer->with_algorithm;
            return i;
        }
        if (answer->has_best && best < 0) {
            best = i;
            *candidate = &answer->best;
            if (walk->wish->problem->algorithm == ADN_ALGORITHM_ANY || pin)
                break;
        }
    }
    return best;
}
