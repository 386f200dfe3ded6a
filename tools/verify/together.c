/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the same cases in several processes at once and merges their answers. Each process checks
 * its own results. This shows interference between processes on one device. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/verify/verify.h"

struct member {
    pid_t pid;
    int fd; /* the read end of its answer */
};

/* Two pipes. Members write to `ready` when they are ready. They begin when `gate` is closed. */
struct meeting {
    int ready[2], gate[2];
};

/* ---- merging */

static int has_same(const json_t *a, const json_t *b, const char *const *keys)
{
    int same = 1;

    for (; *keys != NULL; keys++)
        same &= strcmp(tool_text_of(a, *keys), tool_text_of(b, *keys)) == 0;
    return same;
}

static json_t *find(const json_t *list, const json_t *like, const char *const *keys)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (has_same(json_array_get(list, i), like, keys))
            return json_array_get(list, i);
    return NULL;
}

static void add_reasons(json_t *row, const json_t *other)
{
    static const char *const keys[] = {"reason", "sentence", NULL};
    const json_t *others = json_object_get(other, "reasons");
    json_t *reasons = json_object_get(row, "reasons");

    if (reasons == NULL && others != NULL) {
        reasons = json_array();
        json_object_set_new(row, "reasons", reasons);
    }
    for (size_t i = 0; i < json_array_size(others); i++) {
        json_t *more = json_array_get(others, i);
        json_t *reason = find(reasons, more, keys);
        json_int_t cases = json_integer_value(json_object_get(more, "cases"));

        if (reason == NULL)
            json_array_append_new(reasons, json_deep_copy(more));
        else
            json_object_set_new(
                reason, "cases",
                json_integer(json_integer_value(json_object_get(reason, "cases")) + cases));
    }
}

static void add_counts(json_t *to, const json_t *from)
{
    static const char *const keys[] = {"cases", "passed", "declined", "failed", "unjudged"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        json_int_t more = json_integer_value(json_object_get(from, keys[i]));

        if (json_object_get(from, keys[i]) != NULL)
            json_object_set_new(
                to, keys[i], json_integer(json_integer_value(json_object_get(to, keys[i])) + more));
    }
}

static void add_table(json_t *table, const json_t *others)
{
    static const char *const keys[] = {"operation", "type", "layout", NULL};

    for (size_t i = 0; i < json_array_size(others); i++) {
        json_t *more = json_array_get(others, i);
        json_t *row = find(table, more, keys);

        if (row == NULL) {
            json_array_append_new(table, json_deep_copy(more));
            continue;
        }
        add_counts(row, more);
        add_reasons(row, more);
    }
}

/* Merges failures. A case that fails the same check in several processes is listed once, with their
 * number. */
static void add_failures(json_t *failures, const json_t *others)
{
    static const char *const keys[] = {"check", "operation", "type", "layout",
                                       "label", "problem",   NULL};

    for (size_t i = 0; i < json_array_size(others); i++) {
        json_t *more = json_array_get(others, i);
        json_t *failure = find(failures, more, keys);
        json_int_t count = json_integer_value(json_object_get(failure, "processes"));

        if (failure == NULL) {
            failure = json_deep_copy(more);
            json_array_append_new(failures, failure);
        }
        json_object_set_new(failure, "processes", json_integer(count + 1));
    }
}

static void merge(json_t *answer, json_t *one)
{
    const char *key;
    json_t *value;

    json_object_foreach(one, key, value)
    {
        if (json_object_get(answer, key) == NULL || json_is_null(json_object_get(answer, key)))
            json_object_set(answer, key, value);
    }
    json_object_update(json_object_get(answer, "labels"), json_object_get(one, "labels"));
}

static void add_answer(json_t *answer, json_t *one)
{
    json_t *failures = json_object_get(answer, "failures");

    if (failures == NULL) {
        failures = json_array();
        json_object_set_new(answer, "failures", failures);
        json_object_set_new(answer, "table", json_array());
        json_object_set_new(answer, "labels", json_object());
    }
    add_counts(answer, one);
    add_table(json_object_get(answer, "table"), json_object_get(one, "table"));
    add_failures(failures, json_object_get(one, "failures"));
    merge(answer, one);
}

/* ---- the processes */

static int meeting_make(struct tool *tool, struct meeting *meeting)
{
    if (pipe(meeting->ready) != 0)
        return tool_fail(tool, TOOL_FAILED, "cannot create a pipe: %s", strerror(errno));
    if (pipe(meeting->gate) == 0)
        return TOOL_FINE;
    close(meeting->ready[0]);
    close(meeting->ready[1]);
    return tool_fail(tool, TOOL_FAILED, "cannot create a pipe: %s", strerror(errno));
}

/* Waits until all are ready, up to a limit. The limit keeps waiting members from counting as
 * hanging if one never gets there. */
static void meeting_hold(const struct meeting *meeting, int count, int milliseconds)
{
    struct pollfd ready = {.fd = meeting->ready[0], .events = POLLIN};
    char byte;

    close(meeting->ready[1]);
    while (count > 0 && poll(&ready, 1, milliseconds) > 0 && read(ready.fd, &byte, 1) == 1)
        count--;
    close(meeting->gate[1]);
    close(meeting->gate[0]);
}

static int start(struct tool *tool, const struct verify_options *options,
                 const struct meeting *meeting, struct member *member)
{
    struct verify_options own = *options;
    int ends[2];

    if (pipe(ends) != 0)
        return tool_fail(tool, TOOL_FAILED, "cannot create a pipe: %s", strerror(errno));
    fflush(NULL);
    member->pid = fork();
    if (member->pid == 0) {
        json_t *answer = json_object();
        int code;

        close(ends[0]);
        close(meeting->ready[0]);
        close(meeting->gate[1]);
        own.ready = meeting->ready[1];
        own.gate = meeting->gate[0];
        code = verify_gather(tool, &own, answer);
        if (code == TOOL_FINE && json_dumpfd(answer, ends[1], JSON_COMPACT) != 0)
            code = TOOL_FAILED;
        _exit(code);
    }
    close(ends[1]);
    member->fd = ends[0];
    if (member->pid < 0) {
        close(member->fd);
        return tool_fail(tool, TOOL_FAILED, "cannot create a process: %s", strerror(errno));
    }
    return TOOL_FINE;
}

static int finish(struct tool *tool, const struct member *member, json_t *answer)
{
    json_error_t error;
    json_t *one = json_loadfd(member->fd, 0, &error);
    int status = 0;

    close(member->fd);
    while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (one == NULL || status != 0) {
        json_decref(one);
        return tool_fail(tool, TOOL_FAILED, "a process ended without a result");
    }
    add_answer(answer, one);
    json_decref(one);
    return TOOL_FINE;
}

int verify_gather_together(struct tool *tool, const struct verify_options *options, json_t *answer)
{
    struct member *members = tool_alloc((size_t)options->processes * sizeof(*members));
    struct meeting meeting;
    int count = 0, code = meeting_make(tool, &meeting);

    if (code != TOOL_FINE) {
        free(members);
        return code;
    }
    while (count < (int)options->processes && code == TOOL_FINE) {
        code = start(tool, options, &meeting, &members[count]);
        count += code == TOOL_FINE;
    }
    meeting_hold(&meeting, count, (int)(options->case_limit * 500));
    for (int i = 0; i < count; i++) {
        int result = finish(tool, &members[i], answer);

        code = result > code ? result : code;
    }
    close(meeting.ready[0]);
    json_object_set_new(answer, "processes", json_integer(count));
    free(members);
    return code;
}
