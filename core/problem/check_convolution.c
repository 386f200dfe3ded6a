/* SPDX-License-Identifier: Apache-2.0 */
/* Checks convolutions and im2col: dims, groups, output size, combinations of types. */
#include "problem/check_convolution.h"

#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "problem/check_layer.h"
#include "problem/infer.h"
#include "problem/operation.h"
#include "problem/params.h"
#include "problem/problem.h"
#include "sys/error.h"

#define SUCCESS       ANYDNN_STATUS_SUCCESS
#define BAD_PARAM     ANYDNN_STATUS_BAD_PARAM
#define NOT_SUPPORTED ANYDNN_STATUS_NOT_SUPPORTED

struct operands {
    int32_t x;
    int32_t w;
    int32_t y;
};

/* The combinations that cuDNN 7's tables name or cuDNN 9 accepts: x, w, y, compute. */
static const struct {
    int32_t x;
    int32_t w;
    int32_t y;
    int32_t compute;
    int forward_only;
} configurations[] = {
    {ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_DOUBLE, 0},
    {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_FLOAT, 0},
    {ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_FLOAT, 0},
    {ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_HALF, ANYDNN_PLUGIN_HALF, 0},
    {ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_FLOAT,
     0},
    {ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8, ANYDNN_PLUGIN_INT8, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_INT32, 1},
    {ANYDNN_PLUGIN_INT8X32, ANYDNN_PLUGIN_INT8X32, ANYDNN_PLUGIN_INT8X32, ANYDNN_PLUGIN_INT32, 1},
};

static anydnnStatus_t check_types(const struct adn_check *check, const struct operands *at)
{
    const struct adn_problem *problem = check->problem;
    int forward = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD ||
                  problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;

    for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]); i++)
        if (configurations[i].x == problem->tensor[at->x].type &&
            configurations[i].w == problem->tensor[at->w].type &&
            configurations[i].y == problem->tensor[at->y].type &&
            configurations[i].compute == problem->params.convolution.compute_type &&
            (forward || !configurations[i].forward_only))
            return SUCCESS;
    return adn_fail(NOT_SUPPORTED,
                    "%s: %s is %s, %s is %s, %s is %s, the compute type is %s; this combination is "
                    "not supported (floating types must be equal, with compute type f32, or f64 "
                    "for f64; integers only forward, with compute type s32)",
                    check->entry, check->info->slot[at->x].role,
                    adn_type_name(problem->tensor[at->x].type), check->info->slot[at->w].role,
                    adn_type_name(problem->tensor[at->w].type), check->info->slot[at->y].role,
                    adn_type_name(problem->tensor[at->y].type),
                    adn_type_name(problem->params.convolution.compute_type));
}

static anydnnStatus_t check_params(const struct adn_check *check)
{
    const struct anydnn_plugin_convolution *params = &check->problem->params.convolution;

    for (int32_t i = 0; i < params->spatial_dims; i++)
        if (params->pad[i] < 0 || params->stride[i] < 1 || params->dilation[i] < 1 ||
            params->pad[i] > INT32_MAX || params->stride[i] > INT32_MAX ||
            params->dilation[i] > INT32_MAX)
            return adn_fail(BAD_PARAM,
                            "%s: in spatial dim %d, pad is %lld, stride %lld and dilation %lld; "
                            "they must be at least 0, 1 and 1, and below 2^31",
                            check->entry, (int)i, (long long)params->pad[i],
                            (long long)params->stride[i], (long long)params->dilation[i]);
    return SUCCESS;
}

static anydnnStatus_t check_groups(const struct adn_check *check, const struct operands *at)
{
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[at->x];
    const struct anydnn_plugin_tensor *w = &check->problem->tensor[at->w];
    int64_t groups = check->problem->params.convolution.groups;

    if (groups < 1 || x->dims[1] % groups != 0 || w->dims[0] % groups != 0)
        return adn_fail(
            BAD_PARAM,
            "%s: %lld groups with %lld input and %lld output channels; groups must divide both",
            check->entry, (long long)groups, (long long)x->dims[1], (long long)w->dims[0]);
    if (w->dims[1] != x->dims[1] / groups)
        return adn_fail(BAD_PARAM,
                        "%s: the filter has %lld channels in each of %lld groups and the input has "
                        "%lld; the filter needs %lld",
                        check->entry, (long long)w->dims[1], (long long)groups,
                        (long long)x->dims[1], (long long)(x->dims[1] / groups));
    return SUCCESS;
}

static anydnnStatus_t check_output(const struct adn_check *check, const struct operands *at)
{
    const struct anydnn_plugin_convolution *params = &check->problem->params.convolution;
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[at->x];
    const struct anydnn_plugin_tensor *w = &check->problem->tensor[at->w];
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX] = {x->dims[0], w->dims[0]};

    for (int32_t i = 0; i < params->spatial_dims; i++) {
        dims[i + 2] = adn_shape_convolution_out(x->dims[i + 2], params->pad[i], w->dims[i + 2],
                                                params->dilation[i], params->stride[i]);
        if (dims[i + 2] < 1)
            return adn_fail(BAD_PARAM,
                            "%s: in spatial dim %d, the filter has %lld elements with dilation "
                            "%lld and the input has %lld with pad %lld; the filter must fit",
                            check->entry, (int)i, (long long)w->dims[i + 2],
                            (long long)params->dilation[i], (long long)x->dims[i + 2],
                            (long long)params->pad[i]);
    }
    return adn_check_dims(check, at->y, dims, "those of the convolution's result");
}

static anydnnStatus_t check_fused(const struct adn_check *check, const struct operands *at)
{
    const struct adn_problem *problem = check->problem;
    const struct anydnn_plugin_convolution *params = &problem->params.convolution;
    const struct anydnn_plugin_tensor *y = &problem->tensor[at->y];
    int32_t bias = adn_check_slot(check, "bias");
    int32_t type = problem->tensor[bias].type;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    anydnnStatus_t status;

    for (int32_t i = 0; i < y->ndims; i++)
        dims[i] = i == 1 ? y->dims[1] : 1;
    if (problem->tensor[bias].ndims != y->ndims)
        return adn_check_fail(check, BAD_PARAM, bias, "it must have as many dims as y");
    status = adn_check_dims(check, bias, dims, "one element for each channel of y");
    if (status == SUCCESS && type != adn_problem_bias_type(y->type))
        status = adn_check_fail(check, BAD_PARAM, bias,
                                "its type must be that of y, or f32 for integers");
    if (status == SUCCESS)
        status = adn_check_like(check, adn_check_slot(check, "z"), at->y, 1);
    return status == SUCCESS ? adn_check_coef(check, params->activation, params->coef) : status;
}

anydnnStatus_t adn_check_convolution(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    int backward_data = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
    int backward_filter = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    struct operands at = {backward_data ? 2 : 0, backward_data ? 0 : 1,
                          backward_data ? 1 : check->info->slot_count - 1};
    int32_t ndims = problem->params.convolution.spatial_dims + 2;
    anydnnStatus_t status;

    if (backward_filter)
        at = (struct operands){0, 2, 1};
    if (ndims < 3)
        return adn_check_fail(check, BAD_PARAM, 0, "it must have spatial dims after the first two");
    for (int32_t i = 0; i < 3; i++) {
        int32_t slot = i == 0 ? at.x : i == 1 ? at.w : at.y;

        if (problem->tensor[slot].ndims != ndims)
            return adn_fail(BAD_PARAM,
                            "%s: %s has %d dims and the convolution descriptor has %d spatial "
                            "dims; it must have %d",
                            check->entry, check->info->slot[slot].role,
                            (int)problem->tensor[slot].ndims, (int)ndims - 2, (int)ndims);
    }
    status = check_params(check);
    if (status == SUCCESS)
        status = check_groups(check, &at);
    if (status == SUCCESS)
        status = check_output(check, &at);
    if (status == SUCCESS)
        status = check_types(check, &at);
    if (status == SUCCESS && check->info->family == ADN_FAMILY_FUSED)
        status = check_fused(check, &at);
    return status;
}

anydnnStatus_t adn_check_im2col(const struct adn_check *check)
{
    struct adn_problem expected = *check->problem;
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[0];
    const struct anydnn_plugin_tensor *col = &check->problem->tensor[1];
    const struct anydnn_plugin_tensor *want = &expected.tensor[1];
    anydnnStatus_t status = check_params(check);

    if (status == SUCCESS &&
        (x->ndims < 3 || x->ndims != check->problem->params.convolution.spatial_dims + 2))
        status = adn_check_fail(check, BAD_PARAM, 0,
                                "it must have two more dims than the convolution descriptor");
    if (status != SUCCESS)
        return status;
    expected.present = 1;
    status = adn_problem_infer(&expected, check->entry);
    if (status == SUCCESS && (col->type != x->type || col->ndims != 2 ||
                              col->dims[0] != want->dims[0] || col->dims[1] != want->dims[1]))
        status = adn_check_fail(check, BAD_PARAM, 1,
                                "it must be a matrix of C*R*S rows and N*P*Q columns of x's type");
    return status;
}
