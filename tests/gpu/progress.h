/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of progress share: the watch, and the case of two devices. */
#ifndef TESTS_GPU_PROGRESS_H
#define TESTS_GPU_PROGRESS_H

#include <cuda_runtime_api.h>

/* Whether all that was enqueued on a stream ends in so many seconds. */
int progress_ends_in(cudaStream_t stream, double seconds);

void progress_nccl(void);

#endif
