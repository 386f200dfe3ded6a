/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the TF32 kernels of the family ampere. */
#include "table.h"

TC_AMPERE_TABLE(tc_ampere_tf32, tc_tf32, TC_AMPERE_TILES);
