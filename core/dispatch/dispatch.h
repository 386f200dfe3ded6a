/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one road of every operation. An entry of the API fills a call and hands it to
 * adn_dispatch_run; the plan is found by the descriptors' stamps, else by the problem's value, else
 * made by walking the route. Nothing here knows one operation from another.
 */
#ifndef ADN_DISPATCH_DISPATCH_H
#define ADN_DISPATCH_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "dispatch/plan/call.h"
#include "problem/problem.h"

/* Runs the call on the handle, which was checked. */
anydnnStatus_t adn_dispatch_run(anydnnHandle_t handle, struct adn_call *call);

/* Workspace bytes of the plan chosen for the call under the assumption of aligned operands; pins
 * the choice. Needs no pointers but those of optional operands, which tell presence. */
anydnnStatus_t adn_dispatch_workspace(anydnnHandle_t handle, struct adn_call *call, size_t *bytes);

/* The same for a problem as a value. */
anydnnStatus_t adn_dispatch_problem_run(anydnnHandle_t handle, const char *entry,
                                        const struct adn_problem *problem,
                                        struct anydnn_plugin_operands *operands);
anydnnStatus_t adn_dispatch_problem_workspace(anydnnHandle_t handle, const char *entry,
                                              const struct adn_problem *problem, size_t *bytes);

#endif
