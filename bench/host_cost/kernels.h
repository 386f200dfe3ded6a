/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of host_cost, for C and CUDA C++. */
#ifndef HOST_COST_KERNELS_H
#define HOST_COST_KERNELS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct host_cost_kernel {
    size_t bytes; /* of its only parameter */
    const void *symbol;
};

extern const struct host_cost_kernel host_cost_kernels[];
extern const int host_cost_kernel_count;

/* The kernel that keeps the device busy for as many nanoseconds as its only parameter, 64 bits,
 * states. */
extern const void *const host_cost_wait;

#ifdef __cplusplus
}
#endif

#endif
