/* SPDX-License-Identifier: Apache-2.0 */
/* Starts children, reads their reports and keeps time. Continues after a case in which one crashed
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

#include "tools/verify/tally.h"

/* The maximum number of children. A backend that crashes in every case would take too long. */
#define CHILDREN_MAX 40

struct watch {
    struct tool *tool;
    const struct verify_options *options;
    struct verify_tally tally;
    double until; /* of the run; 0: no limit */

    /* the child */
    pid_t pid;
    int fd;
    char *text;
    size_t length;
    size_t capacity;
    double case_began;
};

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the child process */

static char **write_orders(const struct verify_options *options, int fd, int from)
{
    const struct verify_orders orders = {.fd = (unsigned long long)fd,
                                         .from = (unsigned long long)from,
                                         .shard = (unsigned long long)options->shard,
                                         .shards = (unsigned long long)options->shards,
                                         .ready = (unsigned long long)options->ready,
                                         .gate = (unsigned long long)options->gate,
                                         .seed = options->seed,
                                         .quick = (unsigned long long)options->quick,
                                         .fuzz = options->fuzz,
                                         .name = options->name,
                                         .path = options->path,
                                         .oracle = options->oracle,
                                         .vectors = options->vectors,
                                         .operation = options->operation,
                                         .type = options->type,
                                         .problem = options->problem,
                                         .erratum = options->erratum,
                                         .suite =
                                             options->suite != NULL ? options->suite_lines : NULL,
                                         .settings = options->settings};

    return verify_orders_write(&orders);
}

static int start(struct watch *watch)
{
    int ends[2];
    char **arguments;

    if (pipe(ends) != 0)
        return tool_fail(watch->tool, TOOL_FAILED, "cannot create a pipe: %s", strerror(errno));
    arguments = write_orders(watch->options, ends[1], watch->tally.next);
    fflush(NULL);
    watch->pid = fork();
    if (watch->pid == 0) {
        close(ends[0]);
        /* The backend's output is not part of the answer. */
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
        return tool_fail(watch->tool, TOOL_FAILED, "cannot create a process: %s", strerror(errno));
    }
    return TOOL_FINE;
}

/* Reads the available bytes. Returns 0 at the end. */
static int read_some(struct watch *watch)
{
    ssize_t count;
    char *newline;

    if (watch->capacity < watch->length + 65536) {
        char *more = realloc(watch->text, watch->capacity + 131072);

        if (more == NULL)
            return 0;
        watch->text = more;
        watch->capacity += 131072;
    }
    count = read(watch->fd, watch->text + watch->length, 65536);
    if (count <= 0)
        return count < 0 && errno == EINTR;
    watch->length += (size_t)count;
    while ((newline = memchr(watch->text, '\n', watch->length)) != NULL) {
        size_t length = (size_t)(newline - watch->text);

        if (verify_tally_line(&watch->tally, watch->text, length))
            watch->case_began = now_seconds();
        watch->length -= length + 1;
        memmove(watch->text, newline + 1, watch->length);
    }
    return 1;
}

/* Returns the milliseconds until the time of the case or of the run ends. */
static int patience(const struct watch *watch, double *over)
{
    double limit = watch->case_began + (double)watch->options->case_limit;

    *over = watch->until > 0 && watch->until < limit ? watch->until : limit;
    limit = (*over - now_seconds()) * 1000;
    return limit < 0 ? 0 : (int)limit + 1;
}

/* Reads until the child ends or is killed. Returns 1 if its case hangs. */
static int listen_to(struct watch *watch)
{
    for (;;) {
        struct pollfd ready = {.fd = watch->fd, .events = POLLIN};
        double over;
        int count = poll(&ready, 1, patience(watch, &over));

        if (count > 0 && !read_some(watch))
            return 0;
        if (watch->tally.cut == NULL && (count != 0 || now_seconds() < over))
            continue;
        kill(watch->pid, SIGKILL);
        if (watch->tally.cut != NULL)
            return 0;
        if (watch->until == 0 || over < watch->until)
            return 1;
        watch->tally.cut = "the time limit was reached";
        return 0;
    }
}

static void bury(struct watch *watch, int hangs)
{
    struct verify_tally *tally = &watch->tally;
    char detail[100];
    int status = 0;

    while (waitpid(watch->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(watch->fd);
    if (tally->cut != NULL || tally->done) {
        verify_tally_drop(tally);
    } else if (hangs) {
        snprintf(detail, sizeof(detail), "it did not finish within %llu seconds",
                 watch->options->case_limit);
        verify_tally_end(tally, tally->hang, "hang", "it hangs", detail);
    } else if (WIFSIGNALED(status)) {
        snprintf(detail, sizeof(detail), "signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        verify_tally_end(tally, tally->crash, "crash", "it crashes", detail);
    } else {
        snprintf(detail, sizeof(detail), "exit status %d", WEXITSTATUS(status));
        verify_tally_end(tally, tally->crash, "crash", "it ends the process", detail);
    }
}

int verify_gather(struct tool *tool, const struct verify_options *options, json_t *answer)
{
    struct watch watch = {
        .tool = tool, .options = options, .tally = {.options = options, .answer = answer}};
    int code = TOOL_FINE;

    if (options->time_limit > 0)
        watch.until = now_seconds() + (double)options->time_limit;
    verify_tally_begin(&watch.tally);
    for (int i = 0;
         i < CHILDREN_MAX && !watch.tally.done && watch.tally.cut == NULL && code == TOOL_FINE;
         i++) {
        code = start(&watch);
        if (code == TOOL_FINE)
            bury(&watch, listen_to(&watch));
    }
    if (code == TOOL_FINE && watch.tally.cut == NULL && !watch.tally.done)
        watch.tally.cut = "too many cases crash or hang";
    json_object_set_new(answer, "cut", tool_json_text(watch.tally.cut));
    free(watch.text);
    return code;
}
