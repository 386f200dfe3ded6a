/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace: lines of nine columns (core/trace/trace.h). Any line may be truncated. */
#include "tools/files.h"
#include "tools/replay/replay.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COLUMNS        9
#define LINE_BYTES     16384 /* longer than any complete line */
#define CALLS_MAX      1000000
#define CAPACITY_LEAST 1024
#define HASH_BEGIN     2166136261U

enum { PROBLEM, BACKEND, ENGINE, MATH, TIME, THREAD, HANDLE, DUMP, STATUS };

static char *copy(const char *text)
{
    return strcpy(tool_alloc(strlen(text) + 1), text);
}

/* Splits a line into its columns in place. Returns 0 if their number is wrong. */
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

/* Returns 1 if a dump is "-" or a number. The path of a number stays in the trace's folder. */
static int is_dump(const char *text)
{
    size_t length = strlen(text);

    return strcmp(text, "-") == 0 || (length <= 18 && strspn(text, "0123456789") == length);
}

/* Returns the microseconds, -1 if none were measured, or NaN if the text is not a number. */
static double read_time(const char *text)
{
    char *end;
    double time;

    if (strcmp(text, "-") == 0)
        return -1;
    time = strtod(text, &end);
    return end != text && *end == '\0' && time >= 0 && isfinite(time) ? time : NAN;
}

static unsigned hash_on(unsigned hash, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    return hash * 16777619U;
}

/* Doubles the capacity for calls and for sides, of which there are at most as many. */
static void grow(struct replay_trace *trace)
{
    size_t capacity = trace->capacity > 0 ? 2 * trace->capacity : CAPACITY_LEAST;
    struct replay_side **side = tool_alloc(capacity * sizeof(side[0]));
    struct replay_call *following;

    free(trace->call_bucket);
    free(trace->side_bucket);
    trace->call_bucket = tool_alloc(capacity * sizeof(trace->call_bucket[0]));
    trace->side_bucket = tool_alloc(capacity * sizeof(trace->side_bucket[0]));
    memset(trace->call_bucket, 0, capacity * sizeof(trace->call_bucket[0]));
    memset(trace->side_bucket, 0, capacity * sizeof(trace->side_bucket[0]));
    for (size_t i = 0; i < trace->sides; i++) {
        side[i] = trace->side[i];
        side[i]->next = trace->side_bucket[side[i]->hash % capacity];
        trace->side_bucket[side[i]->hash % capacity] = side[i];
        for (struct replay_call *call = side[i]->first; call != NULL; call = following) {
            following = call->beside;
            call->next = trace->call_bucket[call->hash % capacity];
            trace->call_bucket[call->hash % capacity] = call;
        }
    }
    free(trace->side);
    trace->side = side;
    trace->capacity = capacity;
}

/* Appends a new call to those that ran on the same side. */
static void add_to_side(struct replay_trace *trace, struct replay_call *call)
{
    unsigned hash = hash_on(hash_on(HASH_BEGIN, call->backend), call->math);
    struct replay_side **bucket = &trace->side_bucket[hash % trace->capacity];
    struct replay_side *side = *bucket;

    while (side != NULL &&
           (side->hash != hash || strcmp(side->first->backend, call->backend) != 0 ||
            strcmp(side->first->math, call->math) != 0))
        side = side->next;
    if (side != NULL) {
        side->last->beside = call;
        side->last = call;
        return;
    }
    side = tool_alloc(sizeof(*side));
    *side = (struct replay_side){*bucket, call, call, hash};
    *bucket = side;
    trace->side[trace->sides++] = side;
}

static struct replay_call *call_of(struct replay_trace *trace, char *const column[COLUMNS])
{
    unsigned hash = hash_on(hash_on(HASH_BEGIN, column[PROBLEM]), column[BACKEND]);
    struct replay_call **bucket;
    struct replay_call *call;

    hash = hash_on(hash_on(hash, column[MATH]), column[DUMP]);
    if (trace->count == trace->capacity)
        grow(trace);
    bucket = &trace->call_bucket[hash % trace->capacity];
    for (call = *bucket; call != NULL; call = call->next)
        if (call->hash == hash && strcmp(call->problem, column[PROBLEM]) == 0 &&
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
    call->hash = hash;
    call->next = *bucket;
    *bucket = call;
    trace->count++;
    add_to_side(trace, call);
    return call;
}

/* Adds the call of a line. Returns 0 if the line is not one of a trace. */
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

/* Returns the schema of a trace's first line, "# anydnn trace N: ...", or 0 for another comment. */
static long schema_of(const char *line)
{
    static const char begin[] = "# anydnn trace ";

    return strncmp(line, begin, sizeof(begin) - 1) == 0 ? strtol(line + sizeof(begin) - 1, NULL, 10)
                                                        : 0;
}

enum { LINE_NONE, LINE_WHOLE, LINE_BAD, LINE_ENDLESS };

/* Reads the next line without its newline. A line is bad if it is truncated, too long, or contains
 * a zero byte. An endless line, such as the hole of a sparse file, is not read to its end. */
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

/* Reads all lines. Returns the number of a line that ends the reading, or 0. */
static long long read_lines(FILE *file, struct replay_trace *trace)
{
    char line[LINE_BYTES];
    int kind;

    for (long long number = 1; (kind = next_line(file, line)) != LINE_NONE; number++) {
        if (kind == LINE_ENDLESS)
            return number;
        if (kind == LINE_WHOLE && line[0] == '#') {
            if (schema_of(line) > REPLAY_SCHEMA)
                trace->newer = schema_of(line);
            continue;
        }
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
                         "%s: line %lld has more than %d bytes, the maximum for a trace", path,
                         endless, TOOL_LINE_MAX);
    if (ferror(file))
        return tool_fail(tool, TOOL_FAILED, "%s: cannot be read", path);
    if (trace->newer > 0)
        return tool_fail(tool, TOOL_FAILED,
                         "%s: the trace has schema %ld, and this program reads schema %d", path,
                         trace->newer, REPLAY_SCHEMA);
    if (trace->count == 0)
        return tool_fail(tool, TOOL_FAILED, "%s: the trace contains no call%s", path,
                         trace->damaged > 0 ? ", but lines that do not belong to a trace" : "");
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
        return tool_fail(tool, TOOL_USAGE, "%s: not a regular file", path);
    file = tool_open_read(path, why);
    if (file == NULL)
        return tool_fail(tool, TOOL_USAGE, "%s: %s", path, why);
    result = replay_read_from(tool, file, path, trace);
    fclose(file);
    return result;
}

static void free_calls(struct replay_call *call)
{
    while (call != NULL) {
        struct replay_call *following = call->beside;

        free(call->problem);
        free(call->backend);
        free(call->math);
        free(call->dump);
        free(call);
        call = following;
    }
}

void replay_free(struct replay_trace *trace)
{
    for (size_t i = 0; i < trace->sides; i++) {
        free_calls(trace->side[i]->first);
        free(trace->side[i]);
    }
    free(trace->side);
    free(trace->call_bucket);
    free(trace->side_bucket);
}
