/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that write a line of log for each call. */
#ifndef ADN_DISPATCH_PLAN_TRACED_H
#define ADN_DISPATCH_PLAN_TRACED_H

#include "dispatch/plan/plan.h"

/* Wraps the plan's execute with a function that logs. Without memory, the plan stays unchanged.
 * Plans that are not traced pay nothing. */
void adn_plan_trace(struct adn_plan *plan);

#endif
