/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses tiles of pooling of NCHW, and the threads of large windows. */
#include "tiles.h"

/* The elements from which a window gets a warp, if windows do not share elements. */
#define SPREAD_PLACES 128

/* The elements from which a window gets a block. */
#define SPREAD_BLOCK 4096

/* The blocks per multiprocessor that tiles of several planes must leave. */
#define BLOCKS_EACH 16

/* Fills the layout of a tile's largest part. Returns its elements in shared memory. */
static int64_t fill_store(struct pooling_store *store, const int32_t whole[POOLING_DIMS],
                          const int32_t part[POOLING_DIMS], int32_t type_size)
{
    int32_t lanes = 16 / type_size;

    store->one_run = whole[2] && (whole[1] || part[0] == 1);
    store->rows = part[1];
    store->pitch = (int32_t)cuda_round_up(part[2], lanes) + lanes;
    store->by_rows = cuda_divisor_of(part[1]);
    store->by_row_chunks = cuda_divisor_of(store->pitch / lanes);
    if (store->one_run)
        return cuda_round_up(pooling_product(part), lanes) + lanes;
    return (int64_t)part[0] * part[1] * store->pitch;
}

static void fill_whole(struct pooling_packed *packed)
{
    packed->whole[2] = packed->tile.tiles[2] == 1;
    packed->whole[1] = packed->whole[2] && packed->tile.tiles[1] == 1;
    packed->whole[0] = packed->whole[1] && packed->tile.tiles[0] == 1;
}

/* Computes the elements of x under this many consecutive windows. */
static void under_windows(const struct pooling_packed *packed, const int32_t windows[POOLING_DIMS],
                          int32_t part[POOLING_DIMS])
{
    const struct pooling_shape *shape = &packed->shape;

    for (int s = 0; s < POOLING_DIMS; s++)
        part[s] = packed->whole[s]
                      ? shape->x_dims[s]
                      : pooling_min((int64_t)(windows[s] - 1) * shape->stride[s] + shape->window[s],
                                    shape->x_dims[s]);
}

/* Puts several planes into a tile if a plane is small. */
static void add_planes(struct pooling_packed *packed, int64_t fit, int32_t multiprocessors)
{
    int64_t spread = packed->outer / ((int64_t)multiprocessors * BLOCKS_EACH);

    packed->planes = packed->whole[0] ? pooling_min(fit, spread > 1 ? spread : 1) : 1;
    packed->blocks =
        (packed->outer + packed->planes - 1) / packed->planes * pooling_tiles(&packed->tile);
}

static int64_t fit_forward(struct pooling_packed *packed, int32_t type_size)
{
    int32_t part[POOLING_DIMS];
    int64_t elements;

    fill_whole(packed);
    under_windows(packed, packed->tile.size, part);
    elements = fill_store(&packed->x, packed->whole, part, type_size);
    return elements > POOLING_PLANE_ELEMENTS
               ? 0
               : pooling_tiles(&packed->tile) * (elements + CUDA_THREADS);
}

/* Returns 1 for large windows that share few elements. */
static int is_spread(const struct pooling_shape *shape)
{
    int64_t window = 1, own = 1;

    for (int s = 0; s < POOLING_DIMS; s++) {
        window *= pooling_min(shape->window[s], shape->x_dims[s]);
        own *= shape->y_dims[s] == 1 ? shape->window[s] : shape->stride[s];
    }
    return window >= SPREAD_PLACES && own * 2 >= window;
}

static enum pooling_form spread_form(struct pooling_packed *packed)
{
    int64_t outputs = packed->outer * pooling_product(packed->shape.y_dims);

    packed->window_threads =
        pooling_product(packed->shape.window) >= SPREAD_BLOCK ? CUDA_THREADS : 32;
    packed->blocks = (outputs + CUDA_THREADS / packed->window_threads - 1) /
                     (CUDA_THREADS / packed->window_threads);
    return POOLING_NCHW_LARGE;
}

enum pooling_form pooling_nchw_forward(struct pooling_packed *packed,
                                       const struct anydnn_plugin_plan *plan, int32_t type_size)
{
    int64_t plane = pooling_product(packed->shape.x_dims);

    if (is_spread(&packed->shape) || !pooling_choose_tile(packed, packed->shape.y_dims, type_size,
                                                          POOLING_PLANE_ELEMENTS, fit_forward))
        return spread_form(packed);
    add_planes(packed, (POOLING_PLANE_ELEMENTS - 32) / plane, plan->context->multiprocessors);
    return POOLING_NCHW;
}

static int64_t fit_max_backward(struct pooling_packed *packed, int32_t type_size)
{
    int32_t part[POOLING_DIMS];
    int64_t elements, results;

    fill_whole(packed);
    pooling_count_windows(packed);
    under_windows(packed, packed->windows, part);
    elements = fill_store(&packed->x, packed->whole, part, type_size);
    results = fill_store(&packed->dx, packed->whole, packed->tile.size, type_size);
    if (elements > POOLING_PLANE_ELEMENTS || results > POOLING_PLANE_ELEMENTS ||
        part[0] > POOLING_DEEP)
        return 0;
    return pooling_tiles(&packed->tile) *
           (elements + results +
            pooling_product(packed->windows) * pooling_product(packed->shape.window) +
            CUDA_THREADS);
}

static void fill_classes(struct pooling_packed *packed)
{
    const struct pooling_shape *shape = &packed->shape;
    int64_t windows = packed->planes;

    for (int s = 0; s < POOLING_DIMS; s++) {
        int32_t apart = (shape->window[s] + shape->stride[s] - 1) / shape->stride[s];

        packed->classes[s] = pooling_min(apart, packed->windows[s]);
        packed->of_class[s] = (packed->windows[s] + packed->classes[s] - 1) / packed->classes[s];
        packed->by_class[s] = cuda_divisor_of(packed->of_class[s]);
        windows *= packed->of_class[s];
    }
    packed->window_threads = 1;
    while (packed->window_threads * 2 * windows <= CUDA_THREADS &&
           packed->window_threads * 2 <= shape->window[2])
        packed->window_threads *= 2;
}

/* Returns the cost of a tile: dy is staged, then summed along rows of dx, both in float. */
static int64_t fit_average_backward(struct pooling_packed *packed, int32_t type_size)
{
    int32_t lanes = 16 / type_size;
    int64_t sums;

    fill_whole(packed);
    pooling_count_windows(packed);
    packed->dx.pitch = (int32_t)cuda_round_up(packed->tile.size[2], 4);
    packed->row_vectors = packed->shape.x_dims[2] % lanes || packed->tile.size[2] % lanes
                              ? 0
                              : packed->tile.size[2] / lanes;
    packed->by_row_vectors = cuda_divisor_of(packed->row_vectors);
    sums =
        (int64_t)packed->windows[0] * packed->windows[1] * (packed->windows[2] + packed->dx.pitch);
    return sums > POOLING_SUMS - 4
               ? 0
               : pooling_tiles(&packed->tile) *
                     (2 * sums + pooling_product(packed->tile.size) + CUDA_THREADS);
}

enum pooling_form pooling_nchw_backward(struct pooling_packed *packed,
                                        const struct anydnn_plugin_plan *plan, int32_t type_size,
                                        int max)
{
    const int32_t *dims = packed->shape.x_dims;
    int64_t fit;

    if (!pooling_choose_tile(packed, dims, type_size, POOLING_PLANE_ELEMENTS,
                             max ? fit_max_backward : fit_average_backward))
        return POOLING_GENERAL;
    fit = max ? (POOLING_PLANE_ELEMENTS - 32) / pooling_product(dims)
              : (POOLING_SUMS - 4) / ((int64_t)packed->windows[0] * packed->windows[1] *
                                      (packed->windows[2] + packed->dx.pitch));
    add_planes(packed, fit, plan->context->multiprocessors);
    fill_classes(packed);
    return POOLING_NCHW;
}
