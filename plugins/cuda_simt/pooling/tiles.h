/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of packed pooling, and other host functions for the choice of a form. */
#ifndef CUDA_SIMT_POOLING_TILES_H
#define CUDA_SIMT_POOLING_TILES_H

#include "packed.h"

static inline int32_t pooling_min(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static inline int64_t pooling_product(const int32_t dims[POOLING_DIMS])
{
    return (int64_t)dims[0] * dims[1] * dims[2];
}

void pooling_set_tile(struct pooling_tile *tile, const int32_t dims[POOLING_DIMS],
                      const int32_t size[POOLING_DIMS]);
/* Returns the number of tiles. */
int64_t pooling_tiles(const struct pooling_tile *tile);

/* Fills `windows`: the maximum number of windows over a tile of dx. */
void pooling_count_windows(struct pooling_packed *packed);

/* A function that returns the cost of a tile, or 0 if it does not fit, and fills the members that
 * depend on the tile. */
typedef int64_t pooling_fit(struct pooling_packed *packed, int32_t type_size);

/* Chooses the cheapest tile among those that halve the dims repeatedly; the largest wins a tie.
 * Returns 0 if none fits. */
int pooling_choose_tile(struct pooling_packed *packed, const int32_t dims[POOLING_DIMS],
                        int32_t type_size, int32_t limit, pooling_fit *fit);

/* Functions for NHWC. The caller must have filled shape, outer and channels. `vector` is the
 * channels of a thread. */
void pooling_fill_channels(struct pooling_packed *packed, int32_t vector);
enum pooling_form pooling_nhwc_forward(struct pooling_packed *packed);
enum pooling_form pooling_nhwc_backward(struct pooling_packed *packed, int max);

/* Each function returns 1 if planes are halved in vectors, and fills the members for that
 * (halving.c). */
int pooling_halves_nchw(struct pooling_packed *packed, const struct anydnn_plugin_plan *plan,
                        int32_t lanes);
int pooling_halves_nhwc(struct pooling_packed *packed, const struct anydnn_plugin_plan *plan);

/* Functions for NCHW. The caller must have filled shape and outer. */
enum pooling_form pooling_nchw_forward(struct pooling_packed *packed,
                                       const struct anydnn_plugin_plan *plan, int32_t type_size);
enum pooling_form pooling_nchw_backward(struct pooling_packed *packed,
                                        const struct anydnn_plugin_plan *plan, int32_t type_size,
                                        int max);

#endif
