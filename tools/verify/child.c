/* SPDX-License-Identifier: Apache-2.0 */
/* The process that runs the backend. It opens the backend, makes the list of cases, and reports the
 * start and the result of each case. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "desc/shape.h"
#include "judge/subject.h"
#include "load/load.h"
#include "problem/problem.h"
#include "tools/verify/cases/cases.h"
#include "tools/verify/verify.h"

struct child {
    int fd;
    int shard;
    int shards;
    uint64_t seed;
    struct verify_filter filter;
    struct verify_target target;
    struct verify_vectors vectors;
    struct verify_cases *cases;
};

/* ---- reporting */

static void tell(const struct child *child, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    size_t length = text != NULL ? strlen(text) : 0;

    json_decref(line);
    if (text == NULL)
        _exit(TOOL_FAILED);
    text[length++] = '\n';
    for (size_t done = 0; done < length;) {
        ssize_t count = write(child->fd, text + done, length - done);

        if (count <= 0)
            _exit(TOOL_FAILED);
        done += (size_t)count;
    }
    free(text);
}

static json_t *event(const char *name)
{
    json_t *line = json_object();

    json_object_set_new(line, "event", json_string(name));
    return line;
}

static const char *type_name(int32_t type)
{
    return type >= 0 ? adn_type_name(type) : "";
}

static json_t *describe(const struct verify_case *item)
{
    json_t *line = json_object();

    json_object_set_new(
        line, "operation",
        tool_json_text(item->operation > 0 ? adn_operation_name(item->operation) : ""));
    json_object_set_new(line, "type", tool_json_text(type_name(item->type)));
    json_object_set_new(line, "layout", tool_json_text(item->layout));
    return line;
}

static int unloaded(const struct child *child, const char *stage, const char *reason)
{
    json_t *line = event("unloaded");

    json_object_set_new(line, "stage", tool_json_text(stage));
    json_object_set_new(line, "reason", tool_json_text(reason));
    tell(child, line);
    return TOOL_FAILED;
}

/* Returns why the backend could not be opened: the reason from loading, or the message of its
 * context. */
static const char *reason_of(const struct verify_target *target)
{
    if (target->backend == NULL)
        return "no such backend";
    return target->backend->reason != NULL ? target->backend->reason : adn_load_error_text();
}

/* ---- the cases */

/* Returns the group of these names. Cases of one kind are adjacent, so only the last group can
 * match. */
static json_t *group_of(json_t *groups, json_t *names)
{
    json_t *group;

    for (size_t i = json_array_size(groups); i > 0; i--) {
        group = json_array_get(groups, i - 1);
        if (json_equal(json_object_get(group, "names"), names))
            return group;
    }
    group = json_object();
    json_object_set(group, "names", names);
    json_array_append_new(groups, group);
    return group;
}

/* Counts the cases of each kind, so that the parent can report those that were not reached. */
static json_t *count_cases(const struct child *child)
{
    json_t *groups = json_array();

    for (int i = child->shard - 1; i < child->cases->count; i += child->shards) {
        json_t *now = describe(verify_cases_names(child->cases, i));
        json_t *group = group_of(groups, now);
        json_int_t count = json_integer_value(json_object_get(group, "cases"));

        json_object_set_new(group, "cases", json_integer(count + 1));
        json_decref(now);
    }
    return groups;
}

static void hello(const struct child *child)
{
    const struct anydnn_plugin *plugin = child->target.backend->plugin;
    json_t *line = event("hello");

    json_object_set_new(line, "version", tool_json_text(plugin->version));
    json_object_set_new(line, "vendor", tool_json_text(plugin->vendor));
    json_object_set_new(line, "space", tool_json_text(plugin->space));
    json_object_set_new(line, "vectors", json_integer(child->vectors.count));
    json_object_set_new(line, "vectors_error", tool_json_text(child->vectors.sentence));
    json_object_set_new(line, "oracle", json_boolean(child->target.reference.context != NULL));
    json_object_set_new(line, "groups", count_cases(child));
    tell(child, line);
}

static void run_rules(const struct child *child, const struct verify_case *item,
                      struct verify_outcome *outcome)
{
    struct verify_sample few = {NULL, NULL};
    struct verify_sample many = {NULL, NULL};

    if (item->operation == 0) {
        verify_description(&child->target, &outcome->finding);
    } else {
        verify_samples(child->cases, &child->target, item->operation, &few, &many);
        verify_operation(&child->target, item->operation, &few, &many, child->seed,
                         &outcome->finding);
        verify_algorithms(&child->target, &few, &many, &outcome->warning);
    }
    outcome->verdict = outcome->finding.check[0] != '\0' ? VERIFY_FAILED : VERIFY_PASSED;
}

static void run_vector(const struct child *child, const struct verify_vector *vector,
                       struct verify_outcome *outcome)
{
    struct adn_subject subject;
    char sentence[ADN_JUDGE_SENTENCE];

    if (verify_vector_subject(vector, &subject, sentence) == 0) {
        verify_known(&child->target, &subject, outcome);
    } else {
        verify_note(&outcome->finding, "vector", "%s", sentence);
        outcome->verdict = VERIFY_FAILED;
    }
    adn_subject_free(&subject);
}

static void run_case(const struct child *child, const struct verify_case *item,
                     struct verify_outcome *outcome)
{
    memset(outcome, 0, sizeof(*outcome));
    if (item->fault[0] != '\0') {
        verify_note(&outcome->finding, "case", "%s", item->fault);
        outcome->verdict = VERIFY_FAILED;
    } else if (item->kind == VERIFY_KIND_RULES) {
        run_rules(child, item, outcome);
    } else if (item->kind == VERIFY_KIND_PROBLEM) {
        verify_problem(
            &child->target, &item->problem, &item->values, item->data,
            child->seed * UINT64_C(0x9e3779b97f4a7c15) + adn_problem_hash(&item->problem), outcome);
    } else {
        run_vector(child, item->vector, outcome);
    }
}

static void begin(const struct child *child, const struct verify_case *item, int number)
{
    json_t *line = event("begin");

    json_object_update_new(line, describe(item));
    json_object_set_new(line, "case", json_integer(number));
    json_object_set_new(line, "label", tool_json_text(item->label));
    if (item->kind != VERIFY_KIND_RULES && item->fault[0] == '\0')
        json_object_set_new(line, "problem", tool_json_take(verify_case_text(item)));
    tell(child, line);
}

static void end(const struct child *child, const struct verify_outcome *outcome)
{
    static const char *const verdicts[] = {"passed", "declined", "failed", "unjudged"};
    json_t *line = event("end");

    json_object_set_new(line, "verdict", json_string(verdicts[outcome->verdict]));
    if (outcome->verdict == VERIFY_DECLINED)
        json_object_set_new(line, "reason", tool_json_text(verify_reason_name(outcome->reason)));
    if (outcome->verdict == VERIFY_FAILED)
        json_object_set_new(line, "check", tool_json_text(outcome->finding.check));
    if (outcome->verdict != VERIFY_PASSED)
        json_object_set_new(line, "sentence",
                            tool_json_text(outcome->verdict == VERIFY_FAILED
                                               ? outcome->finding.sentence
                                               : outcome->sentence));
    if (outcome->warning.check[0] != '\0') {
        json_object_set_new(line, "warning_check", tool_json_text(outcome->warning.check));
        json_object_set_new(line, "warning", tool_json_text(outcome->warning.sentence));
    }
    tell(child, line);
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void take_orders(struct child *child, const struct verify_orders *orders)
{
    child->fd = (int)orders->fd;
    child->shard = (int)orders->shard;
    child->shards = (int)orders->shards;
    child->seed = orders->seed;
    child->target.quick = child->filter.quick = (int)orders->quick;
    child->filter.itself = strcmp(orders->path, or_empty(orders->oracle)) == 0;
    child->filter.fuzz = (int)orders->fuzz;
    child->filter.seed = orders->seed;
    child->filter.operation = orders->operation;
    child->filter.type = orders->type != NULL ? adn_type_parse(orders->type) : -1;
    child->filter.problem = orders->problem;
    child->target.erratum = orders->erratum;
    child->filter.suite = orders->suite;
}

/* Waits for the other processes. An error of read or write means that the pipe is closed, and ends
 * the wait. */
static void meet(const struct verify_orders *orders)
{
    char byte = 0;

    if (orders->gate == 0)
        return;
    if (write((int)orders->ready, &byte, 1) == 1)
        while (read((int)orders->gate, &byte, 1) < 0 && errno == EINTR)
            continue;
    close((int)orders->ready);
    close((int)orders->gate);
}

int verify_child(char **arguments)
{
    struct child child = {.fd = -1};
    struct verify_orders orders;
    struct verify_outcome outcome;
    char sentence[ADN_JUDGE_SENTENCE];
    const char *stage;

    if (verify_orders_read(arguments, &orders) != 0)
        return TOOL_USAGE;
    take_orders(&child, &orders);
    verify_notice_begin(child.fd);
    if (verify_open(&child.target, orders.name, orders.path, or_empty(orders.oracle),
                    orders.settings, &stage) != 0)
        return unloaded(&child, stage, reason_of(&child.target));
    verify_vectors_read(&child.vectors, or_empty(orders.vectors));
    child.cases = verify_cases_make(child.target.backend, &child.filter, &child.vectors, sentence);
    if (child.cases == NULL)
        return unloaded(&child, "problem", sentence);
    hello(&child);
    meet(&orders);
    for (int i = (int)orders.from; i < child.cases->count; i++) {
        const struct verify_case *item;

        if (i % child.shards != child.shard - 1)
            continue;
        item = verify_cases_at(child.cases, i);
        begin(&child, item, i);
        run_case(&child, item, &outcome);
        end(&child, &outcome);
    }
    tell(&child, event("done"));
    verify_close(&child.target);
    verify_cases_free(child.cases);
    verify_vectors_free(&child.vectors);
    return TOOL_FINE;
}
