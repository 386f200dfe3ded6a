/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the test spaces. It is a separate object that all test backends share, as
 * backends of one space share a driver. Each block is one memfd that is mapped twice. The
 * application's address has no access rights; another address, which only backends know, is
 * readable and writable.
 */
#ifndef MOCK_MEMORY_H
#define MOCK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define MOCK_MEMORY_API __attribute__((visibility("default")))

/* Allocates whole pages, filled with 0xa5, for a device of a space; returns the application's
 * address, or NULL. */
MOCK_MEMORY_API void *mock_memory_take(const char *space, int32_t device, uint64_t bytes);

/* Frees a block; returns 0, or -1 if it is not a block of the device. */
MOCK_MEMORY_API int mock_memory_drop(const char *space, int32_t device, const void *pointer);

/* Returns the address at which `bytes` bytes of the application's block are accessible; NULL if
 * they are not all in one block of the space. */
MOCK_MEMORY_API void *mock_memory_reach(const char *space, const void *pointer, uint64_t bytes);

#endif
