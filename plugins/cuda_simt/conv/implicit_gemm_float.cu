/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates the tiled convolutions of float. */
#include "implicit_gemm.h"

int32_t conv_tile_float(const cuda_call *call, int32_t tile, const conv_job &job)
{
    return conv_tile_launch<float>(call, tile, job);
}
