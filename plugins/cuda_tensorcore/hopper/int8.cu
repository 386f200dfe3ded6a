/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the 8-bit integer kernels of the family hopper, for fprop with signed or unsigned x. */
#include "table.h"

typedef tc_integers<1, 1> signed_x;
typedef tc_integers<0, 1> unsigned_x;

#define TILES(math)                                                                                \
    TC_HOPPER_ROW(math, TC_FPROP, .index = 0, .mma_efficiency = 0.71, .tile_m = 128,               \
                  .tile_n = 256, .schedule = TC_COOPERATIVE, .stages = 4),                         \
        TC_HOPPER_ROW(math, TC_FPROP, .index = 1, .mma_efficiency = 0.83, .tile_m = 128,           \
                      .tile_n = 128, .schedule = TC_PING_PONG, .stages = 6)

TC_TABLE(tc_hopper_int8, TILES(signed_x), TILES(unsigned_x));
