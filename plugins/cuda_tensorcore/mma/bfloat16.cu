/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the bfloat16 kernels of the family mma. */
#include "table.h"

TC_MMA_TABLE(tc_mma_bfloat16, tc_bfloat16);
