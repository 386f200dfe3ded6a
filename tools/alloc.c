/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates memory for all commands, or ends the program with a sentence. */
#include "common.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *tool_alloc(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);

    if (memory == NULL) {
        fprintf(stderr, "anydnn: out of memory: cannot allocate %zu bytes\n", bytes);
        exit(TOOL_FAILED);
    }
    return memory;
}

void *tool_alloc_array(int64_t count, size_t size)
{
    size_t bytes;

    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes))
        bytes = SIZE_MAX;
    return tool_alloc(bytes);
}
