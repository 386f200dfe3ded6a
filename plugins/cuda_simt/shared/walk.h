/* SPDX-License-Identifier: Apache-2.0 */
/* The joint iteration over several tensors of one index space with any strides. It determines which
 * element a thread handles, and its offset in each tensor. The host makes it (walk.c), and the
 * device evaluates it (walk_device.h). A tensor may be virtual: coordinates, logical indices and
 * cells are tensors without data, of which only the offset is used. */
#ifndef CUDA_SIMT_SHARED_WALK_H
#define CUDA_SIMT_SHARED_WALK_H

#include "../../cuda_common/divide.h"
#include "../../kit/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_WALK_TENSORS KIT_WALK_TENSORS
#define CUDA_WALK_DIMS    KIT_WALK_DIMS

/* An iteration. Dims are ordered from the slowest to the fastest. Strides are in elements, and 0
 * where a tensor is broadcast. */
struct cuda_walk {
    int32_t tensors;
    int32_t ndims;
    int32_t wide;  /* 1 if counting needs 64 bits */
    int32_t lanes; /* consecutive elements of a step: 1, or those of a vector */
    int64_t count; /* steps */
    int64_t tail;  /* elements after the last whole vector */
    int64_t dims[CUDA_WALK_DIMS];
    struct cuda_divisor divide[CUDA_WALK_DIMS];
    int64_t strides[CUDA_WALK_DIMS][CUDA_WALK_TENSORS];
    int64_t lane[CUDA_WALK_TENSORS]; /* stride between the elements of a step */
};

/* Makes an iteration like kit_walk_make, led by tensor 0. If sorted, neighbouring threads access
 * neighbouring elements of tensor 0. */
void cuda_walk_make(struct cuda_walk *walk, const struct anydnn_plugin_tensor *const tensor[],
                    int32_t tensors, uint32_t mask, int order);

/* Makes the same iteration in steps of `lanes` elements. Returns 1 if that is possible: the first
 * `data` tensors have stride 1 or 0 along the rows, and vectors begin at multiples of `lanes` if
 * the tensors do. A single row may have a tail. */
int cuda_walk_vectors(struct cuda_walk *vectors, const struct cuda_walk *walk, int32_t data,
                      int32_t lanes);

/* Removes a dim from an iteration, which then covers only index 0 of it. */
void cuda_walk_drop(struct cuda_walk *walk, int32_t dim);

/* Returns 1 if the fastest dim has unit stride in that tensor. */
int cuda_walk_unit(const struct cuda_walk *walk, int32_t tensor);

/* Returns the number of elements. */
static inline int64_t cuda_tensor_count(const struct anydnn_plugin_tensor *tensor)
{
    return kit_count(tensor->dims, tensor->ndims);
}

/* Each function returns a virtual tensor with the dims of another. Its offset at an index tuple is
 * the index along `dim`, or the index in logical order. */
struct anydnn_plugin_tensor cuda_coordinate(const struct anydnn_plugin_tensor *of, int32_t dim);
struct anydnn_plugin_tensor cuda_logical(const struct anydnn_plugin_tensor *of);
/* Returns `of` with stride 0 along the dims that are not in `mask`. Its dims stay the same. */
struct anydnn_plugin_tensor cuda_part(const struct anydnn_plugin_tensor *of, uint32_t mask);

#ifdef __cplusplus
}
#endif

#endif
