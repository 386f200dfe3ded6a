/* SPDX-License-Identifier: Apache-2.0 */
/* Implements im2col, the columns of patches, with cuDNN. */
#include "table.h"

#define SLOT(name) slot_im2col_##name

/* Packs the matrix, since cuDNN writes it packed. */
static void arrange_im2col(struct anydnn_plugin_plan *plan)
{
    if (cdn_packed_format(plan->problem.tensor[SLOT(col)]) != CUDNN_TENSOR_NCHW)
        cdn_move(plan, SLOT(col), CUDNN_TENSOR_NCHW, plan->copies.tensor[SLOT(col)].type);
}

static int32_t check_im2col(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;

    if (params->spatial_dims > 2 || params->groups > 1)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE,
            "im2col has %d spatial dims and %lld groups; cuDNN supports up to 2 dims and 1 group",
            params->spatial_dims, (long long)params->groups);
    return 0;
}

static int32_t prepare_im2col(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[SLOT(x)];
    struct anydnn_plugin_tensor filter = {
        .type = x->type, .ndims = 4, .dims = {1, x->dims[1], 1, 1}};
    int32_t reason;

    for (int32_t i = 0; i < params->spatial_dims; i++)
        filter.dims[i + 2] = params->window[i];
    for (int32_t d = 3, step = 1; d >= 0; step *= (int32_t)filter.dims[d--])
        filter.strides[d] = step;
    reason = cdn_filter_make(&plan->made.filter[0], &filter, "the window", why);
    return reason ? reason : cdn_convolution_make(plan, cdn_type(plan->wide), why);
}

static int32_t run_im2col(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;

    return cdn_ran(call,
                   cudnn.cudnnIm2Col(plan->context->handle, plan->made.tensor[SLOT(x)],
                                     data[SLOT(x)], plan->made.filter[0], plan->made.convolution,
                                     data[SLOT(col)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_im2col = {
    .operation = ANYDNN_PLUGIN_IM2COL,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << SLOT(x),
    .function = "cudnnIm2Col",
    .arrange = arrange_im2col,
    .check = check_im2col,
    .prepare = prepare_im2col,
    .run = run_im2col,
};
