/* SPDX-License-Identifier: Apache-2.0 */
/* Makes divisors on the host (divide.h). */
#include "divide.h"

/* For numbers below 2^31; a larger dim is the slowest, and nothing is divided by it, or the walk is
 * wide. */
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
