/* SPDX-License-Identifier: Apache-2.0 */
/* Runs loops over independent items on the thread pool of the process. A fork does not copy the
 * pool's threads, so the child creates its own pool at its first parallel loop. */
#include "cpu_ref.h"

#include <fenv.h>
#include <pthreadpool.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The multiply-adds below which waking a thread costs more than it saves. */
#define WORTH_A_THREAD 40000
/* The pieces per thread: enough to balance unequal items. */
#define PIECES_A_THREAD 4
#define THREADS_MAX     1024

/* A pool and its user. It is never freed, since another thread may be about to access it. */
struct pool {
    pthreadpool_t threads;
    int count;
    uint64_t fork_number;
    atomic_flag busy;
    struct pool *previous;
};

/* The process's pools, and the configured number of threads (0: not configured yet). */
static struct pool *_Atomic newest_pool;
static atomic_int wanted_threads;

/* A loop. A pool thread has the floating-point environment of the thread that created the pool, so
 * each piece sets the host's. The two counters order the pieces after earlier and before later
 * work. The pool orders them, too, but a race detector only sees instrumented code. */
struct loop {
    void (*fn)(void *arg, int64_t begin, int64_t end);
    void *arg;
    atomic_int begun;
    atomic_llong done;
};

int32_t cpu_ref_parallel_configure(void)
{
    int32_t count, status = kit_setting_threads(THREADS_MAX, &count);

    if (!status)
        atomic_store(&wanted_threads, count);
    return status;
}

static int pool_fits(const struct pool *pool, int count, uint64_t fork_number)
{
    return pool->count == count && pool->fork_number == fork_number;
}

/* Returns the pool of `count` threads of this process, or NULL if there is no memory for one. Pools
 * stay, because the program may limit each of its threads to another count. */
static struct pool *pool_get(int count)
{
    uint64_t fork_number = kit_host->fork_number();
    struct pool *newest = atomic_load_explicit(&newest_pool, memory_order_acquire);
    struct pool *made;

    for (struct pool *pool = newest; pool; pool = pool->previous)
        if (pool_fits(pool, count, fork_number))
            return pool;
    made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->threads = pthreadpool_create((size_t)count);
    made->count = count;
    made->fork_number = fork_number;
    made->previous = newest;
    atomic_flag_clear(&made->busy);
    if (made->threads && atomic_compare_exchange_strong(&newest_pool, &newest, made))
        return made;
    /* Another thread created a pool first; this loop runs without one instead of retrying. */
    if (made->threads)
        pthreadpool_destroy(made->threads);
    free(made);
    return NULL;
}

static void run_piece(void *context, size_t begin, size_t count)
{
    struct loop *loop = context;
    fenv_t before;

    if (atomic_load_explicit(&loop->begun, memory_order_acquire) == 0)
        return;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    loop->fn(loop->arg, (int64_t)begin, (int64_t)(begin + count));
    fesetenv(&before);
    atomic_fetch_add_explicit(&loop->done, (long long)count, memory_order_release);
}

void cpu_ref_parallel(int64_t count, int64_t cost,
                      void (*fn)(void *arg, int64_t begin, int64_t end), void *arg)
{
    struct loop loop = {.fn = fn, .arg = arg};
    int threads = 1;
    int64_t piece;
    struct pool *pool = NULL;

    if (count <= 0)
        return;
    if (count > 1 && count > WORTH_A_THREAD / cpu_ref_max(cost, 1))
        threads = kit_threads_now(atomic_load_explicit(&wanted_threads, memory_order_relaxed));
    if (threads > 1)
        pool = pool_get(threads);
    if (!pool || atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
        fn(arg, 0, count);
        return;
    }
    piece = cpu_ref_max(1, count / ((int64_t)threads * PIECES_A_THREAD));
    atomic_store_explicit(&loop.begun, 1, memory_order_release);
    pthreadpool_parallelize_1d_tile_1d(pool->threads, run_piece, &loop, (size_t)count,
                                       (size_t)piece, PTHREADPOOL_FLAG_YIELD_WORKERS);
    (void)atomic_load_explicit(&loop.done, memory_order_acquire);
    atomic_flag_clear_explicit(&pool->busy, memory_order_release);
}
