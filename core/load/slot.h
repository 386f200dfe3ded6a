/* SPDX-License-Identifier: Apache-2.0 */
/* A backend with its normalised description. */
#ifndef ADN_LOAD_SLOT_H
#define ADN_LOAD_SLOT_H

#include "load/load.h"

#define ADN_LOAD_REASON_MAX 2048

/* A backend and all memory that it points to. The backend is the first member, so that one pointer
 * serves for both. */
struct adn_load_slot {
    struct adn_backend backend;
    char reason[ADN_LOAD_REASON_MAX];
    const struct anydnn_plugin *given; /* from anydnn_plugin_main; NULL before that */
    /* Copies, in which members that the backend's structures lack are zero. */
    struct anydnn_plugin plugin;
    struct anydnn_plugin_space space;
    struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
    const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];
    struct anydnn_plugin_limit *limits;
    const struct anydnn_plugin_limit **limit_list;
    struct anydnn_plugin_setting *settings;
    const struct anydnn_plugin_setting **setting_list;
};

#endif
