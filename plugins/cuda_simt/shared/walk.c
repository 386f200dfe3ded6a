/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the iteration over the elements of some tensors, on the host (walk.h). */
#include "walk.h"

#include <string.h>

/* ------------------------------------------------------------------ virtual tensors */

struct anydnn_plugin_tensor cuda_part(const struct anydnn_plugin_tensor *of, uint32_t mask)
{
    struct anydnn_plugin_tensor made = *of;

    for (int32_t d = 0; d < of->ndims; d++) {
        if (!(mask >> d & 1))
            made.strides[d] = 0;
    }
    return made;
}

struct anydnn_plugin_tensor cuda_coordinate(const struct anydnn_plugin_tensor *of, int32_t dim)
{
    struct anydnn_plugin_tensor made = cuda_part(of, 0);

    made.type = ANYDNN_PLUGIN_DOUBLE;
    made.strides[dim] = 1;
    return made;
}

struct anydnn_plugin_tensor cuda_logical(const struct anydnn_plugin_tensor *of)
{
    struct anydnn_plugin_tensor made = *of;
    int64_t stride = 1;

    made.type = ANYDNN_PLUGIN_DOUBLE;
    for (int32_t d = of->ndims - 1; d >= 0; d--) {
        made.strides[d] = stride;
        stride *= of->dims[d];
    }
    return made;
}

/* ------------------------------------------------------------------ counting */

static void count_steps(struct cuda_walk *walk)
{
    walk->count = 1;
    for (int32_t d = 0; d < walk->ndims; d++) {
        walk->count *= walk->dims[d];
        walk->divide[d] = cuda_divisor_of(walk->dims[d]);
    }
    walk->wide = walk->count >= INT64_C(1) << 31;
}

void cuda_walk_make(struct cuda_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                    int32_t tensors, uint32_t mask, int order)
{
    struct kit_walk made;

    kit_walk_make(&made, tensor, tensors, 0, mask, order);
    memset(walk, 0, sizeof *walk);
    walk->tensors = tensors;
    walk->ndims = made.ndims;
    walk->lanes = 1;
    for (int32_t d = 0; d < made.ndims; d++) {
        walk->dims[d] = made.dims[d];
        memcpy(walk->strides[d], made.strides[d], (size_t)tensors * sizeof made.strides[d][0]);
    }
    count_steps(walk);
}

void cuda_walk_drop(struct cuda_walk *walk, int32_t dim)
{
    if (walk->ndims == 1) {
        walk->dims[0] = 1;
    } else {
        for (int32_t d = dim; d < walk->ndims - 1; d++) {
            walk->dims[d] = walk->dims[d + 1];
            memcpy(walk->strides[d], walk->strides[d + 1], sizeof walk->strides[d]);
        }
        walk->ndims--;
    }
    count_steps(walk);
}

int cuda_walk_unit(const struct cuda_walk *walk, int32_t tensor)
{
    return walk->strides[walk->ndims - 1][tensor] == 1;
}

int cuda_walk_vectors(struct cuda_walk *vectors, const struct cuda_walk *walk, int32_t data,
                      int32_t lanes)
{
    int32_t row = walk->ndims - 1;
    int can = row == 0 || walk->dims[row] % lanes == 0;

    for (int32_t t = 0; t < data; t++) {
        int unit = walk->strides[row][t] == 1;

        can = can && (unit || walk->strides[row][t] == 0);
        for (int32_t d = 0; unit && d < row; d++)
            can = can && walk->strides[d][t] % lanes == 0;
    }
    *vectors = *walk;
    vectors->lanes = lanes;
    vectors->tail = walk->dims[row] % lanes;
    vectors->dims[row] /= lanes;
    for (int32_t t = 0; t < walk->tensors; t++) {
        vectors->lane[t] = walk->strides[row][t];
        vectors->strides[row][t] *= lanes;
    }
    count_steps(vectors);
    return can;
}
