/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the installations of cuDNN 9 on this machine. */
#include "doctor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cudnn9/search.h"

/* Adds the file unless a path to the same file is in the list. */
static int add(void *cookie, const char *path, enum cudnn9_place place)
{
    json_t *list = cookie;
    char *real = realpath(path, NULL);
    json_t *one;

    for (size_t i = 0; i < json_array_size(list) && real != NULL; i++)
        if (strcmp(tool_text_of(json_array_get(list, i), "real"), real) == 0) {
            free(real);
            return 0;
        }
    if (real == NULL)
        return 0;
    one = json_object();
    json_object_set_new(one, "file", tool_json_text(path));
    json_object_set_new(one, "real", tool_json_take(real));
    json_object_set_new(one, "found", json_string(cudnn9_place_name(place)));
    json_object_set_new(one, "problems", json_array());
    json_array_append_new(list, one);
    return 0;
}

/* Adds what lies in a folder, in an environment of Python below it, or is the file itself. */
static void add_root(json_t *list, const char *root)
{
    static const char *const below[] = {"", "/libcudnn.so.9", "/lib/libcudnn.so.9",
                                        "/lib64/libcudnn.so.9"};
    static const char *const sites[] = {"", "/lib/python3*/site-packages",
                                        "/lib/python3*/dist-packages"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
        if ((size_t)snprintf(path, sizeof(path), "%s%s", root, below[i]) < sizeof(path) &&
            strstr(path, "libcudnn.so") != NULL && access(path, R_OK) == 0)
            (void)add(list, path, CUDNN9_PLACE_NAMED);
    for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
        if ((size_t)snprintf(path, sizeof(path), "%s%s", root, sites[i]) < sizeof(path))
            (void)cudnn9_each_in_packages(path, add, list);
}

/* Adds the packages of the interpreter that PATH finds. */
static void add_interpreter(json_t *list)
{
    const char *at = getenv("PATH");
    char path[PATH_MAX];

    for (; at != NULL && *at != '\0'; at += strcspn(at, ":"), at += *at == ':') {
        int length = (int)strcspn(at, ":");
        char *real;

        if ((size_t)snprintf(path, sizeof(path), "%.*s/python3", length, at) >= sizeof(path) ||
            access(path, X_OK) != 0)
            continue;
        real = realpath(path, NULL);
        snprintf(path, sizeof(path), "%.*s/..", length, at);
        add_root(list, path);
        if (real != NULL && strrchr(real, '/') != NULL) {
            snprintf(path, sizeof(path), "%.*s/..", (int)(strrchr(real, '/') - real), real);
            add_root(list, path);
        }
        free(real);
        return;
    }
}

json_t *doctor_installed(char **roots, int count)
{
    static const char *const environments[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const char *home = getenv("HOME");
    json_t *list = json_array();
    char path[PATH_MAX];

    for (int i = 0; i < count; i++)
        add_root(list, roots[i]);
    if (count > 0)
        return list;
    (void)cudnn9_each_in_library_path(add, list);
    (void)cudnn9_each_in_system(add, list);
    for (size_t i = 0; i < sizeof(environments) / sizeof(environments[0]); i++)
        if (getenv(environments[i]) != NULL)
            add_root(list, getenv(environments[i]));
    add_interpreter(list);
    if (home != NULL && (size_t)snprintf(path, sizeof(path), "%s/.local", home) < sizeof(path))
        add_root(list, path);
    (void)cudnn9_each_in_toolkit(add, list);
    return list;
}
