/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which pooling halves a plane (halving.h), and into how many strips a plane is divided. */
#include "tiles.h"

/* The threads per multiprocessor for which strips are made; each has some 64 bytes in flight. */
#define THREADS_EACH 2048

/* The minimum rows of y of a strip; compared with them, the rows read from the neighbour are
 * few. */
#define ROWS_LEAST 4

/* Returns 1 for windows of K x K with a pad of K - 2 and a stride of 2 that cover the whole
 * plane. */
static int halves(const struct pooling_shape *shape)
{
    int32_t k = shape->window[1], lead = k - 2;

    if (shape->window[0] != 1 || shape->pad[0] != 0 || shape->x_dims[0] != 1 ||
        shape->y_dims[0] != 1 || (k != 2 && k != 3))
        return 0;
    for (int s = 1; s < POOLING_DIMS; s++) {
        if (shape->window[s] != k || shape->pad[s] != lead || shape->stride[s] != 2 ||
            shape->y_dims[s] != (shape->x_dims[s] + lead) / 2)
            return 0;
    }
    return 1;
}

/* Divides the planes into strips, a power of two per plane. */
static void cut(struct pooling_halving *halving, const struct pooling_shape *shape,
                int64_t row_threads, int32_t multiprocessors)
{
    int32_t pairs = (shape->x_dims[1] + 1) / 2;

    while (row_threads << halving->log_strips < (int64_t)multiprocessors * THREADS_EACH &&
           pairs >> halving->log_strips >= 2 * ROWS_LEAST)
        halving->log_strips++;
    halving->rows = (pairs + (1 << halving->log_strips) - 1) >> halving->log_strips;
}

int pooling_halves_nchw(struct pooling_packed *packed, const struct anydnn_plugin_plan *plan,
                        int32_t lanes)
{
    struct pooling_halving *halving = &packed->halving;
    const struct pooling_shape *shape = &packed->shape;
    int32_t threads = shape->y_dims[2] / lanes;

    if (!halves(shape) || shape->x_dims[2] != 2 * shape->y_dims[2] || shape->y_dims[2] % lanes ||
        threads > 32)
        return 0;
    while (1 << halving->log_threads < threads)
        halving->log_threads++;
    halving->row_threads = threads;
    cut(halving, shape, packed->outer << halving->log_threads, plan->context->multiprocessors);
    packed->blocks =
        ((packed->outer << halving->log_strips << halving->log_threads) + CUDA_THREADS - 1) /
        CUDA_THREADS;
    return 1;
}

int pooling_halves_nhwc(struct pooling_packed *packed, const struct anydnn_plugin_plan *plan)
{
    struct pooling_halving *halving = &packed->halving;
    const struct pooling_shape *shape = &packed->shape;
    int64_t threads;

    if (!halves(shape) || pooling_product(shape->x_dims) * packed->channels > INT32_MAX)
        return 0;
    halving->columns = (shape->x_dims[2] + 1) / 2;
    halving->by_columns = cuda_divisor_of(halving->columns);
    halving->by_vectors = cuda_divisor_of(packed->vectors);
    threads = packed->outer * packed->vectors * halving->columns;
    cut(halving, shape, threads, plan->context->multiprocessors);
    threads <<= halving->log_strips;
    packed->blocks = (threads + CUDA_THREADS - 1) / CUDA_THREADS;
    return threads <= INT32_MAX - CUDA_THREADS;
}
