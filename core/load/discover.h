/* SPDX-License-Identifier: Apache-2.0 */
/* The backends that folders hold and settings name. */
#ifndef ADN_LOAD_DISCOVER_H
#define ADN_LOAD_DISCOVER_H

#include "load/load.h"

/* Fills in count, backend and unreadable. Returns 0, or -1 if memory is out. */
int adn_load_discover(struct adn_registry *registry);

#endif
