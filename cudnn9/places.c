/* SPDX-License-Identifier: Apache-2.0 */
/* The places of libcudnn.so.9 that do not depend on the objects in this process. */
#include "cudnn9/search.h"

#include <glob.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libcudnn.so.9"

/* The layout of /etc/ld.so.cache: a header, and entries that refer to strings by their offset from
 * the header. Older caches have other data before it. */
static const char cache_magic[] = "glibc-ld.so.cache1.1";

struct cache_header {
    char magic[sizeof(cache_magic) - 1];
    uint32_t entries;
    uint32_t unused[6];
};

struct cache_entry {
    int32_t flags;
    uint32_t key, value, version;
    uint64_t capabilities;
};

enum { CACHE_MAX = 16 << 20 };

const char *cudnn9_place_name(enum cudnn9_place place)
{
    static const char *const names[] = {
        "loaded in the process", "RPATH",           "LD_LIBRARY_PATH",  "RUNPATH",
        "the dynamic linker",    "Python packages", "the CUDA toolkit", "the command"};

    return names[place];
}

/* Visits the library in a folder, which has `length` characters, if it is there. */
static int visit_folder(const char *folder, size_t length, enum cudnn9_place place,
                        cudnn9_visit visit, void *cookie)
{
    char path[PATH_MAX];

    if (length == 0 ||
        (size_t)snprintf(path, sizeof(path), "%.*s/" LIBRARY, (int)length, folder) >= sizeof(path))
        return 0;
    return access(path, R_OK) == 0 && visit(cookie, path, place);
}

int cudnn9_each_in_library_path(cudnn9_visit visit, void *cookie)
{
    const char *at = secure_getenv("LD_LIBRARY_PATH");
    int done = 0;

    while (at != NULL && !done) {
        size_t length = strcspn(at, ":;");

        done = visit_folder(at, length, CUDNN9_PLACE_LIBRARY_PATH, visit, cookie);
        at = at[length] != '\0' ? at + length + 1 : NULL;
    }
    return done;
}

/* Returns the string at an offset, or NULL if it does not end in the data. */
static const char *cached(const char *data, size_t size, uint32_t offset)
{
    return offset < size && memchr(data + offset, '\0', size - offset) != NULL ? data + offset
                                                                               : NULL;
}

static void visit_cache(const char *data, size_t size, cudnn9_cached visit, void *cookie)
{
    struct cache_header header;
    struct cache_entry entry;

    if (size < sizeof(header))
        return;
    memcpy(&header, data, sizeof(header));
    for (uint32_t i = 0; i < header.entries; i++) {
        size_t at = sizeof(header) + i * sizeof(entry);
        const char *key, *value;

        if (at > size || sizeof(entry) > size - at)
            return;
        memcpy(&entry, data + at, sizeof(entry));
        key = cached(data, size, entry.key);
        value = cached(data, size, entry.value);
        if (key != NULL && value != NULL)
            visit(cookie, key, value);
    }
}

void cudnn9_each_cached(cudnn9_cached visit, void *cookie)
{
    FILE *file = fopen("/etc/ld.so.cache", "re");
    char *data = file != NULL ? malloc(CACHE_MAX) : NULL;
    size_t size = data != NULL ? fread(data, 1, CACHE_MAX, file) : 0;
    const char *found = size > 0 ? memmem(data, size, cache_magic, sizeof(cache_magic) - 1) : NULL;

    if (found != NULL)
        visit_cache(found, size - (size_t)(found - data), visit, cookie);
    free(data);
    if (file != NULL)
        fclose(file);
}

struct system_search {
    cudnn9_visit visit;
    void *cookie;
    int done;
};

static void try_cached(void *cookie, const char *name, const char *path)
{
    struct system_search *search = cookie;

    if (!search->done && strcmp(name, LIBRARY) == 0 && access(path, R_OK) == 0)
        search->done = search->visit(search->cookie, path, CUDNN9_PLACE_SYSTEM);
}

int cudnn9_each_in_system(cudnn9_visit visit, void *cookie)
{
    static const char *const folders[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    struct system_search search = {visit, cookie, 0};

    cudnn9_each_cached(try_cached, &search);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !search.done; i++)
        search.done =
            visit_folder(folders[i], strlen(folders[i]), CUDNN9_PLACE_SYSTEM, visit, cookie);
    return search.done;
}

/* Visits the files below the folders that match a pattern. */
static int visit_pattern(const char *pattern, enum cudnn9_place place, cudnn9_visit visit,
                         void *cookie)
{
    glob_t found;
    int done = 0;

    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && !done; i++)
        done = visit(cookie, found.gl_pathv[i], place);
    globfree(&found);
    return done;
}

int cudnn9_each_in_packages(const char *site, cudnn9_visit visit, void *cookie)
{
    char pattern[PATH_MAX];

    if ((size_t)snprintf(pattern, sizeof(pattern), "%s/nvidia/cudnn/lib/" LIBRARY, site) >=
        sizeof(pattern))
        return 0;
    return visit_pattern(pattern, CUDNN9_PLACE_PACKAGES, visit, cookie);
}

int cudnn9_each_in_toolkit(cudnn9_visit visit, void *cookie)
{
    const char *roots[] = {secure_getenv("CUDA_HOME"), secure_getenv("CUDA_PATH"),
                           "/usr/local/cuda"};
    char folder[PATH_MAX];

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        for (int k = 0; k < 2 && roots[i] != NULL; k++) {
            size_t length = (size_t)snprintf(folder, sizeof(folder), "%s/%s", roots[i],
                                             k == 0 ? "lib64" : "lib");

            if (length < sizeof(folder) &&
                visit_folder(folder, length, CUDNN9_PLACE_TOOLKIT, visit, cookie))
                return 1;
        }
    return 0;
}

/* Visits the library in one folder of a run path, in which $ORIGIN stands for the object's folder.
 */
static int visit_entry(const char *origin, const char *entry, size_t length,
                       enum cudnn9_place place, cudnn9_visit visit, void *cookie)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    const char *slash = strrchr(origin, '/');
    char path[PATH_MAX];

    for (int i = 0; i < 2; i++) {
        size_t word = strlen(words[i]);

        if (slash != NULL && length >= word && strncmp(entry, words[i], word) == 0) {
            size_t written =
                (size_t)snprintf(path, sizeof(path), "%.*s%.*s/" LIBRARY, (int)(slash - origin),
                                 origin, (int)(length - word), entry + word);

            return written < sizeof(path) && access(path, R_OK) == 0 && visit(cookie, path, place);
        }
    }
    if (length == 0 ||
        (size_t)snprintf(path, sizeof(path), "%.*s/" LIBRARY, (int)length, entry) >= sizeof(path))
        return 0;
    return access(path, R_OK) == 0 && visit(cookie, path, place);
}

int cudnn9_each_in_run_path(const char *object, const char *run_path, enum cudnn9_place place,
                            cudnn9_visit visit, void *cookie)
{
    int done = 0;

    for (const char *at = run_path; at != NULL && object != NULL && !done;) {
        size_t length = strcspn(at, ":");

        done = visit_entry(object, at, length, place, visit, cookie);
        at = at[length] != '\0' ? at + length + 1 : NULL;
    }
    return done;
}

int cudnn9_each_beside(const char *path, cudnn9_visit visit, void *cookie)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
    char site[PATH_MAX];

    for (int i = 0; i < 2; i++) {
        const char *found = strstr(path, folders[i]);

        if (found == NULL || (size_t)(found - path) + strlen(folders[i]) >= sizeof(site))
            continue;
        snprintf(site, sizeof(site), "%.*s",
                 (int)(found - path + (ptrdiff_t)strlen(folders[i]) - 1), path);
        if (cudnn9_each_in_packages(site, visit, cookie))
            return 1;
    }
    return 0;
}
