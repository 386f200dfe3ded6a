/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a plan: the cache, a record and recordings hold it; the last one lets go. */
#include "dispatch/plan.h"
#include "dispatch/stage.h"

#include <stdlib.h>

#include "sys/float_mode.h"
#include "sys/process.h"

void adn_plan_destroy(struct adn_plan *plan)
{
    struct anydnn_plugin_plan *body = plan->staged ? adn_stage_body(plan->staged) : plan->body;

    adn_plan_release(plan->second);
    /* Once exit() has begun, or in a child that the backend does not survive, its code must not
     * run. */
    if (body && !adn_process_exiting &&
        (plan->fork_safe || plan->fork_number == adn_process_fork_number))
        plan->backend->operation[plan->problem.operation]->plan_destroy(body);
    /* A plan ends on the way of a call that is about to run another one. */
    adn_float_standard();
    adn_stage_free(plan->staged);
    free(plan->passed_over);
    free(plan);
}
