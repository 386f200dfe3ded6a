/* SPDX-License-Identifier: Apache-2.0 */
/* The check of outputs for NaN, infinities, and nothing but zeros. */
#ifndef ADN_SHADOW_CHECK_OUTPUTS_H
#define ADN_SHADOW_CHECK_OUTPUTS_H

#include "dispatch/plan/plan.h"
#include "shadow/watch.h"

/* Wraps a plan, so that the outputs of its calls are checked. */
void adn_shadow_check_wrap(struct adn_watch *watch, struct adn_plan *plan);
/* Frees what the check allocated. */
void adn_shadow_check_end(struct adn_watch *watch);

#endif
