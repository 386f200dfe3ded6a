/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for grouped convolutions of half. */
#include "table.h"

TC_GROUPS_TABLE(tc_groups_half, tc_half);
