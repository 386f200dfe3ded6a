/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how files of cuDNN 9 get the library, which real one runs their calls, and which
 * functions that one lacks. */
#include "shim.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf.h"

#include "cudnn9/search.h"

#define LIBRARY "libcudnn.so.9"

static const char *const known[] = {
#define ENTRY(name, result) #name,
#include "cudnn9/names.def"
#undef ENTRY
};

int shim_nine_strings(struct shim_nine *nine, const char *file)
{
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    struct stat status;
    const char *data = MAP_FAILED;
    const char *at;

    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size > 0)
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor >= 0)
        close(descriptor);
    if (data == MAP_FAILED)
        return 0;
    for (at = data; at != NULL;) {
        at = memmem(at, (size_t)status.st_size - (size_t)(at - data), LIBRARY, strlen(LIBRARY));
        if (at == NULL)
            break;
        if (at > data && at[-1] == '/')
            nine->by_path = 1;
        else
            nine->by_name = 1;
        at += strlen(LIBRARY);
    }
    munmap((void *)data, (size_t)status.st_size);
    return nine->by_path || nine->by_name;
}

/* ---- the real library */

struct found {
    char path[PATH_MAX];
    enum cudnn9_place place;
};

static void see_front(void *cookie, const char *name)
{
    *(int *)cookie |= strcmp(name, "anydnnCudnn9Real") == 0;
}

/* Takes the first file that is not anydnn's. */
static int take(void *cookie, const char *path, enum cudnn9_place place)
{
    struct found *found = cookie;
    int front = 0;
    const struct elf_visitor visitor = {.cookie = &front, .exported = see_front};
    struct elf_facts facts;

    if (elf_visit(path, &visitor, &facts) != 0 || front)
        return 0;
    snprintf(found->path, sizeof(found->path), "%s", path);
    found->place = place;
    return 1;
}

/* Searches as the library itself does, for a process that has loaded this file. */
static int find_real(const struct shim_nine *nine, const char *file, struct found *found)
{
    char path[PATH_MAX];
    const char *origin = realpath(file, path) != NULL ? path : file;

    found->path[0] = '\0';
    return cudnn9_each_in_run_path(origin, nine->rpath, CUDNN9_PLACE_RPATH, take, found) ||
           cudnn9_each_in_library_path(take, found) ||
           cudnn9_each_in_run_path(origin, nine->runpath, CUDNN9_PLACE_RUNPATH, take, found) ||
           cudnn9_each_in_system(take, found) || cudnn9_each_beside(origin, take, found) ||
           cudnn9_each_in_toolkit(take, found);
}

static void see_export(void *cookie, const char *name)
{
    if (strncmp(name, "cudnn", 5) == 0)
        json_object_set_new(cookie, name, json_true());
}

/* ---- the answer */

static int is_known(const char *name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i], name) == 0)
            return 1;
    return 0;
}

/* Returns how the file gets the library, and what comes before that. */
static const char *binding_of(const struct shim_nine *nine)
{
    if (nine->linked && nine->rpath != NULL)
        return "linked, with an RPATH: LD_PRELOAD comes before it, LD_LIBRARY_PATH does not";
    if (nine->linked && nine->runpath != NULL)
        return "linked, with a RUNPATH: LD_PRELOAD and LD_LIBRARY_PATH come before it";
    if (nine->linked)
        return "linked, without a run path: LD_PRELOAD or LD_LIBRARY_PATH selects the library";
    if (nine->by_name && nine->rpath != NULL)
        return "opened by name, with an RPATH: LD_PRELOAD comes before it, LD_LIBRARY_PATH does "
               "not";
    if (nine->by_name)
        return "opened by name: LD_PRELOAD or LD_LIBRARY_PATH selects the library";
    if (nine->by_path)
        return "opened by path: LD_PRELOAD serves only what opens it by name later";
    return "not shown: its symbols are of cuDNN 9";
}

size_t shim_nine_answer(const struct shim_nine *nine, const char *file, const char *const *names,
                        json_t *answer)
{
    json_t *exports = json_object();
    const struct elf_visitor visitor = {.cookie = exports, .exported = see_export};
    json_t *functions = json_object_get(answer, "functions");
    struct elf_facts facts;
    struct found found;
    size_t lacking = 0;

    if (find_real(nine, file, &found)) {
        (void)elf_visit(found.path, &visitor, &facts);
        json_object_set_new(answer, "real", tool_json_text(found.path));
        json_object_set_new(answer, "found", json_string(cudnn9_place_name(found.place)));
    }
    json_object_set_new(answer, "binds", json_string(binding_of(nine)));
    for (; *names != NULL; names++) {
        json_t *object = json_object();
        int runs = json_object_get(exports, *names) != NULL;

        lacking += !runs;
        json_object_set_new(object, "name", tool_json_text(*names));
        json_object_set_new(object, "known", json_boolean(is_known(*names)));
        json_object_set_new(object, "runs", json_boolean(runs));
        json_array_append_new(functions, object);
    }
    json_decref(exports);
    return lacking;
}

static void print_function(const json_t *function, int has_real)
{
    const char *what = "the real cuDNN";

    if (!json_is_true(json_object_get(function, "known")))
        what = "not a function of cuDNN 9.28.1";
    else if (!has_real)
        what = "answers CUDNN_STATUS_NOT_INITIALIZED";
    else if (!json_is_true(json_object_get(function, "runs")))
        what = "the real cuDNN lacks it";
    printf("  %-56s %s\n", tool_text_of(function, "name"), what);
}

void shim_nine_print(const char *file, const json_t *answer)
{
    const json_t *functions = json_object_get(answer, "functions");
    size_t count = json_array_size(functions);
    const char *real = tool_text_of(answer, "real");
    const char *built = tool_text_of(answer, "built");

    printf("%s imports %zu function%s of cuDNN\n", file, count, count == 1 ? "" : "s");
    if (*built != '\0')
        printf("  built %s\n", built);
    printf("  binds %s\n", tool_text_of(answer, "binds"));
    if (*real != '\0')
        printf("  calls go to %s (%s)\n", real, tool_text_of(answer, "found"));
    else
        printf("  no libcudnn.so.9 of cuDNN was found (anydnn doctor)\n");
    for (size_t i = 0; i < count; i++)
        print_function(json_array_get(functions, i), *real != '\0');
}
