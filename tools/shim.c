/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn shim: lists which cuDNN functions programs import, and what runs them here. */
#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"

struct scan {
    json_t *imported; /* names */
    json_t *needed;   /* libraries named libcudnn... */
    int own;          /* cuDNN 7 functions that the file defines itself */
    struct shim_built built;
    struct shim_nine nine;
};

/* Returns 1 for names of functions: "cudnn" and a capital letter. */
static int is_cudnn(const char *name)
{
    return strncmp(name, "cudnn", 5) == 0 && name[5] >= 'A' && name[5] <= 'Z';
}

static void see_symbol(void *cookie, const char *name, int defined)
{
    struct scan *scan = cookie;

    if (defined) {
        scan->own += shim_lookup(name) != NULL;
        return;
    }
    shim_built_import(&scan->built, name);
    if (is_cudnn(name))
        json_array_append_new(scan->imported, tool_json_text(name));
    else if (shim_is_ported(name))
        json_array_append_new(scan->imported, json_sprintf("cudnn%s", name + strlen(SHIM_PORTED)));
}

static void see_library(void *cookie, const char *library)
{
    struct scan *scan = cookie;

    shim_built_needed(&scan->built, library);
    if (strcmp(library, "libcudnn.so.9") == 0)
        scan->nine.linked = 1;
    if (strncmp(library, "libcudnn", 8) == 0)
        json_array_append_new(scan->needed, tool_json_text(library));
}

static void see_version(void *cookie, const char *node)
{
    struct scan *scan = cookie;

    shim_built_version(&scan->built, node);
}

static void see_run_path(void *cookie, const char *folders, int before)
{
    struct scan *scan = cookie;
    char **member = before ? &scan->nine.rpath : &scan->nine.runpath;

    if (*member == NULL)
        *member = strdup(folders);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the sorted names, and NULL after them. The caller frees the list; the array owns the
 * strings. */
static const char **in_order(const json_t *array)
{
    size_t count = json_array_size(array);
    const char **names = tool_alloc((count + 1) * sizeof(*names));

    for (size_t i = 0; i < count; i++)
        names[i] = json_string_value(json_array_get(array, i));
    names[count] = NULL;
    qsort(names, count, sizeof(*names), by_name);
    return names;
}

/* ---- the backend of a function */

/* Returns the backend that a new handle would use for the problem, or NULL if there is none. The
 * caller frees it. */
static char *backend_of(anydnnHandle_t handle, const char *text)
{
    anydnnProblem_t problem = NULL;
    char *explained = NULL;
    char *backend = NULL;
    const char *choice;

    if (anydnnProblemParse(text, &problem) == ANYDNN_STATUS_SUCCESS)
        explained = tool_ask_problem(handle, problem);
    choice = explained != NULL ? strstr(explained, "\nchoice: ") : NULL;
    if (choice != NULL) {
        size_t length = strcspn(choice + 9, " \n");

        backend = tool_alloc(length + 1);
        memcpy(backend, choice + 9, length);
        backend[length] = '\0';
    }
    free(explained);
    anydnnProblemDestroy(problem);
    return backend;
}

static json_t *answer_for(anydnnHandle_t handle, const char *name)
{
    const struct shim_name *known = shim_lookup(name);
    const char *problem = shim_problem(name);
    json_t *object = json_object();

    json_object_set_new(object, "name", tool_json_text(name));
    json_object_set_new(object, "known", json_boolean(known != NULL));
    json_object_set_new(object, "runs", json_boolean(known != NULL && known->runs));
    if (known != NULL && known->runs && problem != NULL) {
        json_t *backend = tool_json_take(backend_of(handle, problem));

        json_object_set_new(object, "problem", json_string(problem));
        json_object_set_new(object, "backend", backend != NULL ? backend : json_null());
    }
    return object;
}

static void print_answer(const json_t *object)
{
    const json_t *backend = json_object_get(object, "backend");
    const char *what = "anydnn itself";

    if (!json_is_true(json_object_get(object, "known")))
        what = "not a function of cuDNN 7.6.5";
    else if (!json_is_true(json_object_get(object, "runs")))
        what = "answers CUDNN_STATUS_NOT_SUPPORTED";
    else if (json_is_null(backend))
        what = "no installed backend runs it";
    else if (backend != NULL)
        what = json_string_value(backend);
    printf("  %-56s %s\n", tool_text_of(object, "name"), what);
}

/* ---- scanning a file */

/* Returns a remark on a file without imports: it may contain cuDNN, or open it by name. */
static const char *remark(const struct scan *scan)
{
    const char *library = json_string_value(json_array_get(scan->needed, 0));

    if (library != NULL && strcmp(library, "libcudnn.so.7") != 0)
        return "it is linked to another version than cuDNN 7: recompile it "
               "(docs/porting-from-cudnn.md)";
    if (scan->own > 0)
        return "it contains cuDNN functions itself, which cannot be replaced";
    if (json_array_size(scan->imported) == 0)
        return "libraries opened with dlopen are not shown";
    return NULL;
}

static void print_file(const char *file, const json_t *answer, size_t lacking)
{
    const json_t *functions = json_object_get(answer, "functions");
    size_t count = json_array_size(functions);
    const char *said = tool_text_of(answer, "remark");
    const char *built = tool_text_of(answer, "built");

    printf("%s imports %zu function%s of cuDNN", file, count, count == 1 ? "" : "s");
    if (count > 0)
        printf("; %zu of them run%s, on device %s", count - lacking,
               count - lacking == 1 ? "s" : "", tool_text_of(answer, "device"));
    printf("\n");
    if (*built != '\0')
        printf("  built %s\n", built);
    if (*said != '\0')
        printf("  %s\n", said);
    for (size_t i = 0; i < count; i++)
        print_answer(json_array_get(functions, i));
}

/* Fills in the answer for a file of cuDNN 7. Returns the number of functions that do not run. */
static size_t answer_seven(anydnnHandle_t handle, const struct scan *scan, const char **names,
                           json_t *answer)
{
    json_t *functions = json_object_get(answer, "functions");
    char device[64] = "";
    size_t lacking = 0;

    for (size_t i = 0; i < json_array_size(scan->imported); i++) {
        json_t *object = answer_for(handle, names[i]);

        lacking += !json_is_true(json_object_get(object, "runs")) ||
                   json_is_null(json_object_get(object, "backend"));
        json_array_append_new(functions, object);
    }
    anydnnGetDevice(handle, device, sizeof(device));
    json_object_set_new(answer, "device", tool_json_text(device));
    json_object_set_new(answer, "remark", tool_json_text(remark(scan)));
    return lacking;
}

/* Returns 1 if the file is one of cuDNN 9: by what it needs, by its symbols, or, if it imports
 * none, by a name in its data. */
static int is_nine(struct scan *scan, const char *file)
{
    int named = scan->built.library == 0 && json_array_size(scan->imported) == 0 &&
                scan->own == 0 && shim_nine_strings(&scan->nine, file);

    return scan->built.library == 9 || named;
}

static int answer_file(struct tool *tool, anydnnHandle_t handle, struct scan *scan,
                       const char *file, json_t *answer)
{
    const char **names = in_order(scan->imported);
    int nine = is_nine(scan, file);
    char built[300];
    size_t lacking;

    json_object_set(answer, "needed", scan->needed);
    shim_built_for(&scan->built, built, sizeof(built));
    json_object_set_new(answer, "built", tool_json_text(*built != '\0' ? built : NULL));
    json_object_set_new(answer, "functions", json_array());
    lacking = nine ? shim_nine_answer(&scan->nine, file, names, answer)
                   : answer_seven(handle, scan, names, answer);
    free(names);
    if (!tool->json && nine)
        shim_nine_print(file, answer);
    else if (!tool->json)
        print_file(file, answer, lacking);
    return lacking > 0 || (scan->own > 0 && !nine) ? TOOL_FAILED : TOOL_FINE;
}

static int read_file(struct tool *tool, anydnnHandle_t handle, const char *file, json_t *answer)
{
    struct scan scan = {.imported = json_array(), .needed = json_array()};
    const struct elf_visitor visitor = {.symbol = see_symbol,
                                        .needed = see_library,
                                        .cookie = &scan,
                                        .version = see_version,
                                        .run_path = see_run_path};
    struct elf_facts facts;
    int code;

    shim_built_start(&scan.built);
    code = elf_read(tool, file, file, &visitor, &facts);
    if (code == TOOL_FINE)
        code = answer_file(tool, handle, &scan, file, answer);
    json_object_set_new(answer, "file", tool_json_text(file));
    free(scan.nine.rpath);
    free(scan.nine.runpath);
    json_decref(scan.imported);
    json_decref(scan.needed);
    return code;
}

static const struct tool_option no_options[] = {TOOL_OPTIONS_END};

static int run(struct tool *tool, int argc, char **argv)
{
    anydnnHandle_t handle = NULL;
    json_t *answers;
    int first;
    int code = tool_options(tool, &tool_shim, NULL, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (first == argc)
        return tool_fail(tool, TOOL_USAGE,
                         "missing FILE; anydnn shim takes programs and libraries");
    code = tool_handle(tool, &handle);
    answers = json_array();
    for (int i = first; i < argc && handle != NULL; i++) {
        json_t *answer = json_object();
        int one = read_file(tool, handle, argv[i], answer);

        if (one != TOOL_FINE)
            code = one;
        json_array_append_new(answers, answer);
    }
    anydnnDestroy(handle);
    if (!tool->json)
        json_decref(answers);
    else if (tool_print_json(tool, answers) != TOOL_FINE)
        return TOOL_FAILED;
    return code;
}

const struct tool_command tool_shim = {
    "shim",     "FILE...", "Shows the cuDNN functions that programs import, and what runs them.",
    no_options, run,       0};
