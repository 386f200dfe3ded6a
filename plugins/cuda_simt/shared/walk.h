/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over the elements of several tensors of one index space, whatever their strides: which
 * element a thread works on, and where it lies in each tensor. Made on the host (walk.c), followed
 * on the device (walk_device.h). A tensor may be one of thought only: coordinates, logical
 * indices and cells are tensors whose offset is what is looked for.
 */
#ifndef CUDA_SIMT_SHARED_WALK_H
#define CUDA_SIMT_SHARED_WALK_H

#include "../../cuda_common/divide.h"
#include "../../kit/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_WALK_TENSORS KIT_WALK_TENSORS
#define CUDA_WALK_DIMS    KIT_WALK_DIMS

/* Dims from the slowest to the fastest; strides in elements, 0 where a tensor is broadcast. */
struct cuda_walk {
    int32_t tensors;
    int32_t ndims;
    int32_t wide;  /* numbers of 64 bits are needed to count */
    int32_t lanes; /* elements in a row that a step covers: 1, or those of a vector */
    int64_t count; /* steps */
    int64_t tail;  /* elements behind the last whole vector */
    int64_t dims[CUDA_WALK_DIMS];
    struct cuda_divisor divide[CUDA_WALK_DIMS];
    int64_t strides[CUDA_WALK_DIMS][CUDA_WALK_TENSORS];
    int64_t lane[CUDA_WALK_TENSORS]; /* from one element of a step to the next */
};

/* As kit_walk_make, led by tensor 0: sorted, neighbouring threads touch neighbouring elements of
 * it.
 */
void cuda_walk_make(struct cuda_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                    int32_t tensors, uint32_t mask, int order);

/* The same in steps of `lanes` elements, where it can be: every one of the first `data` tensors has
 * unit stride, or none, along the rows, and vectors begin at multiples of `lanes`, if the tensors
 * do. Returns whether it can. Rows that stand alone may have a tail. */
int cuda_walk_vectors(struct cuda_walk *vectors, const struct cuda_walk *walk, int32_t data,
                      int32_t lanes);

/* Takes a dim out of a walk: what is left stands at its index 0. */
void cuda_walk_drop(struct cuda_walk *walk, int32_t dim);

/* Whether the fastest dim of the walk has unit stride in that tensor. */
int cuda_walk_unit(const struct cuda_walk *walk, int32_t tensor);

/* Number of elements. */
static inline int64_t cuda_tensor_count(const struct anydnn_plugin_tensor *tensor)
{
    return kit_count(tensor->dims, tensor->ndims);
}

/* A tensor of thought with the dims of another, whose offset at an index tuple is the index along
 * `dim`; the index in logical order. */
struct anydnn_plugin_tensor cuda_coordinate(const struct anydnn_plugin_tensor *of, int32_t dim);
struct anydnn_plugin_tensor cuda_logical(const struct anydnn_plugin_tensor *of);
/* `of` with stride 0 along the dims that are not in `mask`, so that its offset is that of the rest
 * alone. Its dims stay. */
struct anydnn_plugin_tensor cuda_part(const struct anydnn_plugin_tensor *of, uint32_t mask);

#ifdef __cplusplus
}
#endif

#endif
