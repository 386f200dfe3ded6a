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
    _Atomic int poisoned; /* 1 after an error from which only a new process recovers */
};

extern struct adn_space adn_space_host;

/* Writes the name of a device, for example "cpu" or "cuda:0". */
void adn_space_device_name(const struct adn_space *space, int32_t device, char *text, size_t size);

/* Writes a text that identifies the kind of device: the space's device_identity, or its device_name
 * without one. Writes "" if the function fails. */
void adn_space_device_identity(const struct adn_space *space, int32_t device, char *text,
                               size_t size);

/* ---- checked results of a space's functions */

/* A larger number of devices is an unset value. */
#define ADN_SPACE_DEVICES_MAX 1024

/* Returns the current number of devices of a space. Returns 0, with the thread's backend error, if
 * the reported number is out of range. */
int32_t adn_space_device_count(const struct adn_space *space);
/* Finds the device that is current in the calling thread, or 0 if that is not one of the space's.
 * Returns 0 or a status. */
int32_t adn_space_device_current(const struct adn_space *space, int32_t *device);
/* These two fail with ALLOC_FAILED if the function reports success and returns nothing. */
int32_t adn_space_memory_alloc(const struct adn_space *space, int32_t device, uint64_t bytes,
                               void **pointer);
int32_t adn_space_mark_create(const struct adn_space *space, int32_t device, void **mark);
/* Creates a stream. Returns NOT_SUPPORTED if the space cannot create streams. */
int32_t adn_space_stream_create(const struct adn_space *space, int32_t device, void **stream);
/* Ends a recording. Does nothing on the host, whose recordings are lists. */
int32_t adn_space_record_end(const struct adn_space *space, int32_t device, void *stream,
                             void **recording);

/* Returns 1 if a stream lives as long as its space: the default stream, or one given by a number
 * below any address. A stream of the application may no longer exist when its handle is destroyed.
 */
static inline int adn_space_owns_stream(const void *stream)
{
    return (uintptr_t)stream < 4096;
}

#endif
