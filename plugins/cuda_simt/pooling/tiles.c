/* SPDX-License-Identifier: Apache-2.0 */
/* Computes sizes and costs of tiles of packed pooling, and chooses the cheapest. */
#include "tiles.h"

void pooling_set_tile(struct pooling_tile *tile, const int32_t dims[POOLING_DIMS],
                      const int32_t size[POOLING_DIMS])
{
    for (int s = 0; s < POOLING_DIMS; s++) {
        tile->size[s] = size[s];
        tile->tiles[s] = (dims[s] + size[s] - 1) / size[s];
        tile->by_size[s] = cuda_divisor_of(size[s]);
        tile->by_tiles[s] = cuda_divisor_of(tile->tiles[s]);
    }
}

int64_t pooling_tiles(const struct pooling_tile *tile)
{
    return pooling_product(tile->tiles);
}

int pooling_choose_tile(struct pooling_packed *packed, const int32_t dims[POOLING_DIMS],
                        int32_t type_size, int32_t limit, pooling_fit *fit)
{
    struct pooling_packed tried = *packed;
    int64_t best = 0;
    int32_t size[POOLING_DIMS];

    for (int32_t i = 1; i == 1 || i < 2 * dims[0]; i *= 2)
        for (int32_t j = 1; j == 1 || j < 2 * dims[1]; j *= 2)
            for (int32_t k = 1; k == 1 || k < 2 * dims[2]; k *= 2) {
                int64_t cost;

                size[0] = (dims[0] + i - 1) / i;
                size[1] = (dims[1] + j - 1) / j;
                size[2] = (dims[2] + k - 1) / k;
                /* If rows are divided, each part begins at a vector, as rows do. */
                if (k > 1)
                    size[2] = pooling_min(cuda_round_up(size[2], 16 / type_size), dims[2]);
                if (pooling_product(size) > limit)
                    continue;
                pooling_set_tile(&tried.tile, dims, size);
                cost = fit(&tried, type_size);
                if (cost && (!best || cost < best)) {
                    best = cost;
                    *packed = tried;
                }
            }
    return best != 0;
}

void pooling_count_windows(struct pooling_packed *packed)
{
    const struct pooling_shape *shape = &packed->shape;

    for (int s = 0; s < POOLING_DIMS; s++) {
        int64_t span = (int64_t)packed->tile.size[s] + shape->window[s] - 1;

        packed->windows[s] = pooling_min(cuda_ceil_div(span, shape->stride[s]), shape->y_dims[s]);
        packed->by_windows[s] = cuda_divisor_of(packed->windows[s]);
    }
}
