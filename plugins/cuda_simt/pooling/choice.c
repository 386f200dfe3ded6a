/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the form for pooling of packed tensors. */
#include "packed.h"
#include "tiles.h"

#include <float.h>
#include <string.h>

/* The limit for numbers of elements and steps, so that sums of them fit in 32 bits. */
#define COUNT_MAX (INT64_C(1) << 28)

/* ------------------------------------------------------------------ tensors */

enum layout { CHANNELS_LAST, CHANNELS_FIRST };

/* Returns 1 if the tensor is packed with its dims in this order. */
static int packed_as(const struct anydnn_plugin_tensor *tensor, enum layout layout)
{
    int64_t stride = 1;

    for (int32_t i = tensor->ndims - 1; i >= 0; i--) {
        int32_t d = layout == CHANNELS_FIRST || i == 0 ? i : i == tensor->ndims - 1 ? 1 : i + 1;

        if (tensor->dims[d] > 1 && tensor->strides[d] != stride)
            return 0;
        stride *= tensor->dims[d];
    }
    return 1;
}

static int all_packed_as(const struct anydnn_plugin_problem *problem, uint32_t slots,
                         enum layout layout)
{
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if ((slots >> slot & 1) && !packed_as(problem->tensor[slot], layout))
            return 0;
    }
    return 1;
}

static float lowest_of(int32_t type)
{
    return type == ANYDNN_PLUGIN_HALF       ? -65504.0f
           : type == ANYDNN_PLUGIN_BFLOAT16 ? -0x1.fep127f
                                            : -FLT_MAX;
}

/* Returns 1 if everything fits in 32 bits. */
static int fill_shape(struct pooling_shape *shape, const struct anydnn_plugin_pooling *from,
                      const struct anydnn_plugin_tensor *x, const struct anydnn_plugin_tensor *y)
{
    int32_t missing = POOLING_DIMS - from->spatial_dims;
    int64_t inputs = x->dims[1], outputs = x->dims[1], volume = 1;

    if (missing < 0)
        return 0;
    for (int32_t s = 0; s < POOLING_DIMS; s++) {
        int none = s < missing;
        int64_t window = none ? 1 : from->window[s - missing];
        int64_t stride = none ? 1 : from->stride[s - missing];
        int64_t pad = none ? 0 : from->pad[s - missing];
        int64_t in = none ? 1 : x->dims[s - missing + 2];
        int64_t out = none ? 1 : y->dims[s - missing + 2];

        if (window >= COUNT_MAX || pad >= COUNT_MAX || -pad >= COUNT_MAX || in >= COUNT_MAX ||
            out * stride >= COUNT_MAX || in + pad < 0)
            return 0;
        shape->window[s] = (int32_t)window;
        shape->stride[s] = (int32_t)stride;
        shape->pad[s] = (int32_t)pad;
        shape->x_dims[s] = (int32_t)in;
        shape->y_dims[s] = (int32_t)out;
        shape->x_end[s] = (int32_t)(in + (pad < 0 ? pad : 0));
        shape->by_stride[s] = cuda_divisor_of(stride);
        inputs *= in;
        outputs *= out;
        volume *= window;
        if (inputs >= COUNT_MAX || outputs >= COUNT_MAX || volume >= COUNT_MAX)
            return 0;
    }
    shape->volume = (int32_t)volume;
    shape->exclude = from->mode == POOLING_AVERAGE_EXCLUDE;
    shape->nan_propagate = from->nan_propagate;
    shape->lowest = lowest_of(x->type);
    return 1;
}

/* ------------------------------------------------------------------ the choice */

static enum pooling_form limited(enum pooling_form form, const struct pooling_packed *packed)
{
    return packed->blocks < INT32_MAX ? form : POOLING_GENERAL;
}

/* Sets the channels of a thread: 16 bytes if the channels are whole vectors and `single` is 0, else
 * one channel. */
static void fill_channels(struct pooling_packed *packed, const struct anydnn_plugin_tensor *x,
                          int single)
{
    int32_t lanes = 16 / cuda_type_size(x->type);

    packed->outer = x->dims[0];
    packed->channels = (int32_t)x->dims[1];
    pooling_fill_channels(packed, single || packed->channels % lanes ? 1 : lanes);
}

static int takes_type(int32_t type)
{
    return type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_HALF ||
           type == ANYDNN_PLUGIN_BFLOAT16;
}

enum pooling_form pooling_forward_form(const struct anydnn_plugin_plan *plan,
                                       struct pooling_packed *packed, int single)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct anydnn_plugin_tensor *x = problem->tensor[slot_pooling_forward_x];
    const uint32_t slots = 1u << slot_pooling_forward_x | 1u << slot_pooling_forward_y;
    const struct anydnn_plugin_pooling *params = problem->params;
    int32_t size = cuda_type_size(x->type);

    memset(packed, 0, sizeof *packed);
    packed->halving.mode = !pooling_is_max(params->mode) ? HALVING_AVERAGE
                           : params->nan_propagate       ? HALVING_MAX_OR_NAN
                                                         : HALVING_MAX;
    if (!takes_type(x->type) ||
        !fill_shape(&packed->shape, params, x, problem->tensor[slot_pooling_forward_y]))
        return POOLING_GENERAL;
    if (all_packed_as(problem, slots, CHANNELS_FIRST)) {
        packed->outer = x->dims[0] * x->dims[1];
        if (!single && pooling_halves_nchw(packed, plan, 16 / size))
            return limited(POOLING_NCHW_HALVING, packed);
        return limited(pooling_nchw_forward(packed, plan, size), packed);
    }
    if (!all_packed_as(problem, slots, CHANNELS_LAST))
        return POOLING_GENERAL;
    fill_channels(packed, x, single);
    if (packed->vectors < packed->channels && pooling_halves_nhwc(packed, plan))
        return limited(POOLING_NHWC_HALVING, packed);
    return limited(pooling_nhwc_forward(packed), packed);
}

enum pooling_form pooling_backward_form(const struct anydnn_plugin_plan *plan,
                                        struct pooling_packed *packed, int single)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct anydnn_plugin_pooling *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[slot_pooling_backward_x];
    const uint32_t slots = 1u << slot_pooling_backward_y | 1u << slot_pooling_backward_dy |
                           1u << slot_pooling_backward_x | 1u << slot_pooling_backward_dx;
    int32_t size = cuda_type_size(x->type);
    int max = pooling_is_max(params->mode);

    memset(packed, 0, sizeof *packed);
    if (!takes_type(x->type) ||
        !fill_shape(&packed->shape, params, x, problem->tensor[slot_pooling_backward_y]))
        return POOLING_GENERAL;
    if (all_packed_as(problem, slots, CHANNELS_FIRST)) {
        packed->outer = x->dims[0] * x->dims[1];
        if (!single && pooling_halves_nchw(packed, plan, 16 / size))
            return limited(POOLING_NCHW_HALVING, packed);
        return limited(pooling_nchw_backward(packed, plan, size, max), packed);
    }
    if (!all_packed_as(problem, slots, CHANNELS_LAST))
        return POOLING_GENERAL;
    fill_channels(packed, x, single);
    if (packed->vectors < packed->channels && pooling_halves_nhwc(packed, plan))
        return limited(POOLING_NHWC_HALVING, packed);
    return limited(pooling_nhwc_backward(packed, max), packed);
}
