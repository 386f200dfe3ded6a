/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars of every element type as doubles, and back. */
#include <math.h>
#include <string.h>

#include "operands.h"

#define PLAIN(name, type)                                                                          \
    static double load_##name(const void *bytes)                                                   \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        memcpy(&value, bytes, sizeof(value));                                                      \
        return (double)value;                                                                      \
    }                                                                                              \
    static void store_##name(void *bytes, double number)                                           \
    {                                                                                              \
        type value = (type)number;                                                                 \
                                                                                                   \
        memcpy(bytes, &value, sizeof(value));                                                      \
    }

PLAIN(f64, double)
PLAIN(f32, float)
PLAIN(s8, int8_t)
PLAIN(s32, int32_t)
PLAIN(s64, int64_t)
PLAIN(u8, uint8_t)
PLAIN(u16, uint16_t)
PLAIN(u32, uint32_t)
PLAIN(u64, uint64_t)

/* A 16-bit number with `fraction` bits of fraction: infinite and NaN with all exponent bits set,
 * subnormal with none; the smallest normal number is 2^least. */
static double load_short(const void *bytes, int fraction, int least)
{
    int top = 0x7fff >> fraction;
    uint16_t bits;
    int exponent;
    double digits;

    memcpy(&bits, bytes, sizeof(bits));
    exponent = (bits & 0x7fff) >> fraction;
    digits = bits & ((1 << fraction) - 1);
    if (exponent == top)
        digits = digits != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        digits = ldexp(digits, least - fraction);
    else
        digits = ldexp(digits + (1 << fraction), least - fraction + exponent - 1);
    return bits & 0x8000 ? -digits : digits;
}

/* Adding the rounded digits to the exponent's bits carries where rounding gains a bit. */
static void store_short(void *bytes, double value, int fraction, int least)
{
    int infinite = 0x7fff >> fraction << fraction;
    double size = fabs(value);
    uint16_t bits = signbit(value) ? 0x8000 : 0;
    int exponent;
    double sum;

    if (isnan(value)) {
        bits = (uint16_t)(infinite | 1 << (fraction - 1));
    } else if (isinf(value)) {
        bits = (uint16_t)(bits | infinite);
    } else {
        exponent = size > 0 ? ilogb(size) : least;
        exponent = exponent > least ? exponent : least;
        sum = rint(ldexp(size, fraction - exponent)) + ldexp(exponent - least, fraction);
        bits = (uint16_t)(bits | (sum < infinite ? (int)sum : infinite));
    }
    memcpy(bytes, &bits, sizeof(bits));
}

static double load_f16(const void *bytes)
{
    return load_short(bytes, 10, -14);
}

static void store_f16(void *bytes, double value)
{
    store_short(bytes, value, 10, -14);
}

static double load_bf16(const void *bytes)
{
    return load_short(bytes, 7, -126);
}

static void store_bf16(void *bytes, double value)
{
    store_short(bytes, value, 7, -126);
}

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

const struct element *element_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
        if (strlen(elements[i].name) == length && memcmp(elements[i].name, name, length) == 0)
            return &elements[i];
    return NULL;
}
