/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the elements of several tensors of one index space at once, row by row, whatever their
 * strides: what all operations without a window have in common. */
#ifndef KIT_WALK_H
#define KIT_WALK_H

#include "names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KIT_WALK_TENSORS 12
/* Channels are up to three dims of a walk, since tensors of other vectors, or of none, may go
 * along: see walk.c. */
#define KIT_WALK_DIMS (ANYDNN_PLUGIN_DIM_MAX + 2)

/* Strides in elements, 0 where a tensor is broadcast; a tensor of vectors is one of their lanes
 * here. Neighbouring dims are merged where every tensor allows it; the last dim is the row. */
struct kit_walk {
    int32_t tensors;
    int32_t ndims;
    int64_t count; /* of elements */
    int64_t dims[KIT_WALK_DIMS];
    int64_t strides[KIT_WALK_DIMS][KIT_WALK_TENSORS];
    int64_t element_size[KIT_WALK_TENSORS]; /* bytes */
};

/* All dims of a tensor. */
#define KIT_WALK_ALL UINT32_MAX

/* Orders of the dims: as strides fall in the leading tensor, so that a row is what lies close
 * together in it; or as they are, so that elements are visited, and counted, as an index tuple
 * counts them. */
enum { KIT_WALK_SORTED, KIT_WALK_LOGICAL };

/* Over the dims of tensor[leader] whose bit is set in `mask`, the others standing at index 0. Every
 * tensor has the dims of the leader, or 1 instead. */
void kit_walk_make(struct kit_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                   int32_t tensors, int32_t leader, uint32_t mask, int order);

/* The same by hand, for what is not described by tensors: dims with a stride for each tensor, put
 * last (leader -1), or before those of smaller stride in the leader. Strides may be negative. */
void kit_walk_begin(struct kit_walk *walk, int32_t tensors);
void kit_walk_add(struct kit_walk *walk, int64_t dim, const int64_t stride[], int32_t leader);
void kit_walk_end(struct kit_walk *walk);

/* Works on n elements; tensor t's lie at place[t], stride[t] elements apart. */
typedef void (*kit_row_fn)(void *arg, void *const place[], const int64_t stride[], int64_t n);

/* Calls `row` for every row in order, with data[t] the address of tensor t; or for the elements
 * from place `begin` up to `end` only, which may cut rows. */
void kit_walk_run(const struct kit_walk *walk, void *const data[], kit_row_fn row, void *arg);
void kit_walk_range(const struct kit_walk *walk, void *const data[], int64_t begin, int64_t end,
                    kit_row_fn row, void *arg);

/* Whether every tensor has unit stride in a row, so that a row function can promise it to the
 * compiler. */
static inline int kit_unit(const int64_t stride[], int32_t tensors)
{
    int unit = 1;
    for (int32_t t = 0; t < tensors; t++)
        unit = unit && stride[t] == 1;
    return unit;
}

/* Product of dims[0..n-1]. */
static inline int64_t kit_count(const int64_t *dims, int32_t n)
{
    int64_t count = 1;
    for (int32_t d = 0; d < n; d++)
        count *= dims[d];
    return count;
}

#ifdef __cplusplus
}
#endif

#endif
