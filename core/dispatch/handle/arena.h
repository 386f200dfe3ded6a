/* SPDX-License-Identifier: Apache-2.0 */
/* A handle's memory for staged calls. There is one block for each device that they run on. A block
 * of host memory holds data that passes through the host. A block has the size that its largest
 * call needed. It is freed with the handle, or earlier when the handle forgets its plans. */
#ifndef ADN_DISPATCH_HANDLE_ARENA_H
#define ADN_DISPATCH_HANDLE_ARENA_H

#include "dispatch/handle/handle.h"

struct adn_arena {
    struct adn_arena *next;
    struct adn_space *space;
    int32_t device;
    void *memory;         /* NULL if none is allocated */
    uint64_t bytes;       /* size of memory */
    uint64_t fork_number; /* of the process that allocated it */
};

/* Returns the handle's arena on a device, at first without memory, or NULL when host memory runs
 * out. */
struct adn_arena *adn_arena_of(anydnnHandle_t handle, struct adn_space *space, int32_t device);

/* Ensures that the arena has `bytes` of memory. Its contents are lost, so none may be in use.
 * Returns 0, or a status with a message in adn_load_error_set. */
int32_t adn_arena_reserve(struct adn_arena *arena, uint64_t bytes);

/* Returns the bytes that all arenas of the handle hold. */
uint64_t adn_arena_bytes(const struct anydnnContext *handle);

/* Frees the memory and keeps the arenas, which plans refer to. */
void adn_arena_trim(anydnnHandle_t handle);

/* Frees the arenas when the handle is destroyed. */
void adn_arena_free(anydnnHandle_t handle);

#endif
