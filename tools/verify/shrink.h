/* SPDX-License-Identifier: Apache-2.0 */
/* Smaller versions of a problem with what its operands hold, for who looks for the smallest one
 * that still shows something. */
#ifndef TOOLS_VERIFY_SHRINK_H
#define TOOLS_VERIFY_SHRINK_H

#include "subject.h"

/* A way to make a subject smaller. */
struct verify_cut {
    int axis;            /* of verify_axes */
    int64_t from, count; /* what stays of it */
};

/* What can be cut: the samples, channels, groups, positions and parameters of a problem as one
 * list.
 */
int verify_axes(const struct adn_subject *subject);
/* The size of one of them: cuts leave 1 .. size - 1. */
int64_t verify_axis_size(const struct adn_subject *subject, int axis);

/* A copy with that cut; 0 where the operation has no such problem. */
int verify_cut(const struct adn_subject *subject, const struct verify_cut *cut,
               struct adn_subject *smaller);
/* A copy of problem and inputs, without answers. */
void verify_copy(const struct adn_subject *subject, struct adn_subject *copy);

#endif
