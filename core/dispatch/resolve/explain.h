/* SPDX-License-Identifier: Apache-2.0 */
/* What a call would do, without doing it. */
#ifndef ADN_DISPATCH_RESOLVE_EXPLAIN_H
#define ADN_DISPATCH_RESOLVE_EXPLAIN_H

#include <stddef.h>

#include <anydnn/anydnn.h>

#include "problem/problem.h"

/* What would be done with the problem, in lines; the length needed goes to *needed. */
anydnnStatus_t adn_dispatch_explain(anydnnHandle_t handle, const char *entry,
                                    const struct adn_problem *problem, char *text, size_t size,
                                    size_t *needed);

#endif
