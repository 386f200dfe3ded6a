/* SPDX-License-Identifier: Apache-2.0 */
/* Builds views of operands: with their channels split, and packed tensors of the same dims. */
#include "build.h"

struct onednn_view onednn_operand(const struct onednn_build *build, int32_t slot)
{
    const struct anydnn_plugin_tensor *tensor = build->problem->tensor[slot];
    struct onednn_view view = {.type = tensor->type, .ndims = tensor->ndims};

    for (int32_t d = 0; d < tensor->ndims; d++) {
        view.dims[d] = tensor->dims[d];
        view.strides[d] = tensor->strides[d];
    }
    return view;
}

/* Splits the channels of a view. `vector` and `lane` are the strides from one vector and one lane
 * to the next. */
static struct onednn_view take_apart(const struct onednn_view *view, int64_t groups, int64_t lanes,
                                     int64_t vector, int64_t lane)
{
    struct onednn_view apart = *view;
    int64_t vectors = view->dims[1] / groups / lanes;

    for (int32_t d = view->ndims - 1; d >= 2; d--) {
        apart.dims[d + 2] = view->dims[d];
        apart.strides[d + 2] = view->strides[d];
    }
    apart.ndims += 2;
    apart.dims[1] = groups;
    apart.strides[1] = vectors * vector;
    apart.dims[2] = vectors;
    apart.strides[2] = vector;
    apart.dims[3] = lanes;
    apart.strides[3] = lane;
    return apart;
}

struct onednn_view onednn_lanes(const struct onednn_build *build, int32_t slot, int64_t groups)
{
    struct onednn_view view = onednn_operand(build, slot);
    int64_t lanes = kit_lanes(view.type);

    for (int32_t d = 0; d < view.ndims; d++)
        view.strides[d] *= lanes;
    view.type = kit_lane_type(view.type);
    return take_apart(&view, groups, lanes, view.strides[1], 1);
}

struct onednn_view onednn_lanes_of(const struct onednn_view *view, int64_t groups, int64_t lanes)
{
    return take_apart(view, groups, lanes, view->strides[1] * lanes, view->strides[1]);
}

static int64_t step_of(const struct onednn_view *view, int32_t d)
{
    return view->strides[d] < 0 ? -view->strides[d] : view->strides[d];
}

/* Returns the dim with the smallest stride in the set `left`, which has one bit per dim; the last
 * such dim if several are equal. */
static int32_t smallest_of(const struct onednn_view *view, uint32_t left)
{
    int32_t smallest = 31 - __builtin_clz(left);

    for (int32_t d = smallest - 1; d >= 0; d--)
        if ((left >> d & 1) && step_of(view, d) < step_of(view, smallest))
            smallest = d;
    return smallest;
}

struct onednn_view onednn_packed_inside(const struct onednn_view *view, int32_t type,
                                        uint32_t inside)
{
    struct onednn_view packed = *view;
    uint32_t left = (UINT32_C(1) << view->ndims) - 1;
    int64_t stride = 1;

    packed.type = type;
    packed.first = 0;
    while (left) {
        int32_t smallest = smallest_of(view, left & inside ? left & inside : left);

        left &= ~(UINT32_C(1) << smallest);
        packed.strides[smallest] = stride;
        stride *= packed.dims[smallest];
    }
    return packed;
}

struct onednn_view onednn_packed_like(const struct onednn_view *view, int32_t type)
{
    return onednn_packed_inside(view, type, 0);
}

struct onednn_view onednn_packed(const struct onednn_view *view, int32_t type)
{
    struct onednn_view packed = *view;
    int64_t stride = 1;

    packed.type = type;
    packed.first = 0;
    for (int32_t d = view->ndims - 1; d >= 0; d--) {
        packed.strides[d] = stride;
        stride *= packed.dims[d];
    }
    return packed;
}
