/* SPDX-License-Identifier: Apache-2.0 */
/* The one path of every operation. An entry of the API fills in a call and passes it to
 * adn_dispatch_run. Dispatch finds the plan by the descriptors' stamps or by the problem's value.
 * Otherwise it makes one by the route. This component does not distinguish operations. */
#ifndef ADN_DISPATCH_DISPATCH_H
#define ADN_DISPATCH_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "dispatch/plan/call.h"
#include "problem/problem.h"

/* Runs the call on a handle that the caller has checked. */
anydnnStatus_t adn_dispatch_run(anydnnHandle_t handle, struct adn_call *call);

/* Returns the workspace bytes of the plan chosen for the call, assuming aligned operands, and pins
 * the choice. Reads only the pointers of optional operands, which show whether each is present. */
anydnnStatus_t adn_dispatch_workspace(anydnnHandle_t handle, struct adn_call *call, size_t *bytes);

/* These do the same for a problem given as a value. */
anydnnStatus_t adn_dispatch_problem_run(anydnnHandle_t handle, const char *entry,
                                        const struct adn_problem *problem,
                                        struct anydnn_plugin_operands *operands);
anydnnStatus_t adn_dispatch_problem_workspace(anydnnHandle_t handle, const char *entry,
                                              const struct adn_problem *problem, size_t *bytes);

#endif
