/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses tiles of pooling of NHWC. */
#include "tiles.h"

/* The maximum vectors of neighbouring channels in a block: 128 bytes, a cache line. */
#define LANES_MAX 8
/* The maximum channels in a block if threads handle single channels. */
#define SINGLE_MAX 32

/* The outputs of a tile along a dim, so that overlapping windows share the cache. */
#define CHANNEL_TILE 8

/* The threads that fill a device; with fewer, several threads share a window. */
#define THREADS_WANTED (INT64_C(1) << 18)

/* The maximum threads that share a window, and the smallest window that is shared. */
#define WINDOW_THREADS_MAX 32
#define SHARED_ELEMENTS    32

static void set_lanes(struct pooling_packed *packed, int32_t most)
{
    packed->lanes = 1;
    while (packed->lanes < packed->vectors && packed->lanes * 2 <= most)
        packed->lanes *= 2;
    packed->chunks = (packed->vectors + packed->lanes - 1) / packed->lanes;
}

void pooling_fill_channels(struct pooling_packed *packed, int32_t vector)
{
    packed->vectors = packed->channels / vector;
    set_lanes(packed, vector == 1 ? SINGLE_MAX : LANES_MAX);
}

static enum pooling_form channels_form(const struct pooling_packed *packed)
{
    return packed->vectors == packed->channels ? POOLING_NHWC_SINGLE : POOLING_NHWC;
}

static void count_blocks(struct pooling_packed *packed)
{
    packed->blocks = packed->outer * packed->chunks * pooling_tiles(&packed->tile);
}

/* Chooses a roughly square tile without computing costs. */
static void square_tile(struct pooling_packed *packed, const int32_t dims[POOLING_DIMS],
                        int32_t items)
{
    int32_t size[POOLING_DIMS] = {1, 1, 1};

    for (int s = POOLING_DIMS - 1; s >= 0; s--) {
        while (size[s] < dims[s] && size[s] < (s ? CHANNEL_TILE : items) &&
               pooling_product(size) * 2 <= items)
            size[s] *= 2;
    }
    pooling_set_tile(&packed->tile, dims, size);
    count_blocks(packed);
}

enum pooling_form pooling_nhwc_forward(struct pooling_packed *packed)
{
    const struct pooling_shape *shape = &packed->shape;
    int64_t outputs = pooling_product(shape->y_dims);
    int64_t threads = packed->outer * packed->vectors * outputs;
    int32_t slots = CUDA_THREADS / packed->lanes;

    packed->window_threads = 1;
    while (pooling_product(shape->window) >= SHARED_ELEMENTS &&
           threads * packed->window_threads < THREADS_WANTED &&
           packed->window_threads * 2 <= pooling_min(WINDOW_THREADS_MAX, slots) &&
           packed->window_threads * 2 <= shape->window[1])
        packed->window_threads *= 2;
    /* If there are few outputs, the remaining threads take more vectors. */
    if (outputs * packed->window_threads < slots)
        set_lanes(packed, (int32_t)(CUDA_THREADS / (outputs * packed->window_threads)));
    slots = CUDA_THREADS / packed->lanes;
    square_tile(packed, shape->y_dims,
                packed->window_threads > 1 ? slots / packed->window_threads : 2 * slots);
    return channels_form(packed);
}

/* Returns the cost of a tile: windows are searched, then elements gather. */
static int64_t fit_channels_max(struct pooling_packed *packed, int32_t type_size)
{
    int32_t lanes = packed->lanes * (packed->channels / packed->vectors);
    int64_t windows;

    (void)type_size;
    pooling_count_windows(packed);
    windows = pooling_product(packed->windows);
    packed->window_threads = 1;
    while (packed->window_threads * 2 * windows * packed->lanes <= CUDA_THREADS &&
           packed->window_threads * 2 <= packed->shape.window[1])
        packed->window_threads *= 2;
    if (windows * packed->window_threads * lanes > POOLING_FOUND)
        return 0;
    return pooling_tiles(&packed->tile) * (windows * pooling_product(packed->shape.window) +
                                           4 * pooling_product(packed->tile.size) + CUDA_THREADS);
}

static enum pooling_form channels_max_backward(struct pooling_packed *packed)
{
    if (pooling_product(packed->shape.window) >= POOLING_WINDOW_MAX)
        return POOLING_GENERAL;
    while (!pooling_choose_tile(packed, packed->shape.x_dims, 16, POOLING_PLANE_ELEMENTS,
                                fit_channels_max)) {
        if (packed->lanes == 1)
            return POOLING_GENERAL;
        packed->lanes /= 2;
        packed->chunks = (packed->vectors + packed->lanes - 1) / packed->lanes;
    }
    count_blocks(packed);
    return channels_form(packed);
}

static enum pooling_form channels_average_backward(struct pooling_packed *packed)
{
    square_tile(packed, packed->shape.x_dims, 4 * CUDA_THREADS / packed->lanes);
    return channels_form(packed);
}

enum pooling_form pooling_nhwc_backward(struct pooling_packed *packed, int max)
{
    return max ? channels_max_backward(packed) : channels_average_backward(packed);
}
