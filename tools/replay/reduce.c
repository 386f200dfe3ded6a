/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces a mismatch. Sizes are halved or decremented while the recorded backend still exceeds its
 * bound. Then numbers become 0 or get short significands. The result is written as a separate
 * trace. */
#include "tools/replay/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/subject.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "problem/unread.h"
#include "tools/oracle/cut.h"

/* The maximum number of runs, which limits the time on a slow backend. */
#define RUNS_MAX 3000
/* The significand bits of a shortened number. */
#define SHORT_DIGITS 3

struct reduction {
    struct compare *compare;
    struct adn_subject now;
    int runs;
};

/* Replaces the subject by the smaller one if that still shows the mismatch. */
static int try_it(struct reduction *reduction, struct adn_subject *smaller)
{
    int broken = 0;

    if (reduction->runs++ >= RUNS_MAX ||
        compare_is_broken(reduction->compare, smaller, &broken) != TOOL_FINE || !broken) {
        adn_subject_free(smaller);
        return 0;
    }
    adn_subject_free(&reduction->now);
    reduction->now = *smaller;
    return 1;
}

/* ---- sizes */

static int try_cut(struct reduction *reduction, int axis, int64_t from, int64_t count)
{
    const struct oracle_cut cut = {axis, from, count};
    struct adn_subject smaller;

    return count >= 1 && oracle_cut(&reduction->now, &cut, &smaller) && try_it(reduction, &smaller);
}

/* Cuts an axis to one, a half, or all but one: the first that still shows the mismatch. */
static int cut_axis(struct reduction *reduction, int axis)
{
    int64_t size = oracle_axis_size(&reduction->now, axis);
    int64_t half = size / 2;

    if (size < 2)
        return 0;
    return try_cut(reduction, axis, 0, 1) || (size > 2 && try_cut(reduction, axis, size - 1, 1)) ||
           (half > 1 &&
            (try_cut(reduction, axis, 0, half) || try_cut(reduction, axis, size - half, half))) ||
           (size > 2 &&
            (try_cut(reduction, axis, 0, size - 1) || try_cut(reduction, axis, 1, size - 1)));
}

static void cut_sizes(struct reduction *reduction)
{
    int axes = oracle_axes(&reduction->now);
    int again = 1;

    while (again) {
        again = 0;
        for (int axis = 0; axis < axes; axis++)
            while (cut_axis(reduction, axis))
                again = 1;
    }
}

/* ---- numbers */

static double shortened(double value)
{
    int exponent;
    double digits;

    if (!isfinite(value) || value == 0)
        return value;
    digits = frexp(value, &exponent);
    return ldexp(rint(ldexp(digits, SHORT_DIGITS)), exponent - SHORT_DIGITS);
}

enum { TO_ZERO, TO_SHORT };

/* Simplifies some of an operand's numbers. Returns 0 if they are simple already, or if the mismatch
 * disappears. */
static int simplify(struct reduction *reduction, int slot, int64_t from, int64_t count, int how)
{
    struct adn_subject simpler;
    double *numbers;
    int changed = 0;

    oracle_copy(&reduction->now, &simpler);
    numbers = simpler.slot[slot].before;
    for (int64_t i = from; i < from + count && i < simpler.slot[slot].count; i++) {
        double value = how == TO_ZERO ? 0 : shortened(numbers[i]);

        changed |= value != numbers[i] && !isnan(numbers[i]);
        numbers[i] = value;
    }
    if (!changed) {
        adn_subject_free(&simpler);
        return 0;
    }
    return try_it(reduction, &simpler);
}

/* Simplifies ever smaller parts of an operand. Few operands need the smallest parts. */
static void simplify_slot(struct reduction *reduction, int slot, int how)
{
    int64_t all = reduction->now.slot[slot].count;
    int64_t least = all > 256 ? all / 64 : 1;

    for (int64_t part = all; part >= least; part = part > 1 ? (part + 1) / 2 : 0)
        for (int64_t from = 0; from < all; from += part)
            simplify(reduction, slot, from, part, how);
}

/* Tries the factors 1 and 0. */
static void simplify_factors(struct reduction *reduction)
{
    const struct adn_operation *info = reduction->now.info;

    for (int i = 0; i < 4 && info->scale[i].name != NULL; i++) {
        struct adn_subject simpler;

        if (reduction->now.values.scale[i] == info->scale[i].initial)
            continue;
        oracle_copy(&reduction->now, &simpler);
        simpler.values.scale[i] = info->scale[i].initial;
        try_it(reduction, &simpler);
    }
}

static void simplify_all(struct reduction *reduction)
{
    static const int ways[] = {TO_ZERO, TO_SHORT};

    simplify_factors(reduction);
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
        for (int i = 0; i < ADN_SLOTS; i++)
            if (reduction->now.slot[i].before != NULL &&
                adn_problem_home(&reduction->now.problem, i) == i)
                simplify_slot(reduction, i, ways[way]);
}

/* ---- the result */

/* Writes a dump into a folder beside the trace, with a free number. */
static int write_dump(const struct reduction *reduction, const char *trace, long *number)
{
    const char *slash = strrchr(trace, '/');
    int length = slash != NULL ? (int)(slash - trace) + 1 : 0;
    char path[4200];

    for (*number = 1; *number < 1000000; (*number)++) {
        snprintf(path, sizeof(path), "%.*s%ld", length, trace, *number);
        if (compare_dump_write(path, &reduction->now) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* Opens a regular file for writing. Returns NULL with errno, or with errno 0 for another kind of
 * file. */
static FILE *open_trace(const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat status;
    FILE *file = NULL;
    int fd;

    errno = 0;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        return NULL;
    fd = open(path, flags, 0600);
    if (fd < 0 || fstat(fd, &status) != 0)
        return NULL;
    errno = 0;
    if (S_ISREG(status.st_mode))
        file = fdopen(fd, "w");
    if (file == NULL)
        close(fd);
    return file;
}

static int write_trace(const struct reduction *reduction, FILE *file, const char *problem,
                       long dump)
{
    const struct contender *side = &reduction->compare->side[0];

    if (ftruncate(fileno(file), 0) != 0) {
        fclose(file);
        return -1;
    }
    fprintf(file,
            "# anydnn trace %d: made by anydnn replay --reduce\n"
            "%s\t%s\t0\t%s\t-\t%ld:%ld\t-\t%ld\tmismatch\n",
            REPLAY_SCHEMA, problem, side->backend, side->math, (long)getpid(), (long)getpid(),
            dump);
    return fclose(file);
}

static int write_all(struct reduction *reduction, const char *trace, char *path, size_t size)
{
    struct tool *tool = reduction->compare->tool;
    char *problem;
    long dump = 0;
    int code = TOOL_FINE;
    int failed;
    FILE *file;

    snprintf(path, size, "%s.reduced", trace);
    file = open_trace(path);
    if (file == NULL)
        return tool_fail(tool, TOOL_FAILED, "%s: cannot be written: %s", path,
                         errno != 0 ? strerror(errno) : "not a regular file");
    problem = tool_alloc(ADN_PROBLEM_TEXT_MAX);
    adn_problem_print(&reduction->now.problem, &reduction->now.values, problem,
                      ADN_PROBLEM_TEXT_MAX);
    failed = write_dump(reduction, trace, &dump);
    if (failed != 0)
        fclose(file);
    else
        failed = write_trace(reduction, file, problem, dump);
    if (failed != 0)
        code = tool_fail(tool, TOOL_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    else if (!tool->json)
        printf("reduced in %d runs to: %s\n", reduction->runs, problem);
    free(problem);
    return code;
}

int replay_reduce(struct compare *compare, const struct suite_item *item, const char *trace,
                  char *path, size_t size)
{
    struct reduction reduction = {.compare = compare};
    int quiet = compare->tool->quiet;
    int broken = 0;
    int code = compare_inputs(compare, item, &reduction.now);

    if (code != TOOL_FINE)
        return code;
    compare->tool->quiet = 1;
    code = compare_is_broken(compare, &reduction.now, &broken);
    if (code == TOOL_FINE && broken) {
        cut_sizes(&reduction);
        simplify_all(&reduction);
        cut_sizes(&reduction);
    }
    compare->tool->quiet = quiet;
    if (code == TOOL_FINE && broken)
        code = write_all(&reduction, trace, path, size);
    else if (code == TOOL_FINE)
        code = tool_fail(compare->tool, TOOL_FAILED,
                         "%s: another run is within its bound, so the problem cannot be reduced",
                         item->layer);
    adn_subject_free(&reduction.now);
    return code;
}
