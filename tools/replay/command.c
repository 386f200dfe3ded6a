/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn replay: repeats each distinct call of a trace where it ran and on another backend, and
 * checks both against the reference. */
#include "tools/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"
#include "tools/terminal.h"

/* ---- the calls */

struct replay {
    struct tool *tool;
    const struct replay_options *options;
    const char *path;
    const char *beside; /* BACKEND:MATH */
    const struct replay_trace *trace;
    long long broken; /* number of problems */
    int reduced;      /* 1 after the first reduction */
    json_t *answers;
};

static json_t *recorded_of(const struct replay_call *call)
{
    json_t *recorded = json_object();

    json_object_set_new(recorded, "backend", tool_json_text(call->backend));
    json_object_set_new(recorded, "math", tool_json_text(call->math));
    json_object_set_new(recorded, "calls", json_integer(call->count));
    json_object_set_new(recorded, "failed", json_integer(call->failed));
    json_object_set_new(recorded, "mismatches", json_integer(call->wrong));
    if (call->timed > 0)
        json_object_set_new(recorded, "time_us", json_real(call->time / (double)call->timed));
    return recorded;
}

static void print(const struct replay *replay, const struct replay_call *call, const json_t *answer)
{
    tool_begin_text(replay->tool);
    compare_print(answer);
    printf("  recorded: %lld call%s", call->count, call->count == 1 ? "" : "s");
    if (call->timed > 0)
        printf(", %.1f us in the mean", call->time / (double)call->timed);
    if (call->failed > 0)
        printf(", %lld failed", call->failed);
    if (call->wrong > 0)
        printf(", %lld beyond their bound", call->wrong);
    if (strcmp(call->dump, "-") != 0)
        printf(", on the data of dump %s", call->dump);
    putchar('\n');
    fflush(stdout);
}

/* Returns the command that repeats one line, or all lines of another trace. The caller frees it. */
static char *again(const struct replay *replay, const char *trace, long long line)
{
    const char *device = replay->tool->device != NULL ? replay->tool->device : "";
    const char *config = replay->tool->config != NULL ? replay->tool->config : "";
    char number[24] = "", seed[24];
    const char *const words[] = {"anydnn",
                                 "replay",
                                 device[0] != '\0' ? "--device" : "",
                                 device,
                                 config[0] != '\0' ? "--config" : "",
                                 config,
                                 line > 0 ? "--line" : "",
                                 number,
                                 "--reference",
                                 replay->options->compare.reference,
                                 "--seed",
                                 seed,
                                 trace[0] == '-' ? "--" : "",
                                 trace,
                                 replay->beside,
                                 NULL};

    if (line > 0)
        snprintf(number, sizeof(number), "%lld", line);
    snprintf(seed, sizeof(seed), "%llu", replay->options->compare.seed);
    return tool_shell_command(words);
}

/* Returns the dump folder beside the trace, or NULL if there is none. */
static char *dump_of(const struct replay *replay, const struct replay_call *call)
{
    const char *slash = strrchr(replay->path, '/');
    int length = slash != NULL ? (int)(slash - replay->path) + 1 : 0;
    size_t size = (size_t)length + strlen(call->dump) + 1;
    char *path;

    if (strcmp(call->dump, "-") == 0)
        return NULL;
    path = tool_alloc(size);
    snprintf(path, size, "%.*s%s", length, replay->path, call->dump);
    return path;
}

/* Reduces the first problem that exceeds its bound where it was recorded. */
static int reduce(struct replay *replay, struct compare *compare, const struct suite_item *item,
                  json_t *answer)
{
    char path[4200];
    char *command;
    int code = replay_reduce(compare, item, replay->path, path, sizeof(path));

    if (code != TOOL_FINE)
        return code;
    replay->reduced = 1;
    command = again(replay, path, 0);
    json_object_set_new(answer, "reduced", tool_json_text(command));
    if (!replay->tool->json)
        printf("  repeat it with: %s\n", command);
    free(command);
    return TOOL_FINE;
}

static int run_call(struct replay *replay, struct compare *compare, const struct replay_call *call)
{
    char layer[64];
    char *dump = dump_of(replay, call);
    char *command = again(replay, replay->path, call->line);
    const struct suite_item item = {layer, (int)call->count, call->problem, dump};
    json_t *answer = json_object();
    int code;

    snprintf(layer, sizeof(layer), "line %lld", call->line);
    compare->again = dump != NULL ? command : NULL;
    tool_progress((int)json_array_size(replay->answers), (int)replay->trace->count, layer);
    code = compare_problem(compare, &item, answer);
    tool_progress_end();
    json_object_set_new(answer, "recorded", recorded_of(call));
    replay->broken += !json_is_true(json_object_get(answer, "holds"));
    json_array_append_new(replay->answers, answer);
    if (!replay->tool->json)
        print(replay, call, answer);
    if (replay->options->reduce && !replay->reduced && code == TOOL_FINE &&
        !json_is_true(json_object_get(answer, "holds")))
        code = reduce(replay, compare, &item, answer);
    compare->again = NULL;
    free(command);
    free(dump);
    return code;
}

static int is_asked_for(const struct replay *replay, const struct replay_call *call)
{
    return replay->options->line == 0 || (long long)replay->options->line == call->line;
}

/* Repeats all calls of a side, on shared handles. */
static int run_side(struct replay *replay, const struct replay_side *side)
{
    const struct replay_call *first = side->first;
    struct suite suite = {.name = (char *)replay->path};
    struct compare compare = {
        .tool = replay->tool, .options = &replay->options->compare, .suite = &suite};
    char recorded[256];
    int code;

    snprintf(recorded, sizeof(recorded), "%.100s:%.100s", first->backend, first->math);
    code = contender_open(replay->tool, recorded, 0, &compare.side[0]);
    if (code == TOOL_FINE)
        code = contender_open(replay->tool, replay->beside, 0, &compare.side[1]);
    if (code == TOOL_FINE)
        code =
            contender_open(replay->tool, replay->options->compare.reference, 0, &compare.reference);
    for (const struct replay_call *call = first; call != NULL && code != TOOL_USAGE;
         call = call->beside)
        if (compare.reference.handle != NULL && is_asked_for(replay, call)) {
            int own = run_call(replay, &compare, call);

            code = own == TOOL_FINE ? code : TOOL_FAILED;
        }
    for (int i = 0; i < COMPARE_SIDES; i++)
        contender_close(&compare.side[i]);
    contender_close(&compare.reference);
    return code == TOOL_FINE ? TOOL_FINE : TOOL_FAILED;
}

static int run_all(struct replay *replay)
{
    int code = TOOL_FINE;

    for (size_t i = 0; i < replay->trace->sides; i++)
        if (run_side(replay, replay->trace->side[i]) != TOOL_FINE)
            code = TOOL_FAILED;
    return code;
}

/* Reports the first problem whose bound is broken, with the command that repeats it. */
static int verdict(struct replay *replay, int code)
{
    for (size_t i = 0; i < json_array_size(replay->answers) && replay->broken > 0; i++) {
        const json_t *answer = json_array_get(replay->answers, i);

        if (!json_is_true(json_object_get(answer, "holds")))
            return tool_fail(replay->tool, TOOL_FAILED,
                             "%lld of %zu problems are beyond their bound, the first on %s; repeat "
                             "it with `%s`",
                             replay->broken, json_array_size(replay->answers),
                             tool_text_of(answer, "layer"), tool_text_of(answer, "again"));
    }
    return code;
}

static int write_page(const struct replay *replay)
{
    const char *const names[COMPARE_SIDES] = {"as recorded", replay->beside};
    char title[512];

    if (replay->options->compare.html == NULL)
        return TOOL_FINE;
    snprintf(title, sizeof(title), "The calls of %.200s beside %.100s", replay->path,
             replay->beside);
    return compare_html(replay->tool, replay->options->compare.html, title, names, replay->answers);
}

static int replay_all(struct replay *replay)
{
    const struct replay_trace *trace = replay->trace;
    int code = run_all(replay);

    if (replay->tool->json) {
        json_t *whole = json_object();

        json_object_set_new(whole, "trace", tool_json_text(replay->path));
        json_object_set_new(whole, "calls", json_integer(trace->lines));
        json_object_set_new(whole, "damaged", json_integer(trace->damaged));
        json_object_set(whole, "problems", replay->answers);
        if (tool_print_json(replay->tool, whole) != TOOL_FINE)
            code = TOOL_FAILED;
    } else {
        printf("\n%lld calls, %zu of them distinct, %lld lines damaged; %lld problems beyond their "
               "bound\n",
               trace->lines, trace->count, trace->damaged, replay->broken);
    }
    if (write_page(replay) != TOOL_FINE)
        code = TOOL_FAILED;
    return verdict(replay, code);
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct replay_options options = {
        .compare = {.seed = 1, .repeat = 3, .inputs = ORACLE_NORMAL, .reference = "cpu_ref"}};
    struct replay replay = {.tool = tool, .options = &options, .beside = "cpu_ref:default"};
    struct replay_trace trace;
    int first;
    int code = tool_options(tool, &tool_replay, &options, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (argc - first < 1 || argc - first > 2)
        return tool_fail(tool, TOOL_USAGE,
                         "replay requires a trace, and optionally a BACKEND:MATH to compare with "
                         "instead of cpu_ref");
    replay.path = argv[first];
    if (argc - first == 2)
        replay.beside = argv[first + 1];
    code = replay_read(tool, replay.path, &trace);
    if (code == TOOL_FINE) {
        replay.trace = &trace;
        replay.answers = json_array();
        code = replay_all(&replay);
        json_decref(replay.answers);
    }
    replay_free(&trace);
    return code;
}

const struct tool_command tool_replay = {
    .name = "replay",
    .arguments = "TRACE [BACKEND:MATH]",
    .summary = "Runs the calls of a trace again, on their backend and on another one.",
    .options = replay_option_table,
    .run = run,
};
