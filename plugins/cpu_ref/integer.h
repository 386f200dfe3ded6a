/* SPDX-License-Identifier: Apache-2.0 */
/* Converts results to integers: rounded to nearest, ties to even, and saturated. */
#ifndef CPU_REF_INTEGER_H
#define CPU_REF_INTEGER_H

#include <math.h>
#include <stdint.h>

/* Rounds and saturates a number; NaN becomes 0. The bounds are integers, so clamping before
 * rounding gives the same result. */
static inline double cpu_ref_saturate(double v, double least, double most)
{
    if (isnan(v))
        return 0;
    return nearbyint(v < least ? least : v > most ? most : v);
}

static inline int8_t cpu_ref_to_int8(double v)
{
    return (int8_t)cpu_ref_saturate(v, INT8_MIN, INT8_MAX);
}

static inline uint8_t cpu_ref_to_uint8(double v)
{
    return (uint8_t)cpu_ref_saturate(v, 0, UINT8_MAX);
}

static inline int32_t cpu_ref_to_int32(double v)
{
    return (int32_t)cpu_ref_saturate(v, INT32_MIN, INT32_MAX);
}

#endif
