/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the half kernels for layers with few channels. */
#include "table.h"

TC_NARROW_TABLE(tc_narrow_half, tc_half);
