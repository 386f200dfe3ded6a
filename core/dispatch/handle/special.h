/* SPDX-License-Identifier: Apache-2.0 */
/* NaN, infinities and zeros of a tensor in the host's memory. */
#ifndef ADN_DISPATCH_HANDLE_SPECIAL_H
#define ADN_DISPATCH_HANDLE_SPECIAL_H

#include <stdint.h>

#include <anydnn/plugin.h>

/* Adds to counts[], as count_special of plugin.h says. -1 for another type than an operand's. */
int adn_special_count(const struct anydnn_plugin_tensor *tensor, const void *data,
                      uint64_t *counts);

#endif
