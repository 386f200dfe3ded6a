/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the number and the floating-point modes of the OpenMP threads in which oneDNN runs. */
#include "onednn.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* The functions of OpenMP, taken from the library's dependencies; NULL if the library uses another
 * runtime. */
static void (*openmp_set)(int count);
static int (*openmp_get)(void);
static int (*openmp_number)(void);
static void (*openmp_parallel)(void (*body)(void *), void *data, unsigned count, unsigned flags);
static atomic_int threads;
static int were_there;

/* Stores a function of a library. POSIX returns functions as pointers to objects, and ISO C has no
 * cast between these types. */
void onednn_take(void *function, size_t size, void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
}

static int is_loaded(const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

    return library && dlclose(library) == 0;
}

void onednn_threads_look(void)
{
    were_there = is_loaded("libgomp.so.1");
}

int onednn_threads_were_there(void)
{
    return were_there;
}

void onednn_threads_open(void *library)
{
    onednn_take(&openmp_set, sizeof openmp_set, library, "omp_set_num_threads");
    onednn_take(&openmp_get, sizeof openmp_get, library, "omp_get_max_threads");
    onednn_take(&openmp_number, sizeof openmp_number, library, "omp_get_thread_num");
    onednn_take(&openmp_parallel, sizeof openmp_parallel, library, "GOMP_parallel");
    if (openmp_set && openmp_get)
        return;
    openmp_set = NULL;
    kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_INFO, __FILE__, __LINE__,
                  "this build of oneDNN does not use OpenMP, so set.threads has no effect");
}

int32_t onednn_threads_configure(void)
{
    int32_t count, status = kit_setting_threads(ONEDNN_THREADS_MAX, &count);

    if (!status)
        threads = count;
    return status;
}

int onednn_threads(void)
{
    return kit_threads_now(threads);
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

/* ------------------------------------------------------------------ steps of our own */

/* The pieces that threads share. Each thread takes the next piece, so the number of threads does
 * not matter. `next` also orders the memory accesses before and in the pieces. */
struct shared {
    void (*work)(void *arg, int64_t piece);
    void *arg;
    int64_t pieces;
    _Atomic int64_t next;
};

static void take_pieces(void *data)
{
    struct shared *shared = data;
    int64_t piece;

    while ((piece = atomic_fetch_add(&shared->next, 1)) < shared->pieces)
        shared->work(shared->arg, piece);
}

void onednn_threads_share(int count, int64_t pieces, void (*work)(void *arg, int64_t piece),
                          void *arg)
{
    struct shared shared = {.work = work, .arg = arg, .pieces = pieces};

    if (count > pieces)
        count = (int)pieces;
    if (count > 1 && openmp_parallel)
        openmp_parallel(take_pieces, &shared, (unsigned)count, 0);
    else
        take_pieces(&shared);
    (void)atomic_load(&shared.next);
}

/* ------------------------------------------------------------------ modes */

static void set_modes(void *data)
{
    struct onednn_modes *modes = data;
    const int number = openmp_number();

    if (number == 0 || number >= modes->count)
        return;
    fegetenv(&modes->before[number]);
    fesetenv(FE_DFL_ENV);
}

static void restore_modes(void *data)
{
    const struct onednn_modes *modes = data;
    const int number = openmp_number();

    if (number > 0 && number < modes->count)
        fesetenv(&modes->before[number]);
}

void onednn_modes_enter(struct onednn_modes *modes, int count)
{
    modes->count = were_there && openmp_parallel && openmp_number ? count : 1;
    if (modes->count > 1)
        openmp_parallel(set_modes, modes, (unsigned)count, 0);
}

void onednn_modes_leave(struct onednn_modes *modes)
{
    if (modes->count > 1)
        openmp_parallel(restore_modes, modes, (unsigned)modes->count, 0);
}
