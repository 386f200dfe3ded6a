/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to the whole process: fork, exit, and where this library lies on disk. */
#ifndef ADN_SYS_PROCESS_H
#define ADN_SYS_PROCESS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Grows in every child after fork(); starts at 1. */
extern uint64_t adn_process_fork_number __attribute__((visibility("hidden")));
/* 1 once exit() has begun. */
extern _Atomic int adn_process_exiting;
/* 1 once any call must look closer: at exit, or when a device was lost. */
extern _Atomic int adn_process_attention __attribute__((visibility("hidden")));

/* Registers the fork and exit handlers; once, from the first handle. */
void adn_process_watch(void);

/*
 * From here on fork() takes this lock before and gives it back after, so that the child finds what
 * it guards whole; called once for each lock, before it is first taken. It must be made by
 * PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP. Locks that are taken one inside the other are named from
 * the outermost on. fork() waits 2 s at most, for who holds a lock may wait for the thread that
 * forks: then the child gets the lock unlocked, as it does one that the forking thread held.
 */
void adn_process_fork_waits(pthread_mutex_t *lock);

/* Registers the exit handler once more. Handlers run last to first: called after a device's runtime
 * has registered its own, this makes exit known before that runtime is torn down. */
void adn_process_watch_exit(void);

/* Number of a thing that must be unique in the process: descriptor stamps. Starts at 1. */
uint64_t adn_process_stamp(void);

/* Absolute path of the file that holds this code (libanydnn's, or the program's in a static test);
 * NULL when it cannot be told. */
const char *adn_process_library_path(void);

/* Host memory, 64 bytes aligned, and its free; what plugins get. */
void *adn_memory_alloc(size_t bytes);
void adn_memory_free(void *pointer);

#endif
