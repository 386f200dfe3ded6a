/* SPDX-License-Identifier: Apache-2.0 */
/* Starts children, reads what they say, keeps time, and goes on behind a case in which one crashed
 * or hung. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verify.h"

/* A backend that crashes everywhere would take for ever. */
#define CHILDREN_MAX 40
#define KEPT_MAX     500 /* failures of which all is told */

struct watch {
    struct tool *tool;
    const struct verify_options *options;
    json_t *answer;
    double until;    /* of the run; 0: no limit */
    const char *cut; /* why it was ended early, or NULL */

    /* the child */
    pid_t pid;
    int fd;
    char *text;
    size_t length;
    size_t room;
    json_t *now; /* the case that runs, or NULL */
    double case_began;
    int next; /* the first case that no child has begun */
    int said_hello;
    int done;
};

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the answer */

/* The row of the table for a case's operation, type and layout. */
static json_t *row_of(struct watch *watch, const json_t *names)
{
    static const char *const keys[] = {"operation", "type", "layout"};
    json_t *table = json_object_get(watch->answer, "table");
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

/* Each reason of a row once, with how often it was given. */
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

static void add_failure(struct watch *watch, const json_t *begin, const char *check,
                        const char *sentence)
{
    json_t *failures = json_object_get(watch->answer, "failures");
    json_t *failure;
    const char *problem = begin != NULL ? tool_text_of(begin, "problem") : "";

    if (json_array_size(failures) >= KEPT_MAX)
        return;
    failure = begin != NULL ? json_deep_copy(begin) : json_object();
    json_object_del(failure, "event");
    json_object_set_new(failure, "check", tool_json_text(check));
    json_object_set_new(failure, "sentence", tool_json_text(sentence));
    if (problem[0] != '\0') {
        json_object_set_new(failure, "run",
                            tool_json_take(verify_repeat_run(watch->options, problem)));
        json_object_set_new(failure, "verify",
                            tool_json_take(verify_repeat_verify(watch->options, problem)));
    }
    json_array_append_new(failures, failure);
}

/* `labels` of all that ran: what failing cases have in common shows there. */
static void finish_case(struct watch *watch, const char *verdict, const json_t *end)
{
    json_t *row = row_of(watch, watch->now);
    json_t *labels = json_object_get(watch->answer, "labels");
    char key[512];

    count_up(row, verdict, 1);
    count_up(watch->answer, verdict, 1);
    if (strcmp(verdict, "declined") == 0 || strcmp(verdict, "unjudged") == 0)
        add_reason(row, end);
    snprintf(key, sizeof(key), "%s\n%s\n%s", tool_text_of(watch->now, "operation"),
             strcmp(verdict, "failed") == 0 ? "failed" : "fine", tool_text_of(watch->now, "label"));
    if (tool_text_of(watch->now, "problem")[0] != '\0' && strcmp(verdict, "declined") != 0 &&
        strcmp(tool_text_of(watch->now, "layout"), "golden") != 0)
        json_object_set_new(labels, key, json_integer(1));
    json_decref(watch->now);
    watch->now = NULL;
}

static void fail_case(struct watch *watch, const char *check, const char *sentence)
{
    add_failure(watch, watch->now, check, sentence);
    finish_case(watch, "failed", NULL);
    if (watch->options->stop)
        watch->cut = "a case failed";
}

/* ---- what the child says */

static void take_hello(struct watch *watch, const json_t *line)
{
    static const char *const keys[] = {"version", "vendor",        "space",
                                       "vectors", "vectors_error", "oracle"};
    json_t *groups = json_object_get(line, "groups");

    if (watch->said_hello++)
        return;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        json_object_set(watch->answer, keys[i], json_object_get(line, keys[i]));
    for (size_t i = 0; i < json_array_size(groups); i++) {
        json_t *group = json_array_get(groups, i);
        json_int_t cases = json_integer_value(json_object_get(group, "cases"));

        count_up(row_of(watch, json_object_get(group, "names")), "cases", cases);
        count_up(watch->answer, "cases", cases);
    }
}

static void take_end(struct watch *watch, const json_t *line)
{
    const char *verdict = tool_text_of(line, "verdict");

    if (watch->now == NULL)
        return;
    if (strcmp(verdict, "failed") == 0)
        fail_case(watch, tool_text_of(line, "check"), tool_text_of(line, "sentence"));
    else
        finish_case(watch, verdict, line);
}

static void take_unloaded(struct watch *watch, const json_t *line)
{
    const char *stage = tool_text_of(line, "stage");

    watch->done = 1;
    if (strcmp(stage, "problem") == 0) {
        json_object_set_new(watch->answer, "usage", tool_json_text(tool_text_of(line, "reason")));
        return;
    }
    count_up(watch->answer, "failed", 1);
    add_failure(watch, NULL, stage, tool_text_of(line, "reason"));
}

static void take_line(struct watch *watch, const char *text, size_t length)
{
    json_t *line = watch->cut == NULL ? json_loadb(text, length, 0, NULL) : NULL;
    const char *event = tool_text_of(line, "event");

    if (strcmp(event, "hello") == 0) {
        take_hello(watch, line);
    } else if (strcmp(event, "begin") == 0) {
        json_decref(watch->now);
        watch->now = json_incref(line);
        watch->case_began = now_seconds();
        watch->next = (int)json_integer_value(json_object_get(line, "case")) + 1;
    } else if (strcmp(event, "end") == 0) {
        take_end(watch, line);
    } else if (strcmp(event, "unloaded") == 0) {
        take_unloaded(watch, line);
    } else if (strcmp(event, "done") == 0) {
        watch->done = 1;
    }
    json_decref(line);
}

/* ---- the child's life */

static int start(struct watch *watch)
{
    int ends[2];
    char **arguments;

    if (pipe(ends) != 0)
        return tool_fail(watch->tool, TOOL_FAILED, "no pipe: %s", strerror(errno));
    arguments = verify_child_arguments(watch->options, ends[1], watch->next);
    fflush(NULL);
    watch->pid = fork();
    if (watch->pid == 0) {
        close(ends[0]);
        /* What the backend prints is no part of the answer. */
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    for (char **argument = arguments; *argument != NULL; argument++)
        free(*argument);
    free(arguments);
    close(ends[1]);
    watch->fd = ends[0];
    watch->length = 0;
    watch->case_began = now_seconds();
    if (watch->pid < 0) {
        close(watch->fd);
        return tool_fail(watch->tool, TOOL_FAILED, "no process: %s", strerror(errno));
    }
    return TOOL_FINE;
}

/* Reads what there is; 0 at the end of it. */
static int read_some(struct watch *watch)
{
    ssize_t count;
    char *newline;

    if (watch->room < watch->length + 65536) {
        char *more = realloc(watch->text, watch->room + 131072);

        if (more == NULL)
            return 0;
        watch->text = more;
        watch->room += 131072;
    }
    count = read(watch->fd, watch->text + watch->length, 65536);
    if (count <= 0)
        return count < 0 && errno == EINTR;
    watch->length += (size_t)count;
    while ((newline = memchr(watch->text, '\n', watch->length)) != NULL) {
        size_t length = (size_t)(newline - watch->text);

        take_line(watch, watch->text, length);
        watch->length -= length + 1;
        memmove(watch->text, newline + 1, watch->length);
    }
    return 1;
}

/* Milliseconds until the case or the run has had its time. */
static int patience(const struct watch *watch, double *over)
{
    double limit = watch->case_began + (double)watch->options->case_limit;

    *over = watch->until > 0 && watch->until < limit ? watch->until : limit;
    limit = (*over - now_seconds()) * 1000;
    return limit < 0 ? 0 : (int)limit + 1;
}

/* Until the child ends, or is ended: 1 when its case hangs. */
static int listen_to(struct watch *watch)
{
    for (;;) {
        struct pollfd ready = {.fd = watch->fd, .events = POLLIN};
        double over;
        int count = poll(&ready, 1, patience(watch, &over));

        if (count > 0 && !read_some(watch))
            return 0;
        if (watch->cut == NULL && (count != 0 || now_seconds() < over))
            continue;
        kill(watch->pid, SIGKILL);
        if (watch->cut != NULL)
            return 0;
        if (watch->until == 0 || over < watch->until)
            return 1;
        watch->cut = "the time limit was reached";
        return 0;
    }
}

static void bury(struct watch *watch, int hangs)
{
    char sentence[200];
    int status = 0;

    while (waitpid(watch->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(watch->fd);
    if (watch->cut != NULL || watch->done) {
        json_decref(watch->now);
        watch->now = NULL;
        return;
    }
    if (hangs)
        snprintf(sentence, sizeof(sentence), "it hangs: no end within %llu seconds",
                 watch->options->case_limit);
    else if (WIFSIGNALED(status))
        snprintf(sentence, sizeof(sentence), "it crashes: signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(sentence, sizeof(sentence), "it ends the process with exit status %d",
                 WEXITSTATUS(status));
    if (watch->now != NULL) {
        fail_case(watch, hangs ? "hang" : "crash", sentence);
        return;
    }
    add_failure(watch, NULL, hangs ? "hang" : "crash", sentence);
    count_up(watch->answer, "failed", 1);
    watch->done = 1; /* not in a case: it would do so again */
}

static void begin_answer(struct watch *watch)
{
    static const char *const counts[] = {"cases", "passed", "declined", "failed", "unjudged"};
    json_t *answer = watch->answer;

    json_object_set_new(answer, "backend", tool_json_text(watch->options->name));
    json_object_set_new(answer, "path", tool_json_text(watch->options->path));
    json_object_set_new(answer, "seed", json_integer((json_int_t)watch->options->seed));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        json_object_set_new(answer, counts[i], json_integer(0));
    json_object_set_new(answer, "table", json_array());
    json_object_set_new(answer, "failures", json_array());
    json_object_set_new(answer, "labels", json_object());
}

int verify_gather(struct tool *tool, const struct verify_options *options, json_t *answer)
{
    struct watch watch = {.tool = tool, .options = options, .answer = answer};
    int code = TOOL_FINE;

    if (options->time_limit > 0)
        watch.until = now_seconds() + (double)options->time_limit;
    begin_answer(&watch);
    for (int i = 0; i < CHILDREN_MAX && !watch.done && watch.cut == NULL && code == TOOL_FINE;
         i++) {
        code = start(&watch);
        if (code == TOOL_FINE)
            bury(&watch, listen_to(&watch));
    }
    if (code == TOOL_FINE && watch.cut == NULL && !watch.done)
        watch.cut = "too many cases crash or hang";
    json_object_set_new(answer, "cut", tool_json_text(watch.cut));
    free(watch.text);
    return code;
}
