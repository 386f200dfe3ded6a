/* SPDX-License-Identifier: Apache-2.0 */
/* Declares oneDNN's shared library, the table of its functions, and its threads. */
#ifndef ONEDNN_LIBRARY_H
#define ONEDNN_LIBRARY_H

#include <fenv.h>
#include <stdint.h>

#include "functions.h"

/* The functions of the open library, called as onednn.dnnl_engine_create(...). The table holds the
 * common functions and those of the library's version. */
extern struct onednn_functions onednn;

/* 1 for 2.6 and later 2.x, 0 for 3.x */
extern int onednn_is_old;

/* The CPU engine; one serves the process. */
extern dnnl_engine_t onednn_engine;

/* Opens the library at the first call. Every call has the same result: 0, or a status with a
 * sentence that names the library. The first failure also logs a warning. If memory or descriptors
 * are short, the status is ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, and the next call tries again. */
int32_t onednn_library_open(const char **sentence);

/* Stores a function of a library, or NULL if it has none of that name. */
void onednn_take(void *function, size_t size, void *library, const char *name);

/* Checks whether the program has loaded OpenMP itself. It must run before the library is opened. */
void onednn_threads_look(void);
int onednn_threads_were_there(void);
/* Takes OpenMP's functions after the library has been opened. */
void onednn_threads_open(void *library);

/* Returns the version of the library, such as "3.9.1", or NULL before it is open. */
const char *onednn_library_version(void);

/* Reads set.threads. Returns 0, or a status after a message to the host. */
int32_t onednn_threads_configure(void);

/* Returns the value of set.threads, or fewer threads if the program limits them. */
int onednn_threads(void);

/* Sets the number of OpenMP threads, which is a value of each thread and which oneDNN reads. These
 * two calls enclose everything that creates or runs primitives. The first returns the value that
 * the second restores. A primitive must run in as many threads as it was created for. */
int onednn_threads_enter(int count);
void onednn_threads_leave(int before);

/* Calls work(arg, piece) once for each piece below `pieces`, in up to `count` OpenMP threads.
 * Without OpenMP, it uses the calling thread only. */
void onednn_threads_share(int count, int64_t pieces, void (*work)(void *arg, int64_t piece),
                          void *arg);

/* The floating-point modes of OpenMP's threads. A program that uses OpenMP itself may have changed
 * them, and oneDNN runs in the same threads. Between these two calls, the threads have the standard
 * modes; the host sets those of the calling thread. If the program has no OpenMP, the threads start
 * during a call and have the standard modes anyway. */
#define ONEDNN_THREADS_MAX 1024
struct onednn_modes {
    int count;
    fenv_t before[ONEDNN_THREADS_MAX];
};
void onednn_modes_enter(struct onednn_modes *modes, int count);
void onednn_modes_leave(struct onednn_modes *modes);

#endif
