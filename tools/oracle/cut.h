/* SPDX-License-Identifier: Apache-2.0 */
/* Smaller versions of a problem with what its operands hold, for who looks for the smallest one
 * that still shows something. */
#ifndef TOOLS_ORACLE_CUT_H
#define TOOLS_ORACLE_CUT_H

#include "judge/subject.h"
#include "tools/oracle/oracle.h"

/* A way to make a subject smaller. */
struct oracle_cut {
    int axis;            /* of oracle_axes */
    int64_t from, count; /* what stays of it */
};

/* What can be cut: the samples, channels, groups, positions and parameters of a problem as one
 * list.
 */
int oracle_axes(const struct adn_subject *subject);
/* The size of one of them: cuts leave 1 .. size - 1. */
int64_t oracle_axis_size(const struct adn_subject *subject, int axis);

/* A copy with that cut; 0 where the operation has no such problem. */
int oracle_cut(const struct adn_subject *subject, const struct oracle_cut *cut,
               struct adn_subject *smaller);
/* A copy of problem and inputs, without expected results. */
void oracle_copy(const struct adn_subject *subject, struct adn_subject *copy);

#endif
