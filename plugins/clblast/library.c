/* SPDX-License-Identifier: Apache-2.0 */
/* Opens CLBlast when it is first needed. */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct clblast_functions clblast;

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name) {#name, offsetof(struct clblast_functions, name)},
    CLBLAST_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static char failure[600]; /* why the library cannot be used */
static int is_searched;

/* Finds the library and its functions, or writes why not. The caller holds the lock. */
static void search(void)
{
    const char *name = kit_host->setting(kit_host, "library");
    void *library;

    name = name ? name : "libclblast.so.1";
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        snprintf(failure, sizeof failure, "cannot load CLBlast: %s", dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol) {
            snprintf(failure, sizeof failure, "%s lacks the function %s; CLBlast 1.5 is required",
                     name, functions[i].name);
            return;
        }
        memcpy((char *)&clblast + functions[i].offset, &symbol, sizeof symbol);
    }
}

int32_t clblast_load(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    if (!is_searched)
        search();
    is_searched = 1;
    pthread_mutex_unlock(&lock);
    return failure[0] ? kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", failure)
                      : ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static atomic_int has_run;
static _Thread_local int holds;

void clblast_enter(void)
{
    if (atomic_load(&has_run))
        return;
    pthread_mutex_lock(&first);
    holds = 1;
}

void clblast_leave(void)
{
    if (!holds)
        return;
    holds = 0;
    atomic_store(&has_run, 1);
    pthread_mutex_unlock(&first);
}
