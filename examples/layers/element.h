/* SPDX-License-Identifier: Apache-2.0 */
/* The types that the network can compute in: the host writes and reads their elements as double. */
#ifndef LAYERS_ELEMENT_H
#define LAYERS_ELEMENT_H

#include <anydnn/anydnn.h>
#include <stddef.h>

struct element {
    const char *name;
    anydnnDataType_t type;
    anydnnDataType_t compute; /* what a convolution accumulates in */
    size_t size;
    void (*store)(void *elements, size_t index, double value); /* rounds to nearest, ties to even */
    double (*load)(const void *elements, size_t index);
};

/* The element of that name, or NULL. */
const struct element *element_lookup(const char *name);

#endif
