/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the elements of several tensors with one index space, row by row, with any strides.
 * All operations without a window use them. */
#ifndef KIT_WALK_H
#define KIT_WALK_H

#include "names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KIT_WALK_TENSORS 12
/* Channels need up to three dims of an iteration, since tensors with other vectors, or without
 * vectors, may take part: see walk.c. */
#define KIT_WALK_DIMS (ANYDNN_PLUGIN_DIM_MAX + 2)

/* An iteration. Strides are in elements, and 0 where a tensor is broadcast. For a tensor of vectors
 * an element is one lane. Adjacent dims are merged where every tensor permits it; the last dim is
 * the row. */
struct kit_walk {
    int32_t tensors;
    int32_t ndims;
    int64_t count; /* number of elements */
    int64_t dims[KIT_WALK_DIMS];
    int64_t strides[KIT_WALK_DIMS][KIT_WALK_TENSORS];
    int64_t element_size[KIT_WALK_TENSORS]; /* bytes */
};

/* all dims of a tensor */
#define KIT_WALK_ALL UINT32_MAX

/* The orders of the dims. SORTED: by decreasing stride of the leading tensor, so that a row is
 * contiguous there if possible. LOGICAL: unchanged, so that elements are visited and counted in the
 * order of the index tuple. */
enum { KIT_WALK_SORTED, KIT_WALK_LOGICAL };

/* Makes an iteration over the dims of tensor[leader] whose bit is set in `mask`; the other dims
 * stay at index 0. Every tensor has the dims of the leader, or 1 instead. */
void kit_walk_make(struct kit_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                   int32_t tensors, int32_t leader, uint32_t mask, int order);

/* Make an iteration without tensor descriptors. Each added dim has one stride per tensor, which may
 * be negative. The dim is put last (leader -1), or before dims of smaller stride in the leader. */
void kit_walk_begin(struct kit_walk *walk, int32_t tensors);
void kit_walk_add(struct kit_walk *walk, int64_t dim, const int64_t stride[], int32_t leader);
void kit_walk_end(struct kit_walk *walk);

/* Processes n elements; those of tensor t begin at place[t], stride[t] elements apart. */
typedef void (*kit_row_fn)(void *arg, void *const place[], const int64_t stride[], int64_t n);

/* Call `row` for every row in order; data[t] is the address of tensor t. The range form processes
 * only the elements from index `begin` up to `end`, which may cut rows. */
void kit_walk_run(const struct kit_walk *walk, void *const data[], kit_row_fn row, void *arg);
void kit_walk_range(const struct kit_walk *walk, void *const data[], int64_t begin, int64_t end,
                    kit_row_fn row, void *arg);

/* Returns 1 if every tensor has unit stride in a row, so that a row function can promise it to the
 * compiler. */
static inline int kit_unit(const int64_t stride[], int32_t tensors)
{
    int unit = 1;
    for (int32_t t = 0; t < tensors; t++)
        unit = unit && stride[t] == 1;
    return unit;
}

/* Returns the product of dims[0..n-1]. */
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
