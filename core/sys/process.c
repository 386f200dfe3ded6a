/* SPDX-License-Identifier: Apache-2.0 */
/* Handles fork and exit, stamps, the library's own place on disk, and host memory. */
#include "sys/process.h"

#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/log.h"

#define MEMORY_ALIGNMENT 64

uint64_t adn_process_fork_number = 1;
_Atomic int adn_process_exiting;
_Atomic int adn_process_attention;

/* All components together have few locks, each registered once. */
#define FORK_LOCKS_MAX    16
#define FORK_WAIT_SECONDS 2

static _Atomic(pthread_mutex_t *) fork_lock[FORK_LOCKS_MAX];
static _Atomic int fork_lock_count;
/* Two threads may fork at once. */
static _Thread_local unsigned char fork_taken[FORK_LOCKS_MAX];

static pthread_mutex_t *fork_lock_at(int i)
{
    return i < FORK_LOCKS_MAX ? atomic_load(&fork_lock[i]) : NULL;
}

static void before_fork(void)
{
    struct timespec until;
    int known = clock_gettime(CLOCK_REALTIME, &until) == 0;
    pthread_mutex_t *lock;

    until.tv_sec += FORK_WAIT_SECONDS;
    for (int i = 0; (lock = fork_lock_at(i)) != NULL; i++)
        fork_taken[i] = known && pthread_mutex_timedlock(lock, &until) == 0;
}

static void after_fork_in_parent(void)
{
    for (int i = 0; i < FORK_LOCKS_MAX; i++) {
        if (fork_taken[i])
            pthread_mutex_unlock(fork_lock_at(i));
        fork_taken[i] = 0;
    }
}

static void after_fork(void)
{
    static const pthread_mutex_t fresh = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_t *lock;

    /* This thread has another number here, so that it could not unlock the locks it took before. */
    for (int i = 0; (lock = fork_lock_at(i)) != NULL; i++)
        *lock = fresh;
    memset(fork_taken, 0, sizeof(fork_taken));
    adn_process_fork_number++;
    adn_log_after_fork();
}

static void at_exit(void)
{
    atomic_store(&adn_process_exiting, 1);
    atomic_store(&adn_process_attention, 1);
}

static void watch_once(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork);
    atexit(at_exit);
}

static void watch_exit_again(void)
{
    atexit(at_exit);
}

void adn_process_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch_once);
}

void adn_process_fork_waits(pthread_mutex_t *lock)
{
    int place = atomic_fetch_add(&fork_lock_count, 1);

    adn_process_watch();
    if (place < FORK_LOCKS_MAX)
        atomic_store(&fork_lock[place], lock);
}

void adn_process_watch_exit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch_exit_again);
}

uint64_t adn_process_stamp(void)
{
    static _Atomic uint64_t last;

    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static char library_path[PATH_MAX];

static int object_holds_us(struct dl_phdr_info *object, size_t size, void *cookie)
{
    uintptr_t here = (uintptr_t)&object_holds_us;

    (void)size;
    (void)cookie;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t start = (uintptr_t)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;

        if (object->dlpi_phdr[i].p_type != PT_LOAD || here < start ||
            here - start >= object->dlpi_phdr[i].p_memsz)
            continue;
        /* The program itself has no name in this list. */
        if (realpath(object->dlpi_name[0] != '\0' ? object->dlpi_name : "/proc/self/exe",
                     library_path) == NULL)
            library_path[0] = '\0';
        return 1;
    }
    return 0;
}

static void locate_library(void)
{
    dl_iterate_phdr(object_holds_us, NULL);
}

const char *adn_process_library_path(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, locate_library);
    return library_path[0] != '\0' ? library_path : NULL;
}

void *adn_memory_alloc(size_t bytes)
{
    /* No address space is as large. A sanitizer would end the program for such a size. */
    if (bytes > SIZE_MAX / 8)
        return NULL;
    if (bytes == 0)
        bytes = 1;
    return aligned_alloc(MEMORY_ALIGNMENT,
                         (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT);
}

void adn_memory_free(void *pointer)
{
    free(pointer);
}
