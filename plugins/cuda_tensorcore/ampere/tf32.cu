/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family ampere for TF32. */
#include "table.h"

TC_AMPERE_TABLE(tc_ampere_tf32, tc_tf32, TC_AMPERE_TILES);
