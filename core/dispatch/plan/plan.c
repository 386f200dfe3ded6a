/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a plan: the cache, a record and recordings hold it; the last one lets go. */
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
    /* Wraps send messages: every call looks closer, and holds them back. */
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
    /* Once exit() has begun, or in a child that the backend does not survive, its code must not
     * run. */
    if (body && !adn_process_exiting &&
        (plan->fork_safe || plan->fork_number == adn_process_fork_number))
        plan->backend->operation[plan->problem.operation]->plan_destroy(body);
    /* A plan ends on the way of a call that is about to run another one. */
    adn_float_standard();
    free(plan->staged);
    while (plan->wraps) {
        struct adn_wrap *wrap = plan->wraps;

        plan->wraps = wrap->next;
        wrap->end(wrap);
    }
    free(plan->passed_over);
    free(plan->excluded);
    free(plan);
}
