/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the half kernels of the family hopper. */
#include "table.h"

TC_HOPPER_TABLE(tc_hopper_half, tc_half);
