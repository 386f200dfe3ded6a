/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over strided tensors on the thread pool. The last tensor is the one that is written. */
#ifndef CPU_REF_WALK_H
#define CPU_REF_WALK_H

#include "../kit/walk.h"
#include "cpu_ref.h"

/* Prepares an iteration over the dims of the last tensor that are set in `mask`, in the order of
 * its strides. */
static inline void cpu_ref_walk_init(struct kit_walk *walk,
                                     const struct anydnn_plugin_tensor *const tensor[],
                                     int32_t tensors, uint32_t mask)
{
    kit_walk_make(walk, tensor, tensors, tensors - 1, mask, KIT_WALK_SORTED);
}

/* Prepares an iteration with the dims in logical order. */
static inline void cpu_ref_walk_init_logical(struct kit_walk *walk,
                                             const struct anydnn_plugin_tensor *const tensor[],
                                             int32_t tensors, uint32_t mask)
{
    kit_walk_make(walk, tensor, tensors, tensors - 1, mask, KIT_WALK_LOGICAL);
}

/* Runs all elements in parallel pieces, which may cut rows. `cost` is that of one element in
 * multiply-adds. */
void cpu_ref_walk_parallel(const struct kit_walk *walk, void *const data[], int64_t cost,
                           kit_row_fn row, void *arg);

#endif
