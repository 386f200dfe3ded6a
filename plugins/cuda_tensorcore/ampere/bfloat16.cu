/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family taps for bfloat16. */
#include "table.h"

TC_TAPS_TABLE(tc_taps_bfloat16, tc_bfloat16, 1, ANYDNN_PLUGIN_BFLOAT16, TC_TAPS_POSITIONS);
