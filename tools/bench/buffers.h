/* SPDX-License-Identifier: Apache-2.0 */
/* Several sets of a problem's operands in device memory, so that no call finds its operands in the
 * cache. */
#ifndef TOOLS_BENCH_BUFFERS_H
#define TOOLS_BENCH_BUFFERS_H

#include "tools/problem/operands.h"

struct buffers {
    anydnnHandle_t handle;
    unsigned char *memory;
    size_t stride; /* bytes of one set */
    int sets;
    size_t at[OPERANDS_MAX];           /* offset of each operand in its set */
    unsigned char *host[OPERANDS_MAX]; /* operands in host memory, shared by all sets; else NULL */
    int count;
};

/* Returns the size of the last-level cache of the named device. If it cannot be queried, returns a
 * size that exceeds the caches of current devices. */
long long buffers_cache(const char *device);

/* Creates the sets with random data: enough to fill twice `cache` bytes, or one if `cache` is 0.
 * Returns 0 with the reason in `why` if there is no memory. */
int buffers_make(anydnnHandle_t handle, const char *device, const struct operands *operands,
                 long long cache, struct buffers *buffers, char *why, size_t size);
void buffers_pointers(const struct buffers *buffers, int set, void *pointers[]);
void buffers_free(struct buffers *buffers);

#endif
