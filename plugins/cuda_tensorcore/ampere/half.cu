/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family ampere for half. */
#include "table.h"

TC_AMPERE_TABLE(tc_ampere_half, tc_half, TC_AMPERE_TILES_OF_HALF);
