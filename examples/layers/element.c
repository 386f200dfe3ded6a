/* SPDX-License-Identifier: Apache-2.0 */
/* double to and from float, half and bfloat16. */
#include "element.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A 16-bit format: sign, exponent, and `digits` bits of fraction; `least` is the exponent of its
 * smallest normal number. */
struct narrow {
    int digits;
    int least;
};

static const struct narrow half = {10, -14};
static const struct narrow bfloat16 = {7, -126};

/* In units of the last place q is at most 2^(digits+1), and adding it to the exponent field lets a
 * carry out of the fraction, and a subnormal that rounds to a normal, come out right. */
static uint16_t narrow_from_double(struct narrow n, double value)
{
    unsigned sign = signbit(value) ? 0x8000 : 0;
    unsigned infinity = 0x7fffu >> n.digits << n.digits;
    double size = fabs(value);
    int exponent;
    double bits;

    if (isnan(value))
        return (uint16_t)(sign | infinity | 1u << (n.digits - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinity);
    exponent = size > 0 ? ilogb(size) : n.least;
    if (exponent < n.least)
        exponent = n.least;
    bits = ldexp(exponent - n.least, n.digits) + nearbyint(ldexp(size, n.digits - exponent));
    return (uint16_t)(sign | (bits < infinity ? (unsigned)bits : infinity));
}

static double narrow_to_double(struct narrow n, uint16_t bits)
{
    int field = (bits & 0x7fff) >> n.digits;
    int fraction = bits & ((1 << n.digits) - 1);
    double size;

    if (field == 0x7fff >> n.digits)
        size = fraction == 0 ? (double)INFINITY : (double)NAN;
    else if (field == 0)
        size = ldexp(fraction, n.least - n.digits);
    else
        size = ldexp(fraction + (1 << n.digits), field - 1 + n.least - n.digits);
    return bits & 0x8000 ? -size : size;
}

static void store_double(void *elements, size_t index, double value)
{
    ((double *)elements)[index] = value;
}

static double load_double(const void *elements, size_t index)
{
    return ((const double *)elements)[index];
}

static void store_float(void *elements, size_t index, double value)
{
    ((float *)elements)[index] = (float)value;
}

static double load_float(const void *elements, size_t index)
{
    return (double)((const float *)elements)[index];
}

static void store_half(void *elements, size_t index, double value)
{
    ((uint16_t *)elements)[index] = narrow_from_double(half, value);
}

static double load_half(const void *elements, size_t index)
{
    return narrow_to_double(half, ((const uint16_t *)elements)[index]);
}

static void store_bfloat16(void *elements, size_t index, double value)
{
    ((uint16_t *)elements)[index] = narrow_from_double(bfloat16, value);
}

static double load_bfloat16(const void *elements, size_t index)
{
    return narrow_to_double(bfloat16, ((const uint16_t *)elements)[index]);
}

static const struct element elements_known[] = {
    {"float", ANYDNN_DATA_FLOAT, ANYDNN_DATA_FLOAT, 4, store_float, load_float},
    {"double", ANYDNN_DATA_DOUBLE, ANYDNN_DATA_DOUBLE, 8, store_double, load_double},
    {"half", ANYDNN_DATA_HALF, ANYDNN_DATA_FLOAT, 2, store_half, load_half},
    {"bfloat16", ANYDNN_DATA_BFLOAT16, ANYDNN_DATA_FLOAT, 2, store_bfloat16, load_bfloat16},
};

const struct element *element_lookup(const char *name)
{
    for (size_t i = 0; i < sizeof elements_known / sizeof *elements_known; i++)
        if (strcmp(elements_known[i].name, name) == 0)
            return &elements_known[i];
    return NULL;
}
