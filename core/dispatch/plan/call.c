/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a call to a problem. */
#include "dispatch/plan/call.h"

#include <string.h>

#include "problem/batch.h"
#include "problem/operation.h"

void adn_call_problem(const struct adn_call *call, struct adn_modes modes,
                      const struct adn_aliases *aliases, struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(call->operation);

    memset(problem, 0, offsetof(struct adn_problem, tensor));
    problem->operation = call->operation;
    problem->math = call->math;
    problem->algorithm = call->algorithm;
    problem->deterministic = modes.deterministic;
    problem->batch_invariant = modes.batch_invariant && adn_batch_covers(call->operation);
    problem->present = call->present;
    for (int32_t i = 0; i < info->slot_count; i++) {
        problem->alias[i] = aliases ? (uint8_t)adn_alias_get(aliases, i) : 0;
        if (call->present >> i & 1)
            problem->tensor[i] = *call->tensor[i];
    }
    if (call->params)
        call->params(call, &problem->params);
    problem->params.struct_size = (uint32_t)adn_problem_params_size(info->family);
}

void adn_modes_apply(struct adn_modes modes, struct adn_problem *problem)
{
    problem->deterministic &= modes.deterministic;
    problem->batch_invariant |= modes.batch_invariant && adn_batch_covers(problem->operation);
}
