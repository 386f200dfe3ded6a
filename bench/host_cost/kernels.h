/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of host_cost: C and CUDA C++ alike. */
#ifndef HOST_COST_KERNELS_H
#define HOST_COST_KERNELS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct host_cost_kernel {
    size_t bytes; /* of its one parameter */
    const void *symbol;
};

extern const struct host_cost_kernel host_cost_kernels[];
extern const int host_cost_kernel_count;

/* Keeps the device busy for so many nanoseconds, its one parameter, of 64 bits. */
extern const void *const host_cost_wait;

#ifdef __cplusplus
}
#endif

#endif
