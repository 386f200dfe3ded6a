/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the half kernels for first layers. */
#include "table.h"

TC_FIRST_TABLE(tc_first_half, tc_half);
