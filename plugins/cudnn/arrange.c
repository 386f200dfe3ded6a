/* SPDX-License-Identifier: Apache-2.0 */
/* Arranges the operands of a convolution for cuDNN, and refuses problems that cuDNN does not
 * support. */
#include "convolutions.h"
#include "legacy.h"

#define SPATIAL_MAX 3

#define BYTES (CDN_TYPE(INT8) | CDN_TYPE(INT8X4) | CDN_TYPE(INT8X32))

int cdn_is_float(const struct anydnn_plugin_problem *problem)
{
    return (CDN_FLOATS >> problem->tensor[0]->type & 1) != 0;
}

/* Returns 1 if float sums the products without rounding. A product of two bytes takes 14 bits and
 * float is exact up to 24 bits, so 2^(24 - 14) products may be added in any order. */
int cdn_is_exact(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_tensor *w = problem->tensor[CDN_FUSED(w)];
    int64_t products = 1;

    for (int32_t d = 1; d < w->ndims; d++)
        products *= w->dims[d];
    return products <= INT64_C(1) << (24 - 14);
}

static int is_fusible(const struct anydnn_plugin_convolution *params)
{
    return params->activation == CUDNN_ACTIVATION_IDENTITY ||
           (params->activation == CUDNN_ACTIVATION_RELU && !params->nan_propagate);
}

/* Arranges the activation. cuDNN fuses the identity, and ReLU that turns NaN into 0. Any other
 * activation runs after the identity, on float, so that the result is rounded once. */
static void arrange_activation(struct anydnn_plugin_plan *plan)
{
    struct anydnn_plugin_convolution *params = &plan->copies.params.convolution;
    const struct anydnn_plugin_tensor *y = plan->moved >> CDN_FUSED(y) & 1
                                               ? &plan->home[CDN_FUSED(y)]
                                               : &plan->copies.tensor[CDN_FUSED(y)];

    if (is_fusible(params) || cdn_is_flushed(params->activation, y->type) ||
        (!cdn_is_float(&plan->problem) && !cdn_is_exact(&plan->problem)))
        return;
    plan->behind.is_there = 1;
    plan->behind.mode = params->activation;
    plan->behind.nan_propagate = params->nan_propagate;
    plan->behind.coef = params->coef;
    params->activation = CUDNN_ACTIVATION_IDENTITY;
    params->nan_propagate = 0;
    cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | BYTES);
}

static int has_strides_of(const struct anydnn_plugin_tensor *tensor, int format)
{
    struct anydnn_plugin_tensor packed = *tensor;
    int same = 1;

    cdn_pack(&packed, format);
    for (int32_t d = 0; d < tensor->ndims; d++)
        same &= packed.strides[d] == tensor->strides[d];
    return same;
}

/* Packs the filter, down to the last stride. Engines that accept other strides read and write them
 * wrong. An example is engine 0 of each operation in convolution_backward_filter x=f64:1,2,11
 * dw=f64:2,1,7:1,14,2 dy=f64:1,2,5 groups=2. Even the stride of a dim of 1 matters:
 * w=bf16:1,7,2,1:14,2,1,66. */
static void arrange_filter(struct anydnn_plugin_plan *plan)
{
    int32_t slot = cdn_filter_slot(plan->problem.operation);
    const struct anydnn_plugin_tensor *image = &plan->copies.tensor[slot ? 0 : 1];
    struct anydnn_plugin_tensor *filter = &plan->copies.tensor[slot];

    if (has_strides_of(filter, CUDNN_TENSOR_NCHW) || has_strides_of(filter, CUDNN_TENSOR_NHWC))
        return;
    if (cdn_packed_format(filter) >= 0)
        cdn_settle(filter);
    else
        cdn_move(plan, slot,
                 cdn_packed_format(image) == CUDNN_TENSOR_NHWC ? CUDNN_TENSOR_NHWC
                                                               : CUDNN_TENSOR_NCHW,
                 filter->type);
}

/* Arranges a fused convolution. The engines read the bias as if it were packed. The older call,
 * which accepts factors other than 1, requires the same layout for z and y. */
static void arrange_fused(struct anydnn_plugin_plan *plan)
{
    arrange_activation(plan);
    cdn_agree(plan, 1 << CDN_FUSED(bias), 1);
    cdn_agree(plan, 1 << CDN_FUSED(z) | 1 << CDN_FUSED(y), 0);
}

/* Arranges integers: scalars channels-last, vectors packed. */
static void arrange_integers(struct anydnn_plugin_plan *plan)
{
    int vectors = kit_lanes(plan->copies.tensor[0].type) > 1;
    int32_t bias = cdn_is_fused(&plan->problem) ? CDN_FUSED(bias) : -1;

    for (int32_t slot = 0; slot <= CDN_FUSED(y); slot++) {
        const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
        int lanes = tensor ? kit_lanes(tensor->type) > 1 : 0;
        int wanted = lanes ? CUDNN_TENSOR_NCHW_VECT_C : CUDNN_TENSOR_NHWC;

        if (tensor && slot != bias && lanes == vectors && cdn_packed_format(tensor) != wanted)
            cdn_move(plan, slot, wanted, tensor->type);
    }
}

static int is_direct(const struct anydnn_plugin_plan *plan)
{
    return !plan->engine || cdn_is_legacy(plan->engine);
}

void cdn_arrange_convolution(struct anydnn_plugin_plan *plan)
{
    if (plan->engine == CUDNN_BY_FLOAT || (!cdn_is_float(&plan->problem) && !is_direct(plan)))
        cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | BYTES);
    if (cdn_is_fused(&plan->problem))
        arrange_fused(plan);
    if (cdn_is_float(&plan->problem))
        arrange_filter(plan);
    else
        arrange_integers(plan);
}

int32_t cdn_check_convolution(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;

    if (params->spatial_dims > SPATIAL_MAX)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "the convolution has %d spatial dims; cuDNN supports up to %d",
                          params->spatial_dims, SPATIAL_MAX);
    if (cdn_is_fused(problem) &&
        cdn_is_flushed(params->activation, problem->tensor[CDN_FUSED(y)]->type))
        return cdn_refuse_flushed(params->activation, problem->tensor[CDN_FUSED(y)]->type, why);
    if (cdn_is_fused(problem) && !is_fusible(params))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "the activation is %d; for integers cuDNN fuses only the identity and "
                          "the ReLU that maps NaN to 0",
                          params->activation);
    return 0;
}
