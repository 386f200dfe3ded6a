/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the host offers to a backend. */
#ifndef ADN_LOAD_HOST_H
#define ADN_LOAD_HOST_H

#include "load/load.h"

/* Fills in the backend's table of host functions. */
void adn_load_host_init(struct adn_backend *backend);

#endif
