/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the half kernels of the family mma. */
#include "table.h"

TC_MMA_TABLE(tc_mma_half, tc_half);
