/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the operations, from operations.def. */
#ifndef ADN_DESC_OPERATIONS_H
#define ADN_DESC_OPERATIONS_H

#include <stdint.h>

/* Return "convolution_forward" for ANYDNN_PLUGIN_CONVOLUTION_FORWARD and so on, "?" for others, and
 * the number of a name, or -1. */
const char *adn_operation_name(int32_t operation);
int32_t adn_operation_parse(const char *name);

/* Returns all names in the order of their numbers, for searches. */
const char *const *adn_operation_names(int *count);

#endif
