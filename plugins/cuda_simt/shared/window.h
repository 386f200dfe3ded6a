/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a window in so many spatial dims, for operations that gather from neighbours. Tensors
 * have their spatial dims last; where there are fewer than S, dims of 1 stand in front of them. */
#ifndef CUDA_SIMT_SHARED_WINDOW_H
#define CUDA_SIMT_SHARED_WINDOW_H

#include "map.h"

/* Kernels are made for up to 3 spatial dims and for up to all. */
#define CUDA_FEW_DIMS  3
#define CUDA_MANY_DIMS ANYDNN_PLUGIN_SPATIAL_MAX

/* begin[s] .. end[s] - 1 along each spatial dim. */
template <int S> struct cuda_box {
    int64_t begin[S], end[S];
};

/* Calls visit(offset, extra) for each position of a box in d, h, w order, until it returns another
 * value than 0; returns the last value. The offset is that of the position by `strides`. */
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

/* Strides of the spatial dims in elements, 0 in front. */
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

/* Coordinates along the spatial dims, as tensors of thought; pointers to them into `list`. */
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

/* n and c. */
#define CUDA_OUTER_DIMS 3u

#endif
