/* SPDX-License-Identifier: Apache-2.0 */
/* What operations.def and plugin.h say of operations, their operands and element types: names for
 * sentences, sizes, which operands are written. */
#ifndef KIT_NAMES_H
#define KIT_NAMES_H

#include <anydnn/plugin.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types are below this, but for the three that are types of reduction indices only. */
#define KIT_TYPES (ANYDNN_PLUGIN_INT64 + 1)

/* "convolution_forward", "x", "float"; of numbers that there are not "an unknown operation", "?",
 * "an unknown type". */
const char *kit_operation_name(int32_t operation);
const char *kit_slot_name(int32_t operation, int32_t slot);
const char *kit_type_name(int32_t type);

/* Whether the operation writes the operand of that slot. */
int kit_is_written(int32_t operation, int32_t slot);

/* Bytes of the structure that params of the operation points to; 0: it has none. */
size_t kit_params_size(int32_t operation);

/* Bytes of an element; of a VECT_C type, of one of the channels that make a vector. 0 for a number
 * that is no type. */
int64_t kit_type_size(int32_t type);

/* Channels that lie side by side in a vector: 1 but for the VECT_C types. */
static inline int64_t kit_lanes(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8X32                                   ? 32
           : type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_UINT8X4 ? 4
                                                                           : 1;
}

/* The type of each of them. */
static inline int32_t kit_lane_type(int32_t type)
{
    return type == ANYDNN_PLUGIN_UINT8X4                                   ? ANYDNN_PLUGIN_UINT8
           : type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_INT8X32 ? ANYDNN_PLUGIN_INT8
                                                                           : type;
}

#ifdef __cplusplus
}
#endif

#endif
