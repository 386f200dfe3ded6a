/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates the tiled convolutions of bfloat16. */
#include "implicit_gemm.h"

int32_t conv_tile_bfloat16(const cuda_call *call, int32_t tile, const conv_job &job)
{
    return conv_tile_launch<cuda_bfloat16>(call, tile, job);
}
