/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether cuDNN 7 itself is in this process. Two libraries whose functions have the same
 * names and version node divide the calls of a program between them. Neither knows the handles of
 * the other. */
#include "cudnn7/shim.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bound on objects called libcudnn... in a process. Version 8 alone consists of seven. */
enum { OBJECTS_MAX = 32 };

struct objects {
    const void *own; /* base address of this library */
    char *path[OBJECTS_MAX];
    int count;
};

/* Collects the paths of the objects. dlopen must not be called here. */
static int collect(struct dl_phdr_info *object, size_t size, void *cookie)
{
    struct objects *objects = cookie;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    char *path;

    (void)size;
    if (!slash || strncmp(slash + 1, "libcudnn", 8) != 0 || objects->count == OBJECTS_MAX ||
        (const void *)object->dlpi_addr == objects->own)
        return 0;
    path = strdup(object->dlpi_name);
    if (path)
        objects->path[objects->count++] = path;
    return 0;
}

/* Returns 1 if the object has a function with cuDNN 7's name and node in another file than this
 * one. */
static int is_another(const char *path, const void *own)
{
    void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *found = object ? dlvsym(object, "cudnnCreate", "libcudnn.so.7") : NULL;
    Dl_info other;
    int another = found && dladdr(found, &other) && own != other.dli_fbase;

    if (object)
        dlclose(object);
    return another;
}

anydnnStatus_t cudnn7_alone(const char *entry)
{
    static const char here;
    struct objects objects = {.count = 0};
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    char sentence[1024];
    Dl_info info;

    if (!dladdr(&here, &info))
        return status;
    objects.own = info.dli_fbase;
    dl_iterate_phdr(collect, &objects);
    for (int i = 0; i < objects.count; i++) {
        if (status == ANYDNN_STATUS_SUCCESS && is_another(objects.path[i], objects.own)) {
            snprintf(sentence, sizeof(sentence),
                     "%s: cuDNN 7 is also loaded in this process: %s; anydnn's libcudnn.so.7 must "
                     "be the only one (docs/cudnn7.md)",
                     entry, objects.path[i]);
            status = anydnnRefuse(ANYDNN_STATUS_NOT_INITIALIZED, sentence);
        }
        free(objects.path[i]);
    }
    return status;
}
