/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the family hopper for integers of 8 bits, forward: x with signs or without. */
#include "table.h"

typedef tc_integers<1, 1> signed_x;
typedef tc_integers<0, 1> unsigned_x;

static const struct tc_kernel kernels[] = {
    TC_HOPPER_INTEGERS(signed_x, 0, ANYDNN_PLUGIN_INT8, 0, 0.71, 128, 256, TC_COOPERATIVE, 4),
    TC_HOPPER_INTEGERS(signed_x, 0, ANYDNN_PLUGIN_INT8, 1, 0.83, 128, 128, TC_PING_PONG, 6),
    TC_HOPPER_INTEGERS(unsigned_x, 1, ANYDNN_PLUGIN_UINT8, 0, 0.71, 128, 256, TC_COOPERATIVE, 4),
    TC_HOPPER_INTEGERS(unsigned_x, 1, ANYDNN_PLUGIN_UINT8, 1, 0.83, 128, 128, TC_PING_PONG, 6)};
const struct tc_table tc_hopper_int8 = {kernels, (int32_t)(sizeof kernels / sizeof kernels[0])};
