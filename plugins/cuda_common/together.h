/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of blocks that wait for one another (launch.c). */
#ifndef CUDA_COMMON_TOGETHER_H
#define CUDA_COMMON_TOGETHER_H

#include "cuda_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As cuda_launch_kernel. It begins when there is room for all of the blocks, and fails where there
 * never is. */
cudaError_t cuda_launch_together(const void *symbol, unsigned blocks, unsigned threads,
                                 size_t shared_bytes, void **arguments, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
