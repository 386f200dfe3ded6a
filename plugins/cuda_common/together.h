/* SPDX-License-Identifier: Apache-2.0 */
/* Launches blocks that wait for one another (launch.c). */
#ifndef CUDA_COMMON_TOGETHER_H
#define CUDA_COMMON_TOGETHER_H

#include "cuda_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a kernel like cuda_launch_kernel. It begins when all blocks fit on the device at once,
 * and fails if they never do. */
cudaError_t cuda_launch_together(const void *symbol, unsigned blocks, unsigned threads,
                                 size_t shared_bytes, void **arguments, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
