/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's shared library: opened at the first need, its functions in a table, its threads. */
#ifndef ONEDNN_LIBRARY_H
#define ONEDNN_LIBRARY_H

#include <fenv.h>
#include <stdint.h>

#include "functions.h"

/* onednn.dnnl_engine_create(...) and so on; filled once the library is open: the common ones and
 * those of its version. */
extern struct onednn_functions onednn;

/* The library is of 2.6 and later, not of 3.x. */
extern int onednn_is_old;

/* The processors, one engine for the process. */
extern dnnl_engine_t onednn_engine;

/* Opens the library at the first call; every call has the same answer: 0, or a status with a
 * sentence that names the library. The first failure also writes a warning.
 * ANYDNN_PLUGIN_STATUS_ALLOC_FAILED for want of memory or descriptors: then the next call tries
 * again. */
int32_t onednn_library_open(const char **sentence);

/* A function of a library, NULL where it has none of that name. */
void onednn_take(void *function, size_t size, void *library, const char *name);

/* Before the library is opened: looks whether the program has OpenMP of its own. */
void onednn_threads_look(void);
int onednn_threads_were_there(void);
/* Afterwards: takes OpenMP's functions. */
void onednn_threads_open(void *library);

/* Reads set.threads. Returns 0, or a status with a sentence at the host. */
int32_t onednn_threads_configure(void);

/* As it was read. */
int onednn_threads(void);

/* oneDNN asks OpenMP for the number of threads, a value of each thread: these two stand round
 * everything that makes or runs primitives. The first returns what the second takes back. A
 * primitive is to run in as many threads as it was made for. */
int onednn_threads_enter(int count);
void onednn_threads_leave(int before);

/* Calls work(arg, piece) for each piece below `pieces`, once, in up to so many of OpenMP's threads;
 * in this one alone where there is no OpenMP. */
void onednn_threads_share(int count, int64_t pieces, void (*work)(void *arg, int64_t piece),
                          void *arg);

/* A program with OpenMP of its own may have left its threads in other floating-point modes, and
 * oneDNN runs in the same ones. Between these two they have the standard's; the calling thread's
 * are the host's matter. Without OpenMP of the program's they were started from within a call, and
 * have them anyway. */
#define ONEDNN_THREADS_MAX 1024
struct onednn_modes {
    int count;
    fenv_t before[ONEDNN_THREADS_MAX];
};
void onednn_modes_enter(struct onednn_modes *modes, int count);
void onednn_modes_leave(struct onednn_modes *modes);

#endif
