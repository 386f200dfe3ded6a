/* SPDX-License-Identifier: Apache-2.0 */
/* Manages host memory for copies without a wait, each block with its marks. Blocks are reused,
 * since a device allocates and frees such memory only when all its streams are idle. */
#include "shadow/block.h"

#include <stdlib.h>

#include "dispatch/handle/handle.h"
#include "dispatch/handle/space.h"
#include "load/load.h"
#include "shadow/watch.h"
#include "sys/process.h"

int adn_backlog_is_reachable(const struct adn_watch *watch)
{
    return !adn_process_exiting && watch->backlog.fork_number == adn_process_fork_number &&
           !watch->handle->space->poisoned;
}

static void free_block(struct adn_watch *watch, struct adn_block *block)
{
    const struct anydnnContext *handle = watch->handle;
    const struct anydnn_plugin_space *functions = handle->space->functions;
    int reachable = adn_backlog_is_reachable(watch);

    for (int i = 0; i < 4; i++)
        if (block->mark[i] && reachable)
            functions->mark_destroy(handle->device, block->mark[i]);
    if (block->memory && reachable)
        (void)ADN_BACKEND_CALL(functions->host_free(handle->device, block->memory));
    watch->backlog.bytes -= block->bytes;
    free(block);
}

void adn_blocks_free(struct adn_watch *watch, struct adn_block **list)
{
    while (*list) {
        struct adn_block *block = *list;

        *list = block->next;
        free_block(watch, block);
    }
}

struct adn_block *adn_block_make(struct adn_watch *watch, uint64_t bytes)
{
    const struct anydnnContext *handle = watch->handle;
    struct adn_block *block = calloc(1, sizeof(*block));
    void *memory = NULL;
    int32_t result;

    if (!block)
        return NULL;
    result = ADN_BACKEND_CALL(handle->space->functions->host_alloc(handle->device, bytes, &memory));
    if (result == 0 && memory) {
        block->memory = memory;
        block->bytes = bytes;
        watch->backlog.bytes += bytes;
    }
    for (int i = 0; i < 4 && result == 0; i++)
        result = adn_space_mark_create(handle->space, handle->device, &block->mark[i]);
    if (block->memory && result == 0)
        return block;
    free_block(watch, block);
    return NULL;
}

struct adn_block *adn_block_take(struct adn_backlog *backlog, uint64_t bytes)
{
    struct adn_block **best = NULL;
    struct adn_block *block;

    for (struct adn_block **at = &backlog->spare; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (!best || (*at)->bytes < (*best)->bytes))
            best = at;
    if (!best)
        return NULL;
    block = *best;
    *best = block->next;
    return block;
}

void adn_block_put(struct adn_block **list, struct adn_block *block)
{
    block->next = *list;
    *list = block;
}
