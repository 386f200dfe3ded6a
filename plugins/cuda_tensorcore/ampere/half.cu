/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family taps for half. */
#include "table.h"

TC_TAPS_TABLE(tc_taps_half, tc_half, 0, ANYDNN_PLUGIN_HALF, TC_TAPS_MORE);
