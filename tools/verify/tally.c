/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the reports of children about their cases in the answer. */
#include "tools/verify/tally.h"

#include <stdio.h>
#include <string.h>

#include "judge/subject.h"

#define KEPT_MAX 500 /* failures that are reported in full */

/* ---- the answer */

void verify_tally_begin(struct verify_tally *tally)
{
    static const char *const counts[] = {"cases", "passed", "declined", "failed", "unjudged"};
    json_t *answer = tally->answer;

    json_object_set_new(answer, "backend", tool_json_text(tally->options->name));
    json_object_set_new(answer, "path", tool_json_text(tally->options->path));
    json_object_set_new(answer, "seed", json_integer((json_int_t)tally->options->seed));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        json_object_set_new(answer, counts[i], json_integer(0));
    json_object_set_new(answer, "table", json_array());
    json_object_set_new(answer, "failures", json_array());
    json_object_set_new(answer, "warnings", json_array());
    json_object_set_new(answer, "labels", json_object());
}

/* Returns the row of the table for a case's operation, type and layout. */
static json_t *row_of(struct verify_tally *tally, const json_t *names)
{
    static const char *const keys[] = {"operation", "type", "layout"};
    json_t *table = json_object_get(tally->answer, "table");
    json_t *row;

    for (size_t i = 0; i < json_array_size(table); i++) {
        int same = 1;

        row = json_array_get(table, i);
        for (size_t k = 0; k < 3; k++)
            same &= strcmp(tool_text_of(row, keys[k]), tool_text_of(names, keys[k])) == 0;
        if (same)
            return row;
    }
    row = json_object();
    for (size_t k = 0; k < 3; k++)
        json_object_set_new(row, keys[k], tool_json_text(tool_text_of(names, keys[k])));
    json_array_append_new(table, row);
    return row;
}

static void count_up(json_t *object, const char *key, json_int_t by)
{
    json_int_t count = json_integer_value(json_object_get(object, key));

    json_object_set_new(object, key, json_integer(count + by));
}

/* Adds a reason to a row, or increments its count. */
static void add_reason(json_t *row, const json_t *end)
{
    json_t *reasons = json_object_get(row, "reasons");
    json_t *reason = NULL;

    if (reasons == NULL) {
        reasons = json_array();
        json_object_set_new(row, "reasons", reasons);
    }
    for (size_t i = 0; i < json_array_size(reasons) && reason == NULL; i++)
        if (strcmp(tool_text_of(json_array_get(reasons, i), "sentence"),
                   tool_text_of(end, "sentence")) == 0)
            reason = json_array_get(reasons, i);
    if (reason == NULL) {
        reason = json_object();
        json_object_set_new(reason, "reason", tool_json_text(tool_text_of(end, "reason")));
        json_object_set_new(reason, "sentence", tool_json_text(tool_text_of(end, "sentence")));
        json_array_append_new(reasons, reason);
    }
    count_up(reason, "cases", 1);
}

/* Returns the option of `run` that shows an access beside an operand, or NULL. */
static const char *edge_of(const char *check, const char *sentence)
{
    if (strcmp(check, "bounds") != 0)
        return NULL;
    return strstr(sentence, " behind operand ") != NULL   ? "end"
           : strstr(sentence, " before operand ") != NULL ? "start"
                                                          : NULL;
}

static void add_failure(struct verify_tally *tally, const json_t *begin, const char *check,
                        const char *sentence)
{
    json_t *failures = json_object_get(tally->answer, "failures");
    json_t *failure;
    const char *problem = begin != NULL ? tool_text_of(begin, "problem") : "";

    if (json_array_size(failures) >= KEPT_MAX)
        return;
    failure = begin != NULL ? json_deep_copy(begin) : json_object();
    json_object_del(failure, "event");
    json_object_set_new(failure, "check", tool_json_text(check));
    json_object_set_new(failure, "sentence", tool_json_text(sentence));
    if (problem[0] != '\0') {
        json_object_set_new(
            failure, "run",
            tool_json_take(verify_repeat_run(tally->options, problem, edge_of(check, sentence))));
        json_object_set_new(failure, "verify",
                            tool_json_take(verify_repeat_verify(tally->options, problem)));
    }
    json_array_append_new(failures, failure);
}

static void add_warning(struct verify_tally *tally, const json_t *end)
{
    json_t *warning = json_object();

    json_object_set_new(warning, "operation",
                        tool_json_text(tool_text_of(tally->now, "operation")));
    json_object_set_new(warning, "check", tool_json_text(tool_text_of(end, "warning_check")));
    json_object_set_new(warning, "sentence", tool_json_text(tool_text_of(end, "warning")));
    json_array_append_new(json_object_get(tally->answer, "warnings"), warning);
}

void verify_tally_drop(struct verify_tally *tally)
{
    json_decref(tally->now);
    json_decref(tally->hang);
    json_decref(tally->crash);
    tally->now = tally->hang = tally->crash = NULL;
}

void verify_words(const json_t *item, char *words, size_t size)
{
    snprintf(words, size, "%s,type %s,layout %s", tool_text_of(item, "label"),
             tool_text_of(item, "type"), tool_text_of(item, "layout"));
}

/* Ends a case. The labels of all cases that ran are kept, to find what failing cases have in
 * common. */
static void finish_case(struct verify_tally *tally, const char *verdict, const json_t *end)
{
    json_t *row = row_of(tally, tally->now);
    json_t *labels = json_object_get(tally->answer, "labels");
    char words[400];
    char key[512];

    count_up(row, verdict, 1);
    count_up(tally->answer, verdict, 1);
    if (strcmp(verdict, "declined") == 0 || strcmp(verdict, "unjudged") == 0)
        add_reason(row, end);
    verify_words(tally->now, words, sizeof(words));
    snprintf(key, sizeof(key), "%s\n%s\n%s", tool_text_of(tally->now, "operation"),
             strcmp(verdict, "failed") == 0 ? "failed" : "fine", words);
    if (tool_text_of(tally->now, "problem")[0] != '\0' && strcmp(verdict, "declined") != 0 &&
        strcmp(tool_text_of(tally->now, "layout"), "golden") != 0)
        json_object_set_new(labels, key, json_integer(1));
    verify_tally_drop(tally);
}

static void fail_case(struct verify_tally *tally, const char *check, const char *sentence)
{
    add_failure(tally, tally->now, check, sentence);
    finish_case(tally, "failed", NULL);
    if (tally->options->stop)
        tally->cut = "a case failed";
}

/* ---- reports of the child */

static void take_hello(struct verify_tally *tally, const json_t *line)
{
    static const char *const keys[] = {"version", "vendor",        "space",
                                       "vectors", "vectors_error", "oracle"};
    json_t *groups = json_object_get(line, "groups");

    if (tally->said_hello++)
        return;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        json_object_set(tally->answer, keys[i], json_object_get(line, keys[i]));
    for (size_t i = 0; i < json_array_size(groups); i++) {
        json_t *group = json_array_get(groups, i);
        json_int_t cases = json_integer_value(json_object_get(group, "cases"));

        count_up(row_of(tally, json_object_get(group, "names")), "cases", cases);
        count_up(tally->answer, "cases", cases);
    }
}

static void take_end(struct verify_tally *tally, const json_t *line)
{
    const char *verdict = tool_text_of(line, "verdict");

    if (tally->now == NULL)
        return;
    if (json_object_get(line, "warning") != NULL)
        add_warning(tally, line);
    if (strcmp(verdict, "failed") == 0)
        fail_case(tally, tool_text_of(line, "check"), tool_text_of(line, "sentence"));
    else
        finish_case(tally, verdict, line);
}

/* Keeps a notice. Returns 1 if the time of the case begins anew. */
static int take_notice(struct verify_tally *tally, json_t *line)
{
    int is_of_hang = strcmp(tool_text_of(line, "when"), "hang") == 0;
    json_t **kept = is_of_hang ? &tally->hang : &tally->crash;

    json_decref(*kept);
    *kept = json_incref(line);
    return is_of_hang;
}

static void take_unloaded(struct verify_tally *tally, const json_t *line)
{
    const char *stage = tool_text_of(line, "stage");

    tally->done = 1;
    if (strcmp(stage, "problem") == 0) {
        json_object_set_new(tally->answer, "usage", tool_json_text(tool_text_of(line, "reason")));
        return;
    }
    count_up(tally->answer, "failed", 1);
    add_failure(tally, NULL, stage, tool_text_of(line, "reason"));
}

int verify_tally_line(struct verify_tally *tally, const char *text, size_t length)
{
    json_t *line = tally->cut == NULL ? json_loadb(text, length, 0, NULL) : NULL;
    const char *event = tool_text_of(line, "event");
    int began = 0;

    if (strcmp(event, "hello") == 0) {
        take_hello(tally, line);
    } else if (strcmp(event, "begin") == 0) {
        began = 1;
        verify_tally_drop(tally);
        tally->now = json_incref(line);
        tally->next = (int)json_integer_value(json_object_get(line, "case")) + 1;
    } else if (strcmp(event, "end") == 0) {
        take_end(tally, line);
    } else if (strcmp(event, "notice") == 0) {
        began = take_notice(tally, line);
    } else if (strcmp(event, "unloaded") == 0) {
        take_unloaded(tally, line);
    } else if (strcmp(event, "done") == 0) {
        tally->done = 1;
    }
    json_decref(line);
    return began;
}

void verify_tally_end(struct verify_tally *tally, const json_t *notice, const char *check,
                      const char *what, const char *detail)
{
    char sentence[2 * ADN_JUDGE_SENTENCE];

    if (notice != NULL)
        check = tool_text_of(notice, "check");
    if (notice != NULL)
        what = tool_text_of(notice, "sentence");
    snprintf(sentence, sizeof(sentence), "%s: %s", what, detail);
    if (tally->now != NULL) {
        fail_case(tally, check, sentence);
        return;
    }
    add_failure(tally, NULL, check, sentence);
    count_up(tally->answer, "failed", 1);
    tally->done = 1; /* outside of a case: the next child would fail too */
}
