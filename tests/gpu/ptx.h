/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in PTX that the driver compiles, so that no compiler of device code is asked for. */
#ifndef TESTS_GPU_PTX_H
#define TESTS_GPU_PTX_H

#include <cuda.h>

/* A function of the driver. */
void *ptx_entry(const char *name);
/* On the current device. */
CUfunction ptx_kernel(const char *source, const char *name);

#endif
