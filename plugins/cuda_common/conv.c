/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a convolution problem to its geometry. */
#include "conv.h"
#include "divide.h"

#include <string.h>

#define FUSED(name) slot_convolution_bias_activation_forward_##name

/* The operand slots of the convolution's tensors. */
struct roles {
    int32_t x, w, y, z;
};

static struct roles roles_of(const struct anydnn_plugin_problem *problem)
{
    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        return (struct roles){.x = slot_convolution_backward_data_dx,
                              .w = slot_convolution_backward_data_w,
                              .y = slot_convolution_backward_data_dy,
                              .z = slot_convolution_backward_data_dx};
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
        return (struct roles){.x = slot_convolution_backward_filter_x,
                              .w = slot_convolution_backward_filter_dw,
                              .y = slot_convolution_backward_filter_dy,
                              .z = slot_convolution_backward_filter_dy};
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
        return (struct roles){.x = FUSED(x),
                              .w = FUSED(w),
                              .y = FUSED(y),
                              .z = problem->tensor[FUSED(z)] ? FUSED(z) : FUSED(y)};
    default:
        return (struct roles){.x = slot_convolution_forward_x,
                              .w = slot_convolution_forward_w,
                              .y = slot_convolution_forward_y,
                              .z = slot_convolution_forward_y};
    }
}

/* Returns the stride of dim d in elements, or 0 if the dim has only one index. */
static int64_t step_of(const struct anydnn_plugin_tensor *tensor, int32_t d)
{
    int64_t lanes = kit_lanes(tensor->type);
    int64_t extent = d == 1 ? tensor->dims[d] / lanes : tensor->dims[d];

    return extent > 1 ? tensor->strides[d] * lanes : 0;
}

static struct conv_channels channels_of(const struct anydnn_plugin_tensor *tensor)
{
    int64_t lanes = kit_lanes(tensor->type);

    return (struct conv_channels){.step = step_of(tensor, 1),
                                  .shift = lanes == 32  ? 5
                                           : lanes == 4 ? 2
                                                        : 0,
                                  .mask = (int32_t)lanes - 1};
}

/* ------------------------------------------------------------------ numbers */

static int64_t common_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the inverse of a modulo m by Euclid's algorithm. a and m must have no common divisor. */
static int64_t inverse_of(int64_t a, int64_t m)
{
    int64_t r0 = m, r1 = a % m, s0 = 0, s1 = 1;

    while (r1) {
        int64_t quotient = r0 / r1, r2 = r0 - quotient * r1, s2 = s0 - quotient * s1;
        r0 = r1;
        r1 = r2;
        s0 = s1;
        s1 = s2;
    }
    return s0 < 0 ? s0 + m : s0;
}

/* ------------------------------------------------------------------ dims */

static void make_dim(struct conv *conv, int32_t at, const struct anydnn_plugin_problem *problem,
                     const struct roles *roles, int32_t s)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[roles->x];
    const struct anydnn_plugin_tensor *w = problem->tensor[roles->w];
    const struct anydnn_plugin_tensor *y = problem->tensor[roles->y];
    int data = conv_is_dgrad(conv);
    struct conv_dim *dim = &conv->dim[at];
    int32_t d = s + 2;

    dim->a_extent = data ? y->dims[d] : x->dims[d];
    dim->positions = data ? x->dims[d] : y->dims[d];
    dim->taps = w->dims[d];
    dim->pad = params->pad[s];
    dim->stride = params->stride[s];
    dim->dilation = params->dilation[s];
    dim->common = common_of(dim->stride, dim->dilation);
    dim->period = dim->stride / dim->common;
    dim->back = dim->dilation / dim->common;
    dim->inverse = inverse_of(dim->back, dim->period);
    dim->a = step_of(data ? y : x, d);
    dim->position = step_of(data ? x : y, d);
    dim->z = step_of(problem->tensor[roles->z], d);
    dim->tap = step_of(w, d);
    if (params->mode == 0) {
        conv->tap_first += (dim->taps - 1) * dim->tap;
        dim->tap = -dim->tap;
    }
}

static void make_dims(struct conv *conv, const struct anydnn_plugin_problem *problem,
                      const struct roles *roles)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t missing = CONV_DIMS_MAX - params->spatial_dims;

    for (int32_t d = 0; d < missing; d++)
        conv->dim[d] = (struct conv_dim){.a_extent = 1,
                                         .positions = 1,
                                         .taps = 1,
                                         .stride = 1,
                                         .dilation = 1,
                                         .common = 1,
                                         .period = 1,
                                         .back = 1};
    for (int32_t s = 0; s < params->spatial_dims; s++)
        make_dim(conv, missing + s, problem, roles, s);
}

/* ------------------------------------------------------------------ properties */

#define BELOW(number, bits) ((number) < INT64_C(1) << (bits))

/* The bit widths of coordinates and counts. 32-bit arithmetic then holds the sum of two
 * coordinates, coordinates outside the tensor, and the tails of tiles. */
#define COORDINATE_BITS 29
#define COUNT_BITS      30

static int is_narrow(const struct conv *conv, int32_t spatial_dims)
{
    int64_t m = conv->images, k = conv->channels;

    if (!BELOW(m, COUNT_BITS) || !BELOW(k, COUNT_BITS) || !BELOW(conv->n, COUNT_BITS) ||
        !BELOW(conv->groups, COUNT_BITS))
        return 0;
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];

        if (!BELOW(dim->a_extent, COORDINATE_BITS) || !BELOW(dim->positions, COORDINATE_BITS) ||
            !BELOW(dim->taps, COORDINATE_BITS) || !BELOW(dim->pad, COORDINATE_BITS) ||
            !BELOW(dim->stride, COORDINATE_BITS) || !BELOW(dim->dilation, COORDINATE_BITS) ||
            !BELOW(dim->positions * dim->stride, COORDINATE_BITS) ||
            !BELOW(dim->taps * dim->dilation, COORDINATE_BITS) ||
            !BELOW(dim->period * dim->period, COUNT_BITS) ||
            !BELOW(dim->period * dim->dilation, COUNT_BITS))
            return 0;
        m *= dim->positions;
        k *= dim->taps;
        if (!BELOW(m, COUNT_BITS) || !BELOW(k, COUNT_BITS))
            return 0;
    }
    return spatial_dims <= CONV_DIMS;
}

static int is_inside(const struct conv *conv)
{
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        if (conv->dim[d].pad != 0 || (conv_is_dgrad(conv) && conv->dim[d].taps != 1))
            return 0;
    }
    return 1;
}

static int64_t classes_of(const struct conv *conv)
{
    int64_t classes = 1;

    if (!conv_is_dgrad(conv))
        return 1;
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        classes *= conv->dim[d].stride < conv->dim[d].positions ? conv->dim[d].stride
                                                                : conv->dim[d].positions;
    return classes;
}

int64_t conv_positions(const struct conv *conv)
{
    int64_t count = 1;
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        count *= conv->dim[d].positions;
    return count;
}

int64_t conv_taps(const struct conv *conv)
{
    int64_t count = 1;
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        count *= conv->dim[d].taps;
    return count;
}

struct conv_gemm conv_gemm_of(const struct conv *conv)
{
    int64_t positions = conv->images, taps = conv->channels;
    int data = conv_is_dgrad(conv);

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];

        positions *= data ? cuda_ceil_div(dim->positions, dim->stride) : dim->positions;
        taps *= data ? cuda_ceil_div(dim->taps, dim->period) : dim->taps;
    }
    if (conv_is_wgrad(conv))
        return (struct conv_gemm){taps, positions};
    return (struct conv_gemm){positions, taps};
}

void conv_make(struct conv *conv, const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    struct roles roles = roles_of(problem);
    const struct anydnn_plugin_tensor *x = problem->tensor[roles.x];
    const struct anydnn_plugin_tensor *w = problem->tensor[roles.w];
    const struct anydnn_plugin_tensor *y = problem->tensor[roles.y];
    int data = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
    int64_t filters = w->dims[0] / params->groups;

    memset(conv, 0, sizeof *conv);
    conv->direction = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
                          ? ANYDNN_PLUGIN_CONVOLUTION_FORWARD
                          : problem->operation;
    conv->images = x->dims[0];
    conv->groups = params->groups;
    conv->channels = data ? filters : w->dims[1];
    conv->n = data ? w->dims[1] : filters;
    conv->a = channels_of(data ? y : x);
    conv->a_image = step_of(data ? y : x, 0);
    conv->position = channels_of(data ? x : y);
    conv->position_image = step_of(data ? x : y, 0);
    conv->z = channels_of(problem->tensor[roles.z]);
    conv->z_image = step_of(problem->tensor[roles.z], 0);
    conv->tap = channels_of(w);
    conv->tap_channel = step_of(w, data ? 0 : 1);
    conv->tap_n = step_of(w, data ? 1 : 0);
    conv->tap_group = filters * step_of(w, 0);
    make_dims(conv, problem, &roles);
    conv->narrow = is_narrow(conv, params->spatial_dims);
    conv->inside = is_inside(conv);
    conv->classes = classes_of(conv);
}
