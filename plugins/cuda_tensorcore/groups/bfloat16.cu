/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the bfloat16 kernels for grouped convolutions. */
#include "table.h"

TC_GROUPS_TABLE(tc_groups_bfloat16, tc_bfloat16);
