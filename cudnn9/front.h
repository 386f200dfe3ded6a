/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of anydnn's libcudnn.so.9, which stands in front of the real one. Handles and
 * descriptors are those of the real library. A call jumps to the real function, unless a setting
 * requests more (docs/cudnn9.md). */
#ifndef CUDNN9_FRONT_H
#define CUDNN9_FRONT_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>

/* The statuses of cuDNN 9 that this library returns or compares. */
enum {
    CUDNN9_SUCCESS = 0,
    CUDNN9_NOT_INITIALIZED = 1001,
    CUDNN9_SUBLIBRARY_VERSION_MISMATCH = 1002,
    CUDNN9_NOT_SUPPORTED = 3000,
};

enum cudnn9_result { CUDNN9_STATUS, CUDNN9_NUMBER, CUDNN9_NAME, CUDNN9_TEXT };

/* The index of each function, for example cudnn9_cudnnCreate. */
enum {
#define ENTRY(name, result) cudnn9_##name,
#include "cudnn9/names.def"
#undef ENTRY
    CUDNN9_FUNCTIONS
};

struct cudnn9_function {
    const char *name;
    enum cudnn9_result result;
};

extern const struct cudnn9_function cudnn9_functions[CUDNN9_FUNCTIONS];

#define CUDNN9_HIDDEN __attribute__((visibility("hidden")))

/* ---- jumps.S: the address to which each exported function jumps, and code to put there */

extern CUDNN9_HIDDEN void *cudnn9_slot[CUDNN9_FUNCTIONS];
extern CUDNN9_HIDDEN void *const cudnn9_counting[CUDNN9_FUNCTIONS];
extern CUDNN9_HIDDEN void *const cudnn9_lacking[CUDNN9_FUNCTIONS];
/* The calls that were counted, and where a counted call goes on. */
extern CUDNN9_HIDDEN uint64_t cudnn9_count[CUDNN9_FUNCTIONS];
extern CUDNN9_HIDDEN void *cudnn9_onward[CUDNN9_FUNCTIONS];

/* ---- find.c */

/* Returns the address at which a call of the function continues, and puts it into the slot. */
CUDNN9_HIDDEN void *cudnn9_find(size_t index);
/* Returns the real function, or NULL if the real library lacks it or is missing. */
CUDNN9_HIDDEN void *cudnn9_real(size_t index);
/* Sets a variable of a function's type to the real function. ISO C has no cast for it. */
#define CUDNN9_REAL(function, name)                                                                \
    do {                                                                                           \
        void *cudnn9_address = cudnn9_real(cudnn9_##name);                                         \
        memcpy(&(function), &cudnn9_address, sizeof(function));                                    \
    } while (0)
/* Returns the path of the real library, or NULL if it cannot be used. Backends open that file, not
 * the one of its name. */
ANYDNN_API const char *anydnnCudnn9Real(void);
/* Writes why there is no real library, or nothing. */
CUDNN9_HIDDEN void cudnn9_why_none(char *text, size_t size);

/* ---- messages.c */

/* Keeps the sentence as this thread's last error, and logs it. Returns the status. */
CUDNN9_HIDDEN int cudnn9_refuse(int status, anydnnStatus_t nearest, const char *sentence);
/* Returns what a function answers that the real library lacks: a status, or 0. */
CUDNN9_HIDDEN size_t cudnn9_answer_lacking(size_t index);

/* ---- settings.c */

struct cudnn9_settings {
    char library[4096]; /* "auto", or the real file or its folder */
    int device_is_auto;
    char backends[4096]; /* "none", or the backends that run calls, with commas */
    char trace[4096];    /* "off", or the file that gets a line for each such call */
    char counters[4096]; /* "off", or the file that gets the counters at exit */
};

CUDNN9_HIDDEN const struct cudnn9_settings *cudnn9_settings(void);
/* Replaces %p in a file's name by the process number. */
CUDNN9_HIDDEN void cudnn9_expand(const char *pattern, char *path, size_t size);

/* ---- counters.c */

/* Returns the address to which a call jumps so that it is counted and goes on to `target`. */
CUDNN9_HIDDEN void *cudnn9_counted(size_t index, void *target);

/* Returns the function that gives messages, or NULL if the real one does. */
CUDNN9_HIDDEN void *cudnn9_message_hook(size_t index);
/* Returns the name of a status of cuDNN 9. */
CUDNN9_HIDDEN const char *cudnn9_status_name(int status);

/* ---- hide.c */

/* Makes the functions that the real library lacks invisible to dlsym and to later bindings. */
CUDNN9_HIDDEN void cudnn9_hide_lacking(void *real);

/* ---- parts.c */

/* Reports parts of cuDNN that are missing, or come from another place than the real library. */
CUDNN9_HIDDEN void cudnn9_check_parts(const char *real);
/* Returns the status. Reports the files if their versions do not fit together. */
CUDNN9_HIDDEN int cudnn9_check_mismatch(const char *entry, int status);

/* ---- hooks.c */

/* Returns the function of this library that gets the calls, or NULL if the real one gets them. */
CUDNN9_HIDDEN void *cudnn9_hook(size_t index);

#endif
