/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over elements with a mask of one bit each. Pieces are cut so that no two threads share a
 * byte of the mask. */
#include "bits.h"

struct bits_loop {
    const struct kit_walk *walk;
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

/* Processes a piece. The items are bytes of the mask. */
static void bits_piece(void *arg, int64_t begin, int64_t end)
{
    struct bits_loop loop = *(const struct bits_loop *)arg;
    int64_t last = cpu_ref_min(end * 8, loop.walk->count);

    loop.at = begin * 8;
    kit_walk_range(loop.walk, loop.data, begin * 8, last, counted_row, &loop);
}

void cpu_ref_bits_parallel(const struct kit_walk *walk, void *const data[], int64_t cost,
                           cpu_ref_bits_row_fn row, void *arg)
{
    struct bits_loop loop = {walk, data, row, arg, 0};
    cpu_ref_parallel(cpu_ref_bits_bytes(walk->count), 8 * cost, bits_piece, &loop);
}
