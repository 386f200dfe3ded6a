/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of every element type between numbers and bytes. They share nothing with
 * core/numerics, which judges results in the tools, so that the golden vectors also check that. */
#include "tests/conformance/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct number_type types[] = {
    {"f64", 8, 1, 53, -1022, 1023, -DBL_MAX, DBL_MAX},
    {"f32", 4, 1, 24, -126, 127, -FLT_MAX, FLT_MAX},
    {"f16", 2, 1, 11, -14, 15, -65504, 65504},
    {"bf16", 2, 1, 8, -126, 127, -0x1.fep127, 0x1.fep127},
    {"s8", 1, 1, 0, 0, 0, -128, 127},
    {"u8", 1, 1, 0, 0, 0, 0, 255},
    {"s32", 4, 1, 0, 0, 0, INT32_MIN, INT32_MAX},
    {"s8x4", 1, 4, 0, 0, 0, -128, 127},
    {"u8x4", 1, 4, 0, 0, 0, 0, 255},
    {"s8x32", 1, 32, 0, 0, 0, -128, 127},
    {"u16", 2, 1, 0, 0, 0, 0, UINT16_MAX},
    {"u32", 4, 1, 0, 0, 0, 0, UINT32_MAX},
    {"u64", 8, 1, 0, 0, 0, 0, 0x1p63},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

const struct number_type *number_type_named(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");

    for (size_t i = 0; i < TYPES; i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0)
            return &types[i];
    return NULL;
}

double number_least(const struct number_type *type)
{
    return type->digits ? ldexp(1, type->least - type->digits + 1) : 1;
}

double number_round(const struct number_type *type, double value)
{
    double unit;

    if (value == -DBL_MAX)
        return type->low;
    if (!type->digits) {
        value = isnan(value) ? 0 : nearbyint(value);
        return value < type->low ? type->low : value > type->high ? type->high : value;
    }
    if (!isfinite(value) || type->digits == DBL_MANT_DIG || value == 0)
        return value;
    unit = fmax(ldexp(1, ilogb(value) - type->digits + 1), number_least(type));
    value = nearbyint(value / unit) * unit;
    return fabs(value) > type->high ? copysign(INFINITY, value) : value;
}

/* ---- bit patterns: sign, biased exponent, fraction */

static uint64_t float_bits(const struct number_type *type, double value)
{
    int width = (int)type->bytes * 8;
    int fraction = type->digits - 1;
    uint64_t sign = signbit(value) ? UINT64_C(1) << (width - 1) : 0;
    uint64_t infinite = (uint64_t)(2 * type->most + 1) << fraction;
    double size = fabs(value);

    if (isnan(value))
        return infinite | UINT64_C(1) << (fraction - 1);
    if (isinf(value))
        return sign | infinite;
    if (size < ldexp(1, type->least))
        return sign | (uint64_t)(size / number_least(type));
    /* The hidden bit of the significand adds 1 to the exponent below it. */
    return sign | (((uint64_t)(ilogb(size) - type->least) << fraction) +
                   (uint64_t)ldexp(size, fraction - ilogb(size)));
}

static double float_value(const struct number_type *type, uint64_t bits)
{
    int width = (int)type->bytes * 8;
    int fraction = type->digits - 1;
    int top = 2 * type->most + 1;
    int exponent = (int)(bits >> fraction) & top;
    uint64_t rest = bits & ((UINT64_C(1) << fraction) - 1);
    double value = (double)rest;

    if (exponent == top)
        value = rest ? NAN : INFINITY;
    else if (exponent == 0)
        value *= number_least(type);
    else
        value = ldexp(value + ldexp(1, fraction), exponent - 1 + type->least - fraction);
    return bits >> (width - 1) & 1 ? -value : value;
}

/* ---- bytes, in the machine's order */

static void put_bits(unsigned char *at, size_t bytes, uint64_t wide)
{
    uint32_t narrow = (uint32_t)wide;
    uint16_t half = (uint16_t)wide;

    if (bytes == sizeof(wide))
        memcpy(at, &wide, sizeof(wide));
    else if (bytes == sizeof(narrow))
        memcpy(at, &narrow, sizeof(narrow));
    else if (bytes == sizeof(half))
        memcpy(at, &half, sizeof(half));
    else
        *at = (unsigned char)wide;
}

static uint64_t get_bits(const unsigned char *at, size_t bytes)
{
    uint64_t wide;
    uint32_t narrow;
    uint16_t half;

    if (bytes == sizeof(wide)) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    if (bytes == sizeof(narrow)) {
        memcpy(&narrow, at, sizeof(narrow));
        return narrow;
    }
    if (bytes == sizeof(half)) {
        memcpy(&half, at, sizeof(half));
        return half;
    }
    return *at;
}

void number_put(const struct number_type *type, unsigned char *at, double value)
{
    double rounded = number_round(type, value);
    uint64_t bits = type->digits  ? float_bits(type, rounded)
                    : rounded < 0 ? (uint64_t)(int64_t)rounded
                                  : (uint64_t)rounded;

    put_bits(at, type->bytes, bits);
}

double number_get(const struct number_type *type, const unsigned char *at)
{
    uint64_t bits = get_bits(at, type->bytes);
    double value = type->digits ? float_value(type, bits) : (double)bits;

    return type->low < 0 && !type->digits && value > type->high
               ? value - ldexp(1, (int)type->bytes * 8)
               : value;
}

void number_poison(const struct number_type *type, unsigned char *at, size_t index)
{
    uint64_t below_quiet = type->digits ? UINT64_C(1) << (type->digits - 3) : 0;

    if (type->digits)
        put_bits(at, type->bytes,
                 float_bits(type, NAN) | below_quiet | (index & (below_quiet - 1)));
    else
        put_bits(at, type->bytes, UINT64_C(0xa5a5a5a5a5a5a5a5) + index);
}
