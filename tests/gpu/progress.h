/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the files of progress share: the watch, and the case of two devices. */
#ifndef TESTS_GPU_PROGRESS_H
#define TESTS_GPU_PROGRESS_H

#include <cuda_runtime_api.h>

/* Returns 1 if all work enqueued on a stream ends within the given seconds. */
int progress_ends_in(cudaStream_t stream, double seconds);

void progress_nccl(void);

#endif
