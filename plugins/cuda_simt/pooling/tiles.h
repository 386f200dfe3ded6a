/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of packed pooling, and what the choice of a form needs besides; on the host. */
#ifndef CUDA_SIMT_POOLING_TILES_H
#define CUDA_SIMT_POOLING_TILES_H

#include "packed.h"

/* Threads of a block, as in index.h. */
#define POOLING_THREADS 256

static inline int32_t pooling_min(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static inline int64_t pooling_round_up(int64_t a, int64_t to)
{
    return (a + to - 1) / to * to;
}

static inline int64_t pooling_product(const int32_t dims[POOLING_DIMS])
{
    return (int64_t)dims[0] * dims[1] * dims[2];
}

void pooling_set_tile(struct pooling_tile *tile, const int32_t dims[POOLING_DIMS],
                      const int32_t size[POOLING_DIMS]);
/* How many there are. */
int64_t pooling_tiles(const struct pooling_tile *tile);

/* Fills `windows`, those that can lie over a tile of dx. */
void pooling_count_windows(struct pooling_packed *packed);

/* What a tile costs, or 0 where it does not fit; fills what depends on the tile. */
typedef int64_t pooling_fit(struct pooling_packed *packed, int32_t type_size);

/* The cheapest tile of those that halve the dims so many times; returns whether one fits. Of equal
 * ones it is the largest. */
int pooling_choose_tile(struct pooling_packed *packed, const int32_t dims[POOLING_DIMS],
                        int32_t type_size, int32_t limit, pooling_fit *fit);

/* Forms of NHWC, for what the choice has filled: shape, outer, channels. `vector` is how many
 * channels a thread takes. */
void pooling_fill_channels(struct pooling_packed *packed, int32_t vector);
enum pooling_form pooling_nhwc_forward(struct pooling_packed *packed);
enum pooling_form pooling_nhwc_backward(struct pooling_packed *packed, int max);

/* Whether planes are halved, in vectors of so many lanes; fills what that needs (halving.c). */
int pooling_halves_nchw(struct pooling_packed *packed, const struct anydnn_plugin_plan *plan,
                        int32_t lanes);
int pooling_halves_nhwc(struct pooling_packed *packed, const struct anydnn_plugin_plan *plan);

/* Forms of NCHW, likewise: shape, outer. */
enum pooling_form pooling_nchw_forward(struct pooling_packed *packed,
                                       const struct anydnn_plugin_plan *plan, int32_t type_size);
enum pooling_form pooling_nchw_backward(struct pooling_packed *packed,
                                        const struct anydnn_plugin_plan *plan, int32_t type_size,
                                        int max);

#endif
