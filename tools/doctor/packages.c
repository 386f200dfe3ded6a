/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Python packages that an installation belongs to, and CUDA's libraries of the system. */
#include "doctor.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn9/search.h"

/* Returns the name and version in a path such as .../nvidia_cudnn_cu13-9.19.0.56.dist-info. */
static json_t *package_of(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    const char *dash = strchr(name, '-');
    const char *end = strstr(name, ".dist-info");
    char text[200];

    if (dash == NULL || end == NULL || end < dash)
        return NULL;
    snprintf(text, sizeof(text), "%.*s %.*s", (int)(dash - name), name, (int)(end - dash - 1),
             dash + 1);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '_')
            *at = '-';
    return tool_json_text(text);
}

void doctor_packages_of(json_t *installation)
{
    const char *file = tool_text_of(installation, "file");
    const char *end = strstr(file, "/nvidia/cudnn/lib/");
    json_t *packages = json_array();
    char pattern[PATH_MAX];
    glob_t found;

    if (end != NULL &&
        (size_t)snprintf(pattern, sizeof(pattern), "%.*s/nvidia_cudnn*-*.dist-info",
                         (int)(end - file), file) < sizeof(pattern) &&
        glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            json_t *package = strstr(found.gl_pathv[i], "nvidia_cudnn_frontend") == NULL
                                  ? package_of(found.gl_pathv[i])
                                  : NULL;

            if (package != NULL)
                json_array_append_new(packages, package);
        }
        globfree(&found);
    }
    if (json_array_size(packages) > 1)
        doctor_problem(installation,
                       "%s and %s install the same files, and the later one replaced those of the "
                       "other; uninstall both and install one of them",
                       json_string_value(json_array_get(packages, 0)),
                       json_string_value(json_array_get(packages, 1)));
    json_object_set_new(installation, "packages", packages);
}

static void add_library(void *cookie, const char *name, const char *path)
{
    static const char *const names[] = {"libcudnn.so.",    "libcudart.so.", "libcublas.so.",
                                        "libcublasLt.so.", "libnvrtc.so.",  "libcuda.so."};
    json_t *list = cookie;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            json_t *one = json_object();

            json_object_set_new(one, "name", tool_json_text(name));
            json_object_set_new(one, "file", tool_json_text(path));
            json_array_append_new(list, one);
        }
}

json_t *doctor_libraries(void)
{
    json_t *list = json_array();

    cudnn9_each_cached(add_library, list);
    return list;
}
