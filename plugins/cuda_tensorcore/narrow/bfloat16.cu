/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for layers of few channels of bfloat16. */
#include "table.h"

TC_NARROW_TABLE(tc_narrow_bfloat16, tc_bfloat16);
