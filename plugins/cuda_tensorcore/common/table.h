/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a row of a table of kernels takes from its kernel's shape, whatever the family.
 */
#ifndef CUDA_TENSORCORE_COMMON_TABLE_H
#define CUDA_TENSORCORE_COMMON_TABLE_H

#include "../tensorcore.h"

/* The rest is the family's: load, capability, tile, occupancy, takes, step, reduce. */
template <class S>
constexpr struct tc_kernel tc_table_row(int32_t number, int32_t type, int32_t direction,
                                        double mma_efficiency)
{
    struct tc_kernel kernel = {};

    kernel.number = number;
    kernel.type = type;
    kernel.direction = direction;
    kernel.threads = S::THREADS;
    kernel.shared_bytes = S::SHARED_BYTES;
    kernel.mma_efficiency = mma_efficiency;
    kernel.tf32_split = S::math::SPLITS;
    return kernel;
}

/* The same, with the tile that the shape has by the names of GEMM. */
template <class S>
constexpr struct tc_kernel tc_table_gemm_row(int32_t number, int32_t type, int32_t direction,
                                             double mma_efficiency)
{
    struct tc_kernel kernel = tc_table_row<S>(number, type, direction, mma_efficiency);

    kernel.tile_m = S::TILE_M;
    kernel.tile_n = S::TILE_N;
    kernel.tile_k = S::TILE_K;
    return kernel;
}

#endif
