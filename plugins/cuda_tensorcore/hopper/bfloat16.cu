/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family hopper for bfloat16. */
#include "table.h"

TC_HOPPER_TABLE(tc_hopper_bfloat16, tc_bfloat16);
