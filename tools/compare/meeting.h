/* SPDX-License-Identifier: Apache-2.0 */
/* One problem that runs on both sides and on the reference: the parts of compare_problem. */
#ifndef TOOLS_COMPARE_MEETING_H
#define TOOLS_COMPARE_MEETING_H

#include "judge/subject.h"
#include "tools/compare/compare.h"

struct meeting {
    struct compare *compare;
    struct tool *tool;
    const struct suite_item *item;
    anydnnProblem_t problem;
    char *text;
    struct adn_subject subject;
    struct oracle_sample sample; /* of its output */
    struct operands operands;
    struct entrant entrant[COMPARE_SIDES];
    struct outcome outcome[COMPARE_SIDES];
    int ran[COMPARE_SIDES];
};

/* ---- inputs.c */

struct meeting *meeting_new(struct compare *compare, const struct suite_item *item);
void meeting_free(struct meeting *meeting);
/* Fills the problem's operands before the run, as double. */
int meeting_subject(struct meeting *meeting);
/* Creates the operands from the subject. Gaps and operands that are not read hold ones in all
 * bits. */
int meeting_operands(struct meeting *meeting);
/* Fails with the reference's message. */
int meeting_refuse(struct meeting *meeting, const char *sentence);

/* ---- outputs.c */

/* Computes the outputs with the reference. Computes the sums of squares only if a side rounds
 * operands. */
int meeting_expect(struct meeting *meeting);
/* Returns the errors of each side that ran. Sets `holds` to 0 if a bound is broken. */
json_t *meeting_outputs(struct meeting *meeting, int *holds);

#endif
