/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn tune: times the problems of a suite on the backends of their routes, and stores the
 * fastest in the tuning file. The word `fastest` in a route reads that file. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "tools/suite/suite.h"
#include "tuning_list.h"

struct options {
    struct suite_options suite; /* first member, for SUITE_OPTIONS */
    const char *math;           /* NULL: the math mode of each problem */
    int prune;
};

struct tuning {
    struct tool *tool;
    const struct options *options;
    anydnnHandle_t handle;
    double began;
    int known; /* problems that the file already had */
    int timed;
    int failed;
};

/* ---- options */

static const char *const math_modes[] = {"default", "tensor_op", "allow_conversion", "split", NULL};

/* Sets the tuning file. The library requires an absolute path. */
static int set_tuning(struct tool *tool, void *own, const char *value)
{
    char path[2 * PATH_MAX + 2] = "";
    char folder[PATH_MAX];

    (void)own;
    if (value[0] == '\0' || (value[0] != '/' && getcwd(folder, sizeof(folder)) == NULL))
        return tool_fail(tool, TOOL_USAGE, "--tuning=%s: must be the name of a file", value);
    if (value[0] != '/')
        snprintf(path, sizeof(path), "%s/", folder);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s", value);
    setenv("ANYDNN_TUNING", path, 1);
    return TOOL_FINE;
}

static const struct tool_option option_table[] = {
    SUITE_OPTIONS,
    {"math", "MODE", "math mode of all problems (their own)", TOOL_KEEP(options, math, TOOL_WORD),
     .words = math_modes},
    {"tuning", "FILE", "tuning file; overrides the setting `tuning`", .set = set_tuning},
    {"prune", NULL, "remove records of other versions of installed backends; time nothing",
     TOOL_KEEP_FLAG(options, prune)},
    TOOL_OPTIONS_END,
};

/* ---- one problem */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the problem in the requested math mode. The caller frees it. */
static char *in_math(const char *problem, const char *mode)
{
    const char *at = mode != NULL ? strstr(problem, " math=") : NULL;
    size_t size = strlen(problem) + 40;
    char *text = tool_alloc(size);

    if (at == NULL && mode != NULL && strncmp(problem, "matmul ", 7) == 0)
        snprintf(text, size, "%s math=%s", problem, mode);
    else if (at == NULL)
        snprintf(text, size, "%s", problem);
    else
        snprintf(text, size, "%.*s math=%s%s", (int)(at - problem), problem, mode,
                 at + 6 + strcspn(at + 6, " "));
    return text;
}

/* Returns the rest of the line that begins with `key`, or "". The caller frees it. */
static char *line_of(const char *text, const char *key)
{
    const char *at = text != NULL ? strstr(text, key) : NULL;
    size_t length = 0;
    char *line;

    if (at != NULL) {
        at += strlen(key);
        length = strcspn(at, "\n");
    }
    line = tool_alloc(length + 1);
    memcpy(line, at != NULL ? at : "", length);
    line[length] = '\0';
    return line;
}

/* Sets the effective route with `fastest` prepended. A later `fastest` with or without this prefix
 * reads the same record. Setting a route also discards the handle's earlier choice. */
static int ask_for_fastest(struct tuning *tuning, const char *words, const char *rule)
{
    const char *list = strstr(rule, " = ");
    char operation[80], route[1200];

    if (list == NULL)
        return TOOL_FINE;
    list += strlen(" = ");
    snprintf(operation, sizeof(operation), "%.*s", (int)strcspn(words, " "), words);
    snprintf(route, sizeof(route), "%s%s", strncmp(list, "fastest, ", 9) == 0 ? "" : "fastest, ",
             list);
    if (anydnnSetRoute(tuning->handle, operation, NULL, route) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tuning->tool, TOOL_FAILED);
    return TOOL_FINE;
}

/* Returns 1 if the file has a record for the problem. The handle must not have chosen for it
 * yet. */
static int is_measured(const struct tuning *tuning, anydnnProblem_t problem)
{
    char *text = tool_ask_problem(tuning->handle, problem);
    int measured = text != NULL && strstr(text, " (measured before)\n") != NULL;

    free(text);
    return measured;
}

/* Times the problem through a workspace query, which makes the choice and needs no operands. The
 * library times nothing if only one engine runs the problem, the file is frozen, or memory is
 * short. */
static int time_problem(struct tuning *tuning, anydnnProblem_t problem, const char *words,
                        json_t *answer)
{
    char *text = tool_ask_problem(tuning->handle, problem);
    char *rule = line_of(text, "rule: ");
    int code = ask_for_fastest(tuning, words, rule);
    int known = code == TOOL_FINE && is_measured(tuning, problem);
    int timed = 0;
    char *choice;
    size_t bytes = 0;

    if (code == TOOL_FINE && !known &&
        anydnnProblemGetWorkspaceSize(tuning->handle, problem, &bytes) != ANYDNN_STATUS_SUCCESS)
        code = tool_fail_status(tuning->tool, TOOL_FAILED);
    free(text);
    text = tool_ask_problem(tuning->handle, problem);
    choice = line_of(text, "choice: ");
    if (code == TOOL_FINE && !known) {
        code = ask_for_fastest(tuning, words, rule);
        timed = code == TOOL_FINE && is_measured(tuning, problem);
    }
    tuning->known += known;
    tuning->timed += timed;
    json_object_set_new(answer, "known", json_boolean(known));
    json_object_set_new(answer, "timed", json_boolean(timed));
    json_object_set_new(answer, "choice", tool_json_text(choice));
    if (code == TOOL_FINE && !tuning->tool->json)
        printf("%s%s\n", choice, known ? "" : timed ? ", timed" : ", not timed");
    free(choice);
    free(rule);
    free(text);
    return code;
}

static int tune_item(struct tuning *tuning, const struct suite_item *item, json_t *answer)
{
    char *given = in_math(item->problem, tuning->options->math);
    anydnnProblem_t problem = NULL;
    char *words = NULL;
    int code = tool_parse(tuning->tool, given, &problem, &words);

    if (!tuning->tool->json)
        printf("%s: ", item->layer);
    json_object_set_new(answer, "layer", tool_json_text(item->layer));
    json_object_set_new(answer, "problem", tool_json_text(words));
    if (code == TOOL_FINE)
        code = time_problem(tuning, problem, words, answer);
    if (code != TOOL_FINE) {
        tuning->failed++;
        if (!tuning->tool->json)
            printf("no backend runs it\n");
    }
    anydnnProblemDestroy(problem);
    free(words);
    free(given);
    return code;
}

/* ---- all */

static void tell_progress(const struct tuning *tuning, const struct suite *suite, int at)
{
    char what[100];
    double left = at > 0 ? (seconds() - tuning->began) / at * (suite->count - at) : 0;

    if (at == 0)
        snprintf(what, sizeof(what), "%.50s", suite->item[at].layer);
    else
        snprintf(what, sizeof(what), "about %.0f s left, %.30s", left, suite->item[at].layer);
    tool_progress(at, suite->count, what);
}

static int tune_all(struct tuning *tuning, const struct suite *suite)
{
    json_t *answers = json_array();
    int worst = TOOL_FINE;

    for (int i = 0; i < suite->count; i++) {
        json_t *answer = json_object();
        int code;

        tell_progress(tuning, suite, i);
        tool_progress_end();
        code = tune_item(tuning, &suite->item[i], answer);
        worst = code > worst ? code : worst;
        json_array_append_new(answers, answer);
        fflush(stdout);
    }
    if (tuning->tool->json)
        return tool_print_json(tuning->tool, answers) != TOOL_FINE ? TOOL_FAILED : worst;
    json_decref(answers);
    printf("%d problems: %d timed in %.1f s, %d known before, %d not timed, %d failed\n",
           suite->count, tuning->timed, seconds() - tuning->began, tuning->known,
           suite->count - tuning->timed - tuning->known - tuning->failed, tuning->failed);
    return worst;
}

/* Stores the name of the tuning file; the caller frees it. Fails for `tuning = off`, which would
 * keep nothing. */
static int locate_file(struct tool *tool, char **file)
{
    int count = 0;

    if (anydnnGetSettingCount(&count) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    for (int i = 0; i < count && *file == NULL; i++) {
        char *key = tool_ask(anydnnGetSettingInfo, i, "key");

        if (key != NULL && strcmp(key, "tuning") == 0)
            *file = tool_ask(anydnnGetSettingInfo, i, "value");
        free(key);
    }
    return *file == NULL || strcmp(*file, "off") == 0
               ? tool_fail(tool, TOOL_USAGE,
                           "no tuning file: give --tuning FILE, or the setting `tuning`")
               : TOOL_FINE;
}

static int prune(struct tool *tool, const char *file, int arguments)
{
    struct tuning_pruned pruned = {0, 0};
    int code;

    if (arguments > 0)
        return tool_fail(tool, TOOL_USAGE, "--prune takes no problems");
    code = tool_tuning_prune(tool, file, &pruned);
    if (code != TOOL_FINE)
        return code;
    if (tool->json)
        return tool_print_json(tool,
                               json_pack("{s:i,s:i}", "gone", pruned.gone, "kept", pruned.kept));
    printf("%s: %d records of other versions removed, %d kept\n", file, pruned.gone, pruned.kept);
    return TOOL_FINE;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct options options = {.math = NULL};
    struct tuning tuning = {.tool = tool, .options = &options};
    struct suite suite = {.count = 0};
    char *file = NULL;
    int first, taken;
    int code = tool_options(tool, &tool_tune, &options, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    code = locate_file(tool, &file);
    if (code != TOOL_FINE || options.prune) {
        code = code != TOOL_FINE ? code : prune(tool, file, argc - first);
        free(file);
        return code;
    }
    free(file);
    taken = suite_arguments(argc - first, argv + first);
    if (taken < argc - first)
        return tool_fail(tool, TOOL_USAGE,
                         "`%s` is not part of a problem; words of a problem are KEY=VALUE",
                         argv[first + taken]);
    code = suite_open(tool, &options.suite, argc - first, argv + first, &suite);
    if (code == TOOL_FINE)
        code = tool_handle(tool, &tuning.handle);
    tuning.began = seconds();
    if (code == TOOL_FINE)
        code = tune_all(&tuning, &suite);
    if (tuning.handle != NULL)
        anydnnDestroy(tuning.handle);
    suite_close(&suite);
    return code;
}

const struct tool_command tool_tune = {
    "tune", "SUITE | FILE | PROBLEM | -",
    "Times the backends of the routes and stores the fastest in the tuning file.", option_table,
    run};
