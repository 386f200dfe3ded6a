/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a backend: its candidates, and whether one may be taken. */
#include "dispatch/foreign/staging.h"
#include "dispatch/select/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "problem/candidate.h"
#include "problem/operation.h"
#include "sys/error.h"

/* Whether a transform was asked for: the call names its number or a choice was fixed; whoever
 * passes a search's answer on names it. */
static int transform_named(const struct adn_walk *walk,
                           const struct anydnn_plugin_candidate *candidate)
{
    return (walk->wish->pin && !walk->wish->pin->measured) ||
           (candidate->algorithm != ADN_ALGORITHM_ANY &&
            (walk->search == ADN_SEARCH_ALL ||
             candidate->algorithm == walk->wish->problem->algorithm));
}

static void find_reason(const struct adn_walk *walk, const struct adn_answer *answer,
                        const struct anydnn_plugin_candidate *candidate, char *reason, size_t size)
{
    const struct adn_wish *wish = walk->wish;
    /* Staged operands and workspace lie in memory of ours. */
    uint64_t limit = answer->staged ? walk->handle->workspace_limit : wish->workspace_limit;
    uint32_t alignment = answer->staged ? ADN_ASSUMED_ALIGNMENT : wish->alignment;
    const struct adn_problem *problem = wish->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    reason[0] = '\0';
    if (candidate->reason != 0) {
        snprintf(reason, size, "%s",
                 candidate->sentence ? candidate->sentence : "declined without a sentence");
    } else if (!adn_math_permits(problem->math, candidate->math)) {
        snprintf(reason, size, "computes in %s, which %s does not permit",
                 adn_math_name(candidate->math), adn_math_name(problem->math));
    } else if ((candidate->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION) &&
               !adn_math_permits_rounding(problem->math)) {
        snprintf(reason, size, "rounds operands, which %s does not permit",
                 adn_math_name(problem->math));
    } else if ((candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC) && problem->deterministic) {
        snprintf(reason, size,
                 "is nondeterministic, and the handle permits only deterministic candidates");
    } else if ((candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
               !transform_named(walk, candidate)) {
        snprintf(reason, size,
                 "is a transform algorithm (%s), which runs only if the call names it",
                 candidate->algorithm == ADN_ALGORITHM_ANY
                     ? "without a number"
                     : adn_problem_algorithm_name(problem->operation, candidate->algorithm));
    } else if (candidate->workspace > limit) {
        snprintf(reason, size, "needs %" PRIu64 " bytes of workspace, %" PRIu64 " are allowed",
                 candidate->workspace, limit);
    } else {
        for (int32_t i = 0; i < info->slot_count && reason[0] == '\0'; i++)
            if ((problem->present >> i & 1) && candidate->alignment[i] > alignment &&
                candidate->alignment[i] > adn_type_size(problem->tensor[i].type))
                snprintf(reason, size, "needs operand %s aligned to %u bytes", info->slot[i].role,
                         candidate->alignment[i]);
    }
}

struct asking {
    struct adn_walk *walk;
    struct adn_answer *answer;
    int read;
    int offered;
    int declined;
};

static int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *offered)
{
    struct asking *asking = cookie;
    struct adn_answer *answer = asking->answer;
    const struct adn_wish *wish = asking->walk->wish;
    struct anydnn_plugin_candidate candidate;
    char fault[160];
    char reason[sizeof(answer->reason)];

    if (!offered || answer->outcome == ADN_GARBAGE || asking->read++ >= ANYDNN_PLUGIN_CANDIDATE_MAX)
        return 1;
    memset(&candidate, 0, sizeof(candidate));
    memcpy(&candidate, offered,
           offered->struct_size < sizeof(candidate) ? offered->struct_size : sizeof(candidate));
    asking->offered += candidate.reason == 0;
    asking->declined += candidate.reason != 0;
    if (!adn_candidate_malformed(wish->problem->operation, &candidate, fault, sizeof(fault)) &&
        asking->offered > 0 && asking->declined > 0)
        snprintf(fault, sizeof(fault), "it declined and offered at once");
    if (fault[0] != '\0') {
        answer->outcome = ADN_GARBAGE;
        snprintf(answer->reason, sizeof(answer->reason), "offered a malformed candidate: %s",
                 fault);
        return 1;
    }
    find_reason(asking->walk, answer, &candidate, reason, sizeof(reason));
    if (asking->walk->observe)
        asking->walk->observe(asking->walk, answer, &candidate, reason);
    if (reason[0] != '\0') {
        if (answer->outcome != ADN_OFFERED && answer->reason[0] == '\0')
            snprintf(answer->reason, sizeof(answer->reason), "%s", reason);
        return 0;
    }
    if (wish->pin && wish->pin->backend == answer->backend->index &&
        wish->pin->engine != candidate.engine)
        return 0;
    if (answer->outcome != ADN_OFFERED) {
        answer->best = candidate;
        answer->outcome = ADN_OFFERED;
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

    answer->staged = backend && adn_world_open(walk->handle->world, backend) &&
                     strcmp(backend->plugin->space, walk->handle->space->name) != 0;
    if (answer->staged)
        adn_stage_judge(walk->handle, backend, walk->search, reason, size);
    if (reason[0] != '\0')
        return 1;
    if (!backend)
        snprintf(reason, size, "not installed");
    else if (!adn_world_open(walk->handle->world, backend)) {
        walk->starved |= adn_shortage_noted() != 0;
        snprintf(reason, size, "%s: %s", adn_load_stage_name(backend->stage),
                 adn_load_reason(backend));
    } else if (adn_excluded_has(walk->wish->excluded, backend->index))
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
    struct asking asking = {walk, answer, 0, 0, 0};
    struct anydnn_plugin_problem view;
    struct anydnn_plugin_context *context;
    const char *reason = NULL;
    int32_t result;

    if (answer->outcome != ADN_NOT_ASKED)
        return;
    answer->outcome = ADN_DECLINED;
    if (refused(walk, answer))
        return;
    context = adn_handle_context(walk->handle, answer->backend, &reason);
    if (!context) {
        walk->starved |= walk->handle->contexts[answer->backend->index].state == 0;
        snprintf(answer->reason, sizeof(answer->reason), "%s",
                 reason ? reason : "it could not make a context");
        return;
    }
    adn_problem_view(walk->wish->problem, walk->handle->contexts[answer->backend->index].device,
                     &view);
    result = ADN_BACKEND_CALL(answer->backend->operation[view.operation]->candidates(
        context, &view, take_offer, &asking));
    walk->starved |= result == ANYDNN_STATUS_ALLOC_FAILED;
    if (result != 0) {
        answer->outcome = ADN_GARBAGE;
        snprintf(answer->reason, sizeof(answer->reason), "its candidates failed (%d): %s",
                 (int)result, adn_load_error_text());
    } else if (asking.offered == 0 && asking.declined == 0) {
        snprintf(answer->reason, sizeof(answer->reason), "offered nothing and gave no reason");
    }
}
