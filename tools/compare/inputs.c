/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the operands of a problem before it runs: generated, or read from a dump. Both sides get
 * the same. */
#include "judge/oracle.h"
#include "judge/subject.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "tools/compare/meeting.h"

#include <stdlib.h>
#include <string.h>

struct meeting *meeting_new(struct compare *compare, const struct suite_item *item)
{
    struct meeting *meeting = tool_alloc(sizeof(*meeting));

    memset(meeting, 0, sizeof(*meeting));
    meeting->compare = compare;
    meeting->tool = compare->tool;
    meeting->item = item;
    return meeting;
}

void meeting_free(struct meeting *meeting)
{
    for (int side = 0; side < COMPARE_SIDES; side++) {
        outcome_free(&meeting->outcome[side]);
        entrant_free(&meeting->compare->side[side], &meeting->entrant[side]);
    }
    adn_subject_free(&meeting->subject);
    operands_free(&meeting->operands);
    anydnnProblemDestroy(meeting->problem);
    free(meeting->text);
    free(meeting);
}

int meeting_refuse(struct meeting *meeting, const char *sentence)
{
    return tool_fail(meeting->tool, TOOL_FAILED, "%s: the reference, %s in double: %s",
                     meeting->item->layer, meeting->compare->options->reference, sentence);
}

int meeting_subject(struct meeting *meeting)
{
    const struct compare_options *options = meeting->compare->options;
    const char *dump = options->folder != NULL ? options->folder : meeting->item->dump;
    char sentence[ADN_JUDGE_SENTENCE] = "";
    struct adn_oracle oracle;
    struct adn_problem problem;
    struct adn_values values;

    if (adn_problem_parse(meeting->text, &problem, &values) != ANYDNN_STATUS_SUCCESS)
        return tool_fail(meeting->tool, TOOL_FAILED,
                         "%s: cannot parse the library's own text of the problem",
                         meeting->item->layer);
    oracle_on_handle(&oracle, meeting->compare->reference.handle);
    if (oracle_fill(&meeting->subject, &problem, &values, options->inputs, options->seed, &oracle,
                    sentence) != 0)
        return meeting_refuse(meeting, sentence);
    if (dump != NULL && compare_dump_read(dump, &meeting->subject, sentence) != 0)
        return tool_fail(meeting->tool, TOOL_FAILED, "%s: %s", meeting->item->layer, sentence);
    return TOOL_FINE;
}

int meeting_operands(struct meeting *meeting)
{
    struct operands *operands = &meeting->operands;
    int code = operands_describe(meeting->tool, meeting->problem, meeting->text, operands);

    for (int i = 0; i < operands->count && code == TOOL_FINE; i++) {
        struct operand *operand = &operands->item[i];
        int slot = adn_subject_lookup(&meeting->subject, operand->role);
        const double *values = slot >= 0 ? meeting->subject.slot[slot].before : NULL;
        struct walk walk;

        if (operand->alias >= 0)
            continue;
        operand->image = tool_alloc(operand->bytes);
        memset(operand->image, 0xff, operand->bytes);
        for (walk_begin(&walk, operand); values != NULL && walk_goes_on(&walk); walk_next(&walk))
            operand->element->store(operand->image + walk.at, *values++);
    }
    return code;
}

int compare_inputs(struct compare *compare, const struct suite_item *item,
                   struct adn_subject *subject)
{
    struct meeting *meeting = meeting_new(compare, item);
    int code = tool_parse(compare->tool, item->problem, &meeting->problem, &meeting->text);

    if (code == TOOL_FINE)
        code = meeting_subject(meeting);
    if (code == TOOL_FINE) {
        *subject = meeting->subject;
        memset(&meeting->subject, 0, sizeof(meeting->subject));
    }
    meeting_free(meeting);
    return code;
}
