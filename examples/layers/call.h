/* SPDX-License-Identifier: Apache-2.0 */
/* What follows each call of the library: a complaint if it failed, else a note of who ran it. */
#ifndef LAYERS_CALL_H
#define LAYERS_CALL_H

#include <anydnn/anydnn.h>

#include "element.h"
#include "report.h"

/* From here on the calls of `handle` are noted in the report; NULL: none. */
void call_note(struct report *report, anydnnHandle_t handle);

/* `where` is the layer's name, or NULL for calls that no backend's operation answers. */
int call_done(anydnnStatus_t status, const char *where);

#define CALL(where, call)                                                                          \
    do {                                                                                           \
        if (call_done(call, where) < 0)                                                            \
            return -1;                                                                             \
    } while (0)

/* A scaling factor is a float, for double tensors a double. */
union call_factor {
    float single;
    double twofold;
};

union call_factor call_factor(const struct element *element, double value);

#endif
