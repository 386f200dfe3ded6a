/* SPDX-License-Identifier: Apache-2.0 */
/* Runs CONVOLUTION_FORWARD: a product for each image and group, of the filters and the image, or of
 * the filters and the image's columns, which im2col writes to the workspace. */
#include "clblast.h"

#define SLOT(name) slot_convolution_forward_##name

enum { X = SLOT(x), W = SLOT(w), Y = SLOT(y) };

static int32_t check(const struct anydnn_plugin_context *context,
                     const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const int32_t type = problem->tensor[X]->type;

    if (problem->tensor[W]->type != type || problem->tensor[Y]->type != type ||
        params->compute_type != type)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "x, w and y are %s, %s and %s, and the compute type is %s; all must be "
                          "equal",
                          kit_type_name(type), kit_type_name(problem->tensor[W]->type),
                          kit_type_name(problem->tensor[Y]->type),
                          kit_type_name(params->compute_type));
    if (params->spatial_dims != 2)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "the convolution has %d spatial dims; this backend supports 2",
                          params->spatial_dims);
    if (problem->alias[Y])
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                          "y has the address of an input, which this backend reads until the end");
    return clblast_check_type(context, type, "x", why);
}

/* Checks that rows follow each other, so that an image's channel is a vector. */
static int32_t check_rows(const struct anydnn_plugin_problem *problem, int slot,
                          int channels_packed, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *t = problem->tensor[slot];
    int64_t plane = kit_times(t->dims[2], t->dims[3]);

    if ((t->dims[3] == 1 || t->strides[3] == 1) &&
        (t->dims[2] == 1 || t->strides[2] == t->dims[3]) &&
        (t->dims[1] == 1 || t->strides[1] == plane || (!channels_packed && t->strides[1] > plane)))
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                      "%s has the strides %lld,%lld,%lld,%lld; this backend requires packed rows "
                      "before channels",
                      kit_slot_name(problem->operation, slot), (long long)t->strides[0],
                      (long long)t->strides[1], (long long)t->strides[2], (long long)t->strides[3]);
}

/* Returns 1 if the image itself is the matrix of its columns. */
static int is_pointwise(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const struct anydnn_plugin_tensor *w = problem->tensor[W];

    for (int i = 0; i < 2; i++)
        if (w->dims[i + 2] != 1 || params->stride[i] != 1 || params->pad[i] != 0)
            return 0;
    return 1;
}

static void take_windows(struct clblast_convolution *to,
                         const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_convolution *params = problem->params;

    to->mode = params->mode == ANYDNN_PLUGIN_CONVOLUTION ? CLBlastKernelModeConvolution
                                                         : CLBlastKernelModeCrossCorrelation;
    to->channels = (size_t)problem->tensor[X]->dims[1];
    for (int i = 0; i < 2; i++) {
        to->size[i] = (size_t)problem->tensor[X]->dims[i + 2];
        to->window[i] = (size_t)problem->tensor[W]->dims[i + 2];
        to->pad[i] = (size_t)params->pad[i];
        to->stride[i] = (size_t)params->stride[i];
        to->dilation[i] = (size_t)params->dilation[i];
    }
}

/* Describes the product of a group of an image: K x CRS by CRS x positions. */
static int32_t take_product(struct clblast_convolution *to,
                            const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *x = problem->tensor[X], *w = problem->tensor[W],
                                      *y = problem->tensor[Y];
    struct clblast_gemm *product = &to->product;
    int64_t positions = kit_times(y->dims[2], y->dims[3]);
    int64_t b_ld = !to->has_im2col && x->dims[1] > 1 ? x->strides[1] : positions;
    int64_t c_ld = y->dims[1] > 1 ? y->strides[1] : positions;
    int32_t reason;

    product->batch = 1;
    product->m = w->dims[0] / to->groups;
    product->k = kit_times(w->dims[1], kit_times(w->dims[2], w->dims[3]));
    product->n = positions;
    to->a_group = kit_times(product->m, product->k);
    to->b_group = kit_times(to->has_im2col ? product->k : w->dims[1], b_ld);
    to->c_group = kit_times(product->m, c_ld);
    to->images = x->dims[0];
    to->x_image = x->dims[0] > 1 ? x->strides[0] : 0;
    to->y_image = y->dims[0] > 1 ? y->strides[0] : 0;
    reason = clblast_take_matrix(&product->a, product->m, product->k, product->k, 1, "w", why);
    if (!reason)
        reason = clblast_take_matrix(&product->b, kit_times(product->k, to->groups), product->n,
                                     b_ld, 1, "x", why);
    if (!reason)
        reason = clblast_take_matrix(&product->c, w->dims[0], product->n, c_ld, 1, "y", why);
    return reason;
}

int32_t clblast_convolution_take(const struct anydnn_plugin_context *context,
                                 const struct anydnn_plugin_problem *problem,
                                 struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const struct anydnn_plugin_tensor *w = problem->tensor[W];
    struct clblast_convolution *to = &plan->convolution;
    int32_t reason = check(context, problem, why);

    if (reason)
        return reason;
    to->has_im2col = !is_pointwise(problem);
    to->groups = params->groups;
    take_windows(to, problem);
    reason = check_rows(problem, X, to->has_im2col, why);
    if (!reason)
        reason = check_rows(problem, W, 1, why);
    if (!reason && w->dims[0] > 1 &&
        w->strides[0] != kit_times(w->dims[1], kit_times(w->dims[2], w->dims[3])))
        reason = kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                            "the filters of w are at a distance of %lld; they must be packed",
                            (long long)w->strides[0]);
    if (!reason)
        reason = check_rows(problem, Y, 0, why);
    if (!reason)
        reason = take_product(to, problem, why);
    plan->type = problem->tensor[X]->type;
    to->workspace = to->has_im2col && !reason ? (uint64_t)kit_times(to->b_group, to->groups) *
                                                    (uint64_t)kit_type_size(plan->type)
                                              : 0;
    return reason;
}

/* Enqueues im2col of an image. */
static int32_t write_columns(const struct clblast_call *call, struct clblast_place x,
                             struct clblast_place columns)
{
    const struct clblast_convolution *of = &call->plan->convolution;
    __typeof__(clblast.CLBlastSim2col) im2col =
        call->plan->type == ANYDNN_PLUGIN_DOUBLE ? clblast.CLBlastDim2col : clblast.CLBlastSim2col;
    cl_command_queue queue = call->queue;
    CLBlastStatusCode code;

    *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    clblast_enter();
    code =
        im2col(of->mode, of->channels, of->size[0], of->size[1], of->window[0], of->window[1],
               of->pad[0], of->pad[1], of->stride[0], of->stride[1], of->dilation[0],
               of->dilation[1], x.buffer, x.offset, columns.buffer, columns.offset, &queue, NULL);
    clblast_leave();
    return clblast_status(code, "im2col");
}

static int32_t run_image(const struct clblast_call *call, struct clblast_place w,
                         struct clblast_place columns, struct clblast_place y)
{
    const struct clblast_convolution *of = &call->plan->convolution;
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int64_t group = 0; group < of->groups && !status; group++) {
        status = clblast_multiply(call, &of->product, w, columns, y, call->operands->scale[1]);
        w.offset += (size_t)of->a_group;
        columns.offset += (size_t)of->b_group;
        y.offset += (size_t)of->c_group;
    }
    return status;
}

int32_t clblast_convolution_run(const struct clblast_call *call)
{
    const struct clblast_convolution *of = &call->plan->convolution;
    void *const *data = call->operands->data;
    struct clblast_place x, w, y, columns;
    int32_t status = clblast_place(call, data[X], &x);

    if (!status)
        status = clblast_place(call, data[W], &w);
    if (!status)
        status = clblast_place(call, data[Y], &y);
    columns = x;
    if (!status && of->has_im2col)
        status = clblast_place(call, call->operands->workspace, &columns);
    for (int64_t image = 0; image < of->images && !status; image++) {
        if (of->has_im2col)
            status = write_columns(call, x, columns);
        else
            columns = x;
        if (!status)
            status = run_image(call, w, columns, y);
        x.offset += (size_t)of->x_image;
        y.offset += (size_t)of->y_image;
    }
    return status;
}
