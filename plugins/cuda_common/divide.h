/* SPDX-License-Identifier: Apache-2.0 */
/* Declares divisions that round up, divisors for divisions on the device (index.h), and sizes of
 * types. */
#ifndef CUDA_COMMON_DIVIDE_H
#define CUDA_COMMON_DIVIDE_H

#include "../kit/names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These functions return a / b rounded up, and a rounded up to a multiple of b. */
static inline int64_t cuda_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline int64_t cuda_round_up(int64_t a, int64_t b)
{
    return cuda_ceil_div(a, b) * b;
}

/* A divisor for numbers below 2^31. A multiplication replaces the division: n / d = (mulhi(n,
 * multiplier) + n) >> shift. The source is Granlund and Montgomery, "Division by invariant
 * integers using multiplication", 1994. */
struct cuda_divisor {
    uint32_t multiplier, shift;
};

/* Returns the divisor for 1 <= dim < 2^31. */
struct cuda_divisor cuda_divisor_of(int64_t dim);

/* Returns the bytes of a type, or the bytes of one lane of a vector type. */
static inline int32_t cuda_type_size(int32_t type)
{
    return (int32_t)kit_type_size(type);
}

#ifdef __cplusplus
}
#endif

#endif
