/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the floating-point types of 16 bits, and the rounding of float by matrix units. */
#ifndef CPU_REF_ELEMENT_H
#define CPU_REF_ELEMENT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A half (IEEE 754 binary16): sign, 5 bits of exponent, 10 of fraction. */
struct cpu_ref_half {
    uint16_t bits;
};

/* A bfloat16, the upper half of a float: sign, 8 bits of exponent, 7 of fraction. */
struct cpu_ref_bfloat16 {
    uint16_t bits;
};

#define CPU_REF_HALF_LOWEST     (-65504.0)
#define CPU_REF_BFLOAT16_LOWEST (-0x1.fep127)

static inline float cpu_ref_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t cpu_ref_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Converts half to double: moves the fields to their positions in a float, and adds 112 to the
 * exponent's bias. A subnormal gets the exponent of the smallest normal number 2^-14, and the
 * subtraction then removes its leading 1. */
static inline double cpu_ref_half_load(struct cpu_ref_half half)
{
    uint32_t sign = (uint32_t)(half.bits & 0x8000) << 16;
    uint32_t bits = (uint32_t)(half.bits & 0x7fff) << 13;

    if (bits < 1u << 23)
        bits = cpu_ref_float_bits(cpu_ref_float_of(bits + (113u << 23)) - 0x1p-14f);
    else
        bits += (bits < 31u << 23 ? 112u : 224u) << 23;
    return (double)cpu_ref_float_of(bits | sign);
}

static inline double cpu_ref_bfloat16_load(struct cpu_ref_bfloat16 value)
{
    return (double)cpu_ref_float_of((uint32_t)value.bits << 16);
}

/*
 * Returns the nearest number of 16 bits with the given fraction bits and exponent bias; ties go to
 * even. It is rounded once, directly from double: rounding to float first could move a number onto
 * a tie. NaN stays NaN and becomes quiet.
 */
static inline uint16_t cpu_ref_narrow(double value, int fraction, int bias)
{
    const int cut = 52 - fraction;
    const uint64_t least_normal = (uint64_t)(1024 - bias) << 52;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction;
    /* This is the power of 2 whose unit in the last place is the smallest subnormal number. */
    const uint64_t aligner_bits = (uint64_t)(1023 + 53 - bias - fraction) << 52;
    double magnitude = fabs(value), aligner;
    uint64_t sign, bits;

    memcpy(&sign, &value, sizeof sign);
    sign = sign >> 63 << 15;
    memcpy(&bits, &magnitude, sizeof bits);
    if (isnan(value)) {
        bits = infinity | UINT64_C(1) << (fraction - 1) |
               (bits >> cut & ((UINT64_C(1) << fraction) - 1));
    } else if (bits < least_normal) {
        memcpy(&aligner, &aligner_bits, sizeof aligner);
        magnitude += aligner;
        memcpy(&bits, &magnitude, sizeof bits);
        bits -= aligner_bits;
    } else {
        bits += (UINT64_C(1) << (cut - 1)) - 1 + (bits >> cut & 1);
        bits = (bits >> cut) - ((uint64_t)(1023 - bias) << fraction);
        bits = bits < infinity ? bits : infinity;
    }
    return (uint16_t)(sign | bits);
}

static inline struct cpu_ref_half cpu_ref_half_store(double value)
{
    return (struct cpu_ref_half){cpu_ref_narrow(value, 10, 15)};
}

static inline struct cpu_ref_bfloat16 cpu_ref_bfloat16_store(double value)
{
    return (struct cpu_ref_bfloat16){cpu_ref_narrow(value, 7, 127)};
}

/* Rounds to TF32, a float with 10 bits of fraction; ties go to even. Inf and NaN are unchanged. */
static inline float cpu_ref_tf32(float value)
{
    uint32_t bits = cpu_ref_float_bits(value);

    if (!isfinite(value))
        return value;
    bits += (1u << 12) - 1 + (bits >> 13 & 1);
    return cpu_ref_float_of(bits >> 13 << 13);
}

/* Returns the sum of two TF32 numbers; the second one is nearest to the remainder of the first. The
 * sum is a float. If the first is not finite, the value is returned unchanged. */
static inline float cpu_ref_split(float value)
{
    float high = cpu_ref_tf32(value);
    return isfinite(high) ? high + cpu_ref_tf32(value - high) : value;
}

#endif
