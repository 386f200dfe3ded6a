/* SPDX-License-Identifier: Apache-2.0 */
/* From a call to the problem as a value. */
#include "dispatch/plan/call.h"

#include <string.h>

#include "problem/operation.h"

void adn_call_problem(const struct adn_call *call, int32_t deterministic, uint64_t aliases,
                      struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(call->operation);

    memset(problem, 0, offsetof(struct adn_problem, tensor));
    problem->operation = call->operation;
    problem->math = call->math;
    problem->algorithm = call->algorithm;
    problem->deterministic = deterministic;
    problem->present = call->present;
    for (int32_t i = 0; i < info->slot_count; i++) {
        problem->alias[i] = (uint8_t)(aliases >> (4 * i) & 15);
        if (call->present >> i & 1)
            problem->tensor[i] = *call->tensor[i];
    }
    if (call->params)
        call->params(call, &problem->params);
    problem->params.struct_size = (uint32_t)adn_problem_params_size(info->family);
}
