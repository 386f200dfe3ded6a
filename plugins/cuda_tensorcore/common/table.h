/* SPDX-License-Identifier: Apache-2.0 */
/* Defines macros for the kernel tables of all families. A row is one struct tc_kernel, built
 * from named values. */
#ifndef CUDA_TENSORCORE_COMMON_TABLE_H
#define CUDA_TENSORCORE_COMMON_TABLE_H

#include "shape.h"

/* Defines the table `name` with the rows that follow. A file has one table. */
#define TC_TABLE(name, ...)                                                                        \
    static const struct tc_kernel kernels[] = {__VA_ARGS__};                                       \
    const struct tc_table name = {.kernels = kernels,                                              \
                                  .count = (int32_t)(sizeof kernels / sizeof kernels[0])}

/* Returns the direction, as in struct conv, of kernels for TC_FPROP and so on. */
static constexpr int32_t tc_direction_of(int32_t what)
{
    return what == TC_FPROP   ? ANYDNN_PLUGIN_CONVOLUTION_FORWARD
           : what == TC_DGRAD ? ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
           : what == TC_WGRAD ? ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
                              : 0;
}

/* The parameters of a tc_size, so that TC_SIZE can name them. */
struct tc_size_of {
    int32_t tile_m, tile_n, warp_m, warp_n, stages, occupancy;
};

#define TC_SIZE(...)                                                                               \
    tc_size<tc_size_of{__VA_ARGS__}.tile_m, tc_size_of{__VA_ARGS__}.tile_n,                        \
            tc_size_of{__VA_ARGS__}.warp_m, tc_size_of{__VA_ARGS__}.warp_n,                        \
            tc_size_of{__VA_ARGS__}.stages, tc_size_of{__VA_ARGS__}.occupancy>

#endif
