/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the elements of several tensors at once, row by row, whatever their strides: the part
 * that all operations without a window have in common. */
#ifndef CPU_REF_WALK_H
#define CPU_REF_WALK_H

#include "cpu_ref.h"

#include <stddef.h>

#define CPU_REF_WALK_TENSORS 6
/* Channels are up to three dims of a walk: see there. */
#define CPU_REF_WALK_DIMS (ANYDNN_PLUGIN_DIM_MAX + 2)

/* Of the same index space, for each tensor, the strides in elements; stride 0 where the tensor is
 * broadcast. The dims are ordered by the strides of the last tensor, which is the one that is
 * written, and neighbours are merged where every tensor allows it; the last dim is the row. A
 * tensor of vectors is one of their lanes here, and may go with tensors of other vectors. */
struct cpu_ref_walk {
    int32_t tensors;
    int32_t ndims;
    int64_t count;
    int64_t dims[CPU_REF_WALK_DIMS];
    int64_t strides[CPU_REF_WALK_DIMS][CPU_REF_WALK_TENSORS];
    int64_t element_size[CPU_REF_WALK_TENSORS];
};

/* All dims of a tensor. */
#define CPU_REF_WALK_ALL UINT32_MAX

/* Over the dims of the last tensor whose bit is set in `mask`, the others standing at index 0.
 * Every tensor has the dims of the last, or 1 instead. */
void cpu_ref_walk_init(struct cpu_ref_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                       int32_t tensors, uint32_t mask);

/* The same with the dims in their own order, so that the elements are visited, and counted, row by
 * row as an index tuple counts them. */
void cpu_ref_walk_init_logical(struct cpu_ref_walk *walk,
                               const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                               uint32_t mask);

/* Works on n elements; tensor t's lie at place[t], stride[t] elements apart. */
typedef void (*cpu_ref_row_fn)(void *arg, void *const place[], const int64_t stride[], int64_t n);

/* Calls `row` for every row in order, with data[t] the address of tensor t. */
void cpu_ref_walk_serial(const struct cpu_ref_walk *walk, void *const data[], cpu_ref_row_fn row,
                         void *arg);

/* The same for the elements from place `begin` up to `end` only. */
void cpu_ref_walk_range(const struct cpu_ref_walk *walk, void *const data[], int64_t begin,
                        int64_t end, cpu_ref_row_fn row, void *arg);

/* All elements in parallel pieces that may cut rows; `cost` is that of one, in
 * multiply-adds. */
void cpu_ref_walk_parallel(const struct cpu_ref_walk *walk, void *const data[], int64_t cost,
                           cpu_ref_row_fn row, void *arg);

/* Whether every tensor has unit stride in a row, so that a row function can promise it to the
 * compiler. */
static inline int cpu_ref_unit(const int64_t stride[], int32_t tensors)
{
    int unit = 1;
    for (int32_t t = 0; t < tensors; t++)
        unit = unit && stride[t] == 1;
    return unit;
}

#endif
