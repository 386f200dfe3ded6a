/* SPDX-License-Identifier: Apache-2.0 */
/* Names that text, routes and messages share: math modes, element types, and the search for the
 * nearest name. */
#ifndef ADN_DESC_NAMES_H
#define ADN_DESC_NAMES_H

#include <stdint.h>

/* Return "default", "tensor_op", "allow_conversion" or "split" for ANYDNN_PLUGIN_MATH_xxx
 * (ANYDNN_FMA_MATH gives default), and the number of a name, or -1. */
const char *adn_math_name(int32_t math);
int32_t adn_math_parse(const char *name);

/* The names of all element types, for messages. */
#define ADN_TYPE_NAMES "f64 f32 f16 bf16 s8 u8 s32 s64 s8x4 u8x4 s8x32 u16 u32 u64"

/* Return "f32" for ANYDNN_PLUGIN_FLOAT and so on, "?" for others, and the number of a name, or
 * -1. */
const char *adn_type_name(int32_t type);
int32_t adn_type_parse(const char *name);
/* Returns the bytes of one element (of one vector, for VECT_C types); 0 for an unknown type. */
int64_t adn_type_size(int32_t type);
/* Returns the channels in one vector: 4 or 32 for VECT_C types, else 1. */
int32_t adn_type_lanes(int32_t type);

/* Returns the one of `count` names that is nearest to `name`, for "did you mean". The edit distance
 * must be at most a third of the length of `name`, or 1 if that is more. Returns NULL if none is
 * close. */
const char *adn_name_nearest(const char *name, const char *const *names, int count);

#endif
