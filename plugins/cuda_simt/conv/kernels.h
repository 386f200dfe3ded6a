/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that launch the kernels of convolutions. */
#ifndef CUDA_SIMT_CONV_KERNELS_H
#define CUDA_SIMT_CONV_KERNELS_H

#include "../../cuda_common/conv_job.h"
#include "choice.h"

int32_t conv_tile_float(const cuda_call *call, int32_t tile, const conv_job &job);
int32_t conv_tile_half(const cuda_call *call, int32_t tile, const conv_job &job);
int32_t conv_tile_bfloat16(const cuda_call *call, int32_t tile, const conv_job &job);

/* How a kernel without tiles reads its operands and adds up: by the type, in float or for double in
 * double; by types found at run time, in double; 8-bit integers, modulo 2^32. All but the second
 * need a narrow geometry. */
enum { CONV_TYPED, CONV_ANY, CONV_INTEGER };

/* Fprop and dgrad, a thread a result. */
int32_t conv_direct(const cuda_call *call, int32_t how, const conv_job &job);

/* Wgrad, a block for some taps of a channel of some filters. */
int32_t conv_wgrad(const cuda_call *call, int32_t how, const conv_job &job);

#endif
