/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars of every element type as doubles, and back. */
#include "tools/problem/operands.h"

#include <string.h>

#include <anydnn/plugin.h>

#include "numerics/numerics.h"

#define SCALAR(name, type)                                                                         \
    static double load_##name(const void *bytes)                                                   \
    {                                                                                              \
        return adn_element_load(type, bytes);                                                      \
    }                                                                                              \
    static void store_##name(void *bytes, double value)                                            \
    {                                                                                              \
        adn_element_store(type, bytes, value);                                                     \
    }

SCALAR(f64, ANYDNN_PLUGIN_DOUBLE)
SCALAR(f32, ANYDNN_PLUGIN_FLOAT)
SCALAR(f16, ANYDNN_PLUGIN_HALF)
SCALAR(bf16, ANYDNN_PLUGIN_BFLOAT16)
SCALAR(s8, ANYDNN_PLUGIN_INT8)
SCALAR(u8, ANYDNN_PLUGIN_UINT8)
SCALAR(s32, ANYDNN_PLUGIN_INT32)
SCALAR(s64, ANYDNN_PLUGIN_INT64)
SCALAR(u16, ANYDNN_PLUGIN_UINT16)
SCALAR(u32, ANYDNN_PLUGIN_UINT32)
SCALAR(u64, ANYDNN_PLUGIN_UINT64)

/* Tolerances leave room for sums in another order, some hundred roundings of the wide types; 16-bit
 * types, whose sums are float, for the rounding of the result; whole numbers agree exactly. */
static const struct element elements[] = {
    {"f64", 8, 1, 1, 0, 1e-13, load_f64, store_f64},
    {"f32", 4, 1, 1, 0, 1e-5, load_f32, store_f32},
    {"f16", 2, 1, 1, 0, 2e-3, load_f16, store_f16},
    {"bf16", 2, 1, 1, 0, 1.6e-2, load_bf16, store_bf16},
    {"s8", 1, 1, 0, -8, 0, load_s8, store_s8},
    {"u8", 1, 1, 0, 0, 0, load_u8, store_u8},
    {"s32", 4, 1, 0, -8, 0, load_s32, store_s32},
    {"s64", 8, 1, 0, -8, 0, load_s64, store_s64},
    {"s8x4", 1, 4, 0, -8, 0, load_s8, store_s8},
    {"u8x4", 1, 4, 0, 0, 0, load_u8, store_u8},
    {"s8x32", 1, 32, 0, -8, 0, load_s8, store_s8},
    {"u16", 2, 1, 0, 0, 0, load_u16, store_u16},
    {"u32", 4, 1, 0, 0, 0, load_u32, store_u32},
    {"u64", 8, 1, 0, 0, 0, load_u64, store_u64},
};

const struct element *element_lookup(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
        if (strlen(elements[i].name) == length && memcmp(elements[i].name, name, length) == 0)
            return &elements[i];
    return NULL;
}
