/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates memory of the backend's space with guard zones on both sides. Images in host memory
 * fill and read it. */
#include "tools/verify/checks/target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 256

int verify_block_make(struct verify_block *block, const struct anydnn_plugin_space *space,
                      size_t bytes, size_t guard, size_t shift)
{
    memset(block, 0, sizeof(*block));
    block->space = space;
    block->bytes = bytes;
    block->at = (guard + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + shift;
    block->total = (block->at + bytes + guard + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block->image = tool_alloc(block->total);
    block->back = tool_alloc(block->total);
    if (space != NULL)
        return space->memory_alloc(0, block->total, (void **)&block->memory) == 0 ? 0 : -1;
    block->memory = aligned_alloc(ALIGNMENT, block->total);
    return block->memory != NULL ? 0 : -1;
}

int verify_block_make_at_edge(struct verify_block *block, size_t bytes, size_t guard,
                              size_t alignment)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory;

    memset(block, 0, sizeof(*block));
    block->bytes = bytes;
    block->total = (guard + bytes + page - 1) / page * page;
    block->at = (block->total - bytes) / alignment * alignment;
    block->mapped = block->total + page;
    memory = mmap(NULL, block->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    block->memory = memory;
    block->image = tool_alloc(block->total);
    block->back = tool_alloc(block->total);
    return mprotect(memory + block->total, page, PROT_NONE);
}

void verify_block_free(struct verify_block *block)
{
    if (block->space != NULL && block->memory != NULL)
        block->space->memory_free(0, block->memory);
    else if (block->mapped > 0)
        munmap(block->memory, block->mapped);
    else
        free(block->memory);
    free(block->image);
    free(block->back);
    memset(block, 0, sizeof(*block));
}

void verify_block_poison(struct verify_block *block, size_t element_size)
{
    size_t element = 0;

    memset(block->image, 0xff, block->total);
    for (size_t at = block->at % element_size; at < block->total; at += element_size)
        block->image[at] ^= (unsigned char)(element++ & 0x3f);
}

int verify_block_put(struct verify_block *block)
{
    if (block->space != NULL)
        return block->space->memory_copy(0, NULL, block->memory, block->image, block->total,
                                         ANYDNN_PLUGIN_COPY_TO) == 0
                   ? 0
                   : -1;
    memcpy(block->memory, block->image, block->total);
    return 0;
}

int verify_block_get(struct verify_block *block)
{
    if (block->space != NULL)
        return block->space->memory_copy(0, NULL, block->back, block->memory, block->total,
                                         ANYDNN_PLUGIN_COPY_FROM) == 0
                   ? 0
                   : -1;
    memcpy(block->back, block->memory, block->total);
    return 0;
}
