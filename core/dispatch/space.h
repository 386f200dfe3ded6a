/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces: the host's own, and those that live backends serve. */
#ifndef ADN_DISPATCH_SPACE_H
#define ADN_DISPATCH_SPACE_H

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
/* Devices of a space now. */
int32_t adn_space_device_count(const struct adn_space *space);

/* Whether a stream lasts as long as its space: the default one, or another that a number below any
 * address stands for. What the application made may be gone when its handle ends. */
static inline int adn_space_owns_stream(const void *stream)
{
    return (uintptr_t)stream < 4096;
}

#endif
