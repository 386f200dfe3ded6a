/* SPDX-License-Identifier: Apache-2.0 */
/* Opens cuDNN's library when it is first needed, and checks that its parts come from one folder. */
#include "library.h"

#include "backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name by which a program compiled against the same headers would link it. */
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define LIBRARY    "libcudnn.so." TEXT(CUDNN_MAJOR)

struct cdn_functions cudnn;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char failure[900];
static char folder[PATH_MAX];
static int64_t version;
static char version_buffer[32];
static _Atomic(const char *) version_text; /* NULL before the library is open */

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name) {#name, offsetof(struct cdn_functions, name)},
    CDN_LIBRARY_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* Fills the table of functions. Returns the name of the first function that the library lacks, or
 * NULL. POSIX returns functions as pointers to objects, and ISO C has no cast between these
 * types. */
static const char *take_functions(void *library)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol)
            return functions[i].name;
        memcpy((char *)&cudnn + functions[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

/* The first version that counts 10000 per major version. Earlier ones count 1000. */
#define LONG_NUMBERS 90000

static int64_t major_of(int64_t number)
{
    return number >= LONG_NUMBERS ? number / 10000 : number / 1000;
}

/* Finds the real folder of the library, following links. */
static int locate_folder(void *library)
{
    void *symbol = dlsym(library, "cudnnGetVersion");
    Dl_info info;
    char *slash;

    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname || !realpath(info.dli_fname, folder))
        return -1;
    slash = strrchr(folder, '/');
    if (!slash)
        return -1;
    *slash = 0;
    return 0;
}

/* The path of anydnn's own libcudnn.so.9 in this process, or empty. */
static char front[PATH_MAX];

/* Opens the library. If anydnn's own one has the name in this process, opens the file in front of
 * which it stands: a backend below it must not call it again. */
static void *open_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, "anydnnCudnn9Real") : NULL;
    const char *(*real)(void);
    Dl_info info;

    if (!symbol)
        return library;
    memcpy(&real, &symbol, sizeof real);
    if (dladdr(symbol, &info) && info.dli_fname && !realpath(info.dli_fname, front))
        front[0] = 0;
    name = real();
    return name ? dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
}

static void load(const char *name)
{
    void *library = open_library(name);
    const char *lacks;

    if (!library) {
        const char *error = dlerror();

        snprintf(failure, sizeof failure, "cannot load cuDNN's library: %s",
                 error ? error : "anydnn's libcudnn.so.9 finds no real one");
        return;
    }
    lacks = take_functions(library);
    version = cudnn.cudnnGetVersion ? (int64_t)cudnn.cudnnGetVersion() : 0;
    if (major_of(version) != CUDNN_MAJOR)
        snprintf(failure, sizeof failure,
                 "%s is cuDNN version %lld; this backend was compiled for cuDNN %d", name,
                 (long long)version, CUDNN_MAJOR);
    else if (lacks)
        snprintf(failure, sizeof failure, "%s (cuDNN version %lld) does not have the function %s",
                 name, (long long)version, lacks);
    else if (locate_folder(library) != 0)
        snprintf(failure, sizeof failure, "cannot find the folder of %s", name);
}

static void warn(void)
{
    char text[sizeof failure + 40];

    snprintf(text, sizeof text, "%s; cudnn declines all problems", failure);
    kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_WARN, __FILE__, __LINE__, text);
}

static void open_once(void)
{
    const char *name = kit_host->setting(kit_host, "library");

    load(name ? name : LIBRARY);
    snprintf(version_buffer, sizeof version_buffer, "%lld.%lld.%lld", (long long)major_of(version),
             (long long)(version / 100 % (version >= LONG_NUMBERS ? 100 : 10)),
             (long long)(version % 100));
    if (version > 0)
        version_text = version_buffer;
    if (failure[0])
        warn();
}

int32_t cdn_library_open(const char **sentence)
{
    pthread_once(&once, open_once);
    *sentence = failure;
    return failure[0] ? ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED : ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int64_t cdn_library_version(void)
{
    return version;
}

const char *cdn_library_version_text(void)
{
    return version_text;
}

/* Returns the path in a line of /proc/self/maps if it is a part of cuDNN, else NULL. Version 7, and
 * anydnn's own library in its place, is a single file that shares no parts with later ones. So is
 * anydnn's own libcudnn.so.9. */
static char *part_of(char *line)
{
    char *path = strchr(line, '/');
    char *slash = path ? strrchr(path, '/') : NULL;

    if (!slash || strncmp(slash + 1, "libcudnn", 8) != 0 ||
        strncmp(slash + 1, "libcudnn.so.7", 13) == 0)
        return NULL;
    path[strcspn(path, "\n")] = 0;
    return strcmp(path, front) == 0 ? NULL : path;
}

static void check_parts(FILE *maps)
{
    char line[PATH_MAX + 200];
    size_t length = strlen(folder);

    while (fgets(line, sizeof line, maps)) {
        char *path = part_of(line);

        if (!path || (strncmp(path, folder, length) == 0 && strrchr(path, '/') == path + length))
            continue;
        snprintf(failure, sizeof failure,
                 "parts of cuDNN were loaded from two places, which may have different versions: "
                 "%.300s, and libcudnn from %.300s; name one folder in LD_LIBRARY_PATH, or the "
                 "library in set.library",
                 path, folder);
        return;
    }
}

int32_t cdn_library_check(const char **sentence)
{
    FILE *maps;

    pthread_mutex_lock(&lock);
    maps = failure[0] ? NULL : fopen("/proc/self/maps", "re");
    if (maps) {
        check_parts(maps);
        fclose(maps);
        if (failure[0])
            warn();
    }
    pthread_mutex_unlock(&lock);
    *sentence = failure;
    return failure[0] ? ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED : ANYDNN_PLUGIN_STATUS_SUCCESS;
}
