/* SPDX-License-Identifier: Apache-2.0 */
/* What all handles of the process share: settings, backends, spaces. Made once, with the first
 * handle. */
#ifndef ADN_DISPATCH_HANDLE_WORLD_H
#define ADN_DISPATCH_HANDLE_WORLD_H

#include <anydnn/anydnn.h>

#include "dispatch/handle/space.h"
#include "load/load.h"
#include "settings/settings.h"

#define ADN_SPACES_MAX 8

struct adn_world {
    struct adn_settings *settings;
    struct adn_registry *registry;
    struct adn_space *space[ADN_SPACES_MAX]; /* [0] is the host */
    _Atomic int32_t space_count; /* grows when a backend that is opened later brings one */
};

/* The world; makes it at the first call. CONFIG_ERROR when an explicitly named file is bad or a
 * backend with enable = yes is not live, NOT_INITIALIZED when the call comes from a backend that is
 * being loaded. */
anydnnStatus_t adn_world_get(const char *entry, struct adn_world **world);

/* The settings, for who asks no backend: nothing is opened. CONFIG_ERROR as above, but of backends
 * with enable = yes only for one that is not installed. */
anydnnStatus_t adn_world_settings(const char *entry, const struct adn_settings **settings);

/* Opens a backend and learns of its space; 1 when it is live. */
int adn_world_open(struct adn_world *world, struct adn_backend *backend);

/* Warns of names in a user's rule that resemble an installed backend's; of one that a handle's own
 * rules repeat once. */
void adn_world_warn_of_unknown(const struct adn_world *world, const struct adn_route_rule *rule);

/* The space of that name, or NULL. */
struct adn_space *adn_world_space(struct adn_world *world, const char *name);

#endif
