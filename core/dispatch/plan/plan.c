/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the references to a plan. The cache, a record and recordings hold plans; releasing the
 * last reference destroys the plan. */
#include "dispatch/plan/plan.h"

#include <stdlib.h>

#include "sys/float_mode.h"
#include "sys/process.h"

int adn_excluded_has(const struct adn_excluded *excluded, int32_t index)
{
    for (int32_t i = 0; excluded && i < excluded->count; i++)
        if (excluded->index[i] == index)
            return 1;
    return 0;
}

struct adn_excluded *adn_excluded_copy(const struct adn_excluded *excluded, int32_t more)
{
    int32_t count = excluded ? excluded->count : 0;
    struct adn_excluded *copy =
        malloc(sizeof(*copy) + ((size_t)count + 1) * sizeof(copy->index[0]));

    if (!copy)
        return NULL;
    copy->count = count;
    for (int32_t i = 0; i < count; i++)
        copy->index[i] = excluded->index[i];
    if (more >= 0)
        copy->index[copy->count++] = more;
    return copy;
}

void adn_plan_wrap(struct adn_plan *plan, struct adn_wrap *wrap, adn_execute_fn *execute,
                   void (*end)(struct adn_wrap *wrap))
{
    /* Wraps may log messages, so every call must take the path that holds messages back. */
    adn_process_attention = 1;
    wrap->next = plan->wraps;
    wrap->plan = plan;
    wrap->execute = plan->execute;
    wrap->body = plan->body;
    wrap->end = end;
    plan->wraps = wrap;
    plan->execute = execute;
    plan->body = (struct anydnn_plugin_plan *)(void *)wrap;
}

void adn_plan_destroy(struct adn_plan *plan)
{
    struct anydnn_plugin_plan *body = plan->made;

    adn_plan_release(plan->second);
    /* The backend's code must not run after exit() has begun, or in a child process if the backend
     * does not survive a fork. */
    if (body && !adn_process_exiting &&
        (plan->fork_safe || plan->fork_number == adn_process_fork_number))
        plan->backend->operation[plan->problem.operation]->plan_destroy(body);
    /* A plan may be destroyed during a call that is about to run another plan. */
    adn_float_standard();
    free(plan->staged);
    while (plan->wraps) {
        struct adn_wrap *wrap = plan->wraps;

        plan->wraps = wrap->next;
        wrap->end(wrap);
    }
    free(plan->passed_over);
    free(plan->errata);
    free(plan->excluded);
    free(plan);
}
