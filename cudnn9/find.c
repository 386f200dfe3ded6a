/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the real libcudnn.so.9 at the first call, and finds its functions one by one. The file is
 * opened by its path: by name, the dynamic linker would return this library. */
#include "cudnn9/front.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cudnn9/search.h"

const struct cudnn9_function cudnn9_functions[CUDNN9_FUNCTIONS] = {
#define ENTRY(name, result) {#name, CUDNN9_##result},
#include "cudnn9/names.def"
#undef ENTRY
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *real;
static char real_path[PATH_MAX];
static char why[900];

struct search {
    struct stat own;
    int named; /* 1: a setting names the file */
};

/* Returns 1 for this library's own file, by whatever path. */
static int is_own(const struct search *search, const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && status.st_dev == search->own.st_dev &&
           status.st_ino == search->own.st_ino;
}

/* Opens the file. Keeps the first reason why a file cannot be used. */
static int try_file(void *cookie, const char *path, enum cudnn9_place place)
{
    const struct search *search = cookie;
    const char *error;
    void *library;

    (void)place;
    if (is_own(search, path))
        return 0;
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    error = library == NULL ? dlerror() : NULL;
    if (library != NULL && dlsym(library, "anydnnCudnn9Real") != NULL)
        error = "it is anydnn's own library";
    else if (library != NULL && dlsym(library, "cudnnGetVersion") == NULL)
        error = "it does not have the function cudnnGetVersion";
    if (error != NULL) {
        if (why[0] == '\0')
            snprintf(why, sizeof(why), "%.400s cannot be used: %.400s", path, error);
        return 0;
    }
    real = library;
    snprintf(real_path, sizeof(real_path), "%s", path);
    return 1;
}

/* Opens the file that the setting names, which may be the folder of the file. */
static void open_named(struct search *search, const char *named)
{
    char path[PATH_MAX + sizeof("/libcudnn.so.9")];
    struct stat status;

    if (stat(named, &status) != 0)
        snprintf(path, sizeof(path), "%s", named);
    else
        snprintf(path, sizeof(path), "%s%s", named,
                 S_ISDIR(status.st_mode) ? "/libcudnn.so.9" : "");
    if (is_own(search, path))
        snprintf(why, sizeof(why),
                 "%.600s, which the setting library of [cudnn9] names, is anydnn's "
                 "own library",
                 path);
    else
        (void)try_file(search, path, CUDNN9_PLACE_NAMED);
}

static void open_real(void)
{
    static const char here;
    struct search search = {.named = 0};
    const char *named = cudnn9_settings()->library;
    Dl_info info;

    if (dladdr(&here, &info) != 0)
        (void)!stat(info.dli_fname, &search.own);
    if (strcmp(named, "auto") != 0)
        open_named(&search, named);
    else
        (void)cudnn9_each_file(try_file, &search);
    if (real != NULL) {
        why[0] = '\0';
        cudnn9_hide_lacking(real);
        cudnn9_check_parts(real_path);
    } else if (why[0] == '\0') {
        snprintf(why, sizeof(why),
                 "no libcudnn.so.9 of cuDNN was found in run paths, LD_LIBRARY_PATH, the dynamic "
                 "linker's cache, Python packages and the CUDA toolkit; install cuDNN 9, or name "
                 "its file in ANYDNN_CUDNN9_LIBRARY");
    }
}

void cudnn9_why_none(char *text, size_t size)
{
    pthread_once(&once, open_real);
    snprintf(text, size, "%s", why);
}

const char *anydnnCudnn9Real(void)
{
    pthread_once(&once, open_real);
    return real != NULL ? real_path : NULL;
}

void *cudnn9_real(size_t index)
{
    static void *found[CUDNN9_FUNCTIONS];
    void *address = __atomic_load_n(&found[index], __ATOMIC_ACQUIRE);

    if (address != NULL)
        return address;
    pthread_once(&once, open_real);
    address = real != NULL ? dlsym(real, cudnn9_functions[index].name) : NULL;
    __atomic_store_n(&found[index], address, __ATOMIC_RELEASE);
    return address;
}

void *cudnn9_find(size_t index)
{
    void *target = cudnn9_hook(index);

    if (target == NULL)
        target = cudnn9_real(index);
    if (target == NULL)
        target = cudnn9_lacking[index];
    target = cudnn9_counted(index, target);
    __atomic_store_n(&cudnn9_slot[index], target, __ATOMIC_RELEASE);
    return target;
}
