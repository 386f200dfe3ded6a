/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the bfloat16 kernels of the family ampere. */
#include "table.h"

TC_AMPERE_TABLE(tc_ampere_bfloat16, tc_bfloat16, TC_AMPERE_TILES);
