/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates memory of the backend's space with guard zones on both sides. Images in host memory
 * fill and read it. */
#include "tools/verify/checks/target.h"

#include <stdlib.h>
#include <string.h>

#include "tools/problem/edges.h"

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

int verify_block_make_at_edge(struct verify_block *block, const char *role, size_t bytes,
                              size_t guard, size_t alignment)
{
    memset(block, 0, sizeof(*block));
    block->bytes = bytes;
    block->total = block->mapped = edges_round(guard + bytes);
    block->at = alignment == 0 ? 0 : (block->total - bytes) / alignment * alignment;
    block->memory = edges_map(block->total, role, block->at, bytes);
    block->image = tool_alloc(block->total);
    block->back = tool_alloc(block->total);
    return block->memory != NULL ? 0 : -1;
}

void verify_block_free(struct verify_block *block)
{
    if (block->space != NULL && block->memory != NULL)
        block->space->memory_free(0, block->memory);
    else if (block->mapped > 0)
        edges_unmap(block->memory, block->mapped);
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
