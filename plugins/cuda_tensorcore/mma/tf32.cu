/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family mma for float as TF32. */
#include "table.h"

TC_MMA_TABLE(tc_mma_tf32, tc_tf32);
