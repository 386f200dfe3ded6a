/* SPDX-License-Identifier: Apache-2.0 */
/* Processes each call of the library: complains if it failed, else notes the backend that ran
 * it. */
#ifndef LAYERS_CALL_H
#define LAYERS_CALL_H

#include <anydnn/anydnn.h>

#include "element.h"
#include "report.h"

/* Notes the calls of `handle` in the report from now on; NULL stops this. */
void call_note(struct report *report, anydnnHandle_t handle);

/* Processes a call. `where` is the layer's name, or NULL for calls that run no operation of a
 * backend. */
int call_done(anydnnStatus_t status, const char *where);

#define CALL(where, call)                                                                          \
    do {                                                                                           \
        if (call_done(call, where) < 0)                                                            \
            return -1;                                                                             \
    } while (0)

/* A scaling factor: a float, or a double for double tensors. */
union call_factor {
    float single;
    double twofold;
};

union call_factor call_factor(const struct element *element, double value);

#endif
