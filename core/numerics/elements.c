/* SPDX-License-Identifier: Apache-2.0 */
/* Converts scalars of every type between bytes and doubles. */
#include "numerics/numerics.h"

#include <math.h>
#include <string.h>

#include <anydnn/plugin.h>

/* Loads a 16-bit number with `fraction` bits of fraction. Infinities and NaN have all exponent bits
 * set, subnormal numbers have none. The smallest normal number is 2^least. */
static double load_short(const void *bytes, int fraction, int least)
{
    int top = 0x7fff >> fraction;
    uint64_t wide;
    uint16_t bits;
    int exponent;
    double size;

    memcpy(&bits, bytes, sizeof(bits));
    exponent = (bits & 0x7fff) >> fraction;
    wide = bits & ((1U << fraction) - 1);
    if (exponent == top) {
        size = wide != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        size = ldexp((double)wide, least - fraction);
    } else {
        wide = (uint64_t)(exponent - 1 + least + 1023) << 52 | wide << (52 - fraction);
        memcpy(&size, &wide, sizeof(size));
    }
    return bits & 0x8000 ? -size : size;
}

/* Stores `value`, which is a number of the type. */
static void store_short(void *bytes, double value, int fraction, int least)
{
    int infinite = 0x7fff >> fraction << fraction;
    double size = fabs(value);
    int bits = signbit(value) ? 0x8000 : 0;
    uint64_t wide;
    uint16_t word;
    int exponent;

    memcpy(&wide, &size, sizeof(wide));
    exponent = (int)(wide >> 52) - 1023;
    if (isnan(value))
        bits = infinite | 1 << (fraction - 1);
    else if (isinf(value))
        bits |= infinite;
    else if (exponent < least)
        bits |= (int)ldexp(size, fraction - least);
    else
        bits |= (exponent - least + 1) << fraction |
                (int)(wide >> (52 - fraction) & ((1U << fraction) - 1));
    word = (uint16_t)bits;
    memcpy(bytes, &word, sizeof(word));
}

#define PLAIN(type)                                                                                \
    static double load_##type(const void *bytes)                                                   \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        memcpy(&value, bytes, sizeof(value));                                                      \
        return (double)value;                                                                      \
    }                                                                                              \
    static void store_##type(void *bytes, double number)                                           \
    {                                                                                              \
        type value = (type)number;                                                                 \
                                                                                                   \
        memcpy(bytes, &value, sizeof(value));                                                      \
    }

PLAIN(double)
PLAIN(float)
PLAIN(int8_t)
PLAIN(int32_t)
PLAIN(int64_t)
PLAIN(uint8_t)
PLAIN(uint16_t)
PLAIN(uint32_t)
PLAIN(uint64_t)

double adn_element_load(int32_t type, const void *bytes)
{
    switch (type) {
    case ANYDNN_PLUGIN_DOUBLE:
        return load_double(bytes);
    case ANYDNN_PLUGIN_HALF:
        return load_short(bytes, 10, -14);
    case ANYDNN_PLUGIN_BFLOAT16:
        return load_short(bytes, 7, -126);
    case ANYDNN_PLUGIN_INT8:
    case ANYDNN_PLUGIN_INT8X4:
    case ANYDNN_PLUGIN_INT8X32:
        return load_int8_t(bytes);
    case ANYDNN_PLUGIN_UINT8:
    case ANYDNN_PLUGIN_UINT8X4:
        return load_uint8_t(bytes);
    case ANYDNN_PLUGIN_INT32:
        return load_int32_t(bytes);
    case ANYDNN_PLUGIN_INT64:
        return load_int64_t(bytes);
    case ANYDNN_PLUGIN_UINT16:
        return load_uint16_t(bytes);
    case ANYDNN_PLUGIN_UINT32:
        return load_uint32_t(bytes);
    case ANYDNN_PLUGIN_UINT64:
        return load_uint64_t(bytes);
    default:
        return load_float(bytes);
    }
}

void adn_element_store(int32_t type, void *bytes, double value)
{
    double rounded = adn_type_round(type, value);

    switch (type) {
    case ANYDNN_PLUGIN_DOUBLE:
        store_double(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_HALF:
        store_short(bytes, rounded, 10, -14);
        break;
    case ANYDNN_PLUGIN_BFLOAT16:
        store_short(bytes, rounded, 7, -126);
        break;
    case ANYDNN_PLUGIN_INT8:
    case ANYDNN_PLUGIN_INT8X4:
    case ANYDNN_PLUGIN_INT8X32:
        store_int8_t(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_UINT8:
    case ANYDNN_PLUGIN_UINT8X4:
        store_uint8_t(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_INT32:
        store_int32_t(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_INT64:
        store_int64_t(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_UINT16:
        store_uint16_t(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_UINT32:
        store_uint32_t(bytes, rounded);
        break;
    case ANYDNN_PLUGIN_UINT64:
        store_uint64_t(bytes, rounded);
        break;
    default:
        store_float(bytes, rounded);
    }
}
