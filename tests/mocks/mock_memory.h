/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the test spaces, in an object of its own that all test backends share, as backends
 * of one space share a driver. Each block is one memfd mapped twice: without any rights at the
 * address that the application gets, and readable and writable at another that only backends learn.
 */
#ifndef MOCK_MEMORY_H
#define MOCK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define MOCK_MEMORY_API __attribute__((visibility("default")))

/* A block of whole pages, filled with 0xa5, for a device of a space: the application's address, or
 * NULL. */
MOCK_MEMORY_API void *mock_memory_take(const char *space, int32_t device, uint64_t bytes);

/* 0, or -1 when that is no block of the device. */
MOCK_MEMORY_API int mock_memory_drop(const char *space, int32_t device, const void *pointer);

/* Where `bytes` bytes at the application's address are read and written; NULL when they are not all
 * in one block of the space. */
MOCK_MEMORY_API void *mock_memory_reach(const char *space, const void *pointer, uint64_t bytes);

#endif
