/* SPDX-License-Identifier: Apache-2.0 */
/* Makes smaller versions of a problem and its operands' values, to find the smallest one that still
 * shows a mismatch. */
#ifndef TOOLS_ORACLE_CUT_H
#define TOOLS_ORACLE_CUT_H

#include "judge/subject.h"
#include "tools/oracle/oracle.h"

/* A cut that makes a subject smaller. */
struct oracle_cut {
    int axis;            /* an axis of oracle_axes */
    int64_t from, count; /* the part that stays */
};

/* Returns the number of axes that can be cut: samples, channels, groups, positions and parameters
 * of a problem as one list. */
int oracle_axes(const struct adn_subject *subject);
/* Returns the size of an axis. Cuts leave 1 .. size - 1. */
int64_t oracle_axis_size(const struct adn_subject *subject, int axis);

/* Makes a copy with that cut. Returns 0 if the operation has no such problem. */
int oracle_cut(const struct adn_subject *subject, const struct oracle_cut *cut,
               struct adn_subject *smaller);
/* Copies the problem and the inputs, without expected results. */
void oracle_copy(const struct adn_subject *subject, struct adn_subject *copy);

#endif
