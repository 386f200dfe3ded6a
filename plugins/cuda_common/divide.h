/* SPDX-License-Identifier: Apache-2.0 */
/* Division: rounded up, and on a device by numbers that the host knows (index.h); sizes of types.
 */
#ifndef CUDA_COMMON_DIVIDE_H
#define CUDA_COMMON_DIVIDE_H

#include "../kit/names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* a / b, rounded up; a, rounded up to a multiple of b. */
static inline int64_t cuda_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline int64_t cuda_round_up(int64_t a, int64_t b)
{
    return cuda_ceil_div(a, b) * b;
}

/* Division of numbers below 2^31 by a multiplication: n / d = (mulhi(n, multiplier) + n) >> shift
 * (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994). */
struct cuda_divisor {
    uint32_t multiplier, shift;
};

/* For divisions by 1 <= dim < 2^31. */
struct cuda_divisor cuda_divisor_of(int64_t dim);

/* Bytes of a type (of a vector type those of a lane). */
static inline int32_t cuda_type_size(int32_t type)
{
    return (int32_t)kit_type_size(type);
}

#ifdef __cplusplus
}
#endif

#endif
