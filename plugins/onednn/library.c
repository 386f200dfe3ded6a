/* SPDX-License-Identifier: Apache-2.0 */
/* Opens oneDNN's library when it is first needed. */
#include "onednn.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
#include <sys/single_threaded.h>
#define SINGLE_THREADED_KNOWN
#endif

/* The versions that this backend supports. fpmath modes, which make oneDNN keep float's precision,
 * exist since 2.6. */
#define OLD_MAJOR 2
#define OLD_MINOR 6
#define NEW_MAJOR 3

struct onednn_functions onednn;
dnnl_engine_t onednn_engine;
int onednn_is_old;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tried; /* 1 once the result is final */
static char failure[700];
enum { HALF = sizeof failure / 2 - 2 }; /* bytes for each of two failures, with a separator */
static uint64_t opened_at_fork;

/* ------------------------------------------------------------------ the library */

struct function {
    const char *name;
    size_t offset;
};
#define FUNCTION(result, name, parameters) {#name, offsetof(struct onednn_functions, name)},
static const struct function common_functions[] = {ONEDNN_COMMON_FUNCTIONS(FUNCTION)};
static const struct function new_functions[] = {ONEDNN_NEW_FUNCTIONS(FUNCTION){
    ONEDNN_APPEND_ELTWISE, offsetof(struct onednn_functions, append_eltwise)}};
static const struct function old_functions[] = {ONEDNN_OLD_FUNCTIONS(FUNCTION){
    ONEDNN_APPEND_ELTWISE, offsetof(struct onednn_functions, append_eltwise_old)}};
#undef FUNCTION
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Returns the name of the first function that the library lacks, or NULL. */
static const char *take_table(void *library, const struct function *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, table[i].name);

        if (!symbol)
            return table[i].name;
        memcpy((char *)&onednn + table[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

static const char *take_functions(void *library)
{
    const char *lacks = take_table(library, common_functions, COUNT(common_functions));

    if (lacks)
        return lacks;
    return onednn_is_old ? take_table(library, old_functions, COUNT(old_functions))
                         : take_table(library, new_functions, COUNT(new_functions));
}

/* Returns 1 if the loader's message reports a lack of memory or descriptors. */
static int is_shortage(const char *message)
{
    static const int errors[] = {ENOMEM, EMFILE, ENFILE};
    int found = strstr(message, "cannot create shared object descriptor") != NULL;

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        found |= strstr(message, strerror(errors[i])) != NULL;
    return found;
}

#ifdef SINGLE_THREADED_KNOWN
/* Returns 1 if the spin count may be set: OpenMP is not loaded yet, the user has not set a policy,
 * and no other thread can be reading the environment. */
static int waits_unruled(void)
{
    return __libc_single_threaded && !getenv("GOMP_SPINCOUNT") && !getenv("OMP_WAIT_POLICY") &&
           !onednn_threads_were_there();
}
#else
static int waits_unruled(void)
{
    return 0;
}
#endif

/*
 * Opens the library with a short spin count for libgomp. libgomp's threads spin for some
 * milliseconds at a barrier. On a busy processor, they then block the thread for which they wait:
 * two threads take several times as long as one. libgomp reads the count only once, when it is
 * loaded, and only from the environment. 1000 is its own value for programs with more threads than
 * processors. putenv is used because the C library keeps a copy of setenv's argument forever.
 */
static void *open_with_short_waits(const char *name)
{
    static char spins[] = "GOMP_SPINCOUNT=1000";
    const int ruled = waits_unruled() && putenv(spins) == 0;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    if (ruled)
        unsetenv("GOMP_SPINCOUNT");
    return library;
}

static char version_buffer[48];
static _Atomic(const char *) version_text; /* NULL before a library is open */

/* Returns 1 if this backend supports the library. Otherwise fills in `failure`. */
static int suits(const char *name, const dnnl_version_t *version)
{
    const unsigned host_runtimes = DNNL_RUNTIME_SEQ | DNNL_RUNTIME_OMP | DNNL_RUNTIME_TBB;
    int known =
        version->major == NEW_MAJOR || (version->major == OLD_MAJOR && version->minor >= OLD_MINOR);

    if (!known)
        snprintf(failure, sizeof failure,
                 "%s is oneDNN %d.%d; this backend requires 2.6 or later, or 3.x", name,
                 version->major, version->minor);
    else if (!(version->cpu_runtime & host_runtimes))
        snprintf(failure, sizeof failure,
                 "%s (oneDNN %d.%d.%d) is built for SYCL or for a thread pool of the program; this "
                 "backend requires a build for OpenMP, TBB or one thread",
                 name, version->major, version->minor, version->patch);
    return !failure[0];
}

const char *onednn_library_version(void)
{
    return version_text;
}

/* Loads a library. Fills in `failure`, or leaves it empty. Returns 0, or
 * ANYDNN_PLUGIN_STATUS_ALLOC_FAILED if a later call may succeed. */
static int32_t load(const char *name)
{
    void *library = open_with_short_waits(name);
    const dnnl_version_t *version;
    dnnl_status_t made;
    const char *lacks;

    failure[0] = '\0';
    if (!library) {
        const char *message = dlerror();

        snprintf(failure, sizeof failure, "cannot load oneDNN's library: %s", message);
        return is_shortage(message) ? ANYDNN_PLUGIN_STATUS_ALLOC_FAILED
                                    : ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    onednn_take(&onednn.dnnl_version, sizeof onednn.dnnl_version, library, "dnnl_version");
    if (!onednn.dnnl_version) {
        snprintf(failure, sizeof failure, "%s is not the library of oneDNN", name);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    version = onednn.dnnl_version();
    snprintf(version_buffer, sizeof version_buffer, "%d.%d.%d", version->major, version->minor,
             version->patch);
    version_text = version_buffer;
    if (!suits(name, version))
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    onednn_is_old = version->major == OLD_MAJOR;
    lacks = take_functions(library);
    if (lacks) {
        snprintf(failure, sizeof failure, "%s (oneDNN %d.%d.%d) does not have the function %s",
                 name, version->major, version->minor, version->patch, lacks);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    onednn_threads_open(library);
    made = onednn.dnnl_engine_create(&onednn_engine, dnnl_cpu, 0);
    if (made != dnnl_success)
        snprintf(failure, sizeof failure, "%s cannot create an engine for the processor", name);
    return onednn_status(made, ANYDNN_PLUGIN_STATUS_SUCCESS);
}

/* Loads the library of the setting, or else the newest one installed. `failure` describes the last
 * one tried and then the one before. */
static int32_t load_any(void)
{
    const char *name = kit_host->setting(kit_host, "library");
    char newer[HALF];
    int32_t status = load(name ? name : "libdnnl.so.3");

    if (name || !failure[0] || status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return status;
    snprintf(newer, sizeof newer, "%.*s", HALF - 1, failure);
    status = load("libdnnl.so.2");
    if (failure[0])
        snprintf(failure + strnlen(failure, HALF), HALF + 2, "; %s", newer);
    return status;
}

static int32_t open_library(void)
{
    char text[sizeof failure + 40];
    int32_t status;

    opened_at_fork = kit_host->fork_number();
    onednn_threads_look();
    status = load_any();
    if (failure[0] && status == ANYDNN_PLUGIN_STATUS_SUCCESS) {
        snprintf(text, sizeof text, "%s; onednn declines all problems", failure);
        kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_WARN, __FILE__, __LINE__, text);
    }
    return status == ANYDNN_PLUGIN_STATUS_SUCCESS ? ANYDNN_PLUGIN_STATUS_SUCCESS
                                                  : kit_fail(status, "%s", failure);
}

int32_t onednn_library_open(const char **sentence)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    pthread_mutex_lock(&lock);
    if (!tried)
        status = open_library();
    tried = status == ANYDNN_PLUGIN_STATUS_SUCCESS;
    pthread_mutex_unlock(&lock);
    *sentence = failure;
    if (status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return status;
    if (failure[0])
        return ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED;
    if (kit_host->fork_number() != opened_at_fork) {
        *sentence = "oneDNN was opened before fork(); its threads do not exist in the child";
        return ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED;
    }
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
