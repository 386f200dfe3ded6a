/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the half kernels of the family ampere. */
#include "table.h"

TC_AMPERE_TABLE(tc_ampere_half, tc_half, TC_AMPERE_TILES_OF_HALF);
