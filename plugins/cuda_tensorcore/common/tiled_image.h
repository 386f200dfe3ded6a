/* SPDX-License-Identifier: Apache-2.0 */
/* Checks problems for kernels whose blocks compute a tile of an image's rows and columns. */
#ifndef CUDA_TENSORCORE_COMMON_TILED_IMAGE_H
#define CUDA_TENSORCORE_COMMON_TILED_IMAGE_H

#include "../../cuda_common/divide.h"
#include "job.h"

static inline bool tc_is_plain_dim(const conv_dim &dim, int64_t taps)
{
    return dim.stride == 1 && dim.dilation == 1 && dim.taps == taps;
}

/* Returns the number of positions in all tiles of an image. Tiles at the right and the bottom
 * contain some positions outside the image. */
static inline int64_t tc_tiled_area(const conv_dim &h, const conv_dim &w, int64_t tile_h,
                                    int64_t tile_w)
{
    return cuda_ceil_div(h.positions, tile_h) * tile_h * cuda_ceil_div(w.positions, tile_w) *
           tile_w;
}

#endif
