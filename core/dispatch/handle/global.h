/* SPDX-License-Identifier: Apache-2.0 */
/* The state that all handles of the process share: settings, backends and spaces. It is made once,
 * with the first handle. */
#ifndef ADN_DISPATCH_HANDLE_GLOBAL_H
#define ADN_DISPATCH_HANDLE_GLOBAL_H

#include <anydnn/anydnn.h>

#include "dispatch/handle/space.h"
#include "errata/errata.h"
#include "load/load.h"
#include "settings/settings.h"

#define ADN_SPACES_MAX 8

struct adn_global {
    struct adn_settings *settings;
    struct adn_registry *registry;
    struct adn_errata *errata;
    struct adn_space *space[ADN_SPACES_MAX]; /* [0] is the host */
    _Atomic int32_t space_count; /* grows when a backend opened later brings a new space */
    uint32_t auto_spaces;        /* a bit for each space from which "auto" may take a device */
};

/* Returns the global state and makes it at the first call. Fails with CONFIG_ERROR if an explicitly
 * named file is bad or a backend with enable = yes is not live. Fails with NOT_INITIALIZED if a
 * backend calls while it is being loaded. */
anydnnStatus_t adn_global_get(const char *entry, struct adn_global **global);

/* Returns the global state for callers that need only the settings or the list of backends; opens
 * none. Fails with CONFIG_ERROR as above, but a backend with enable = yes needs only to be
 * installed. */
anydnnStatus_t adn_global_list(const char *entry, struct adn_global **global);

/* Opens a backend and adds its space. Returns 1 if it is live. */
int adn_global_open(struct adn_global *global, struct adn_backend *backend);

/* Returns the name of an installed backend that is similar to `name`, or NULL. */
const char *adn_global_nearest(const struct adn_global *global, const char *name);

/* Warns of names in a user's rule that resemble an installed backend's. A name that a handle's own
 * rules repeat is reported once. */
void adn_global_warn_of_unknown(const struct adn_global *global, const struct adn_route_rule *rule);

/* Fills a query of errata for a problem of one of a backend's devices. `device` has to live as long
 * as the query. */
struct adn_global_device {
    struct adn_global *global;
    const struct adn_backend *backend;
    int32_t number;
};
void adn_global_errata_query(const struct adn_global_device *device,
                             const struct anydnn_plugin_problem *problem,
                             const struct anydnn_plugin_candidate *candidate,
                             struct adn_errata_query *query);

/* Returns the space of that name, or NULL. */
struct adn_space *adn_global_space(struct adn_global *global, const char *name);

#endif
