/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates the tiled convolutions of half. */
#include "implicit_gemm.h"

int32_t conv_tile_half(const cuda_call *call, int32_t tile, const conv_job &job)
{
    return conv_tile_launch<cuda_half>(call, tile, job);
}
