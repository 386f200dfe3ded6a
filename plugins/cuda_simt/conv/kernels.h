/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the functions that launch the kernels of convolutions. */
#ifndef CUDA_SIMT_CONV_KERNELS_H
#define CUDA_SIMT_CONV_KERNELS_H

#include "../../cuda_common/conv_job.h"
#include "choice.h"

int32_t conv_tile_float(const cuda_call *call, int32_t tile, const conv_job &job);
int32_t conv_tile_half(const cuda_call *call, int32_t tile, const conv_job &job);
int32_t conv_tile_bfloat16(const cuda_call *call, int32_t tile, const conv_job &job);

/* Launches fprop or dgrad, with a thread for each result. */
int32_t conv_direct(const cuda_call *call, const conv_job &job);

/* Launches wgrad. A block computes a few taps of one channel for some filters. */
int32_t conv_wgrad(const cuda_call *call, const conv_job &job);

#endif
