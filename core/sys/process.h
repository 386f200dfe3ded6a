/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to the whole process: fork, exit, and where this library lies on disk. */
#ifndef ADN_SYS_PROCESS_H
#define ADN_SYS_PROCESS_H

#include <stddef.h>
#include <stdint.h>

/* Grows in every child after fork(); starts at 1. */
extern uint64_t adn_process_fork_number;
/* 1 once exit() has begun. */
extern _Atomic int adn_process_exiting;
/* 1 once any call must look closer: at exit, or when a device was lost. */
extern _Atomic int adn_process_attention;

/* Registers the fork and exit handlers; once, from the first handle. */
void adn_process_watch(void);

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
