/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family mma for half. */
#include "table.h"

TC_MMA_TABLE(tc_mma_half, tc_half);
