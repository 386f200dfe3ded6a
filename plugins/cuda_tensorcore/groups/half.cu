/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the half kernels for grouped convolutions. */
#include "table.h"

TC_GROUPS_TABLE(tc_groups_half, tc_half);
