/* SPDX-License-Identifier: Apache-2.0 */
/* Implements arithmetic on dims, strides and indices of strided tensors. */
#ifndef CPU_REF_TENSOR_H
#define CPU_REF_TENSOR_H

#include "../kit/walk.h"

static inline int64_t cpu_ref_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t cpu_ref_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the extent of dim d. Channels of a VECT_C type are counted in vectors, like its
 * strides. */
static inline int64_t cpu_ref_extent(const struct anydnn_plugin_tensor *tensor, int32_t d)
{
    return d == 1 ? tensor->dims[d] / kit_lanes(tensor->type) : tensor->dims[d];
}

/* Splits `linear` into an index of dims[0..n-1], the last one fastest. */
static inline void cpu_ref_unravel(int64_t linear, const int64_t *dims, int32_t n, int64_t *index)
{
    for (int32_t d = n - 1; d >= 0; d--) {
        index[d] = linear % dims[d];
        linear /= dims[d];
    }
}

/* Returns the offset of an index, or of its first n members. */
static inline int64_t cpu_ref_dot(const int64_t *index, const int64_t *strides, int32_t n)
{
    int64_t offset = 0;
    for (int32_t d = 0; d < n; d++)
        offset += index[d] * strides[d];
    return offset;
}

/* Returns the offset in elements of index tuple number `linear` of dims[0..n-1], counted with the
 * last index fastest. With n = ndims - 1, it is the offset of a row. */
static inline int64_t cpu_ref_offset(const int64_t *dims, const int64_t *strides, int32_t n,
                                     int64_t linear)
{
    int64_t offset = 0;
    for (int32_t d = n - 1; d >= 0; d--) {
        offset += linear % dims[d] * strides[d];
        linear /= dims[d];
    }
    return offset;
}

/* Returns the dim with the smallest stride in the set `dims`, which has one bit per dim; the first
 * such dim if several are equal. */
static inline int32_t cpu_ref_smallest_stride(const struct anydnn_plugin_tensor *tensor,
                                              uint32_t dims)
{
    int32_t smallest = __builtin_ctz(dims);

    for (int32_t d = smallest + 1; d < tensor->ndims; d++) {
        if ((dims >> d & 1) && tensor->strides[d] < tensor->strides[smallest])
            smallest = d;
    }
    return smallest;
}

/* Returns the offset of an index tuple in elements, counting the lanes of a vector type. */
static inline int64_t cpu_ref_place(const struct anydnn_plugin_tensor *tensor,
                                    const int64_t index[])
{
    int64_t lanes = kit_lanes(tensor->type), place = 0;
    for (int32_t d = 0; d < tensor->ndims; d++) {
        int64_t lane = d == 1 ? index[d] % lanes : 0;
        int64_t step = d == 1 ? index[d] / lanes : index[d];
        place += step * lanes * tensor->strides[d] + lane;
    }
    return place;
}

#endif
