/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the launch of kernels whose blocks wait for one another (launch.c). */
#ifndef CUDA_COMMON_TOGETHER_H
#define CUDA_COMMON_TOGETHER_H

#include "cuda_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a cooperative kernel, with arguments like cuda_launch_kernel. All blocks run at the
 * same time; if the device cannot hold them all, the launch fails. */
cudaError_t cuda_launch_together(const void *symbol, unsigned blocks, unsigned threads,
                                 size_t shared_bytes, void **arguments, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
