/* SPDX-License-Identifier: Apache-2.0 */
/* Declares functions for kernels in PTX, which the driver compiles. No compiler for device code is
 * needed. */
#ifndef TESTS_GPU_PTX_H
#define TESTS_GPU_PTX_H

#include <cuda.h>

/* Returns a function of the driver. */
void *ptx_entry(const char *name);
/* Loads a kernel on the current device. */
CUfunction ptx_kernel(const char *source, const char *name);

#endif
