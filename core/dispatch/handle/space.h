/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces: the host's own, and those that live backends serve. */
#ifndef ADN_DISPATCH_HANDLE_SPACE_H
#define ADN_DISPATCH_HANDLE_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

struct adn_space {
    const char *name;
    const struct anydnn_plugin_space *functions;
    int host;
    _Atomic int poisoned; /* 1 after an error that only a new process cures */
};

extern struct adn_space adn_space_host;

/* "cpu", "cuda:0" */
void adn_space_device_name(const struct adn_space *space, int32_t device, char *text, size_t size);

/* What tells one kind of device from another, by the space's device_identity or, without, its
 * device_name: "" where it does not tell. */
void adn_space_device_identity(const struct adn_space *space, int32_t device, char *text,
                               size_t size);

/* Answers of a space's functions that can be believed. */

/* More than a space can have is a number that was never set. */
#define ADN_SPACE_DEVICES_MAX 1024

/* Devices of a space now; 0, with the thread's backend error, where it says less or more than can
 * be. */
int32_t adn_space_device_count(const struct adn_space *space);
/* The device current in the calling thread; 0 where that is none of the space's. Returns 0 or a
 * status. */
int32_t adn_space_device_current(const struct adn_space *space, int32_t *device);
/* ALLOC_FAILED, not success, with nothing. */
int32_t adn_space_memory_alloc(const struct adn_space *space, int32_t device, uint64_t bytes,
                               void **pointer);
int32_t adn_space_mark_create(const struct adn_space *space, int32_t device, void **mark);
/* NOT_SUPPORTED in a space without streams to make. */
int32_t adn_space_stream_create(const struct adn_space *space, int32_t device, void **stream);
/* Nothing to do on the host, whose recordings are lists. */
int32_t adn_space_record_end(const struct adn_space *space, int32_t device, void *stream,
                             void **recording);

/* Whether a stream lasts as long as its space: the default one, or another that a number below any
 * address stands for. What the application made may be gone when its handle ends. */
static inline int adn_space_owns_stream(const void *stream)
{
    return (uintptr_t)stream < 4096;
}

#endif
