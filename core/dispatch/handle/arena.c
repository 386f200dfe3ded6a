/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the arenas: one block per device, never larger than its largest use needed. */
#include "dispatch/handle/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "load/load.h"
#include "sys/process.h"

/* Sizes are rounded up to this, so that slightly different needs share a block. */
#define GRAIN UINT64_C(65536)

struct adn_arena *adn_arena_of(anydnnHandle_t handle, struct adn_space *space, int32_t device)
{
    struct adn_arena *arena = handle->arenas;

    while (arena && !(arena->space == space && arena->device == device))
        arena = arena->next;
    if (!arena && (arena = calloc(1, sizeof(*arena))) != NULL) {
        arena->space = space;
        arena->device = device;
        arena->next = handle->arenas;
        handle->arenas = arena;
    }
    return arena;
}

/* Returns 1 if this process may use the memory. Device memory belongs to the process that allocated
 * it; fork() copies host memory. */
static int is_ours(const struct adn_arena *arena)
{
    return arena->space->host || arena->fork_number == adn_process_fork_number;
}

static void release(struct adn_arena *arena)
{
    if (arena->memory && is_ours(arena) && !adn_process_exiting)
        arena->space->functions->memory_free(arena->device, arena->memory);
    arena->memory = NULL;
    arena->bytes = 0;
}

static int32_t refuse(const struct adn_arena *arena, int32_t result, uint64_t bytes)
{
    char device[64];
    char said[400];
    char text[600];

    adn_space_device_name(arena->space, arena->device, device, sizeof(device));
    snprintf(said, sizeof(said), "%s", adn_load_error_text());
    snprintf(text, sizeof(text), "staging cannot allocate %" PRIu64 " bytes on %s%s%s", bytes,
             device, said[0] != '\0' ? ": " : "", said);
    adn_load_error_set(text);
    return result;
}

int32_t adn_arena_reserve(struct adn_arena *arena, uint64_t bytes)
{
    uint64_t whole = bytes <= UINT64_MAX - GRAIN ? (bytes + GRAIN - 1) / GRAIN * GRAIN : bytes;
    void *memory = NULL;
    int32_t result;

    if (arena->memory && !is_ours(arena)) {
        adn_load_error_set(
            "the memory for staging was allocated before fork(), by another process");
        return ANYDNN_STATUS_NOT_INITIALIZED;
    }
    if (bytes <= arena->bytes)
        return 0;
    /* The old block is freed first, so that there are never two. */
    release(arena);
    result = adn_space_memory_alloc(arena->space, arena->device, whole, &memory);
    if (result != 0)
        return refuse(arena, result, bytes);
    arena->memory = memory;
    arena->bytes = whole;
    arena->fork_number = adn_process_fork_number;
    return 0;
}

uint64_t adn_arena_bytes(const struct anydnnContext *handle)
{
    uint64_t bytes = 0;

    for (const struct adn_arena *arena = handle->arenas; arena; arena = arena->next)
        bytes += arena->bytes;
    return bytes;
}

void adn_arena_trim(anydnnHandle_t handle)
{
    for (struct adn_arena *arena = handle->arenas; arena; arena = arena->next)
        release(arena);
}

void adn_arena_free(anydnnHandle_t handle)
{
    while (handle->arenas) {
        struct adn_arena *arena = handle->arenas;

        handle->arenas = arena->next;
        release(arena);
        free(arena);
    }
}
