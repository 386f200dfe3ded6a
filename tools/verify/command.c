/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn verify: checks any backend against its contract and checks its results. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "tools/verify/verify.h"

#define CASE_LIMIT    30
#define SUITE_LIMIT   600 /* of a case of a suite, whose layers are large */
#define PROCESSES_MAX 1000

/* ---- options */

static int check_operation(struct tool *tool, void *own, const char *value)
{
    int count;
    const char *const *names = adn_operation_names(&count);
    size_t length = strlen(value);
    const char *near;

    (void)own;
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], value) == 0 ||
            (length > 0 && value[length - 1] == '*' && strncmp(names[i], value, length - 1) == 0))
            return TOOL_FINE;
    near = adn_name_nearest(value, names, count);
    return tool_fail(tool, TOOL_USAGE, "--op=%s: unknown operation%s%s%s", value,
                     near != NULL ? "; did you mean " : "; ",
                     near != NULL ? near : "`anydnn info --operations` lists the operations",
                     near != NULL ? "?" : "");
}

static int check_type(struct tool *tool, void *own, const char *value)
{
    (void)own;
    if (adn_type_parse(value) < 0)
        return tool_fail(tool, TOOL_USAGE, "--type=%s: must be one of " ADN_TYPE_NAMES, value);
    return TOOL_FINE;
}

static int set_shard(struct tool *tool, void *own, const char *value)
{
    struct verify_options *options = own;
    char rest;

    if (sscanf(value, "%d/%d%c", &options->shard, &options->shards, &rest) != 2 ||
        options->shard < 1 || options->shard > options->shards)
        return tool_fail(tool, TOOL_USAGE, "--shard=%s: must be I/N, the I-th of N parts", value);
    return TOOL_FINE;
}

static int check_vectors(struct tool *tool, void *own, const char *value)
{
    (void)own;
    if (access(value, R_OK | X_OK) != 0)
        return tool_fail(tool, TOOL_USAGE, "--vectors=%s: %s", value, strerror(errno));
    return TOOL_FINE;
}

static const struct tool_option options_table[] = {
    {"quick", NULL, "check fewer layouts of each shape and two engines of each problem",
     TOOL_KEEP_FLAG(verify_options, quick)},
    {"small", NULL, "like --quick without the long sums, for slow backends",
     TOOL_KEEP(verify_options, quick, TOOL_FLAG), .low = 2},
    {"op", "OPERATION", "check only this operation; PREFIX* for several",
     TOOL_KEEP(verify_options, operation, TOOL_TEXT), .set = check_operation},
    {"type", "TYPE", "check only this element type", TOOL_KEEP(verify_options, type, TOOL_TEXT),
     .set = check_type},
    {"shard", "I/N", "check only the I-th of N parts of the cases", .set = set_shard},
    {"processes", "N", "run the same cases in N processes at once on one device",
     TOOL_KEEP_NUMBER(verify_options, processes, 1, PROCESSES_MAX)},
    {"time-limit", "SECONDS", "stop after this time and report the cases not reached",
     TOOL_KEEP_NUMBER(verify_options, time_limit, 1, 1000000)},
    {"case-limit", "SECONDS", "time after which a case counts as hanging (30; 600 with --suite)",
     TOOL_KEEP_NUMBER(verify_options, case_limit, 1, 100000)},
    {"stop", NULL, "stop at the first failure", TOOL_KEEP_FLAG(verify_options, stop)},
    {"seed", "N", "seed of the random data (1)",
     TOOL_KEEP_NUMBER(verify_options, seed, 0, INT64_MAX)},
    {"problem", "PROBLEM", "run every check on this problem only",
     TOOL_KEEP(verify_options, problem, TOOL_TEXT)},
    {"erratum", "ID", "with --problem: check only the engines that this erratum concerns",
     TOOL_KEEP(verify_options, erratum, TOOL_TEXT)},
    {"suite", "SUITE",
     "check the layers of this suite, a name or a file, instead of the listed problems",
     TOOL_KEEP(verify_options, suite, TOOL_FILE)},
    {"batch", "N", "batch size of every layer of the suite (1)",
     TOOL_KEEP_NUMBER(suite_options, batch, 1, 1 << 20)},
    {"suites", "FOLDER", "look for suites there instead of the installed ones",
     TOOL_KEEP(suite_options, folder, TOOL_TEXT)},
    {"fuzz", "N", "check N random problems instead of the listed ones, by --seed",
     TOOL_KEEP_NUMBER(verify_options, fuzz, 1, 10000000)},
    {"vectors", "FOLDER", "look for golden vectors there instead of the installed ones",
     TOOL_KEEP(verify_options, vectors, TOOL_TEXT), .set = check_vectors},
    TOOL_OPTIONS_END};

/* ---- the backend */

char *verify_installed(const char *name)
{
    char *found = NULL;
    int count = 0;

    if (anydnnGetBackendCount(&count) != ANYDNN_STATUS_SUCCESS)
        return NULL;
    for (int i = 0; i < count && found == NULL; i++) {
        char *text = tool_ask(anydnnGetBackendInfo, i, "name");

        if (text != NULL && strcmp(text, name) == 0)
            found = tool_ask(anydnnGetBackendInfo, i, "path");
        free(text);
    }
    if (found != NULL && found[0] == '\0') {
        free(found);
        found = NULL;
    }
    return found;
}

/* Accepts a file. The backend's name is the part between anydnn_ and .so. */
static int take_file(struct tool *tool, struct verify_options *options, const char *given)
{
    char path[PATH_MAX];
    const char *file;
    size_t length;

    if (realpath(given, path) == NULL)
        return tool_fail(tool, TOOL_USAGE, "%s: no such file", given);
    file = strrchr(given, '/');
    file = file != NULL ? file + 1 : given;
    length = strlen(file);
    if (length <= 10 || strncmp(file, "anydnn_", 7) != 0 || strcmp(file + length - 3, ".so") != 0)
        return tool_fail(tool, TOOL_USAGE, "%s: a backend's file must be named anydnn_NAME.so",
                         given);
    options->by_path = 1;
    options->path = strdup(path);
    options->name = strdup(file + 7);
    options->name[length - 10] = '\0';
    return TOOL_FINE;
}

static int locate_backend(struct tool *tool, struct verify_options *options, const char *given)
{
    size_t length = strlen(given);

    if (strchr(given, '/') != NULL || (length > 3 && strcmp(given + length - 3, ".so") == 0))
        return take_file(tool, options, given);
    options->name = strdup(given);
    options->path = verify_installed(given);
    if (options->path == NULL)
        return tool_fail(tool, TOOL_USAGE,
                         "%s: this backend is not installed (anydnn info lists the backends); a "
                         "file is given by its path",
                         given);
    return TOOL_FINE;
}

/* ---- the suite */

/* Writes the suite's problems as lines "LAYER PROBLEM" into a file that the children inherit. Their
 * arguments are too short for a large suite. */
static int read_suite(struct tool *tool, struct verify_options *options)
{
    char *argument = (char *)options->suite;
    int lines = memfd_create("suite", 0);
    struct suite suite;
    int code;

    if (options->problem != NULL || options->fuzz > 0)
        return tool_fail(tool, TOOL_USAGE,
                         "--suite=%s: names the problems, as --problem and --fuzz do; give one of "
                         "the three",
                         options->suite);
    if (options->layers.batch == 0)
        options->layers.batch = 1;
    code = suite_open(tool, &options->layers, 1, &argument, &suite);
    for (int i = 0; i < suite.count && code == TOOL_FINE; i++)
        if (dprintf(lines, "%s %s\n", suite.item[i].layer, suite.item[i].problem) < 0)
            code = tool_fail(tool, TOOL_FAILED, "--suite=%s: cannot be passed to the child: %s",
                             options->suite, strerror(errno));
    snprintf(options->suite_lines, sizeof(options->suite_lines), "/proc/self/fd/%d", lines);
    suite_close(&suite);
    return code;
}

/* ---- the command */

static int run_cases(struct tool *tool, struct verify_options *options)
{
    json_t *answer = json_object();
    int code = options->processes > 1 ? verify_gather_together(tool, options, answer)
                                      : verify_gather(tool, options, answer);
    const char *usage = tool_text_of(answer, "usage");

    if (code == TOOL_FINE && usage[0] != '\0')
        code = tool_fail(tool, TOOL_USAGE, "%s", usage);
    else if (code == TOOL_FINE)
        verify_finish(answer);
    if (code == TOOL_FINE && json_integer_value(json_object_get(answer, "failed")) > 0)
        code = TOOL_FAILED;
    if (code != TOOL_USAGE && tool->json)
        return tool_print_json(tool, answer) != TOOL_FINE ? TOOL_FAILED : code;
    if (code != TOOL_USAGE)
        verify_report(options, answer);
    json_decref(answer);
    return code;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct verify_options options = {.seed = 1, .processes = 1, .shard = 1, .shards = 1};
    char vectors[2 * PATH_MAX];
    int first;
    int code;

    if (argc > 1 && strcmp(argv[1], VERIFY_CHILD) == 0)
        return verify_child(argv + 2);
    code = tool_options(tool, &tool_verify, &options, argc, argv, &first);
    if (code != TOOL_GO_ON)
        return code;
    if (argc - first != 1)
        return tool_fail(
            tool, TOOL_USAGE,
            "anydnn verify requires one backend, by its name or by the path of its file");
    if (options.suite == NULL && (options.layers.batch > 0 || options.layers.folder != NULL))
        return tool_fail(tool, TOOL_USAGE, "--batch and --suites require --suite");
    if (options.case_limit == 0)
        options.case_limit = options.suite != NULL ? SUITE_LIMIT : CASE_LIMIT;
    code = locate_backend(tool, &options, argv[first]);
    if (code == TOOL_FINE && options.suite != NULL)
        code = read_suite(tool, &options);
    if (code == TOOL_FINE) {
        options.oracle = strcmp(options.name, "cpu_ref") == 0 && !options.by_path
                             ? strdup(options.path)
                             : verify_installed("cpu_ref");
        if (options.vectors == NULL)
            options.vectors =
                tool_data_folder(ANYDNN_VECTORSDIR, "vectors", vectors, sizeof(vectors));
        options.settings = verify_settings_read();
        code = run_cases(tool, &options);
        verify_settings_free(options.settings);
    }
    free(options.name);
    free(options.path);
    free(options.oracle);
    return code;
}

const struct tool_command tool_verify = {
    "verify", "BACKEND|PLUGIN.so",
    "Checks that a backend keeps its contract and computes right results.", options_table, run};
