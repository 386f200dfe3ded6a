/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the operations, from operations.def. */
#ifndef ADN_DESC_OPERATIONS_H
#define ADN_DESC_OPERATIONS_H

#include <stdint.h>

/* "convolution_forward" for ANYDNN_PLUGIN_CONVOLUTION_FORWARD and so on; "?" for others; back: the
 * number, or -1. */
const char *adn_operation_name(int32_t operation);
int32_t adn_operation_parse(const char *name);

/* All names in the order of their numbers, for searches. */
const char *const *adn_operation_names(int *count);

#endif
