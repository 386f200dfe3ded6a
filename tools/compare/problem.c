/* SPDX-License-Identifier: Apache-2.0 */
/* One problem: the same inputs on both sides and through the reference, and the answer to it. */
#include "tools/compare/meeting.h"

#include <stdlib.h>

#include "judge/subject.h"
#include "problem/text.h"
#include "tools/oracle/cut.h"
#include "tools/problem/report.h"
#include "tools/problem/traffic.h"

/* ---- the sides */

static json_t *describe_side(struct meeting *meeting, int side, const char *status,
                             const char *reason)
{
    const struct contender *contender = &meeting->compare->side[side];
    struct outcome *outcome = &meeting->outcome[side];
    json_t *object = json_object();

    json_object_set_new(object, "pair", json_string(contender->name));
    json_object_set_new(object, "device", tool_json_text(contender->device));
    json_object_set_new(object, "outcome", json_string(status));
    if (reason != NULL)
        json_object_set_new(object, "reason", tool_json_text(reason));
    if (!meeting->ran[side])
        return object;
    json_object_set(object, "record", outcome->record);
    json_object_set_new(object, "time",
                        report_time(outcome->microseconds, (int)meeting->compare->options->repeat));
    return object;
}

/* Declining is no failure. `code`: what came of making the inputs. */
static int run_side(struct meeting *meeting, int side, int code, json_t *sides)
{
    const struct compare_options *options = meeting->compare->options;
    struct entrant *entrant = &meeting->entrant[side];
    const struct execution execution = {
        .repeat = (int)options->repeat, .timed = 1, .handle = meeting->compare->side[side].handle};
    json_t *object;

    if (entrant->declined == NULL && code == TOOL_FINE) {
        code = execute(meeting->tool, &execution, entrant->problem, entrant->text,
                       &meeting->operands, &meeting->outcome[side]);
        if (code == TOOL_FINE)
            entrant_check(&meeting->compare->side[side], entrant, 1);
        meeting->ran[side] = code == TOOL_FINE && entrant->declined == NULL;
    }
    if (entrant->declined != NULL)
        object = describe_side(meeting, side, "declined", entrant->declined);
    else
        object = code == TOOL_FINE
                     ? describe_side(meeting, side, "ran", NULL)
                     : describe_side(meeting, side, "failed", meeting->tool->sentence);
    json_array_append_new(sides, object);
    return code;
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
        inputs = meeting_subject(meeting);
        if (inputs == TOOL_FINE)
            inputs = meeting_operands(meeting);
    }
    for (int side = 0; side < COMPARE_SIDES; side++) {
        int own = run_side(meeting, side, inputs, sides);

        code = own > code ? own : code;
    }
    return code;
}

int compare_is_broken(struct compare *compare, const struct adn_subject *inputs, int *broken)
{
    char *text = tool_alloc(ADN_PROBLEM_TEXT_MAX);
    char layer[] = "reduced";
    struct suite_item item = {.layer = layer, .times = 1, .problem = text};
    struct meeting *meeting = meeting_new(compare, &item);
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
        code = meeting_operands(meeting);
    if (code == TOOL_FINE && meeting->entrant[0].declined == NULL)
        code = run_side(meeting, 0, TOOL_FINE, sides);
    if (meeting->ran[0])
        code = meeting_expect(meeting);
    if (meeting->ran[0] && code == TOOL_FINE)
        outputs = meeting_outputs(meeting, &holds);
    *broken = meeting->ran[0] && code == TOOL_FINE && !holds;
    json_decref(outputs);
    json_decref(sides);
    meeting_free(meeting);
    free(text);
    return code;
}

/* What the problem costs at least, for who reads the times. */
static void put_traffic(const struct meeting *meeting, json_t *answer)
{
    struct traffic traffic;

    if (traffic_of(&meeting->operands, meeting->text, &traffic) != 0 || !(traffic.flops > 0))
        return;
    json_object_set_new(answer, "flops", json_real(traffic.flops));
    json_object_set_new(answer, "bytes", json_real(traffic.bytes));
}

int compare_problem(struct compare *compare, const struct suite_item *item, json_t *answer)
{
    struct meeting *meeting = meeting_new(compare, item);
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
        int own = meeting_expect(meeting);

        put_traffic(meeting, answer);
        if (own == TOOL_FINE)
            json_object_set_new(answer, "outputs", meeting_outputs(meeting, &holds));
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
    meeting_free(meeting);
    return code;
}
