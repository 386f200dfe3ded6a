/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for first layers of bfloat16. */
#include "table.h"

TC_FIRST_TABLE(tc_first_bfloat16, tc_bfloat16);
