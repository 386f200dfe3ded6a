/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of the family mma for float rounded to TF32. */
#include "table.h"

TC_MMA_TABLE(tc_mma_tf32, tc_tf32);
