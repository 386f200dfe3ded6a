/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the bfloat16 kernels for first layers. */
#include "table.h"

TC_FIRST_TABLE(tc_first_bfloat16, tc_bfloat16);
