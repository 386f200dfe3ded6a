/* SPDX-License-Identifier: Apache-2.0 */
/* Views tensors of images as n, c, d, h, w, for operations that access neighbors. Missing spatial
 * dims come first, with length 1. */
#ifndef CPU_REF_IMAGE_H
#define CPU_REF_IMAGE_H

#include "cpu_ref.h"

#define IMAGE_SPATIAL 3
#define IMAGE_DIMS    (2 + IMAGE_SPATIAL)

struct image {
    int64_t dims[IMAGE_DIMS];
    int64_t strides[IMAGE_DIMS];
};

/* Returns a tensor as an image. For a vector type, this is the tensor of the first lanes; each
 * other lane is one element further. */
static inline struct image image_of(const struct anydnn_plugin_tensor *tensor)
{
    int32_t missing = IMAGE_DIMS - tensor->ndims;
    struct image made;

    for (int32_t d = 0; d < IMAGE_DIMS; d++) {
        int32_t from = d < 2 ? d : d - missing;
        int64_t extent = d < 2 || from >= 2 ? cpu_ref_extent(tensor, from) : 1;

        made.dims[d] = extent;
        made.strides[d] = extent > 1 ? tensor->strides[from] * kit_lanes(tensor->type) : 0;
    }
    return made;
}

static inline int64_t image_offset(const struct image *image, const int64_t index[IMAGE_DIMS])
{
    return cpu_ref_dot(index, image->strides, IMAGE_DIMS);
}

static inline void image_index(const struct image *image, int64_t linear, int64_t index[IMAGE_DIMS])
{
    cpu_ref_unravel(linear, image->dims, IMAGE_DIMS, index);
}

/* Refuses operands with more than 3 spatial dims. Returns 0 or the reason. */
static inline int32_t image_check(const struct anydnn_plugin_problem *problem,
                                  struct kit_refusal *why)
{
    int32_t ndims = problem->tensor[0]->ndims;

    if (ndims <= IMAGE_DIMS)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                      "%s: %s has %d dimensions; cpu_ref supports n, c and 1 to %d more",
                      kit_operation_name(problem->operation), kit_slot_name(problem->operation, 0),
                      ndims, IMAGE_SPATIAL);
}

#endif
