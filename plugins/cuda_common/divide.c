/* SPDX-License-Identifier: Apache-2.0 */
/* Computes divisors on the host (divide.h). */
#include "divide.h"

/* Returns a divisor, or zeros if dim is not in 1..2^31 - 1. Kernels do not divide by a larger
 * dim, because it is the slowest dim or they use 64-bit indices. */
struct cuda_divisor cuda_divisor_of(int64_t dim)
{
    struct cuda_divisor made = {0, 0};

    if (dim < 1 || dim >= INT64_C(1) << 31)
        return made;
    while (INT64_C(1) << made.shift < dim)
        made.shift++;
    made.multiplier =
        (uint32_t)((((UINT64_C(1) << made.shift) - (uint64_t)dim) << 32) / (uint64_t)dim + 1);
    return made;
}
