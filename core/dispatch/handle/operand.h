/* SPDX-License-Identifier: Apache-2.0 */
/* An operand of a call as the host sees it, for rooms that look at data. */
#ifndef ADN_DISPATCH_HANDLE_OPERAND_H
#define ADN_DISPATCH_HANDLE_OPERAND_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

struct adn_view {
    const unsigned char *bytes; /* of the first described element */
    void *own;                  /* a copy that ends with the view, or NULL */
};

/* What operand `slot` of the problem holds at `data`. On a device the span is copied in the order
 * of the stream, and the host waits. 0, or a status; then there is nothing to end. */
int32_t adn_view_begin(const struct anydnnContext *handle, void *stream,
                       const struct adn_problem *problem, int32_t slot, const void *data,
                       struct adn_view *view);
void adn_view_end(struct adn_view *view);

#endif
