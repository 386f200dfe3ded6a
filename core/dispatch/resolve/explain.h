/* SPDX-License-Identifier: Apache-2.0 */
/* Explains what a call would do, without running it. */
#ifndef ADN_DISPATCH_RESOLVE_EXPLAIN_H
#define ADN_DISPATCH_RESOLVE_EXPLAIN_H

#include <stddef.h>

#include <anydnn/anydnn.h>

#include "problem/problem.h"

/* Writes a text of several lines: the rule, the backends' offers and the choice. *needed becomes
 * the size that the text needs. */
anydnnStatus_t adn_dispatch_explain(anydnnHandle_t handle, const char *entry,
                                    const struct adn_problem *problem, char *text, size_t size,
                                    size_t *needed);

#endif
