/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family mma for float computed as sums of TF32 numbers. Tiles are
 * small, because the sums and the products of the current step both occupy registers. */
#include "table.h"

typedef TC_SIZE(.tile_m = 64, .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 4,
                .occupancy = 3) tc_split_small;
typedef TC_SIZE(.tile_m = 64, .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 2,
                .occupancy = 3) tc_split_any;

TC_TABLE(tc_mma_split,
         TC_MMA_ROW(tc_split, TC_FPROP, tc_split_small, .index = 2, .mma_efficiency = 0.5),
         TC_MMA_ROW(tc_split, TC_DGRAD, tc_split_small, .index = 2, .mma_efficiency = 0.5),
         TC_MMA_ROW(tc_split, TC_WGRAD, tc_split_small, .index = 2, .mma_efficiency = 0.5),
         TC_MMA_ROW(tc_split, TC_ANY, tc_split_any, .index = 0, .mma_efficiency = 0.1));
