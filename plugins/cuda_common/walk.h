/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over the elements of several tensors of one index space, whatever their strides: which
 * element a thread works on, and where it lies in each tensor. Made on the host (walk.c), followed
 * on the device (index.h). A tensor may be one of thought only: coordinates, logical places and
 * cells are tensors whose offset is what is looked for.
 */
#ifndef CUDA_COMMON_WALK_H
#define CUDA_COMMON_WALK_H

#include "../kit/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_WALK_TENSORS KIT_WALK_TENSORS
#define CUDA_WALK_DIMS    KIT_WALK_DIMS

/* a / b, rounded up; a, rounded up to a multiple of b. */
static inline int64_t cuda_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline int64_t cuda_round_up(int64_t a, int64_t b)
{
    return cuda_ceil_div(a, b) * b;
}

/* Division of numbers below 2^31 by a multiplication: n / d = (mulhi(n, multiplier) + n) >> shift
 * (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994). */
struct cuda_divisor {
    uint32_t multiplier, shift;
};

/* For divisions by 1 <= dim < 2^31. */
struct cuda_divisor cuda_divisor_of(int64_t dim);

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

/* Number of elements, and of a type its bytes (of a vector type those of a lane). */
static inline int64_t cuda_tensor_count(const struct anydnn_plugin_tensor *tensor)
{
    return kit_count(tensor->dims, tensor->ndims);
}

static inline int32_t cuda_type_size(int32_t type)
{
    return (int32_t)kit_type_size(type);
}

/* A tensor of thought with the dims of another, whose offset at an index tuple is the index along
 * `dim`; the place in logical order. */
struct anydnn_plugin_tensor cuda_coordinate(const struct anydnn_plugin_tensor *of, int32_t dim);
struct anydnn_plugin_tensor cuda_places(const struct anydnn_plugin_tensor *of);
/* `of` with stride 0 along the dims that are not in `mask`, so that its offset is that of the rest
 * alone. Its dims stay. */
struct anydnn_plugin_tensor cuda_part(const struct anydnn_plugin_tensor *of, uint32_t mask);

#ifdef __cplusplus
}
#endif

#endif
