/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family ampere for bfloat16. */
#include "table.h"

TC_AMPERE_TABLE(tc_ampere_bfloat16, tc_bfloat16, TC_AMPERE_TILES);
