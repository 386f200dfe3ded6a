/* SPDX-License-Identifier: Apache-2.0 */
/* Implements convolutions with bias and ReLU, and fully connected layers. */
#include <math.h>

#include "net.h"

/* The algorithms. They are deterministic, and every backend provides them. */
static const anydnnConvolutionFwdAlgo_t forward_algo =
    ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
static const anydnnConvolutionBwdDataAlgo_t data_algo = ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1;
static const anydnnConvolutionBwdFilterAlgo_t filter_algo = ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

int net_add_convolution(struct net *net, const char *name, int x, struct net_convolution how)
{
    const struct net_value *in = &net->value[x];
    size_t terms = (size_t)in->channels * how.window * how.window;
    int side = (in->side + 2 * how.pad - how.window) / how.stride + 1;
    struct net_layer *layer = net_add(net, &net_convolutions, name, x, how.outputs, side);
    struct parameter w = {.layer = name,
                          .part = PART_WEIGHTS,
                          .count = (size_t)how.outputs * terms,
                          .bound = how.gain / sqrt((double)terms)};
    struct parameter bias = {.layer = name,
                             .part = PART_WEIGHTS,
                             .count = (size_t)how.outputs,
                             .bound = 1 / sqrt((double)terms)};

    if (layer == NULL)
        return x;
    layer->of.convolution = how;
    layer->of.convolution.w = parameters_add(&net->parameters, w);
    if (how.biased)
        layer->of.convolution.bias = parameters_add(&net->parameters, bias);
    if (layer->of.convolution.w < 0 || layer->of.convolution.bias < 0)
        net->broken = 1;
    return layer->y;
}

static int create(struct net *net, struct net_layer *layer)
{
    struct net_convolution *c = &layer->of.convolution;

    CALL(NULL, anydnnCreateConvolutionDescriptor(&c->how));
    CALL(NULL, anydnnSetConvolution2dDescriptor(c->how, c->pad, c->pad, c->stride, c->stride, 1, 1,
                                                ANYDNN_CROSS_CORRELATION, net->element->compute));
    CALL(NULL, anydnnSetConvolutionMathType(c->how, net->math));
    CALL(NULL, anydnnCreateFilterDescriptor(&c->filter));
    CALL(NULL,
         anydnnSetFilter4dDescriptor(c->filter, net->element->type, ANYDNN_TENSOR_NCHW, c->outputs,
                                     net->value[layer->x].channels, c->window, c->window));
    CALL(NULL, anydnnCreateTensorDescriptor(&c->bias_shape));
    CALL(NULL, anydnnSetTensor4dDescriptor(c->bias_shape, ANYDNN_TENSOR_NCHW, net->element->type, 1,
                                           c->outputs, 1, 1));
    return 0;
}

static void destroy(struct net *net, struct net_layer *layer)
{
    struct net_convolution *c = &layer->of.convolution;

    (void)net;
    if (c->how != NULL)
        anydnnDestroyConvolutionDescriptor(c->how);
    if (c->filter != NULL)
        anydnnDestroyFilterDescriptor(c->filter);
    if (c->bias_shape != NULL)
        anydnnDestroyTensorDescriptor(c->bias_shape);
}

static int workspace(struct net *net, struct net_layer *layer, const struct net_batch *batch,
                     size_t *bytes)
{
    const struct net_convolution *c = &layer->of.convolution;
    anydnnTensorDescriptor_t x = batch->value[layer->x], y = batch->value[layer->y];
    size_t need[3] = {0};

    CALL(layer->name, anydnnGetConvolutionForwardWorkspaceSize(net->handle, x, c->filter, c->how, y,
                                                               forward_algo, &need[0]));
    CALL(layer->name, anydnnGetConvolutionBackwardFilterWorkspaceSize(
                          net->handle, x, y, c->how, c->filter, filter_algo, &need[1]));
    if (layer->x > 0)
        CALL(layer->name, anydnnGetConvolutionBackwardDataWorkspaceSize(
                              net->handle, c->filter, y, c->how, x, data_algo, &need[2]));
    for (int i = 0; i < 3; i++)
        *bytes = need[i] > *bytes ? need[i] : *bytes;
    return 0;
}

/* Runs the layer. If bias and ReLU are enabled, one fused call computes all three steps. */
static int forward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    const struct net_convolution *c = &layer->of.convolution;
    const struct parameters *p = &net->parameters;
    union call_factor one = call_factor(net->element, 1), zero = call_factor(net->element, 0);
    anydnnTensorDescriptor_t x = batch->value[layer->x], y = batch->value[layer->y];
    const void *from = net->value[layer->x].data;
    void *to = net->value[layer->y].data;

    if (c->biased && c->relu) {
        CALL(layer->name,
             anydnnConvolutionBiasActivationForward(
                 net->handle, &one, x, from, c->filter, parameters_value(p, c->w), c->how,
                 forward_algo, net->workspace, net->workspace_bytes, &zero, NULL, NULL,
                 c->bias_shape, parameters_value(p, c->bias), net->relu, y, to));
        return 0;
    }
    CALL(layer->name, anydnnConvolutionForward(net->handle, &one, x, from, c->filter,
                                               parameters_value(p, c->w), c->how, forward_algo,
                                               net->workspace, net->workspace_bytes, &zero, y, to));
    if (c->biased)
        CALL(layer->name, anydnnAddTensor(net->handle, &one, c->bias_shape,
                                          parameters_value(p, c->bias), &one, y, to));
    if (c->relu)
        CALL(layer->name,
             anydnnActivationForward(net->handle, net->relu, &one, y, to, &zero, y, to));
    return 0;
}

/* Computes the gradients. The activation's derivative only needs its output, so the fused forward
 * call need not keep the input of the ReLU. */
static int backward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    const struct net_convolution *c = &layer->of.convolution;
    const struct parameters *p = &net->parameters;
    union call_factor one = call_factor(net->element, 1), zero = call_factor(net->element, 0);
    anydnnTensorDescriptor_t x = batch->value[layer->x], y = batch->value[layer->y];
    const struct net_value *in = &net->value[layer->x], *out = &net->value[layer->y];

    if (c->relu)
        CALL(layer->name,
             anydnnActivationBackward(net->handle, net->relu, &one, y, out->data, y, out->gradient,
                                      y, out->data, &zero, y, out->gradient));
    if (c->biased)
        CALL(layer->name,
             anydnnConvolutionBackwardBias(net->handle, &one, y, out->gradient, &zero,
                                           c->bias_shape, parameters_gradient(p, c->bias)));
    CALL(layer->name,
         anydnnConvolutionBackwardFilter(net->handle, &one, x, in->data, y, out->gradient, c->how,
                                         filter_algo, net->workspace, net->workspace_bytes, &zero,
                                         c->filter, parameters_gradient(p, c->w)));
    if (layer->x > 0) {
        union call_factor beta = net_blend(net, layer->x);

        CALL(layer->name,
             anydnnConvolutionBackwardData(net->handle, &one, c->filter, parameters_value(p, c->w),
                                           y, out->gradient, c->how, data_algo, net->workspace,
                                           net->workspace_bytes, &beta, x, in->gradient));
    }
    return 0;
}

const struct net_kind net_convolutions = {create, destroy, workspace, forward, backward};
