/* SPDX-License-Identifier: Apache-2.0 */
/* Walking over strided tensors. */
#include "walk.h"

/* Of a vector type, that of a lane. */
static const int64_t type_size[KIT_TYPES] = {
    [ANYDNN_PLUGIN_FLOAT] = 4,    [ANYDNN_PLUGIN_DOUBLE] = 8,  [ANYDNN_PLUGIN_HALF] = 2,
    [ANYDNN_PLUGIN_INT8] = 1,     [ANYDNN_PLUGIN_INT32] = 4,   [ANYDNN_PLUGIN_INT8X4] = 1,
    [ANYDNN_PLUGIN_UINT8] = 1,    [ANYDNN_PLUGIN_UINT8X4] = 1, [ANYDNN_PLUGIN_INT8X32] = 1,
    [ANYDNN_PLUGIN_BFLOAT16] = 2, [ANYDNN_PLUGIN_INT64] = 8,
};

static int64_t element_size(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_UINT16:
        return 2;
    case ANYDNN_PLUGIN_UINT32:
        return 4;
    case ANYDNN_PLUGIN_UINT64:
        return 8;
    default:
        return type_size[type];
    }
}

/* ------------------------------------------------------------------ preparing */

/* Elements from one index along dim d to that `by` further on. Within a vector they are neighbours.
 */
static int64_t stride_of(const struct anydnn_plugin_tensor *tensor, int32_t d, int64_t by)
{
    int64_t lanes = kit_lanes(tensor->type);

    if (tensor->dims[d] == 1)
        return 0;
    if (d != 1)
        return tensor->strides[d] * lanes;
    return by < lanes ? by : by / lanes * tensor->strides[d] * lanes;
}

/* Puts `dim` steps by `by` along dim d of the tensors last, or with `sorted` before all dims of
 * smaller stride in the last tensor. */
static void insert_steps(struct cpu_ref_walk *walk,
                         const struct anydnn_plugin_tensor *const tensor[], int32_t d, int64_t dim,
                         int64_t by, int sorted)
{
    int32_t last = walk->tensors - 1;
    int32_t at = walk->ndims;
    int64_t stride;

    if (dim == 1)
        return;
    stride = stride_of(tensor[last], d, by);
    for (; sorted && at > 0 && walk->strides[at - 1][last] < stride; at--) {
        walk->dims[at] = walk->dims[at - 1];
        for (int32_t t = 0; t <= last; t++)
            walk->strides[at][t] = walk->strides[at - 1][t];
    }
    walk->dims[at] = dim;
    for (int32_t t = 0; t <= last; t++)
        walk->strides[at][t] = stride_of(tensor[t], d, by);
    walk->ndims++;
}

/* Channel c of vectors of 4 and of 32 has a place in each that follows from c / 32, c % 32 / 4 and
 * c % 4: three dims instead of one. */
static void insert_dim(struct cpu_ref_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                       int32_t d, int sorted)
{
    int64_t dim = tensor[walk->tensors - 1]->dims[d], by = 1;

    for (int32_t t = 0; d == 1 && t < walk->tensors; t++)
        by = cpu_ref_max(by, kit_lanes(tensor[t]->type));
    insert_steps(walk, tensor, d, dim / by, by, sorted);
    if (by == 32)
        insert_steps(walk, tensor, d, 8, 4, sorted);
    if (by > 1)
        insert_steps(walk, tensor, d, 4, 1, sorted);
}

static int can_merge(const struct cpu_ref_walk *walk, int32_t outer, int32_t inner)
{
    int can = 1;
    for (int32_t t = 0; t < walk->tensors; t++)
        can = can && walk->strides[outer][t] == walk->strides[inner][t] * walk->dims[inner];
    return can;
}

static void merge_dims(struct cpu_ref_walk *walk)
{
    int32_t kept = 0;

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
}

static void init(struct cpu_ref_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                 int32_t tensors, uint32_t mask, int sorted)
{
    const struct anydnn_plugin_tensor *last = tensor[tensors - 1];

    walk->tensors = tensors;
    walk->ndims = 0;
    for (int32_t d = 0; d < last->ndims; d++) {
        if (mask >> d & 1)
            insert_dim(walk, tensor, d, sorted);
    }
    if (walk->ndims == 0) {
        /* One element: a row of one, of unit strides. */
        walk->ndims = 1;
        walk->dims[0] = 1;
        for (int32_t t = 0; t < tensors; t++)
            walk->strides[0][t] = 1;
    }
    merge_dims(walk);
    walk->count = cpu_ref_count(walk->dims, walk->ndims);
    for (int32_t t = 0; t < tensors; t++)
        walk->element_size[t] = element_size(tensor[t]->type);
}

void cpu_ref_walk_init(struct cpu_ref_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                       int32_t tensors, uint32_t mask)
{
    init(walk, tensor, tensors, mask, 1);
}

void cpu_ref_walk_init_logical(struct cpu_ref_walk *walk,
                               const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                               uint32_t mask)
{
    init(walk, tensor, tensors, mask, 0);
}

/* ------------------------------------------------------------------ walking */

/* A position: the index tuple and the address of each tensor's element there. */
struct position {
    int64_t index[CPU_REF_WALK_DIMS];
    void *place[CPU_REF_WALK_TENSORS];
};

static void step(const struct cpu_ref_walk *walk, struct position *at, int32_t d, int64_t by)
{
    at->index[d] += by;
    for (int32_t t = 0; t < walk->tensors; t++)
        at->place[t] = (char *)at->place[t] + by * walk->strides[d][t] * walk->element_size[t];
}

void cpu_ref_walk_range(const struct cpu_ref_walk *walk, void *const data[], int64_t begin,
                        int64_t end, cpu_ref_row_fn row, void *arg)
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
        int64_t n = cpu_ref_min(walk->dims[inner] - at.index[inner], end - begin);

        row(arg, at.place, walk->strides[inner], n);
        begin += n;
        step(walk, &at, inner, n);
        for (int32_t d = inner; d > 0 && at.index[d] == walk->dims[d]; d--) {
            step(walk, &at, d, -walk->dims[d]);
            step(walk, &at, d - 1, 1);
        }
    }
}

void cpu_ref_walk_serial(const struct cpu_ref_walk *walk, void *const data[], cpu_ref_row_fn row,
                         void *arg)
{
    cpu_ref_walk_range(walk, data, 0, walk->count, row, arg);
}

struct loop {
    const struct cpu_ref_walk *walk;
    void *const *data;
    cpu_ref_row_fn row;
    void *arg;
};

static void loop_piece(void *arg, int64_t begin, int64_t end)
{
    const struct loop *loop = arg;
    cpu_ref_walk_range(loop->walk, loop->data, begin, end, loop->row, loop->arg);
}

void cpu_ref_walk_parallel(const struct cpu_ref_walk *walk, void *const data[], int64_t cost,
                           cpu_ref_row_fn row, void *arg)
{
    struct loop loop = {walk, data, row, arg};
    cpu_ref_parallel(walk->count, cost, loop_piece, &loop);
}
