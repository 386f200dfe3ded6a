/* SPDX-License-Identifier: Apache-2.0 */
/* Runs iterations over strided tensors in parallel, on the thread pool. */
#include "walk.h"

struct loop {
    const struct kit_walk *walk;
    void *const *data;
    kit_row_fn row;
    void *arg;
};

static void loop_piece(void *arg, int64_t begin, int64_t end)
{
    const struct loop *loop = arg;
    kit_walk_range(loop->walk, loop->data, begin, end, loop->row, loop->arg);
}

void cpu_ref_walk_parallel(const struct kit_walk *walk, void *const data[], int64_t cost,
                           kit_row_fn row, void *arg)
{
    struct loop loop = {walk, data, row, arg};
    cpu_ref_parallel(walk->count, cost, loop_piece, &loop);
}
