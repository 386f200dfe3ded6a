/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces: the host's own, and those that live backends serve. */
#ifndef ADN_DISPATCH_HANDLE_SPACE_H
#define ADN_DISPATCH_HANDLE_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

struct adn_backend;

struct adn_space {
    const char *name;
    const struct anydnn_plugin_space *functions;
    const struct adn_backend *owner; /* NULL for the host */
    int host;
    _Atomic int poisoned;             /* 1 after an error from which only a new process recovers */
    struct adn_space_stream *streams; /* in place of default streams; guarded by a lock */
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
/* Sets *stream to what serves as the device's default stream: NULL, or a stream that is made at the
 * first call if the space has no default stream. Returns 0 or a status. */
int32_t adn_space_default_stream(struct adn_space *space, int32_t device, void **stream);
/* Returns 1 if the space captures recordings, and 0 if they are lists of calls. */
static inline int adn_space_captures(const struct adn_space *space)
{
    return space->functions->record_begin != NULL;
}
/* Ends a capture. Does nothing where recordings are lists. */
int32_t adn_space_record_end(const struct adn_space *space, int32_t device, void *stream,
                             void **recording);

#endif
