/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for grouped convolutions of bfloat16. */
#include "table.h"

TC_GROUPS_TABLE(tc_groups_bfloat16, tc_bfloat16);
