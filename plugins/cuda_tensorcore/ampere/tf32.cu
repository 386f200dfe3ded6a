/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family taps for TF32. */
#include "table.h"

TC_TAPS_TABLE(tc_taps_tf32, tc_tf32, 2, ANYDNN_PLUGIN_FLOAT, TC_TAPS_POSITIONS);
