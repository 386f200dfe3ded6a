/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family hopper for floats, rounded to TF32. */
#include "table.h"

TC_HOPPER_TABLE_32(tc_hopper_tf32, tc_tf32, 2, ANYDNN_PLUGIN_FLOAT);
