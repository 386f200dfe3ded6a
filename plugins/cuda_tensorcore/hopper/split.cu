/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family hopper for float computed as sums of two TF32 numbers
 * (hopper/split.h). Their indices continue those of TF32. */
#include "table.h"

#define TILES(what)                                                                                \
    TC_HOPPER_ROW(tc_split, what, .index = 8, .mma_efficiency = 0.27, .tile_m = 128,               \
                  .tile_n = 128, .schedule = TC_COOPERATIVE, .stages = 3),                         \
        TC_HOPPER_ROW(tc_split, what, .index = 9, .mma_efficiency = 0.24, .tile_m = 128,           \
                      .tile_n = 64, .schedule = TC_COOPERATIVE, .stages = 4)

TC_TABLE(tc_hopper_split, TILES(TC_FPROP), TILES(TC_DGRAD), TILES(TC_HOPPER_STRIDED));
