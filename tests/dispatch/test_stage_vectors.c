/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs every case of tests/vectors staged and compares the result bit for bit with a direct run
 * of cpu_ref, including gaps, guard zones and inputs. The paths are: host to a device backend
 * (mock_mirror), device to cpu_ref, and device to device. mock_dropout runs dropout with its own
 * random numbers. Prints a TAP line per file and path. Arguments, if any, name the files to run
 * instead.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/handle/global.h"
#include "tests/conformance/problem_run.h"
#include "tools/verify/cases/vec_reader.h"
#include "tools/verify/cases/vec_types.h"

struct way {
    const char *name;
    const char *device;
    const char *route;
    const char *backend;
    const char *staged_on;
    int32_t staging;
    const char *only; /* operations that it supports, for f32 and f64; NULL: all, for all types */
    anydnnHandle_t handle;
};

static struct way ways[] = {
    {"host to device", "cpu", "mock_mirror, cpu_ref", "mock_mirror", "mockdev:0",
     ADN_STAGING_LISTED, NULL, NULL},
    {"device to host", "mockdev", "cpu_ref", "cpu_ref", "cpu", ADN_STAGING_LAST, NULL, NULL},
    {"device to device", "mockfar", "mock_mirror", "mock_mirror", "mockdev:0", ADN_STAGING_LAST,
     NULL, NULL},
    {"a second dropout", "cpu", "mock_dropout", "mock_dropout", "mockdev:0", ADN_STAGING_LISTED,
     "dropout_", NULL},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct adn_global *global;
static anydnnHandle_t plain;

static struct {
    int cases;
    int declined; /* declined by cpu_ref itself */
    int ran[WAYS];
    int failed[WAYS];
    int turn; /* every second case is misaligned */
} tally;

/* ------------------------------------------------------------------ running */

static int say(struct prun *run, const char *what)
{
    char why[900] = "";

    anydnnGetLastErrorString(why, sizeof(why));
    snprintf(run->error, sizeof(run->error), "%s: %s", what, why);
    return -1;
}

static int feed(struct prun *run, const struct vec_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct prun_operand *operand = prun_find(run, list->at[i].role);

        if (!operand || operand->count != list->at[i].count)
            return say(run, list->at[i].role);
        prun_set(operand, list->at[i].value);
    }
    return 0;
}

static int prepare(struct prun *run, anydnnHandle_t handle, const struct vec_case *vec,
                   const char *text)
{
    return prun_open(run, handle, text, tally.turn & 1) || feed(run, &vec->in) ||
                   feed(run, &vec->prior)
               ? -1
               : 0;
}

/* Copies the blocks with their guard zones to the device and back, except operands that are
 * always in host memory. */
static int execute_on_device(struct prun *run)
{
    char *memory[PRUN_OPERANDS] = {NULL};
    int stays[PRUN_OPERANDS] = {0}, result = 0;

    for (int i = 0; i < run->count && result == 0; i++) {
        struct prun_operand *operand = &run->operand[i];

        if (anydnnProblemGetOperandHost(run->problem, i, &stays[i]))
            result = say(run, "anydnnProblemGetOperandHost");
        else if (operand->alias < 0 && !stays[i] &&
                 (anydnnMemAlloc(run->handle, operand->bytes, (void **)&memory[i]) ||
                  anydnnMemCopy(run->handle, memory[i], operand->block, operand->bytes,
                                ANYDNN_MEMCPY_HOST_TO_DEVICE)))
            result = say(run, "to the device");
    }
    for (int i = 0; i < run->count; i++) {
        int owner = run->operand[i].alias < 0 ? i : run->operand[i].alias;

        run->pointers[i] = memory[owner] + (run->operand[owner].data - run->operand[owner].block);
        if (stays[i])
            run->pointers[i] = run->operand[i].data;
    }
    if (result == 0 && anydnnProblemExecute(run->handle, run->problem, run->pointers, NULL, 0) != 0)
        result = say(run, "anydnnProblemExecute");
    for (int i = 0; i < run->count; i++) {
        if (result == 0 && memory[i] &&
            anydnnMemCopy(run->handle, run->operand[i].block, memory[i], run->operand[i].bytes,
                          ANYDNN_MEMCPY_DEVICE_TO_HOST))
            result = say(run, "from the device");
        anydnnMemFree(run->handle, memory[i]);
    }
    return result;
}

static int ran_as_meant(struct prun *run, const struct way *way)
{
    char backend[40] = "", device[40] = "";

    anydnnGetDispatchInfo(run->handle, "backend", backend, sizeof(backend));
    anydnnGetDispatchInfo(run->handle, "staged_on", device, sizeof(device));
    if (strcmp(backend, way->backend) == 0 && strcmp(device, way->staged_on) == 0)
        return 0;
    snprintf(run->error, sizeof(run->error), "%s ran it on `%s`", backend, device);
    return -1;
}

static int same_blocks(const struct prun *want, struct prun *got)
{
    for (int i = 0; i < want->count; i++) {
        const struct prun_operand *a = &want->operand[i];
        const struct prun_operand *b = &got->operand[i];

        for (size_t at = 0; a->block && at < a->bytes; at++)
            if (a->block[at] != b->block[at]) {
                snprintf(got->error, sizeof(got->error),
                         "%s: another byte, %ld bytes from the first", a->role,
                         (long)at - (long)(a->data - a->block));
                return -1;
            }
    }
    return 0;
}

static void run_way(size_t number, const struct prun *want, const struct vec_case *vec,
                    const char *text)
{
    const struct way *way = &ways[number];
    struct prun run;
    int result;

    tally.ran[number]++;
    global->settings->staging = way->staging;
    result = prepare(&run, way->handle, vec, text);
    if (result == 0)
        result = strcmp(way->device, "cpu") == 0 ? prun_execute(&run, 0) : execute_on_device(&run);
    if (result == 0)
        result = ran_as_meant(&run, way);
    if (result == 0)
        result = same_blocks(want, &run);
    if (result != 0) {
        tally.failed[number]++;
        printf("# %s, %s: %s\n# %s\n", way->name, vec->name, run.error, text);
    }
    prun_close(&run);
}

static int has(const struct way *way, const char *text)
{
    return !way->only ||
           (strncmp(text, way->only, strlen(way->only)) == 0 && !strstr(text, "f16:"));
}

static void run_case(const struct vec_case *vec, const char *text)
{
    struct prun want;

    tally.cases++;
    tally.turn++;
    if (prepare(&want, plain, vec, text) || prun_execute(&want, 0)) {
        tally.declined++;
        printf("# cpu_ref itself: %s\n", want.error);
    } else {
        for (size_t i = 0; i < WAYS; i++)
            if (has(&ways[i], text))
                run_way(i, &want, vec, text);
    }
    prun_close(&want);
}

static void run_types(const struct vec_case *vec)
{
    char *types = strdup(vec->types ? vec->types : VEC_TYPES_DEFAULT);
    char *save = NULL;

    for (char *word = types ? strtok_r(types, " ", &save) : NULL; word;
         word = strtok_r(NULL, " ", &save)) {
        char *text = vec_as_type(vec->problem, word, vec->wide);

        if (text)
            run_case(vec, text);
        free(text);
    }
    free(types);
}

/* Returns 1 if all cases of the file had equal results. */
static int run_file(const char *path, int *lines)
{
    const char *slash = strrchr(path, '/');
    struct vec_reader reader;
    struct vec_case vec;
    int more = vec_open(&reader, path) ? -1 : 1;
    int passed = 1;

    memset(&tally, 0, offsetof(__typeof__(tally), turn));
    while (more > 0 && (more = vec_next(&reader, &vec)) > 0) {
        run_types(&vec);
        vec_case_clear(&vec);
    }
    if (more < 0)
        printf("# %s\n", reader.error);
    for (size_t i = 0; i < WAYS; i++) {
        int good = more == 0 && tally.declined == 0 && tally.cases > 0 && tally.failed[i] == 0;

        if (ways[i].only && tally.ran[i] == 0)
            continue;
        printf("%sok %d - %s, %s: %d cases\n", good ? "" : "not ", ++*lines,
               slash ? slash + 1 : path, ways[i].name, tally.ran[i]);
        passed &= good;
    }
    vec_close(&reader);
    return passed;
}

/* ------------------------------------------------------------------ the process */

static int open_handle(anydnnHandle_t *handle, const char *device, const char *route)
{
    char why[900] = "";

    if (anydnnCreateOnDevice(handle, device) == 0 && anydnnSetRoute(*handle, "*", NULL, route) == 0)
        return 0;
    anydnnGetLastErrorString(why, sizeof(why));
    fprintf(stderr, "a handle on %s for %s: %s\n", device, route, why);
    return -1;
}

/* Writes the settings. The mirror requires alignment and workspace that only the arena provides. */
static int configure(void)
{
    const char *plugins = getenv("ANYDNN_TEST_PLUGINDIR");
    const char *mocks = getenv("ANYDNN_TEST_MOCKDIR");
    char path[] = "/tmp/anydnn-stage-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int result;

    if (!file || !plugins || !mocks)
        return -1;
    fprintf(file,
            "[anydnn]\nplugin_path = %s:%s\nlog = error\n[plugin mock_mirror]\n"
            "set.of = %s/anydnn_cpu_ref.so\nset.alignment = 256\nset.workspace = 70000\n"
            "[route]\n* = cpu_ref, mock_mirror, mock_far, mock_dropout\n",
            mocks, plugins, plugins);
    fclose(file);
    setenv("ANYDNN_CONFIG", path, 1);
    result = open_handle(&plain, "cpu", "cpu_ref");
    unlink(path);
    for (size_t i = 0; i < WAYS && result == 0; i++)
        result = open_handle(&ways[i].handle, ways[i].device, ways[i].route);
    return result == 0 && adn_global_get("test", &global) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    const char *source = getenv("ANYDNN_TEST_SRCDIR");
    char pattern[1024];
    int lines = 0, passed = 1;
    glob_t found = {0};

    if (configure() != 0)
        return 1;
    snprintf(pattern, sizeof(pattern), "%s/tests/vectors/*.vec", source ? source : ".");
    if (argc < 2 && glob(pattern, 0, NULL, &found) != 0)
        return 1;
    for (int i = 1; i < argc; i++)
        passed &= run_file(argv[i], &lines);
    for (size_t i = 0; i < found.gl_pathc; i++)
        passed &= run_file(found.gl_pathv[i], &lines);
    globfree(&found);
    printf("1..%d\n", lines);
    for (size_t i = 0; i < WAYS; i++)
        anydnnDestroy(ways[i].handle);
    anydnnDestroy(plain);
    return passed ? 0 : 1;
}
