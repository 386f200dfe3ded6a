/* SPDX-License-Identifier: Apache-2.0 */
/* Describes element types as sets of numbers, and rounds to them. */
#include "numerics/numerics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <anydnn/plugin.h>

/* The types. A floating type has `digits` bits of significand and normal exponents `least` to
 * `most` (2^e <= |v|). */
static const struct kind {
    int32_t type;
    int digits;
    int least;
    int most;
    double low;
    double high;
} kinds[] = {
    {ANYDNN_PLUGIN_FLOAT, 24, -126, 127, 0, 0},
    {ANYDNN_PLUGIN_DOUBLE, 53, -1022, 1023, 0, 0},
    {ANYDNN_PLUGIN_HALF, 11, -14, 15, 0, 0},
    {ANYDNN_PLUGIN_BFLOAT16, 8, -126, 127, 0, 0},
    {ANYDNN_PLUGIN_INT8, 0, 0, 0, -128, 127},
    {ANYDNN_PLUGIN_INT8X4, 0, 0, 0, -128, 127},
    {ANYDNN_PLUGIN_INT8X32, 0, 0, 0, -128, 127},
    {ANYDNN_PLUGIN_UINT8, 0, 0, 0, 0, 255},
    {ANYDNN_PLUGIN_UINT8X4, 0, 0, 0, 0, 255},
    {ANYDNN_PLUGIN_INT32, 0, 0, 0, -2147483648.0, 2147483647.0},
    {ANYDNN_PLUGIN_INT64, 0, 0, 0, -9223372036854775808.0, 9223372036854774784.0},
    {ANYDNN_PLUGIN_UINT16, 0, 0, 0, 0, 65535},
    {ANYDNN_PLUGIN_UINT32, 0, 0, 0, 0, 4294967295.0},
    {ANYDNN_PLUGIN_UINT64, 0, 0, 0, 0, 18446744073709549568.0},
};

static const struct kind *kind_of(int32_t type)
{
    if (type == ANYDNN_PLUGIN_FLOAT)
        return &kinds[0];
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return &kinds[0];
}

/* Returns 2^exponent. Programs compare hundreds of millions of elements, and the math library takes
 * ten times as long for this function and the next. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;

    if (exponent < -1022 || exponent > 1023)
        return ldexp(1, exponent);
    memcpy(&power, &bits, sizeof(power));
    return power;
}

/* Returns the exponent of a finite number; -1023 for 0 and subnormal numbers. */
static int exponent_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

/* Returns the exponent of the last place of |value|. */
static int last_place(const struct kind *kind, double value)
{
    int exponent = value != 0 ? exponent_of(value) : kind->least;

    exponent = exponent < kind->least ? kind->least : exponent;
    exponent = exponent > kind->most ? kind->most : exponent;
    return exponent - kind->digits + 1;
}

int adn_type_digits(int32_t type)
{
    return kind_of(type)->digits;
}

double adn_type_least(int32_t type)
{
    const struct kind *kind = kind_of(type);

    return kind->digits > 0 ? ldexp(1, kind->least - kind->digits + 1) : 1;
}

double adn_type_highest(int32_t type)
{
    const struct kind *kind = kind_of(type);

    return kind->digits > 0 ? ldexp(2 - ldexp(1, 1 - kind->digits), kind->most) : kind->high;
}

double adn_type_lowest(int32_t type)
{
    const struct kind *kind = kind_of(type);

    return kind->digits > 0 ? -adn_type_highest(type) : kind->low;
}

double adn_type_round(int32_t type, double value)
{
    const struct kind *kind = kind_of(type);
    double rounded;
    int last;

    if (kind->digits == 0) {
        rounded = isnan(value) ? 0 : rint(value);
        return rounded < kind->low ? kind->low : rounded > kind->high ? kind->high : rounded;
    }
    if (kind->digits == 53 || value == 0 || !isfinite(value))
        return value;
    last = last_place(kind, value);
    rounded = rint(value * power_of_two(-last)) * power_of_two(last);
    return exponent_of(rounded) > kind->most ? copysign(INFINITY, value) : rounded;
}

double adn_type_ulp(int32_t type, double value)
{
    const struct kind *kind = kind_of(type);

    if (kind->digits == 0)
        return 1;
    if (!isfinite(value))
        return INFINITY;
    return power_of_two(last_place(kind, value));
}

double adn_ulp_distance(int32_t type, double got, double want)
{
    if (got == want || (isnan(got) && isnan(want)))
        return 0;
    if (!isfinite(got) || !isfinite(want))
        return INFINITY;
    return fabs(got - want) / adn_type_ulp(type, want);
}
