/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family mma for bfloat16. */
#include "table.h"

TC_MMA_TABLE(tc_mma_bfloat16, tc_bfloat16);
