/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for first layers of half. */
#include "table.h"

TC_FIRST_TABLE(tc_first_half, tc_half);
