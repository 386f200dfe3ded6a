/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family hopper for float rounded to TF32. */
#include "table.h"

TC_TABLE(tc_hopper_tf32, TC_HOPPER_TILES(tc_tf32, TC_FPROP), TC_HOPPER_TILES(tc_tf32, TC_DGRAD),
         TC_HOPPER_TILES(tc_tf32, TC_HOPPER_STRIDED));
