/* SPDX-License-Identifier: Apache-2.0 */
/* Making walks. */
#include "walk.h"

#include <string.h>

int64_t cuda_type_lanes(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8X32                                   ? 32
           : type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_UINT8X4 ? 4
                                                                           : 1;
}

int32_t cuda_lane_type(int32_t type)
{
    return type == ANYDNN_PLUGIN_UINT8X4                                   ? ANYDNN_PLUGIN_UINT8
           : type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_INT8X32 ? ANYDNN_PLUGIN_INT8
                                                                           : type;
}

int32_t cuda_type_size(int32_t type)
{
    switch (cuda_lane_type(type)) {
    case ANYDNN_PLUGIN_DOUBLE:
    case ANYDNN_PLUGIN_INT64:
    case ANYDNN_PLUGIN_UINT64:
        return 8;
    case ANYDNN_PLUGIN_HALF:
    case ANYDNN_PLUGIN_BFLOAT16:
    case ANYDNN_PLUGIN_UINT16:
        return 2;
    case ANYDNN_PLUGIN_INT8:
    case ANYDNN_PLUGIN_UINT8:
        return 1;
    default:
        return 4;
    }
}

int64_t cuda_tensor_count(const struct anydnn_plugin_tensor *tensor)
{
    int64_t count = 1;
    for (int32_t d = 0; d < tensor->ndims; d++)
        count *= tensor->dims[d];
    return count;
}

/* ------------------------------------------------------------------ tensors of thought */

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

struct anydnn_plugin_tensor cuda_places(const struct anydnn_plugin_tensor *of)
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

/* ------------------------------------------------------------------ dims of a walk */

/* Elements from one index along dim d to that `by` further on. Within a vector they are neighbours.
 */
static int64_t stride_of(const struct anydnn_plugin_tensor *tensor, int32_t d, int64_t by)
{
    int64_t lanes = cuda_type_lanes(tensor->type);

    if (tensor->dims[d] == 1)
        return 0;
    if (d != 1 || lanes == 1)
        return tensor->strides[d] * lanes * by;
    return by < lanes ? by : by / lanes * tensor->strides[d] * lanes;
}

/* Puts `dim` steps by `by` along dim d last, or if sorted before the dims of smaller stride. */
static void insert_steps(struct cuda_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                         int32_t d, int64_t dim, int64_t by, int order)
{
    int32_t at = walk->ndims;
    int64_t stride;

    if (dim == 1)
        return;
    stride = stride_of(tensor[0], d, by);
    for (; order == CUDA_WALK_SORTED && at > 0 && walk->strides[at - 1][0] < stride; at--) {
        walk->dims[at] = walk->dims[at - 1];
        memcpy(walk->strides[at], walk->strides[at - 1], sizeof walk->strides[at]);
    }
    walk->dims[at] = dim;
    for (int32_t t = 0; t < walk->tensors; t++)
        walk->strides[at][t] = stride_of(tensor[t], d, by);
    walk->ndims++;
}

/* Channel c of vectors of 4 and of 32 has a place in each that follows from c / 32, c % 32 / 4 and
 * c % 4: three dims instead of one. */
static void insert_dim(struct cuda_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                       int32_t d, int order)
{
    int64_t dim = tensor[0]->dims[d], by = 1;

    for (int32_t t = 0; d == 1 && t < walk->tensors; t++) {
        int64_t lanes = cuda_type_lanes(tensor[t]->type);
        by = lanes > by ? lanes : by;
    }
    insert_steps(walk, tensor, d, dim / by, by, order);
    if (by == 32)
        insert_steps(walk, tensor, d, 8, 4, order);
    if (by > 1)
        insert_steps(walk, tensor, d, 4, 1, order);
}

static int can_merge(const struct cuda_walk *walk, int32_t outer, int32_t inner)
{
    int can = 1;
    for (int32_t t = 0; t < walk->tensors; t++)
        can = can && walk->strides[outer][t] == walk->strides[inner][t] * walk->dims[inner];
    return can;
}

static void merge_dims(struct cuda_walk *walk)
{
    int32_t kept = 0;

    for (int32_t d = 1; d < walk->ndims; d++) {
        int merge = can_merge(walk, kept, d);
        int64_t dim = merge ? walk->dims[kept] * walk->dims[d] : walk->dims[d];

        if (!merge)
            kept++;
        walk->dims[kept] = dim;
        memmove(walk->strides[kept], walk->strides[d], sizeof walk->strides[kept]);
    }
    walk->ndims = kept + 1;
}

/* ------------------------------------------------------------------ counting */

/* For numbers below 2^31; a larger dim is the slowest, and nothing is divided by it, or the walk is
 * wide. */
struct cuda_divisor cuda_divisor_of(int64_t dim)
{
    struct cuda_divisor made = {0, 0};

    if (dim < 1 || dim >= INT64_C(1) << 31)
        return made;
    while (INT64_C(1) << made.shift < dim)
        made.shift++;
    made.multiplier =
        (uint32_t)((((UINT64_C(1) << made.shift) - (uint64_t)dim) << 32) / (uint64_t)dim + 1);
    return made;
}

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
    memset(walk, 0, sizeof *walk);
    walk->tensors = tensors;
    walk->lanes = 1;
    for (int32_t d = 0; d < tensor[0]->ndims; d++) {
        if (mask >> d & 1)
            insert_dim(walk, tensor, d, order);
    }
    if (walk->ndims == 0) {
        /* One element: a row of one, of unit strides. */
        walk->ndims = 1;
        walk->dims[0] = 1;
        for (int32_t t = 0; t < tensors; t++)
            walk->strides[0][t] = 1;
    }
    merge_dims(walk);
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
