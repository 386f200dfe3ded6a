/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that write a line of log for each call. */
#ifndef ADN_DISPATCH_PLAN_TRACED_H
#define ADN_DISPATCH_PLAN_TRACED_H

#include "dispatch/plan/plan.h"

/* Puts a function that logs before the plan's execute; without memory the plan stays as it is.
 * Other plans pay nothing for it. */
void adn_plan_trace(struct adn_plan *plan);

#endif
