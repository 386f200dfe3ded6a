/* SPDX-License-Identifier: Apache-2.0 */
/* Opens oneDNN's library at the first need, and sets its number of threads. */
#include "onednn.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name by which a program compiled against the same headers would link it. */
#define LIBRARY "libdnnl.so." ONEDNN_TEXT(DNNL_VERSION_MAJOR)

#define THREADS_MAX 1024

struct onednn_functions onednn;
dnnl_engine_t onednn_engine;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tried; /* and what came of it stays */
static char failure[700];
static uint64_t opened_at_fork;

/* Of OpenMP, out of the library's own dependencies; NULL where it has another runtime. */
static void (*openmp_set)(int count);
static int (*openmp_get)(void);
static atomic_int threads;

/* ------------------------------------------------------------------ the library */

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name) {#name, offsetof(struct onednn_functions, name)},
    ONEDNN_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* POSIX gives functions as pointers to objects; ISO C has no cast from one to the other. */
static void take(void *function, size_t size, void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
}

/* Returns the name of the first function that the library lacks, or NULL. */
static const char *take_functions(void *library)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol)
            return functions[i].name;
        memcpy((char *)&onednn + functions[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

static void take_openmp(void *library)
{
    take(&openmp_set, sizeof openmp_set, library, "omp_set_num_threads");
    take(&openmp_get, sizeof openmp_get, library, "omp_get_max_threads");
    if (openmp_set && openmp_get)
        return;
    openmp_set = NULL;
    onednn_host->log(onednn_host, ANYDNN_PLUGIN_LOG_INFO, __FILE__, __LINE__,
                     "this build of oneDNN does not run on OpenMP: set.threads has no effect");
}

/* Whether the loader's message is of memory or descriptors that lacked. */
static int is_shortage(const char *message)
{
    static const int errors[] = {ENOMEM, EMFILE, ENFILE};
    int found = strstr(message, "cannot create shared object descriptor") != NULL;

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        found |= strstr(message, strerror(errors[i])) != NULL;
    return found;
}

/* Fills `failure`, or leaves it empty. Returns 0, or ONEDNN_ALLOC_FAILED where the next call may
 * have better luck. */
static int32_t load(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const dnnl_version_t *version;
    dnnl_status_t made;
    const char *lacks;

    if (!library) {
        const char *message = dlerror();

        snprintf(failure, sizeof failure, "oneDNN's library is missing: %s", message);
        return is_shortage(message) ? ONEDNN_ALLOC_FAILED : ONEDNN_SUCCESS;
    }
    take(&onednn.dnnl_version, sizeof onednn.dnnl_version, library, "dnnl_version");
    if (!onednn.dnnl_version) {
        snprintf(failure, sizeof failure, "%s is not oneDNN's library", name);
        return ONEDNN_SUCCESS;
    }
    version = onednn.dnnl_version();
    if (version->major != DNNL_VERSION_MAJOR || version->minor < ONEDNN_NEEDS_MINOR) {
        snprintf(failure, sizeof failure,
                 "%s is oneDNN %d.%d; this backend was compiled for %d and needs %d.%d or later",
                 name, version->major, version->minor, DNNL_VERSION_MAJOR, DNNL_VERSION_MAJOR,
                 ONEDNN_NEEDS_MINOR);
        return ONEDNN_SUCCESS;
    }
    lacks = take_functions(library);
    if (lacks) {
        snprintf(failure, sizeof failure, "%s, oneDNN %d.%d.%d, has no function %s", name,
                 version->major, version->minor, version->patch, lacks);
        return ONEDNN_SUCCESS;
    }
    take_openmp(library);
    made = onednn.dnnl_engine_create(&onednn_engine, dnnl_cpu, 0);
    if (made != dnnl_success)
        snprintf(failure, sizeof failure, "%s cannot make an engine for the processor", name);
    return onednn_status(made, ONEDNN_SUCCESS);
}

static int32_t open_library(void)
{
    const char *name = onednn_host->setting(onednn_host, "library");
    char text[sizeof failure + 40];
    int32_t status;

    failure[0] = '\0';
    opened_at_fork = onednn_host->fork_number();
    status = load(name ? name : LIBRARY);
    if (failure[0] && status == ONEDNN_SUCCESS) {
        snprintf(text, sizeof text, "%s; onednn declines everything", failure);
        onednn_host->log(onednn_host, ANYDNN_PLUGIN_LOG_WARN, __FILE__, __LINE__, text);
    }
    return status == ONEDNN_SUCCESS ? ONEDNN_SUCCESS : onednn_fail(status, "%s", failure);
}

int32_t onednn_library_open(const char **sentence)
{
    int32_t status = ONEDNN_SUCCESS;

    pthread_mutex_lock(&lock);
    if (!tried)
        status = open_library();
    tried = status == ONEDNN_SUCCESS;
    pthread_mutex_unlock(&lock);
    *sentence = failure;
    if (status != ONEDNN_SUCCESS)
        return status;
    if (failure[0])
        return ONEDNN_NOT_SUPPORTED;
    if (onednn_host->fork_number() != opened_at_fork) {
        *sentence = "oneDNN was opened before fork(); its threads do not exist in the child";
        return ONEDNN_NOT_SUPPORTED;
    }
    return ONEDNN_SUCCESS;
}

/* ------------------------------------------------------------------ threads */

static int online_threads(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
}

int32_t onednn_threads_configure(void)
{
    const char *text = onednn_host->setting(onednn_host, "threads");
    char *end;
    long count;

    if (!text || strcmp(text, "auto") == 0) {
        threads = online_threads();
        return ONEDNN_SUCCESS;
    }
    count = strtol(text, &end, 10);
    if (end == text || *end || count < 1 || count > THREADS_MAX)
        return onednn_fail(ONEDNN_BAD_PARAM,
                           "set.threads is \"%.40s\"; it must be auto or a number from 1 to %d",
                           text, THREADS_MAX);
    threads = (int)count;
    return ONEDNN_SUCCESS;
}

int onednn_threads(void)
{
    return threads;
}

int onednn_threads_enter(int count)
{
    int before;

    if (!openmp_set)
        return 0;
    before = openmp_get();
    if (before != count)
        openmp_set(count);
    return before;
}

void onednn_threads_leave(int before)
{
    if (openmp_set && openmp_get() != before)
        openmp_set(before);
}
