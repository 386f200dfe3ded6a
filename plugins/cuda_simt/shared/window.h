/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of a window in spatial dims, for operations that gather from neighbours. Tensors
 * have their spatial dims last; if there are fewer than S, dims of size 1 precede them. */
#ifndef CUDA_SIMT_SHARED_WINDOW_H
#define CUDA_SIMT_SHARED_WINDOW_H

#include "map.h"

/* The numbers of spatial dims for which kernels are compiled: up to 3, and up to the maximum. */
#define CUDA_FEW_DIMS  3
#define CUDA_MANY_DIMS ANYDNN_PLUGIN_SPATIAL_MAX

/* A box: begin[s] .. end[s] - 1 along each spatial dim. */
template <int S> struct cuda_box {
    int64_t begin[S], end[S];
};

/* Calls visit.at(offset) for each position of a box in d, h, w order until it returns a value other
 * than 0. Returns the last value. The offset is computed with `strides`. */
template <int S, int D = 0, class Visit>
__device__ static inline int cuda_visit_box(const cuda_box<S> &box, const int64_t strides[S],
                                            int64_t offset, Visit &visit)
{
    if constexpr (D == S) {
        return visit.at(offset);
    } else {
        int result = 0;

        for (int64_t i = box.begin[D]; i < box.end[D] && !result; i++)
            result = cuda_visit_box<S, D + 1>(box, strides, offset + i * strides[D], visit);
        return result;
    }
}

/* Computes the strides of the spatial dims in elements; missing dims get 0. */
static inline void cuda_spatial_strides(const struct anydnn_plugin_tensor *tensor, int32_t dims,
                                        int64_t strides[])
{
    int64_t lanes = kit_lanes(tensor->type);

    for (int32_t s = 0; s < dims; s++) {
        int32_t d = tensor->ndims - dims + s;
        strides[s] = d < 2 ? 0 : tensor->strides[d] * lanes;
    }
}

static inline void cuda_spatial_dims(const struct anydnn_plugin_tensor *tensor, int32_t dims,
                                     int64_t extents[])
{
    for (int32_t s = 0; s < dims; s++) {
        int32_t d = tensor->ndims - dims + s;
        extents[s] = d < 2 ? 1 : tensor->dims[d];
    }
}

/* Makes virtual tensors of the coordinates along the spatial dims, and puts pointers to them into
 * `list`. */
static inline void cuda_spatial_coordinates(const struct anydnn_plugin_tensor *tensor, int32_t dims,
                                            struct anydnn_plugin_tensor made[],
                                            const struct anydnn_plugin_tensor *list[])
{
    for (int32_t s = 0; s < dims; s++) {
        int32_t d = tensor->ndims - dims + s;

        made[s] = d < 2 ? cuda_part(tensor, 0) : cuda_coordinate(tensor, d);
        made[s].type = ANYDNN_PLUGIN_DOUBLE;
        list[s] = &made[s];
    }
}

/* The dims n and c, as bits. */
#define CUDA_OUTER_DIMS 3u

#endif
