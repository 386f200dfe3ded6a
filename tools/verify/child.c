/* SPDX-License-Identifier: Apache-2.0 */
/* The process in which the backend runs: opens it, makes the list of cases, and says before and
 * after each case which one it is and how it went. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "desc/shape.h"
#include "verify.h"

/* The child's arguments behind VERIFY_CHILD, in this order. */
enum {
    ARG_FD,
    ARG_FROM,
    ARG_SHARD,
    ARG_SHARDS,
    ARG_SEED,
    ARG_QUICK,
    ARG_FUZZ,
    ARG_NAME,
    ARG_PATH,
    ARG_ORACLE,
    ARG_VECTORS,
    ARG_OPERATION,
    ARG_TYPE,
    ARG_PROBLEM,
    ARG_SETTINGS /* and those behind it */
};

char **verify_child_arguments(const struct verify_options *options, int fd, int from)
{
    char **arguments;
    size_t settings = 0;
    const char *texts[ARG_SETTINGS] = {
        [ARG_NAME] = options->name,           [ARG_PATH] = options->path,
        [ARG_ORACLE] = options->oracle,       [ARG_VECTORS] = options->vectors,
        [ARG_OPERATION] = options->operation, [ARG_TYPE] = options->type,
        [ARG_PROBLEM] = options->problem};
    const unsigned long long numbers[ARG_NAME] = {[ARG_FD] = (unsigned long long)fd,
                                                  [ARG_FROM] = (unsigned long long)from,
                                                  [ARG_SHARD] = (unsigned long long)options->shard,
                                                  [ARG_SHARDS] =
                                                      (unsigned long long)options->shards,
                                                  [ARG_SEED] = options->seed,
                                                  [ARG_QUICK] = (unsigned long long)options->quick,
                                                  [ARG_FUZZ] = options->fuzz};

    while (options->settings[settings] != NULL)
        settings++;
    arguments = tool_alloc((ARG_SETTINGS + settings + 4) * sizeof(*arguments));
    arguments[0] = strdup("anydnn");
    arguments[1] = strdup("verify");
    arguments[2] = strdup(VERIFY_CHILD);
    for (int i = 0; i < ARG_SETTINGS; i++) {
        char number[32];

        if (i < ARG_NAME)
            snprintf(number, sizeof(number), "%llu", numbers[i]);
        arguments[i + 3] = strdup(i < ARG_NAME ? number : texts[i] != NULL ? texts[i] : "");
    }
    for (size_t i = 0; i < settings; i++)
        arguments[ARG_SETTINGS + 3 + i] = strdup(options->settings[i]);
    arguments[ARG_SETTINGS + 3 + settings] = NULL;
    return arguments;
}

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

/* ---- telling */

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

/* Why the backend could not be opened: what loading keeps, or what its context said. */
static const char *reason_of(const struct verify_target *target)
{
    if (target->backend == NULL)
        return "there is no such backend";
    return target->backend->reason != NULL ? target->backend->reason : adn_load_error_text();
}

/* ---- the cases */

/* The group of these names, which is the last one where cases of one kind stand together. */
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

/* How many cases there are of each kind, so that the parent can say what was not reached. */
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
        verify_find(&outcome->finding, "vector", "%s", sentence);
        outcome->verdict = VERIFY_FAILED;
    }
    adn_subject_free(&subject);
}

static void run_case(const struct child *child, const struct verify_case *item,
                     struct verify_outcome *outcome)
{
    memset(outcome, 0, sizeof(*outcome));
    if (item->fault[0] != '\0') {
        verify_find(&outcome->finding, "case", "%s", item->fault);
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
    tell(child, line);
}

int verify_child(int argc, char **argv)
{
    struct child child = {.fd = -1};
    struct verify_outcome outcome;
    char sentence[ADN_JUDGE_SENTENCE];
    const char *stage;

    if (argc < ARG_SETTINGS)
        return TOOL_USAGE;
    child.fd = atoi(argv[ARG_FD]);
    child.shard = atoi(argv[ARG_SHARD]);
    child.shards = atoi(argv[ARG_SHARDS]);
    child.seed = strtoull(argv[ARG_SEED], NULL, 10);
    child.target.quick = child.filter.quick = atoi(argv[ARG_QUICK]);
    child.filter.itself = strcmp(argv[ARG_PATH], argv[ARG_ORACLE]) == 0;
    child.filter.fuzz = atoi(argv[ARG_FUZZ]);
    child.filter.seed = child.seed;
    child.filter.operation = argv[ARG_OPERATION][0] != '\0' ? argv[ARG_OPERATION] : NULL;
    child.filter.type = argv[ARG_TYPE][0] != '\0' ? adn_type_parse(argv[ARG_TYPE]) : -1;
    child.filter.problem = argv[ARG_PROBLEM][0] != '\0' ? argv[ARG_PROBLEM] : NULL;
    if (verify_open(&child.target, argv[ARG_NAME], argv[ARG_PATH], argv[ARG_ORACLE],
                    argv + ARG_SETTINGS, &stage) != 0)
        return unloaded(&child, stage, reason_of(&child.target));
    verify_vectors_read(&child.vectors, argv[ARG_VECTORS]);
    child.cases = verify_cases_make(child.target.backend, &child.filter, &child.vectors, sentence);
    if (child.cases == NULL)
        return unloaded(&child, "problem", sentence);
    hello(&child);
    for (int i = atoi(argv[ARG_FROM]); i < child.cases->count; i++) {
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
