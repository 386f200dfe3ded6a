/* SPDX-License-Identifier: Apache-2.0 */
/* A host view of an operand of a call, for components that inspect data. */
#ifndef ADN_DISPATCH_HANDLE_OPERAND_H
#define ADN_DISPATCH_HANDLE_OPERAND_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

struct adn_view {
    const unsigned char *bytes; /* the first described element */
    void *own;                  /* a copy, freed with the view; or NULL */
};

/* Makes a view of what operand `slot` of the problem holds at `data`. On a device the span is
 * copied in stream order, and the host waits. Returns 0 or a status; after a failure the view must
 * not be ended. */
int32_t adn_view_begin(const struct anydnnContext *handle, void *stream,
                       const struct adn_problem *problem, int32_t slot, const void *data,
                       struct adn_view *view);
void adn_view_end(struct adn_view *view);

#endif
