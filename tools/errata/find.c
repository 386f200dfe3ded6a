/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for wrong engines: a contest over the problems of a suite, in which each engine that
 * runs is judged (tune_check = all). The library's warnings name those that fail. */
#include "tools/errata/errata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding {
    struct tool *tool;
    const char *backend;
    json_t *found;
};

/* Returns a copy of the text between two marks, or of all behind the first one if the second is
 * NULL. Returns NULL if a mark is missing. */
static char *between(const char *text, const char *begin, const char *end)
{
    const char *from = strstr(text, begin), *to;
    char *part;

    if (from == NULL)
        return NULL;
    from += strlen(begin);
    to = end != NULL ? strstr(from, end) : from + strcspn(from, "\n");
    if (to == NULL)
        return NULL;
    part = tool_alloc((size_t)(to - from) + 1);
    memcpy(part, from, (size_t)(to - from));
    part[to - from] = '\0';
    return part;
}

/* Prints the words of an engine as keys. */
static void print_engine(const char *engine)
{
    const char *words = strchr(engine, '(');
    const char *lead = "knobs = ";

    if (words == NULL) {
        printf("engine = %s\n", engine);
        return;
    }
    for (words++; *words != '\0' && *words != ')';) {
        int length = (int)strcspn(words, " )");

        if (strncmp(words, "engine=", 7) == 0)
            printf("engine = %.*s\n", length - 7, words + 7);
        words += length;
        words += *words == ' ';
    }
    for (words = strchr(engine, '(') + 1; *words != '\0' && *words != ')';) {
        int length = (int)strcspn(words, " )");

        if (strncmp(words, "engine=", 7) != 0) {
            printf("%s%.*s", lead, length, words);
            lead = " ";
        }
        words += length;
        words += *words == ' ';
    }
    if (lead[0] == ' ')
        printf("\n");
}

/* Writes the entry's id: a number of the backend, the engine and the problem. Files of several
 * searches can so stand beside each other, where one id would replace the other. */
static void write_id(const struct finding *finding, const char *engine, const char *problem,
                     char *id, size_t size)
{
    /* The backend's own number of the engine does not count if the engine has a name. */
    const char *const texts[] = {finding->backend,
                                 strchr(engine, '(') ? strchr(engine, '(') : engine, problem};
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        for (const char *at = texts[i];; at++) {
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
            if (*at == '\0')
                break;
        }
    snprintf(id, size, "found-%016" PRIx64, hash);
}

/* Returns 1 if the entry was found before. A problem may occur twice in a suite. */
static int is_known(const struct finding *finding, const char *id)
{
    for (size_t i = 0; i < json_array_size(finding->found); i++)
        if (strcmp(tool_text_of(json_array_get(finding->found, i), "id"), id) == 0)
            return 1;
    return 0;
}

static void print_entry(const struct finding *finding, const char *id, const char *engine,
                        const char *sentence, const char *problem)
{
    printf("[%s]\nbackend = %s\n", id, finding->backend);
    printf("operations = %.*s\n", (int)strcspn(problem, " "), problem);
    print_engine(engine);
    printf("verdict = %s\nsource = %s\nproblem = %s\n\n",
           strstr(sentence, "outside") != NULL          ? "writes_outside"
           : strstr(sentence, "different bits") != NULL ? "nondeterministic"
           : strstr(sentence, "nan;") != NULL           ? "nan"
                                                        : "wrong",
           sentence, problem);
    fflush(stdout);
}

/* Takes a warning of the library about an engine. */
static void take(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                 const char *text)
{
    struct finding *finding = user;
    char *engine = between(text, " engine ", " gives wrong results"), *sentence, *problem;
    char id[32];

    (void)severity;
    (void)debug;
    if (engine == NULL)
        return;
    sentence = between(text, "is skipped: ", ". Problem: ");
    problem = between(text, ". Problem: ", NULL);
    if (sentence != NULL && problem != NULL)
        write_id(finding, engine, problem, id, sizeof(id));
    if (sentence != NULL && problem != NULL && !is_known(finding, id)) {
        json_t *item = json_object();

        json_object_set_new(item, "id", tool_json_text(id));
        json_object_set_new(item, "backend", tool_json_text(finding->backend));
        json_object_set_new(item, "engine", tool_json_text(engine));
        json_object_set_new(item, "sentence", tool_json_text(sentence));
        json_object_set_new(item, "problem", tool_json_text(problem));
        json_array_append_new(finding->found, item);
        if (!finding->tool->json)
            print_entry(finding, id, engine, sentence, problem);
    }
    free(engine);
    free(sentence);
    free(problem);
}

/* Holds the contest for one problem. A workspace query does so without operands. Problems that the
 * backend declines count as nothing found. */
static void compete(struct finding *finding, const struct suite_item *item)
{
    anydnnProblem_t problem = NULL;
    anydnnHandle_t handle = NULL;
    char *words = NULL, route[200];
    size_t bytes;

    if (tool_parse(finding->tool, item->problem, &problem, &words) == TOOL_FINE &&
        tool_handle(finding->tool, &handle) == TOOL_FINE) {
        snprintf(route, sizeof(route), "fastest, %s, cpu_ref", finding->backend);
        if (anydnnSetRoute(handle, "*", NULL, route) == ANYDNN_STATUS_SUCCESS)
            anydnnProblemGetWorkspaceSize(handle, problem, &bytes);
        anydnnDestroy(handle);
    }
    anydnnProblemDestroy(problem);
    free(words);
}

int errata_find(struct tool *tool, const struct errata_options *options, int argc, char **argv)
{
    struct finding finding = {tool, options->find, NULL};
    struct suite suite = {.count = 0};
    int code;

    if (argc < 1)
        return tool_fail(tool, TOOL_USAGE, "--find=%s: takes a suite, a file or a problem",
                         options->find);
    /* The contests must not read or write what other contests found. */
    setenv("ANYDNN_TUNE_CHECK", "all", 1);
    setenv("ANYDNN_TUNING", "off", 1);
    if (tool_backend_index(options->find) < 0)
        return tool_fail(tool, TOOL_USAGE, "--find=%s: no backend of this name is installed",
                         options->find);
    code = suite_open(tool, &options->suite, argc, argv, &suite);
    finding.found = json_array();
    anydnnSetCallback(ANYDNN_SEV_WARNING_EN, &finding, take);
    for (int i = 0; i < suite.count && code == TOOL_FINE; i++)
        compete(&finding, &suite.item[i]);
    anydnnSetCallback(0, NULL, NULL);
    if (code == TOOL_FINE && !tool->json)
        printf("# %d problems, %zu engines with wrong results\n", suite.count,
               json_array_size(finding.found));
    if (json_array_size(finding.found) > 0)
        code = TOOL_FAILED;
    suite_close(&suite);
    if (tool->json && code != TOOL_USAGE)
        return tool_print_json(tool, finding.found) != TOOL_FINE ? TOOL_FAILED : code;
    json_decref(finding.found);
    return code;
}
