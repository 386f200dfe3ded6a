/* SPDX-License-Identifier: Apache-2.0 */
/* The places of libcudnn.so.9 that the objects in this process name: the files that are loaded,
 * their run paths, and the Python packages that they belong to. */
#include "cudnn9/search.h"

#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libcudnn.so.9"

/* The data of an object that outlive its visit. dlopen must not be called during the visit. */
struct object {
    char *path, *rpath, *runpath;
};

struct objects {
    struct object *list;
    size_t count, size;
};

/* Returns the string that the dynamic section's entry refers to, or NULL. Some objects keep file
 * addresses in that section, most have those of the process. */
static char *text_of(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic, int64_t tag)
{
    const char *strings = NULL;
    const ElfW(Dyn) *found = NULL;

    for (const ElfW(Dyn) *at = dynamic; at != NULL && at->d_tag != DT_NULL; at++) {
        if (at->d_tag == DT_STRTAB)
            strings = (const char *)(at->d_un.d_ptr < object->dlpi_addr
                                         ? at->d_un.d_ptr + object->dlpi_addr
                                         : at->d_un.d_ptr);
        if (at->d_tag == tag)
            found = at;
    }
    return strings != NULL && found != NULL ? strdup(strings + found->d_un.d_val) : NULL;
}

static int collect(struct dl_phdr_info *object, size_t bytes, void *cookie)
{
    struct objects *objects = cookie;
    const ElfW(Dyn) *dynamic = NULL;
    char own[PATH_MAX];
    ssize_t length;
    struct object *made;

    (void)bytes;
    if (objects->count == objects->size) {
        size_t size = objects->size * 2 + 64;
        struct object *list = realloc(objects->list, size * sizeof(*list));

        if (list == NULL)
            return 1;
        objects->list = list;
        objects->size = size;
    }
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    made = &objects->list[objects->count++];
    made->path = NULL;
    if (object->dlpi_name != NULL && object->dlpi_name[0] != '\0') {
        made->path = strdup(object->dlpi_name);
    } else if ((length = readlink("/proc/self/exe", own, sizeof(own) - 1)) > 0) {
        own[length] = '\0';
        made->path = strdup(own);
    }
    made->rpath = text_of(object, dynamic, DT_RPATH);
    made->runpath = text_of(object, dynamic, DT_RUNPATH);
    return 0;
}

/* Visits the packages of the Python interpreter, or of its virtual environment. */
static int visit_interpreter(const struct objects *objects, cudnn9_visit visit, void *cookie)
{
    const char *environment = secure_getenv("VIRTUAL_ENV");
    const char *program = objects->count > 0 ? objects->list[0].path : NULL;
    const char *slash = program != NULL ? strrchr(program, '/') : NULL;
    char site[PATH_MAX];

    if (environment != NULL &&
        (size_t)snprintf(site, sizeof(site), "%s/lib/python3*/site-packages", environment) <
            sizeof(site) &&
        cudnn9_each_in_packages(site, visit, cookie))
        return 1;
    for (int i = 0; i < 2 && slash != NULL; i++)
        if ((size_t)snprintf(site, sizeof(site), "%.*s/../lib/python3*/%s-packages",
                             (int)(slash - program), program,
                             i == 0 ? "site" : "dist") < sizeof(site) &&
            cudnn9_each_in_packages(site, visit, cookie))
            return 1;
    return 0;
}

static int visit_all(const struct objects *objects, cudnn9_visit visit, void *cookie)
{
    int done = 0;

    for (size_t i = 0; i < objects->count && !done; i++) {
        const char *path = objects->list[i].path;
        const char *slash = path != NULL ? strrchr(path, '/') : NULL;

        if (slash != NULL && strncmp(slash + 1, LIBRARY, strlen(LIBRARY)) == 0)
            done = visit(cookie, path, CUDNN9_PLACE_LOADED);
    }
    for (size_t i = 0; i < objects->count && !done; i++)
        done = cudnn9_each_in_run_path(objects->list[i].path, objects->list[i].rpath,
                                       CUDNN9_PLACE_RPATH, visit, cookie);
    done = done || cudnn9_each_in_library_path(visit, cookie);
    for (size_t i = 0; i < objects->count && !done; i++)
        done = cudnn9_each_in_run_path(objects->list[i].path, objects->list[i].runpath,
                                       CUDNN9_PLACE_RUNPATH, visit, cookie);
    done = done || cudnn9_each_in_system(visit, cookie);
    for (size_t i = 0; i < objects->count && !done; i++)
        done = objects->list[i].path != NULL &&
               cudnn9_each_beside(objects->list[i].path, visit, cookie);
    return done || visit_interpreter(objects, visit, cookie) ||
           cudnn9_each_in_toolkit(visit, cookie);
}

int cudnn9_each_file(cudnn9_visit visit, void *cookie)
{
    struct objects objects = {.count = 0};
    int done;

    dl_iterate_phdr(collect, &objects);
    done = visit_all(&objects, visit, cookie);
    for (size_t i = 0; i < objects.count; i++) {
        free(objects.list[i].path);
        free(objects.list[i].rpath);
        free(objects.list[i].runpath);
    }
    free(objects.list);
    return done;
}
