/* SPDX-License-Identifier: Apache-2.0 */
/* Several sets of a problem's operands in a device's memory, so that no call finds its operands in
 * the cache. */
#ifndef TOOLS_BENCH_BUFFERS_H
#define TOOLS_BENCH_BUFFERS_H

#include "tools/problem/operands.h"

struct buffers {
    anydnnHandle_t handle;
    unsigned char *memory;
    size_t stride; /* bytes of one set */
    int sets;
    size_t at[OPERANDS_MAX]; /* where each operand lies in its set */
    unsigned char
        *host[OPERANDS_MAX]; /* of those in host memory, which all sets share; else NULL */
    int count;
};

/* Bytes of the cache nearest to the memory of the device of this name, or a size beyond those of
 * the devices that there are where it cannot be asked. */
long long buffers_cache(const char *device);

/* As many sets as fill twice `cache` bytes, with random data; cache 0: one. Returns 0 and the
 * reason in `why` where there is no memory. */
int buffers_make(anydnnHandle_t handle, const char *device, const struct operands *operands,
                 long long cache, struct buffers *buffers, char *why, size_t size);
void buffers_pointers(const struct buffers *buffers, int set, void *pointers[]);
void buffers_free(struct buffers *buffers);

#endif
