/* SPDX-License-Identifier: Apache-2.0 */
/* Walking over strided tensors, and the conditions under which one element of the output needs only
 * the elements of the same index. */
#include "walk.h"

static const int64_t type_size[CPU_REF_TYPES] = {
    [ANYDNN_PLUGIN_FLOAT] = 4,    [ANYDNN_PLUGIN_DOUBLE] = 8,  [ANYDNN_PLUGIN_HALF] = 2,
    [ANYDNN_PLUGIN_INT8] = 1,     [ANYDNN_PLUGIN_INT32] = 4,   [ANYDNN_PLUGIN_INT8X4] = 4,
    [ANYDNN_PLUGIN_UINT8] = 1,    [ANYDNN_PLUGIN_UINT8X4] = 4, [ANYDNN_PLUGIN_INT8X32] = 32,
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

/* Puts dim d of the tensors last, or with `sorted` before all dims of smaller stride in the last
 * tensor. */
static void insert_dim(struct cpu_ref_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                       int32_t d, int sorted)
{
    int32_t last = walk->tensors - 1;
    int32_t at = walk->ndims++;

    for (; sorted && at > 0 && walk->strides[at - 1][last] < tensor[last]->strides[d]; at--) {
        walk->dims[at] = walk->dims[at - 1];
        for (int32_t t = 0; t <= last; t++)
            walk->strides[at][t] = walk->strides[at - 1][t];
    }
    walk->dims[at] = tensor[last]->dims[d];
    for (int32_t t = 0; t <= last; t++)
        walk->strides[at][t] = tensor[t]->dims[d] == 1 ? 0 : tensor[t]->strides[d];
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
        if ((mask >> d & 1) && last->dims[d] > 1)
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
    int64_t index[ANYDNN_PLUGIN_DIM_MAX];
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

/* ------------------------------------------------------------------ conditions */

int32_t cpu_ref_check_dims(const struct anydnn_plugin_problem *problem, uint32_t mask, int32_t out,
                           struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *want = problem->tensor[out];

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *have = problem->tensor[slot];
        struct cpu_ref_text a, b;

        if (!(mask >> slot & 1) || !have || cpu_ref_same_dims(have, want))
            continue;
        return cpu_ref_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE, "%s: %s has dims %s and %s has %s; they must be equal",
            cpu_ref_operation_name(problem->operation), cpu_ref_slot_name(problem->operation, slot),
            cpu_ref_dims_text(&a, have->dims, have->ndims),
            cpu_ref_slot_name(problem->operation, out),
            cpu_ref_dims_text(&b, want->dims, want->ndims));
    }
    return 0;
}

int32_t cpu_ref_check_broadcast(const struct anydnn_plugin_problem *problem, int32_t in,
                                int32_t out, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *have = problem->tensor[in];
    const struct anydnn_plugin_tensor *want = problem->tensor[out];
    struct cpu_ref_text a, b;
    int fits = have->ndims == want->ndims;

    for (int32_t d = 0; fits && d < want->ndims; d++)
        fits = have->dims[d] == want->dims[d] || have->dims[d] == 1;
    if (fits)
        return 0;
    return cpu_ref_refuse(
        why, ANYDNN_PLUGIN_REASON_SHAPE,
        "%s: %s has dims %s and %s has %s; each must be equal or 1",
        cpu_ref_operation_name(problem->operation), cpu_ref_slot_name(problem->operation, in),
        cpu_ref_dims_text(&a, have->dims, have->ndims), cpu_ref_slot_name(problem->operation, out),
        cpu_ref_dims_text(&b, want->dims, want->ndims));
}

int32_t cpu_ref_check_alias(const struct anydnn_plugin_problem *problem, int32_t out,
                            struct cpu_ref_refusal *why)
{
    int32_t in = problem->alias[out] - 1;

    if (in < 0 || !problem->tensor[in] ||
        cpu_ref_same_places(problem->tensor[in], problem->tensor[out]))
        return 0;
    return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                          "%s: %s is written over %s, and their dims or strides differ",
                          cpu_ref_operation_name(problem->operation),
                          cpu_ref_slot_name(problem->operation, out),
                          cpu_ref_slot_name(problem->operation, in));
}

int32_t cpu_ref_check_pointers(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, uint32_t inputs,
                               int32_t out)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;

    for (uint32_t left = inputs & problem->present; left; left &= left - 1) {
        int32_t in = __builtin_ctz(left);

        if (operands->data[in] == operands->data[out] &&
            !cpu_ref_same_places(problem->tensor[in], problem->tensor[out]))
            return cpu_ref_fail(CPU_REF_NOT_SUPPORTED,
                                "%s: %s is written over %s, and their dims or strides differ",
                                cpu_ref_operation_name(problem->operation),
                                cpu_ref_slot_name(problem->operation, out),
                                cpu_ref_slot_name(problem->operation, in));
    }
    return CPU_REF_SUCCESS;
}
