/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handle's own memory for staged calls: one block for each device that they run on, and one of
 * the host for what passes through it. A block is as large as the largest call that used it needed;
 * it goes with the handle, and earlier when the handle forgets its plans.
 */
#ifndef ADN_DISPATCH_HANDLE_ARENA_H
#define ADN_DISPATCH_HANDLE_ARENA_H

#include "dispatch/handle/handle.h"

struct adn_arena {
    struct adn_arena *next;
    struct adn_space *space;
    int32_t device;
    void *memory;         /* NULL: none now */
    uint64_t bytes;       /* of memory */
    uint64_t fork_number; /* of the process that allocated it */
};

/* The handle's arena on a device, without memory at first; NULL when host memory is out. */
struct adn_arena *adn_arena_of(anydnnHandle_t handle, struct adn_space *space, int32_t device);

/* Sees to `bytes` of memory, whose contents are not kept; nothing of it may be in use. 0, or a
 * status with the sentence handed to adn_load_error_set. */
int32_t adn_arena_reserve(struct adn_arena *arena, uint64_t bytes);

/* Bytes that all arenas of the handle hold now. */
uint64_t adn_arena_bytes(const struct anydnnContext *handle);

/* Gives the memory back; the arenas stay, for the plans that know them. */
void adn_arena_trim(anydnnHandle_t handle);

/* With the handle. */
void adn_arena_free(anydnnHandle_t handle);

#endif
