/* SPDX-License-Identifier: Apache-2.0 */
/* Walks beside a mask of one bit an element, so cut that no two threads share a byte of it. */
#include "bits.h"

struct bits_loop {
    const struct cpu_ref_walk *walk;
    void *const *data;
    cpu_ref_bits_row_fn row;
    void *arg;
    int64_t at;
};

static void counted_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    struct bits_loop *loop = arg;

    loop->row(loop->arg, place, stride, n, loop->at);
    loop->at += n;
}

/* Items: bytes of the mask. */
static void bits_piece(void *arg, int64_t begin, int64_t end)
{
    struct bits_loop loop = *(const struct bits_loop *)arg;
    int64_t last = cpu_ref_min(end * 8, loop.walk->count);

    loop.at = begin * 8;
    cpu_ref_walk_range(loop.walk, loop.data, begin * 8, last, counted_row, &loop);
}

void cpu_ref_bits_parallel(const struct cpu_ref_walk *walk, void *const data[], int64_t cost,
                           cpu_ref_bits_row_fn row, void *arg)
{
    struct bits_loop loop = {walk, data, row, arg, 0};
    cpu_ref_parallel(cpu_ref_bits_bytes(walk->count), 8 * cost, bits_piece, &loop);
}

int32_t cpu_ref_check_bytes(const struct anydnn_plugin_problem *problem, int32_t slot,
                            int64_t bytes, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];
    const char *name = cpu_ref_operation_name(problem->operation);
    const char *slot_name = cpu_ref_slot_name(problem->operation, slot);

    if (tensor->type != ANYDNN_PLUGIN_UINT8 || tensor->ndims != 1 || tensor->strides[0] != 1)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                              "%s: %s is %s of %d dimensions; it must be packed bytes of 1", name,
                              slot_name, cpu_ref_type_name(tensor->type), tensor->ndims);
    if (tensor->dims[0] < bytes)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %s has %lld bytes; it must have %lld", name, slot_name,
                              (long long)tensor->dims[0], (long long)bytes);
    return 0;
}
