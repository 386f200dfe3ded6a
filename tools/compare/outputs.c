/* SPDX-License-Identifier: Apache-2.0 */
/* A problem's outputs on both sides, each held to the reference. */
#include "tools/compare/meeting.h"

#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "judge/element.h"
#include "judge/expect.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "tools/problem/report.h"

static struct adn_method method_of(const struct outcome *outcome)
{
    const char *notes = tool_text_of(outcome->record, "notes");
    struct adn_method method = {adn_math_parse(tool_text_of(outcome->record, "math")), 0};

    if (strstr(notes, "transform") != NULL)
        method.notes |= ANYDNN_PLUGIN_NOTE_TRANSFORM;
    if (strstr(notes, "reduced_precision") != NULL)
        method.notes |= ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION;
    return method;
}

/* Convolutions alone have sums that are long. A sample that holds all is none. */
static void choose_sample(struct meeting *meeting)
{
    const struct compare_options *options = meeting->compare->options;
    enum { RESULT = 2 };

    if (options->sample > 0 && oracle_can_sample(meeting->subject.problem.operation) &&
        (int64_t)options->sample < meeting->subject.slot[RESULT].count)
        meeting->sample = (struct oracle_sample){(int64_t)options->sample, options->seed};
}

int meeting_expect(struct meeting *meeting)
{
    char sentence[ADN_JUDGE_SENTENCE] = "";
    struct adn_oracle oracle;

    meeting->subject.problem.math = ANYDNN_PLUGIN_MATH_DEFAULT;
    for (int side = 0; side < COMPARE_SIDES; side++)
        if (meeting->ran[side]) {
            struct adn_method method = method_of(&meeting->outcome[side]);

            if (method.notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION)
                meeting->subject.problem.math = method.math;
        }
    choose_sample(meeting);
    if (meeting->sample.count > 0)
        oracle_on_sample(&oracle, &meeting->sample);
    else
        oracle_on_handle(&oracle, meeting->compare->reference.handle);
    if (adn_oracle_expect(&oracle, &meeting->subject, sentence) != 0)
        return meeting_refuse(meeting, sentence);
    return TOOL_FINE;
}

static json_t *side_errors(struct meeting *meeting, int side, int slot, int index, int *holds)
{
    struct adn_method method = method_of(&meeting->outcome[side]);
    struct compare_errors *errors = tool_alloc(sizeof(*errors));
    json_t *object;

    compare_errors(&meeting->subject, slot, &method, &meeting->operands.item[index],
                   report_after(&meeting->operands, &meeting->outcome[side], index),
                   &meeting->sample, errors);
    object = compare_errors_object(&meeting->subject, slot, errors);
    json_object_set_new(object, "side", json_integer(side));
    json_object_set_new(object, "pair", json_string(meeting->compare->side[side].name));
    *holds &= errors->holds;
    free(errors);
    return object;
}

static json_t *describe_output(struct meeting *meeting, int slot, int index, int *holds)
{
    const struct operand *operand = &meeting->operands.item[index];
    json_t *object = json_object();
    json_t *sides = json_array();

    json_object_set_new(object, "role", json_string(operand->role));
    json_object_set_new(object, "type", json_string(operand->element->name));
    json_object_set_new(object, "count", json_integer(operand->count));
    if (meeting->sample.count > 0)
        json_object_set_new(object, "sampled", json_integer((json_int_t)meeting->sample.count));
    for (int side = 0; side < COMPARE_SIDES; side++)
        if (meeting->ran[side])
            json_array_append_new(sides, side_errors(meeting, side, slot, index, holds));
    json_object_set_new(object, "errors", sides);
    if (meeting->ran[0] && meeting->ran[1])
        json_object_set_new(
            object, "difference",
            compare_difference(operand, meeting->subject.problem.tensor[slot].type,
                               report_after(&meeting->operands, &meeting->outcome[0], index),
                               report_after(&meeting->operands, &meeting->outcome[1], index)));
    return object;
}

json_t *meeting_outputs(struct meeting *meeting, int *holds)
{
    json_t *outputs = json_array();

    for (int i = 0; i < meeting->operands.count; i++) {
        int slot = adn_subject_lookup(&meeting->subject, meeting->operands.item[i].role);

        if (slot >= 0 && meeting->subject.slot[slot].want != NULL)
            json_array_append_new(outputs, describe_output(meeting, slot, i, holds));
    }
    return outputs;
}
