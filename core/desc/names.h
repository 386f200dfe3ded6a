/* SPDX-License-Identifier: Apache-2.0 */
/* Names that text, routes and messages share: math modes, element types, and the nearest-name
 * search. */
#ifndef ADN_DESC_NAMES_H
#define ADN_DESC_NAMES_H

#include <stdint.h>

/* "default", "tensor_op", "allow_conversion", "split" for ANYDNN_PLUGIN_MATH_xxx (ANYDNN_FMA_MATH
 * reads as default); back: the number, or -1. */
const char *adn_math_name(int32_t math);
int32_t adn_math_parse(const char *name);

/* "f32" for ANYDNN_PLUGIN_FLOAT and so on; "?" for others; back: the number, or -1. */
const char *adn_type_name(int32_t type);
int32_t adn_type_parse(const char *name);
/* Bytes of one element (of one vector, for VECT_C types); 0 for an unknown type. */
int64_t adn_type_size(int32_t type);
/* Channels in one vector: 4 or 32 for VECT_C types, else 1. */
int32_t adn_type_lanes(int32_t type);

/* The one of `count` names nearest to `name` (edit distance at most a third of its length, at least
 * 1), for "did you mean"; NULL when none is close. */
const char *adn_name_nearest(const char *name, const char *const *names, int count);

#endif
