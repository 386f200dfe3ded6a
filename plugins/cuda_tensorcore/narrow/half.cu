/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for layers of few channels of half. */
#include "table.h"

TC_NARROW_TABLE(tc_narrow_half, tc_half);
