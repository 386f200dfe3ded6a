/* SPDX-License-Identifier: Apache-2.0 */
/* One problem: the same inputs on both sides and through the reference, and the answer to it. */
#include "tools/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "tools/oracle/cut.h"
#include "tools/problem/report.h"

struct meeting {
    struct compare *compare;
    struct tool *tool;
    const struct suite_item *item;
    anydnnProblem_t problem;
    char *text;
    struct adn_subject subject;
    struct operands operands;
    struct entrant entrant[COMPARE_SIDES];
    struct outcome outcome[COMPARE_SIDES];
    int ran[COMPARE_SIDES];
};

/* ---- the inputs */

/* The reference's sentence in ours. */
static int refuse(struct meeting *meeting, const char *sentence)
{
    return tool_fail(meeting->tool, TOOL_FAILED, "%s: the reference, %s in double: %s",
                     meeting->item->layer, meeting->compare->options->reference, sentence);
}

static int fill_subject(struct meeting *meeting)
{
    const struct compare_options *options = meeting->compare->options;
    const char *dump = options->folder != NULL ? options->folder : meeting->item->dump;
    char sentence[ADN_JUDGE_SENTENCE] = "";
    struct adn_oracle oracle;
    struct adn_problem problem;
    struct adn_values values;

    if (adn_problem_parse(meeting->text, &problem, &values) != ANYDNN_STATUS_SUCCESS)
        return tool_fail(meeting->tool, TOOL_FAILED,
                         "%s: the library's text of the problem cannot "
                         "be read back",
                         meeting->item->layer);
    oracle_on_handle(&oracle, meeting->compare->reference.handle);
    if (oracle_fill(&meeting->subject, &problem, &values, options->inputs, options->seed, &oracle,
                    sentence) != 0)
        return refuse(meeting, sentence);
    if (dump != NULL && compare_dump_read(dump, &meeting->subject, sentence) != 0)
        return tool_fail(meeting->tool, TOOL_FAILED, "%s: %s", meeting->item->layer, sentence);
    return TOOL_FINE;
}

/* Operands as the subject says; all ones where nothing is read, and in gaps. */
static int fill_operands(struct meeting *meeting)
{
    struct operands *operands = &meeting->operands;
    int code = operands_describe(meeting->tool, meeting->problem, meeting->text, operands);

    for (int i = 0; i < operands->count && code == TOOL_FINE; i++) {
        struct operand *operand = &operands->item[i];
        int slot = adn_subject_find(&meeting->subject, operand->role);
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

/* ---- the sides */

static json_t *describe_side(struct meeting *meeting, int side, const char *status,
                             const char *reason)
{
    const struct contender *contender = &meeting->compare->side[side];
    struct outcome *outcome = &meeting->outcome[side];
    json_t *answer = json_object();

    json_object_set_new(answer, "pair", json_string(contender->name));
    json_object_set_new(answer, "device", tool_json_text(contender->device));
    json_object_set_new(answer, "outcome", json_string(status));
    if (reason != NULL)
        json_object_set_new(answer, "reason", tool_json_text(reason));
    if (!meeting->ran[side])
        return answer;
    json_object_set(answer, "record", outcome->record);
    json_object_set_new(answer, "time",
                        report_time(outcome->microseconds, (int)meeting->compare->options->repeat));
    return answer;
}

/* Declining is no failure. `code`: what came of making the inputs. */
static int run_side(struct meeting *meeting, int side, int code, json_t *sides)
{
    const struct compare_options *options = meeting->compare->options;
    struct entrant *entrant = &meeting->entrant[side];
    const struct execution execution = {
        .repeat = (int)options->repeat, .timed = 1, .handle = meeting->compare->side[side].handle};
    json_t *answer;

    if (entrant->declined == NULL && code == TOOL_FINE) {
        code = execute(meeting->tool, &execution, entrant->problem, entrant->text,
                       &meeting->operands, &meeting->outcome[side]);
        if (code == TOOL_FINE)
            entrant_check(&meeting->compare->side[side], entrant, 1);
        meeting->ran[side] = code == TOOL_FINE && entrant->declined == NULL;
    }
    if (entrant->declined != NULL)
        answer = describe_side(meeting, side, "declined", entrant->declined);
    else
        answer = code == TOOL_FINE
                     ? describe_side(meeting, side, "ran", NULL)
                     : describe_side(meeting, side, "failed", meeting->tool->sentence);
    json_array_append_new(sides, answer);
    return code;
}

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

/* ---- the outputs */

/* The sums of squares are worked out only for who rounds operands. */
static int answer_of_reference(struct meeting *meeting)
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
    oracle_on_handle(&oracle, meeting->compare->reference.handle);
    if (adn_oracle_expect(&oracle, &meeting->subject, sentence) != 0)
        return refuse(meeting, sentence);
    return TOOL_FINE;
}

static json_t *side_errors(struct meeting *meeting, int side, int slot, int index, int *holds)
{
    struct adn_method method = method_of(&meeting->outcome[side]);
    struct compare_errors *errors = tool_alloc(sizeof(*errors));
    json_t *answer;

    compare_errors(&meeting->subject, slot, &method, &meeting->operands.item[index],
                   report_after(&meeting->operands, &meeting->outcome[side], index), errors);
    answer = compare_errors_answer(&meeting->subject, slot, errors);
    json_object_set_new(answer, "side", json_integer(side));
    json_object_set_new(answer, "pair", json_string(meeting->compare->side[side].name));
    *holds &= errors->holds;
    free(errors);
    return answer;
}

static json_t *describe_output(struct meeting *meeting, int slot, int index, int *holds)
{
    const struct operand *operand = &meeting->operands.item[index];
    json_t *answer = json_object();
    json_t *sides = json_array();

    json_object_set_new(answer, "role", json_string(operand->role));
    json_object_set_new(answer, "type", json_string(operand->element->name));
    json_object_set_new(answer, "count", json_integer(operand->count));
    for (int side = 0; side < COMPARE_SIDES; side++)
        if (meeting->ran[side])
            json_array_append_new(sides, side_errors(meeting, side, slot, index, holds));
    json_object_set_new(answer, "errors", sides);
    if (meeting->ran[0] && meeting->ran[1])
        json_object_set_new(
            answer, "difference",
            compare_difference(operand, meeting->subject.problem.tensor[slot].type,
                               report_after(&meeting->operands, &meeting->outcome[0], index),
                               report_after(&meeting->operands, &meeting->outcome[1], index)));
    return answer;
}

static json_t *describe_outputs(struct meeting *meeting, int *holds)
{
    json_t *outputs = json_array();

    for (int i = 0; i < meeting->operands.count; i++) {
        int slot = adn_subject_find(&meeting->subject, meeting->operands.item[i].role);

        if (slot >= 0 && meeting->subject.slot[slot].want != NULL)
            json_array_append_new(outputs, describe_output(meeting, slot, i, holds));
    }
    return outputs;
}

/* ---- the whole */

static int ask_both(struct meeting *meeting)
{
    int code = tool_parse(meeting->tool, meeting->item->problem, &meeting->problem, &meeting->text);

    for (int side = 0; side < COMPARE_SIDES && code == TOOL_FINE; side++)
        code = entrant_make(meeting->tool, &meeting->compare->side[side], meeting->text,
                            &meeting->entrant[side]);
    return code;
}

static int run_both(struct meeting *meeting, json_t *answer)
{
    json_t *sides = json_array();
    int inputs = TOOL_FINE;
    int code = TOOL_FINE;

    json_object_set_new(answer, "pairs", sides);
    if (meeting->entrant[0].declined == NULL || meeting->entrant[1].declined == NULL) {
        inputs = fill_subject(meeting);
        if (inputs == TOOL_FINE)
            inputs = fill_operands(meeting);
    }
    for (int side = 0; side < COMPARE_SIDES; side++) {
        int own = run_side(meeting, side, inputs, sides);

        code = own > code ? own : code;
    }
    return code;
}

static void free_meeting(struct meeting *meeting)
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

static struct meeting *new_meeting(struct compare *compare, const struct suite_item *item)
{
    struct meeting *meeting = tool_alloc(sizeof(*meeting));

    memset(meeting, 0, sizeof(*meeting));
    meeting->compare = compare;
    meeting->tool = compare->tool;
    meeting->item = item;
    return meeting;
}

int compare_inputs(struct compare *compare, const struct suite_item *item,
                   struct adn_subject *subject)
{
    struct meeting *meeting = new_meeting(compare, item);
    int code = tool_parse(compare->tool, item->problem, &meeting->problem, &meeting->text);

    if (code == TOOL_FINE)
        code = fill_subject(meeting);
    if (code == TOOL_FINE) {
        *subject = meeting->subject;
        memset(&meeting->subject, 0, sizeof(meeting->subject));
    }
    free_meeting(meeting);
    return code;
}

int compare_is_broken(struct compare *compare, const struct adn_subject *inputs, int *broken)
{
    char *text = tool_alloc(ADN_PROBLEM_TEXT_MAX);
    char layer[] = "reduced";
    struct suite_item item = {.layer = layer, .times = 1, .problem = text};
    struct meeting *meeting = new_meeting(compare, &item);
    json_t *sides = json_array();
    json_t *outputs = NULL;
    int holds = 1;
    int code;

    adn_problem_print(&inputs->problem, &inputs->values, text, ADN_PROBLEM_TEXT_MAX);
    oracle_copy(inputs, &meeting->subject);
    code = tool_parse(compare->tool, text, &meeting->problem, &meeting->text);
    if (code == TOOL_FINE)
        code = entrant_make(meeting->tool, &compare->side[0], meeting->text, &meeting->entrant[0]);
    if (code == TOOL_FINE && meeting->entrant[0].declined == NULL)
        code = fill_operands(meeting);
    if (code == TOOL_FINE && meeting->entrant[0].declined == NULL)
        code = run_side(meeting, 0, TOOL_FINE, sides);
    if (meeting->ran[0])
        code = answer_of_reference(meeting);
    if (meeting->ran[0] && code == TOOL_FINE)
        outputs = describe_outputs(meeting, &holds);
    *broken = meeting->ran[0] && code == TOOL_FINE && !holds;
    json_decref(outputs);
    json_decref(sides);
    free_meeting(meeting);
    free(text);
    return code;
}

int compare_problem(struct compare *compare, const struct suite_item *item, json_t *answer)
{
    struct meeting *meeting = new_meeting(compare, item);
    int holds = 1;
    int code;

    json_object_set_new(answer, "suite", tool_json_text(compare->suite->name));
    json_object_set_new(answer, "layer", tool_json_text(item->layer));
    json_object_set_new(answer, "times", json_integer(item->times));
    json_object_set_new(answer, "problem", tool_json_text(item->problem));
    code = ask_both(meeting);
    if (code == TOOL_FINE)
        code = run_both(meeting, answer);
    if (meeting->ran[0] || meeting->ran[1]) {
        int own = answer_of_reference(meeting);

        if (own == TOOL_FINE)
            json_object_set_new(answer, "outputs", describe_outputs(meeting, &holds));
        code = own > code ? own : code;
    }
    if (code != TOOL_FINE && compare->tool->sentence != NULL)
        json_object_set_new(answer, "error", tool_json_text(compare->tool->sentence));
    json_object_set_new(answer, "holds", json_boolean(holds));
    if (!holds || code != TOOL_FINE)
        json_object_set_new(answer, "again",
                            compare->again != NULL
                                ? tool_json_text(compare->again)
                                : tool_json_take(compare_again(compare, item->problem)));
    free_meeting(meeting);
    return code;
}
