/* SPDX-License-Identifier: Apache-2.0 */
/* A call of one of cuDNN's older functions as a problem of anydnn. The functions of legacy*.c
 * describe a call with the application's own descriptors. It then runs on a backend, or on the real
 * library by the same call. A trace gets its line. */
#ifndef CUDNN9_CALL_H
#define CUDNN9_CALL_H

#include "cudnn9/front.h"

enum { CUDNN9_OPERANDS = 8, CUDNN9_TEXT_BYTES = 3000 };

struct cudnn9_call {
    size_t index; /* the function */
    void *handle; /* the real library's handle */
    char text[CUDNN9_TEXT_BYTES];
    size_t length;
    /* The operands that are present, in the order of the operation. */
    void *data[CUDNN9_OPERANDS];
    const char *role[CUDNN9_OPERANDS];
    int is_output[CUDNN9_OPERANDS];
    int operands;
    int is_double; /* 1: the factors are doubles */
    int unmapped;  /* 1: anydnn has no problem for the call */
};

enum cudnn9_direction { CUDNN9_FORWARD, CUDNN9_BACKWARD_DATA, CUDNN9_BACKWARD_FILTER };

/* ---- describe.c: each function adds words to the text */

CUDNN9_HIDDEN void cudnn9_begin(struct cudnn9_call *call, size_t index, void *handle,
                                const char *operation);
CUDNN9_HIDDEN void cudnn9_add(struct cudnn9_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds KEY=WORD; `value` is the index of the word. */
CUDNN9_HIDDEN void cudnn9_word(struct cudnn9_call *call, const char *key, const char *const *words,
                               int count, int value);
/* Adds an operand with the shape of a descriptor. */
CUDNN9_HIDDEN void cudnn9_tensor(struct cudnn9_call *call, const char *role, void *desc,
                                 const void *data);
CUDNN9_HIDDEN void cudnn9_filter(struct cudnn9_call *call, const char *role, void *desc,
                                 const void *data);
/* Marks the last operand as an output. */
CUDNN9_HIDDEN void cudnn9_output(struct cudnn9_call *call);
/* Adds a factor, which is a double if an operand is. */
CUDNN9_HIDDEN void cudnn9_factor(struct cudnn9_call *call, const char *key, const void *factor);
/* Returns the name of a data type, or NULL for one without a problem. */
CUDNN9_HIDDEN const char *cudnn9_type(int type);

/* ---- parameters.c: adds the values of descriptors */

CUDNN9_HIDDEN void cudnn9_convolution(struct cudnn9_call *call, void *desc, int algorithm,
                                      enum cudnn9_direction direction);
CUDNN9_HIDDEN void cudnn9_pooling(struct cudnn9_call *call, void *desc);
CUDNN9_HIDDEN void cudnn9_activation(struct cudnn9_call *call, void *desc);
CUDNN9_HIDDEN void cudnn9_lrn(struct cudnn9_call *call, void *desc);
CUDNN9_HIDDEN void cudnn9_op(struct cudnn9_call *call, void *desc);
CUDNN9_HIDDEN void cudnn9_reduction(struct cudnn9_call *call, void *desc);

/* ---- run.c */

/* Returns 1 if a backend ran the call, or began to, and stores cuDNN's status. Otherwise the real
 * library must run it. */
CUDNN9_HIDDEN int cudnn9_run(struct cudnn9_call *call, void *workspace, size_t bytes, int *status);
/* Notes that the real library ran the call. Returns its status. */
CUDNN9_HIDDEN int cudnn9_forwarded(struct cudnn9_call *call, int status);
/* Forgets the real handle. */
CUDNN9_HIDDEN void cudnn9_forget(void *handle);
/* Returns the calls of a function that backends ran, and those that went to the real library. */
CUDNN9_HIDDEN void cudnn9_ran(size_t index, uint64_t *backends, uint64_t *forwarded);

/* ---- trace.c */

/* Appends a line to the trace, if there is one. `backend` is NULL for the real library. */
CUDNN9_HIDDEN void cudnn9_trace(const char *problem, const char *backend, const char *engine,
                                const char *math, int handle, int status);

/* ---- legacy.c, legacy_layers.c */

/* Returns the function that describes the calls of a function, or NULL. */
CUDNN9_HIDDEN void *cudnn9_legacy(size_t index);
CUDNN9_HIDDEN void *cudnn9_legacy_layers(size_t index);

#endif
