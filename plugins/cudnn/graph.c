/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the operation graph of a convolution: one node, or convolution, sum, bias and
 * activation. */
#include "graph.h"

#include "convolutions.h"

#include <stdbool.h>

/* The slots of x, w and y by their role in the formula, for any direction. */
struct roles {
    int32_t x, w, y;
    cudnnBackendDescriptorType_t node;
    cudnnBackendAttributeName_t x_name, w_name, y_name, description, alpha, beta;
};

static const struct roles forward = {
    .x = slot_convolution_forward_x,
    .w = slot_convolution_forward_w,
    .y = slot_convolution_forward_y,
    .node = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
    .x_name = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
    .w_name = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
    .y_name = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
    .description = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
    .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
    .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
};

static const struct roles backward_data = {
    .x = slot_convolution_backward_data_dx,
    .w = slot_convolution_backward_data_w,
    .y = slot_convolution_backward_data_dy,
    .node = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
    .x_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
    .w_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
    .y_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
    .description = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
    .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
    .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
};

static const struct roles backward_filter = {
    .x = slot_convolution_backward_filter_x,
    .w = slot_convolution_backward_filter_dw,
    .y = slot_convolution_backward_filter_dy,
    .node = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
    .x_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
    .w_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
    .y_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
    .description = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
    .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
};

/* The first number of the tensors between nodes. */
enum { BETWEEN = 100 };

#define NODES_MAX 4

struct making {
    struct cdn_parts *parts;
    const struct anydnn_plugin_problem *problem;
    const struct cdn_factors *factors;
    cudnnDataType_t compute;
    cudnnBackendAttributeType_t factor_type;
    cudnnBackendDescriptor_t node[NODES_MAX];
    int32_t nodes;
    int32_t between;
};

/* ------------------------------------------------------------------ tensors */

/* Extends dims or strides to 4. A dim of 1 after the last one gets the stride of the last, as in a
 * packed layout of either order. */
static int32_t extend(int64_t to[], const int64_t *from, int32_t ndims, int is_stride)
{
    for (int32_t d = 0; d < ndims; d++)
        to[d] = from[d];
    for (; ndims < 4; ndims++)
        to[ndims] = is_stride ? to[ndims - 1] : 1;
    return ndims;
}

static cudnnBackendDescriptor_t tensor(struct making *making, int64_t number, cudnnDataType_t type,
                                       const struct anydnn_plugin_tensor *like, int is_virtual)
{
    struct cdn_parts *parts = making->parts;
    cudnnBackendDescriptor_t made =
        cdn_part(parts, CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor of the graph");
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX], strides[ANYDNN_PLUGIN_DIM_MAX];
    int64_t alignment = CDN_ALIGNMENT;
    int32_t ndims = extend(dims, like->dims, like->ndims, 0);
    bool hidden = is_virtual;

    extend(strides, like->strides, like->ndims, 1);
    cdn_set(parts, made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number);
    cdn_set(parts, made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    cdn_set(parts, made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, ndims, dims);
    cdn_set(parts, made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, ndims, strides);
    cdn_set(parts, made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    if (is_virtual)
        cdn_set(parts, made, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &hidden);
    cdn_finalize(parts, made, "a tensor of the graph");
    return made;
}

static cudnnBackendDescriptor_t operand(struct making *making, int32_t slot)
{
    const struct anydnn_plugin_tensor *like = making->problem->tensor[slot];

    return tensor(making, slot + 1, cdn_type(like->type), like, 0);
}

/* Creates a tensor between two nodes, with y's shape and the type of the sums. */
static cudnnBackendDescriptor_t between(struct making *making)
{
    return tensor(making, BETWEEN + making->between++, making->compute,
                  making->problem->tensor[CDN_FUSED(y)], 1);
}

/* ------------------------------------------------------------------ nodes */

static cudnnBackendDescriptor_t describe(struct making *making)
{
    const struct anydnn_plugin_convolution *params = making->problem->params;
    struct cdn_parts *parts = making->parts;
    cudnnBackendDescriptor_t made =
        cdn_part(parts, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, "the convolution");
    cudnnConvolutionMode_t mode = params->mode ? CUDNN_CROSS_CORRELATION : CUDNN_CONVOLUTION;
    int64_t dims = params->spatial_dims < 2 ? 2 : params->spatial_dims;
    int64_t pad[ANYDNN_PLUGIN_SPATIAL_MAX] = {0}, stride[ANYDNN_PLUGIN_SPATIAL_MAX] = {1, 1};
    int64_t dilation[ANYDNN_PLUGIN_SPATIAL_MAX] = {1, 1};

    for (int32_t i = 0; i < params->spatial_dims; i++) {
        pad[i] = params->pad[i];
        stride[i] = params->stride[i];
        dilation[i] = params->dilation[i];
    }
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
            &making->compute);
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &dims);
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, dims, pad);
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, dims, pad);
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, dims, stride);
    cdn_set(parts, made, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, dims, dilation);
    cdn_finalize(parts, made, "the convolution");
    return made;
}

static void set_descriptor(struct making *making, cudnnBackendDescriptor_t node,
                           cudnnBackendAttributeName_t name, cudnnBackendDescriptor_t value)
{
    cdn_set(making->parts, node, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void set_factor(struct making *making, cudnnBackendDescriptor_t node,
                       cudnnBackendAttributeName_t name, double factor)
{
    float single = (float)factor;

    cdn_set(making->parts, node, name, making->factor_type, 1,
            making->factor_type == CUDNN_TYPE_DOUBLE ? (const void *)&factor
                                                     : (const void *)&single);
}

static void convolution_node(struct making *making, const struct roles *roles,
                             cudnnBackendDescriptor_t y, double alpha, double beta)
{
    cudnnBackendDescriptor_t description = describe(making);
    cudnnBackendDescriptor_t x = operand(making, roles->x), w = operand(making, roles->w);
    cudnnBackendDescriptor_t node = cdn_part(making->parts, roles->node, "the convolution's node");

    set_descriptor(making, node, roles->description, description);
    set_descriptor(making, node, roles->x_name, x);
    set_descriptor(making, node, roles->w_name, w);
    set_descriptor(making, node, roles->y_name, y);
    set_factor(making, node, roles->alpha, alpha);
    set_factor(making, node, roles->beta, beta);
    cdn_finalize(making->parts, node, "the convolution's node");
    making->node[making->nodes++] = node;
}

/* Adds a node for to = mode(x), or to = mode(x, factor * b) if there is a b. */
static void pointwise_node(struct making *making, cudnnPointwiseMode_t mode,
                           cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b, double factor,
                           cudnnBackendDescriptor_t to)
{
    struct cdn_parts *parts = making->parts;
    cudnnBackendDescriptor_t description =
        cdn_part(parts, CUDNN_BACKEND_POINTWISE_DESCRIPTOR, "a pointwise operation");
    cudnnBackendDescriptor_t node;

    cdn_set(parts, description, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
    cdn_set(parts, description, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1,
            &making->compute);
    cdn_finalize(parts, description, "a pointwise operation");
    node = cdn_part(parts, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, "a pointwise node");
    set_descriptor(making, node, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, description);
    set_descriptor(making, node, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b) {
        set_descriptor(making, node, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
        set_factor(making, node, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1);
        set_factor(making, node, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, factor);
    }
    set_descriptor(making, node, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, to);
    cdn_finalize(parts, node, "a pointwise node");
    making->node[making->nodes++] = node;
}

/* Adds the nodes of y = act(alpha1 conv(x, w) + alpha2 z + bias). */
static void fused_nodes(struct making *making)
{
    const struct anydnn_plugin_problem *problem = making->problem;
    const struct anydnn_plugin_convolution *params = problem->params;
    int has_activation = params->activation != CUDNN_ACTIVATION_IDENTITY;
    cudnnBackendDescriptor_t y = operand(making, CDN_FUSED(y));
    cudnnBackendDescriptor_t sum = between(making), next;

    convolution_node(making, &forward, sum, making->factors->factor[0], 0);
    if (problem->tensor[CDN_FUSED(z)]) {
        next = between(making);
        pointwise_node(making, CUDNN_POINTWISE_ADD, sum, operand(making, CDN_FUSED(z)),
                       making->factors->factor[1], next);
        sum = next;
    }
    next = has_activation ? between(making) : y;
    pointwise_node(making, CUDNN_POINTWISE_ADD, sum, operand(making, CDN_FUSED(bias)), 1, next);
    if (has_activation)
        pointwise_node(making, CUDNN_POINTWISE_RELU_FWD, next, NULL, 0, y);
}

static const struct roles *roles_of(int32_t operation)
{
    return operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA     ? &backward_data
           : operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER ? &backward_filter
                                                                    : &forward;
}

/* Adds the node of a plain convolution. In backward operations, the node's y is an input, and x or
 * w is the output. */
static void plain_node(struct making *making)
{
    const struct roles *roles = roles_of(making->problem->operation);

    convolution_node(making, roles, operand(making, roles->y), making->factors->factor[0],
                     making->factors->factor[1]);
}

struct cdn_factors cdn_usual_factors(int32_t operation)
{
    int fused = operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;

    return (struct cdn_factors){{1, fused ? 1 : 0}};
}

cudnnBackendDescriptor_t cdn_graph_make(struct cdn_parts *parts, cudnnHandle_t handle,
                                        const struct anydnn_plugin_problem *problem,
                                        const struct cdn_factors *factors)
{
    int wide = problem->tensor[0]->type == ANYDNN_PLUGIN_DOUBLE;
    struct making making = {
        .parts = parts,
        .problem = problem,
        .factors = factors,
        .compute = wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT,
        .factor_type = wide ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT,
    };
    cudnnBackendDescriptor_t graph;

    if (cdn_is_fused(problem))
        fused_nodes(&making);
    else
        plain_node(&making);
    graph = cdn_part(parts, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "the operation graph");
    cdn_set(parts, graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    cdn_set(parts, graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
            making.nodes, making.node);
    cdn_finalize(parts, graph, "the operation graph");
    return graph;
}
