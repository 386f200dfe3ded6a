/* SPDX-License-Identifier: Apache-2.0 */
/* Events and facts of the whole process: fork, exit, and where this library lies on disk. */
#ifndef ADN_SYS_PROCESS_H
#define ADN_SYS_PROCESS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Counts forks: starts at 1 and grows in every child. */
extern uint64_t adn_process_fork_number __attribute__((visibility("hidden")));
/* Is 1 once exit() has begun. */
extern _Atomic int adn_process_exiting;
/* Is 1 once every call must take the slow path: at exit, or after a device was lost. */
extern _Atomic int adn_process_attention __attribute__((visibility("hidden")));

/* Registers the fork and exit handlers once, from the first handle. */
void adn_process_watch(void);

/* Makes fork() take this lock before and release it after, so that the child finds the guarded data
 * in a consistent state. Called once for each lock, before its first use. The lock must be made by
 * PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP. Nested locks are registered from the outermost on.
 * fork() waits 2 s at most, since the owner of a lock may wait for the thread that forks. The child
 * then gets the lock unlocked, as it does with one that the forking thread held. */
void adn_process_fork_waits(pthread_mutex_t *lock);

/* Registers the exit handler again. Handlers run last to first. Called after a device's runtime has
 * registered its own handler, this makes exit known before that runtime is torn down. */
void adn_process_watch_exit(void);

/* Returns a number that is unique in the process, for descriptor stamps. Starts at 1. */
uint64_t adn_process_stamp(void);

/* Returns the absolute path of the file that holds this code (libanydnn's, or the program's in a
 * static test), or NULL if it is unknown. */
const char *adn_process_library_path(void);

/* Allocates host memory, 64 bytes aligned, and frees it. Plugins get these functions. */
void *adn_memory_alloc(size_t bytes);
void adn_memory_free(void *pointer);

#endif
