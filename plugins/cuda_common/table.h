/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the context of a CUDA backend that needs only the common properties of the device, and
 * the table entries of all operations. The file of an operation defines its entry, and the
 * backend's table.c lists it. */
#ifndef CUDA_COMMON_TABLE_H
#define CUDA_COMMON_TABLE_H

#include "plan.h"

struct anydnn_plugin_context {
    struct cuda_context cuda;
};

/* Defines the entry of operation ANYDNN_PLUGIN_<number>. The other arguments initialize its members
 * by name, in the order of struct cuda_operation. */
#define CUDA_OPERATION(name, number, ...)                                                          \
    const struct cuda_operation cuda_##name = {.operation = ANYDNN_PLUGIN_##number, __VA_ARGS__}

#ifdef __cplusplus
extern "C" {
#endif

#define OPERATION(number, name, ...) extern const struct cuda_operation cuda_##name;
#include "../kit/operations.def"
#undef OPERATION

#ifdef __cplusplus
}
#endif

#endif
