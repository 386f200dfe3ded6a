/* SPDX-License-Identifier: Apache-2.0 */
/* Counts NaNs, infinities and zeros of a tensor in host memory. */
#ifndef ADN_DISPATCH_HANDLE_SPECIAL_H
#define ADN_DISPATCH_HANDLE_SPECIAL_H

#include <stdint.h>

#include <anydnn/plugin.h>

/* Adds to counts[] as plugin.h specifies for count_special. Returns -1 for a type that is not an
 * operand type. */
int adn_special_count(const struct anydnn_plugin_tensor *tensor, const void *data,
                      uint64_t *counts);

#endif
