/* SPDX-License-Identifier: Apache-2.0 */
/* The execution of a shadowed call. */
#ifndef ADN_SHADOW_RUN_H
#define ADN_SHADOW_RUN_H

#include <stdint.h>

#include "shadow/watch.h"

/* Runs the call and its shadow. */
int32_t adn_shadow_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                       int32_t *effect);

#endif
