/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family ampere for float computed as sums of TF32 numbers. A warp
 * has at most 32 x 64 results, because the sums and the products of the current step both occupy
 * registers. */
#include "table.h"

#define TILES(what)                                                                                \
    TC_AMPERE_GEMM(tc_split, what, .index = 1, .mma_efficiency = 0.6, .tile_m = 128, .tile_n = 64, \
                   .warp_m = 32, .warp_n = 64, .stages = 3, .occupancy = 2),                       \
        TC_AMPERE_GEMM(tc_split, what, .index = 2, .mma_efficiency = 0.55, .tile_m = 64,           \
                       .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 3, .occupancy = 3)

TC_TABLE(tc_ampere_split, TILES(TC_FPROP), TILES(TC_DGRAD),
         TC_AMPERE_WGRAD(tc_split, .index = 1, .mma_efficiency = 0.6, .tile_m = 128, .tile_n = 64,
                         .warp_m = 32, .warp_n = 64, .stages = 3, .occupancy = 2),
         TC_AMPERE_WGRAD(tc_split, .index = 2, .mma_efficiency = 0.52, .tile_m = 64, .tile_n = 64,
                         .warp_m = 32, .warp_n = 32, .stages = 3, .occupancy = 3));
