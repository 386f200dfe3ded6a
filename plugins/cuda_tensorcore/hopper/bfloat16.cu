/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the bfloat16 kernels of the family hopper. */
#include "table.h"

TC_HOPPER_TABLE(tc_hopper_bfloat16, tc_bfloat16);
