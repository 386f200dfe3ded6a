/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the table entries of all operations. The file of an operation defines its entry, and
 * table.c lists it. */
#ifndef CDN_TABLE_H
#define CDN_TABLE_H

#include "backend.h"

#define OPERATION(number, name, ...) extern const struct cdn_operation cdn_##name;
#include "../kit/operations.def"
#undef OPERATION

extern const struct cdn_operation *const cdn_operations[];
extern const uint32_t cdn_operation_count;
/* Returns an operation, or NULL if there is none. */
const struct cdn_operation *cdn_operation_lookup(int32_t operation);

extern const struct anydnn_plugin_limit *const cdn_limits[];
extern const uint32_t cdn_limit_count;

/* Creates the convolution descriptor of a plan from its parameters (conv.c). Returns 0 or a
 * reason. */
int32_t cdn_convolution_make(struct anydnn_plugin_plan *plan, cudnnDataType_t compute,
                             struct kit_refusal *why);

#endif
