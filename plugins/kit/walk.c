/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over strided tensors. */
#include "walk.h"

#include <string.h>

/* ------------------------------------------------------------------ dims */

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

void kit_walk_begin(struct kit_walk *walk, int32_t tensors)
{
    walk->tensors = tensors;
    walk->ndims = 0;
    for (int32_t t = 0; t < tensors; t++)
        walk->element_size[t] = 1;
}

void kit_walk_add(struct kit_walk *walk, int64_t dim, const int64_t stride[], int32_t leader)
{
    size_t bytes = (size_t)walk->tensors * sizeof stride[0];
    int32_t at = walk->ndims;

    if (dim == 1)
        return;
    for (; leader >= 0 && at > 0 &&
           magnitude(walk->strides[at - 1][leader]) < magnitude(stride[leader]);
         at--) {
        walk->dims[at] = walk->dims[at - 1];
        memcpy(walk->strides[at], walk->strides[at - 1], bytes);
    }
    walk->dims[at] = dim;
    memcpy(walk->strides[at], stride, bytes);
    walk->ndims++;
}

static int can_merge(const struct kit_walk *walk, int32_t outer, int32_t inner)
{
    int can = 1;
    for (int32_t t = 0; t < walk->tensors; t++)
        can = can && walk->strides[outer][t] == walk->strides[inner][t] * walk->dims[inner];
    return can;
}

void kit_walk_end(struct kit_walk *walk)
{
    int32_t kept = 0;

    if (walk->ndims == 0) {
        /* A single element becomes a row of length 1 with unit strides. */
        walk->ndims = 1;
        walk->dims[0] = 1;
        for (int32_t t = 0; t < walk->tensors; t++)
            walk->strides[0][t] = 1;
    }
    for (int32_t d = 1; d < walk->ndims; d++) {
        int merge = can_merge(walk, kept, d);
        int64_t dim = merge ? walk->dims[kept] * walk->dims[d] : walk->dims[d];

        if (!merge)
            kept++;
        walk->dims[kept] = dim;
        for (int32_t t = 0; t < walk->tensors; t++)
            walk->strides[kept][t] = walk->strides[d][t];
    }
    walk->ndims = kept + 1;
    walk->count = kit_count(walk->dims, walk->ndims);
}

/* ------------------------------------------------------------------ tensors */

/* Returns the distance in elements between two indices of dim d that differ by `by`. The channels
 * of a vector are adjacent. */
static int64_t stride_of(const struct anydnn_plugin_tensor *tensor, int32_t d, int64_t by)
{
    int64_t lanes = kit_lanes(tensor->type);

    if (tensor->dims[d] == 1)
        return 0;
    if (d != 1)
        return tensor->strides[d] * lanes;
    return by < lanes ? by : by / lanes * tensor->strides[d] * lanes;
}

struct list {
    const struct anydnn_plugin_tensor *const *tensor;
    int32_t leader; /* -1: in the order of the dims */
};

/* Adds `dim` steps of size `by` along dim d of the tensors. */
static void add_steps(struct kit_walk *walk, const struct list *list, int32_t d, int64_t dim,
                      int64_t by)
{
    int64_t stride[KIT_WALK_TENSORS];

    for (int32_t t = 0; t < walk->tensors; t++)
        stride[t] = stride_of(list->tensor[t], d, by);
    kit_walk_add(walk, dim, stride, list->leader);
}

/* Adds dim d. Channels become three dims if a tensor has vectors. The place of channel c in each
 * tensor follows from c / 32, c % 32 / 4 and c % 4. */
static void add_dim(struct kit_walk *walk, const struct list *list, int32_t d, int64_t dim)
{
    int64_t by = 1;

    for (int32_t t = 0; d == 1 && t < walk->tensors; t++) {
        int64_t lanes = kit_lanes(list->tensor[t]->type);
        by = lanes > by ? lanes : by;
    }
    add_steps(walk, list, d, dim / by, by);
    if (by == 32)
        add_steps(walk, list, d, 8, 4);
    if (by > 1)
        add_steps(walk, list, d, 4, 1);
}

void kit_walk_make(struct kit_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                   int32_t tensors, int32_t leader, uint32_t mask, int order)
{
    const struct list list = {tensor, order == KIT_WALK_SORTED ? leader : -1};

    kit_walk_begin(walk, tensors);
    for (int32_t t = 0; t < tensors; t++)
        walk->element_size[t] = kit_type_size(tensor[t]->type);
    for (int32_t d = 0; d < tensor[leader]->ndims; d++) {
        if (mask >> d & 1)
            add_dim(walk, &list, d, tensor[leader]->dims[d]);
    }
    kit_walk_end(walk);
}

/* ------------------------------------------------------------------ rows */

/* A position: the index tuple, and the address of each tensor's element. */
struct position {
    int64_t index[KIT_WALK_DIMS];
    void *place[KIT_WALK_TENSORS];
};

static void step(const struct kit_walk *walk, struct position *at, int32_t d, int64_t by)
{
    at->index[d] += by;
    for (int32_t t = 0; t < walk->tensors; t++)
        at->place[t] = (char *)at->place[t] + by * walk->strides[d][t] * walk->element_size[t];
}

void kit_walk_range(const struct kit_walk *walk, void *const data[], int64_t begin, int64_t end,
                    kit_row_fn row, void *arg)
{
    int32_t inner = walk->ndims - 1;
    int64_t left = begin;
    struct position at = {.index = {0}};

    for (int32_t t = 0; t < walk->tensors; t++)
        at.place[t] = data[t];
    for (int32_t d = inner; d >= 0; d--) {
        step(walk, &at, d, left % walk->dims[d]);
        left /= walk->dims[d];
    }
    while (begin < end) {
        int64_t n = walk->dims[inner] - at.index[inner];

        n = n < end - begin ? n : end - begin;
        row(arg, at.place, walk->strides[inner], n);
        begin += n;
        step(walk, &at, inner, n);
        for (int32_t d = inner; d > 0 && at.index[d] == walk->dims[d]; d--) {
            step(walk, &at, d, -walk->dims[d]);
            step(walk, &at, d - 1, 1);
        }
    }
}

void kit_walk_run(const struct kit_walk *walk, void *const data[], kit_row_fn row, void *arg)
{
    kit_walk_range(walk, data, 0, walk->count, row, arg);
}
