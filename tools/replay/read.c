/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a trace: lines of nine columns (core/trace/trace.h), of which a cut one may be any. */
#include "tools/files.h"
#include "tools/replay/replay.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COLUMNS    9
#define LINE_BYTES 16384 /* no whole line is as long */
#define CALLS_MAX  1000000

enum { PROBLEM, BACKEND, ENGINE, MATH, TIME, THREAD, HANDLE, DUMP, STATUS };

static char *copy(const char *text)
{
    return strcpy(tool_alloc(strlen(text) + 1), text);
}

/* The columns of a line, in place; 0 where it has others. */
static int split(char *line, char *column[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        char *tab = strchr(line, '\t');

        column[i] = line;
        if ((tab == NULL) != (i == COLUMNS - 1) || line[0] == '\0' || tab == line)
            return 0;
        if (tab != NULL) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    return 1;
}

static int is_word(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

enum { BAD = -1, FAILED, FINE, WRONG };

static int read_status(const char *text)
{
    size_t length = strlen(text);

    if (strcmp(text, "ok") == 0)
        return FINE;
    if (strcmp(text, "mismatch") == 0)
        return WRONG;
    return strncmp(text, "failed(", 7) == 0 && text[length - 1] == ')' ? FAILED : BAD;
}

/* A dump is a number, so that its path stays in the trace's folder. */
static int is_dump(const char *text)
{
    size_t length = strlen(text);

    return strcmp(text, "-") == 0 || (length <= 18 && strspn(text, "0123456789") == length);
}

/* Microseconds; -1 where none were measured, NaN where that is no number. */
static double read_time(const char *text)
{
    char *end;
    double time;

    if (strcmp(text, "-") == 0)
        return -1;
    time = strtod(text, &end);
    return end != text && *end == '\0' && time >= 0 && isfinite(time) ? time : NAN;
}

static unsigned hash_of(char *const column[COLUMNS])
{
    static const int parts[] = {PROBLEM, BACKEND, MATH, DUMP};
    unsigned hash = 2166136261U;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        for (const char *c = column[parts[i]]; *c != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * 16777619U;
    return hash % REPLAY_BUCKETS;
}

static struct replay_call *call_of(struct replay_trace *trace, char *const column[COLUMNS])
{
    struct replay_call **bucket = &trace->bucket[hash_of(column)];
    struct replay_call *call;

    for (call = *bucket; call != NULL; call = call->next)
        if (strcmp(call->problem, column[PROBLEM]) == 0 &&
            strcmp(call->backend, column[BACKEND]) == 0 && strcmp(call->math, column[MATH]) == 0 &&
            strcmp(call->dump, column[DUMP]) == 0)
            return call;
    if (trace->count == CALLS_MAX)
        return NULL;
    call = tool_alloc(sizeof(*call));
    memset(call, 0, sizeof(*call));
    call->problem = copy(column[PROBLEM]);
    call->backend = copy(column[BACKEND]);
    call->math = copy(column[MATH]);
    call->dump = copy(column[DUMP]);
    call->next = *bucket;
    *bucket = call;
    if ((trace->count & (trace->count - 1)) == 0) {
        size_t room = trace->count > 0 ? 2 * trace->count : 1;
        struct replay_call **grown = tool_alloc(room * sizeof(grown[0]));

        if (trace->count > 0)
            memcpy(grown, trace->call, trace->count * sizeof(grown[0]));
        free(trace->call);
        trace->call = grown;
    }
    trace->call[trace->count++] = call;
    return call;
}

/* 0 where the line is none of a trace. */
static int take(struct replay_trace *trace, char *line, long long number)
{
    char *column[COLUMNS];
    struct replay_call *call;
    double time;
    int status;

    if (!split(line, column) || !is_word(column[BACKEND]) || !is_word(column[MATH]) ||
        !is_dump(column[DUMP]))
        return 0;
    status = read_status(column[STATUS]);
    time = read_time(column[TIME]);
    if (status == BAD || isnan(time))
        return 0;
    call = call_of(trace, column);
    if (call == NULL)
        return 0;
    if (call->count++ == 0)
        call->line = number;
    call->failed += status == FAILED;
    call->wrong += status == WRONG;
    call->timed += time >= 0;
    call->time += time >= 0 ? time : 0;
    trace->lines++;
    return 1;
}

enum { LINE_NONE, LINE_WHOLE, LINE_BAD, LINE_ENDLESS };

/* Reads the next line without its end. One that is cut, too long, or holds a zero byte is bad; one
 * that hardly ends, as the hole of a sparse file, is not read to its end. */
static int next_line(FILE *file, char line[LINE_BYTES])
{
    size_t length = 0;
    int c;

    while ((c = getc(file)) != EOF && c != '\n') {
        if (length == TOOL_LINE_MAX)
            return LINE_ENDLESS;
        if (length < LINE_BYTES - 1)
            line[length] = (char)c;
        length++;
    }
    if (c == EOF && length == 0)
        return LINE_NONE;
    if (c == EOF || length >= LINE_BYTES - 1)
        return LINE_BAD;
    line[length] = '\0';
    return strlen(line) == length ? LINE_WHOLE : LINE_BAD;
}

/* Returns the number of a line that ends the reading, or 0. */
static long long read_lines(FILE *file, struct replay_trace *trace)
{
    char line[LINE_BYTES];
    int kind;

    for (long long number = 1; (kind = next_line(file, line)) != LINE_NONE; number++) {
        if (kind == LINE_ENDLESS)
            return number;
        if (kind == LINE_WHOLE && line[0] == '#')
            continue;
        if (kind != LINE_WHOLE || !take(trace, line, number))
            trace->damaged++;
    }
    return 0;
}

int replay_read_from(struct tool *tool, FILE *file, const char *path, struct replay_trace *trace)
{
    long long endless;

    memset(trace, 0, sizeof(*trace));
    endless = read_lines(file, trace);
    if (endless > 0)
        return tool_fail(tool, TOOL_FAILED,
                         "%s: line %lld has more than %d bytes, which no line of a trace has", path,
                         endless, TOOL_LINE_MAX);
    if (ferror(file))
        return tool_fail(tool, TOOL_FAILED, "%s: cannot be read", path);
    if (trace->count == 0)
        return tool_fail(tool, TOOL_FAILED, "%s: there is no call in it%s", path,
                         trace->damaged > 0 ? ", and lines that are none of a trace" : "");
    return TOOL_FINE;
}

int replay_read(struct tool *tool, const char *path, struct replay_trace *trace)
{
    char why[TOOL_WHY_MAX];
    struct stat status;
    FILE *file;
    int result;

    memset(trace, 0, sizeof(*trace));
    if (stat(path, &status) != 0)
        return tool_fail(tool, TOOL_USAGE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return tool_fail(tool, TOOL_USAGE, "%s: is not a regular file", path);
    file = tool_open_read(path, why);
    if (file == NULL)
        return tool_fail(tool, TOOL_USAGE, "%s: %s", path, why);
    result = replay_read_from(tool, file, path, trace);
    fclose(file);
    return result;
}

void replay_free(struct replay_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        free(trace->call[i]->problem);
        free(trace->call[i]->backend);
        free(trace->call[i]->math);
        free(trace->call[i]->dump);
        free(trace->call[i]);
    }
    free(trace->call);
}
