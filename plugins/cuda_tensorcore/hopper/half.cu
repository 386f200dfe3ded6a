/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family hopper for half. */
#include "table.h"

TC_HOPPER_TABLE(tc_hopper_half, tc_half);
