/* SPDX-License-Identifier: Apache-2.0 */
/* One problem on its way through both sides and the reference: the parts of compare_problem. */
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
/* What the problem's operands hold before the run, as double. */
int meeting_subject(struct meeting *meeting);
/* Operands as the subject says; all ones where nothing is read, and in gaps. */
int meeting_operands(struct meeting *meeting);
/* The reference's sentence in ours. */
int meeting_refuse(struct meeting *meeting, const char *sentence);

/* ---- outputs.c */

/* Has the reference work out the outputs. The sums of squares are worked out only for who rounds
 * operands. */
int meeting_expect(struct meeting *meeting);
/* The errors of each side that ran; `holds` is cleared where a bound is broken. */
json_t *meeting_outputs(struct meeting *meeting, int *holds);

#endif
