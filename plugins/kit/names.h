/* SPDX-License-Identifier: Apache-2.0 */
/* Facts from operations.def and plugin.h about operations, their operands and element types: names
 * for messages, sizes, and which operands are written. */
#ifndef KIT_NAMES_H
#define KIT_NAMES_H

#include <anydnn/plugin.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bound on element types. Only the three types that are for reduction indices alone are larger.
 */
#define KIT_TYPES (ANYDNN_PLUGIN_INT64 + 1)

/* Return names such as "convolution_forward", "x" and "float". Invalid numbers give "an unknown
 * operation", "?" and "an unknown type". */
const char *kit_operation_name(int32_t operation);
const char *kit_slot_name(int32_t operation, int32_t slot);
const char *kit_type_name(int32_t type);

/* Returns 1 if the operation writes the operand of that slot. */
int kit_is_written(int32_t operation, int32_t slot);

/* Returns a bit for each slot of the operation. */
uint32_t kit_slots(int32_t operation);

/* Returns the bytes of the structure that the operation's params points to; 0 if it has none. */
size_t kit_params_size(int32_t operation);

/* Returns the bytes of an element; for a VECT_C type, of one channel of the vector. Returns 0 for
 * an invalid type. */
int64_t kit_type_size(int32_t type);

/* Returns the number of channels in a vector; 1 except for the VECT_C types. */
static inline int64_t kit_lanes(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8X32                                   ? 32
           : type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_UINT8X4 ? 4
                                                                           : 1;
}

/* Returns the type of one channel of the vector. */
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
