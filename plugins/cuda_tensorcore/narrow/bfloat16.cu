/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the bfloat16 kernels for layers with few channels. */
#include "table.h"

TC_NARROW_TABLE(tc_narrow_bfloat16, tc_bfloat16);
