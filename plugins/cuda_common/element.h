/* SPDX-License-Identifier: Apache-2.0 */
/* Defines element types on the device and on the host. Loads convert elements to numbers. Stores
 * round numbers to elements once, to nearest, ties to even. */
#ifndef CUDA_COMMON_ELEMENT_H
#define CUDA_COMMON_ELEMENT_H

#include <anydnn/plugin.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define CUDA_BOTH __host__ __device__ static inline

/* The 16-bit types: IEEE 754 binary16, and bfloat16, which is the upper half of a float. */
struct cuda_half {
    uint16_t bits;
};
struct cuda_bfloat16 {
    uint16_t bits;
};

/* The type in which elements of type T are computed. Float represents every value of the 16-bit
 * types. */
template <class T> struct cuda_arith {
    typedef float type;
};
template <> struct cuda_arith<double> {
    typedef double type;
};
template <> struct cuda_arith<int32_t> {
    typedef double type;
};

/* ------------------------------------------------------------------ bits */

CUDA_BOTH uint32_t cuda_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

CUDA_BOTH float cuda_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the double truncated to float, with the last bit set if the truncation was inexact.
 * Rounding this to a type at least two bits shorter gives the same result as rounding the
 * double. The source is Boldo and Melquiond, "When double rounding is odd", 2005. */
CUDA_BOTH float cuda_round_odd(double value)
{
    float nearest = (float)value;
    uint32_t bits = cuda_bits_of(nearest);

    if (isnan(value) || (double)nearest == value)
        return nearest;
    if (fabs((double)nearest) > fabs(value))
        bits--;
    return cuda_float_of(bits | 1);
}

/* ------------------------------------------------------------------ half */

/* Converts half to float: moves the fields to their positions in a float, and adds 112 to the
 * exponent. A subnormal gets the exponent of the smallest normal number 2^-14; the subtraction
 * then removes the implicit leading 1. */
CUDA_BOTH float cuda_load(cuda_half half)
{
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
    return value;
#else
    uint32_t sign = (uint32_t)(half.bits & 0x8000) << 16;
    uint32_t bits = (uint32_t)(half.bits & 0x7fff) << 13;

    if (bits < 1u << 23)
        bits = cuda_bits_of(cuda_float_of(bits + (113u << 23)) - 1.0f / 16384);
    else
        bits += (bits < 31u << 23 ? 112u : 224u) << 23;
    return cuda_float_of(bits | sign);
#endif
}

#ifndef __CUDA_ARCH__
/* Rounds float to half. If the result is subnormal, adding 0.5 aligns the last bit of the sum
 * with that of the smallest half, so the addition rounds. Otherwise an integer addition rounds
 * to nearest, ties to even. */
CUDA_BOTH uint16_t cuda_half_bits(float value)
{
    uint32_t bits = cuda_bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;

    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x47800000)
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000)
        return (uint16_t)(sign | (cuda_bits_of(cuda_float_of(magnitude) + 0.5f) - 0x3f000000));
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((magnitude >> 13) - (112u << 10)));
}
#endif

CUDA_BOTH void cuda_store(cuda_half *to, float value)
{
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
#else
    to->bits = cuda_half_bits(value);
#endif
}

CUDA_BOTH void cuda_store(cuda_half *to, double value)
{
    cuda_store(to, cuda_round_odd(value));
}

/* ------------------------------------------------------------------ bfloat16 */

CUDA_BOTH float cuda_load(cuda_bfloat16 value)
{
    return cuda_float_of((uint32_t)value.bits << 16);
}

CUDA_BOTH void cuda_store(cuda_bfloat16 *to, float value)
{
    uint32_t bits = cuda_bits_of(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        bits |= 0x400000;
    else
        bits += 0x7fff + (bits >> 16 & 1);
    to->bits = (uint16_t)(bits >> 16);
}

CUDA_BOTH void cuda_store(cuda_bfloat16 *to, double value)
{
    cuda_store(to, cuda_round_odd(value));
}

/* ------------------------------------------------------------------ float and double */

CUDA_BOTH float cuda_load(float value)
{
    return value;
}

CUDA_BOTH double cuda_load(double value)
{
    return value;
}

CUDA_BOTH void cuda_store(float *to, float value)
{
    *to = value;
}

CUDA_BOTH void cuda_store(float *to, double value)
{
    *to = (float)value;
}

CUDA_BOTH void cuda_store(double *to, double value)
{
    *to = value;
}

/* ------------------------------------------------------------------ integers */

CUDA_BOTH float cuda_load(int8_t value)
{
    return (float)value;
}

CUDA_BOTH float cuda_load(uint8_t value)
{
    return (float)value;
}

CUDA_BOTH double cuda_load(int32_t value)
{
    return (double)value;
}

/* Rounds and saturates a number; NaN becomes 0. The bounds are integers, so clamping before or
 * after rounding gives the same result. */
template <class A> CUDA_BOTH A cuda_saturate(A value, A least, A most)
{
    if (isnan(value))
        return 0;
    return rint(value < least ? least : value > most ? most : value);
}

template <class A> CUDA_BOTH void cuda_store(int8_t *to, A value)
{
    *to = (int8_t)cuda_saturate<A>(value, -128, 127);
}

template <class A> CUDA_BOTH void cuda_store(uint8_t *to, A value)
{
    *to = (uint8_t)cuda_saturate<A>(value, 0, 255);
}

CUDA_BOTH void cuda_store(int32_t *to, double value)
{
    *to = (int32_t)cuda_saturate<double>(value, INT32_MIN, INT32_MAX);
}

/* ------------------------------------------------------------------ any type, selected at
 * run time */

CUDA_BOTH double cuda_load_any(int32_t type, const void *data, int64_t at)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return (double)((const float *)data)[at];
    case ANYDNN_PLUGIN_DOUBLE:
        return ((const double *)data)[at];
    case ANYDNN_PLUGIN_HALF:
        return (double)cuda_load(((const cuda_half *)data)[at]);
    case ANYDNN_PLUGIN_BFLOAT16:
        return (double)cuda_load(((const cuda_bfloat16 *)data)[at]);
    case ANYDNN_PLUGIN_INT32:
        return (double)((const int32_t *)data)[at];
    case ANYDNN_PLUGIN_UINT8:
    case ANYDNN_PLUGIN_UINT8X4:
        return (double)((const uint8_t *)data)[at];
    default:
        return (double)((const int8_t *)data)[at];
    }
}

CUDA_BOTH void cuda_store_any(int32_t type, void *data, int64_t at, double value)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        cuda_store((float *)data + at, value);
        break;
    case ANYDNN_PLUGIN_DOUBLE:
        cuda_store((double *)data + at, value);
        break;
    case ANYDNN_PLUGIN_HALF:
        cuda_store((cuda_half *)data + at, value);
        break;
    case ANYDNN_PLUGIN_BFLOAT16:
        cuda_store((cuda_bfloat16 *)data + at, value);
        break;
    case ANYDNN_PLUGIN_INT32:
        cuda_store((int32_t *)data + at, value);
        break;
    case ANYDNN_PLUGIN_UINT8:
    case ANYDNN_PLUGIN_UINT8X4:
        cuda_store((uint8_t *)data + at, value);
        break;
    default:
        cuda_store((int8_t *)data + at, value);
    }
}

/* ------------------------------------------------------------------ out = alpha * r + beta *
 * prior */

/* The factors of an output. If alpha is 1 and beta is 0, the result is stored unchanged.
 * Otherwise the factors are applied in double, so that the result is rounded once. If beta is 0,
 * the prior value is not read. */
struct cuda_blend {
    double alpha, beta;
};

template <class T, class A>
__device__ static inline void cuda_blend_store(T *to, A result, const cuda_blend &blend)
{
    double value;

    if (blend.alpha == 1 && blend.beta == 0) {
        cuda_store(to, result);
        return;
    }
    value = blend.alpha * (double)result;
    if (blend.beta != 0)
        value += blend.beta * (double)cuda_load(*to);
    cuda_store(to, value);
}

__device__ static inline void cuda_blend_store_any(int32_t type, void *data, int64_t at,
                                                   double result, const cuda_blend &blend)
{
    double value = blend.alpha * result;

    if (blend.beta != 0)
        value += blend.beta * cuda_load_any(type, data, at);
    cuda_store_any(type, data, at, value);
}

#endif
