/* SPDX-License-Identifier: Apache-2.0 */
/* Implements batch normalization of each channel, with an optional addition and ReLU. */
#include "net.h"

static const double epsilon = 1e-5;
static const double averaging = 0.1; /* weight of a batch in the running averages */
static const anydnnBatchNormMode_t mode = ANYDNN_BATCHNORM_SPATIAL;

int net_add_normalization(struct net *net, const char *name, int x, int z, int relu)
{
    const struct net_value *in = &net->value[x];
    struct net_layer *layer = net_add(net, &net_normalizations, name, x, in->channels, in->side);
    struct parameter scale = {
        .layer = name, .part = PART_NORMS, .count = (size_t)in->channels, .constant = 1};
    struct parameter bias = {.layer = name, .part = PART_NORMS, .count = (size_t)in->channels};
    struct net_normalization *n;

    if (layer == NULL)
        return x;
    n = &layer->of.normalization;
    n->z = z;
    n->relu = relu;
    n->ops = z >= 0 ? ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION
             : relu ? ANYDNN_BATCHNORM_OPS_BN_ACTIVATION
                    : ANYDNN_BATCHNORM_OPS_BN;
    n->scale = parameters_add(&net->parameters, scale);
    n->bias = parameters_add(&net->parameters, bias);
    if (n->scale < 0 || n->bias < 0)
        net->broken = 1;
    return layer->y;
}

static int draw_running(struct net *net, struct net_normalization *n)
{
    union call_factor one = call_factor(net->parameters.own, 1);

    CALL(NULL, anydnnSetTensor(net->handle, n->shape, n->running[1], &one));
    return 0;
}

static int create(struct net *net, struct net_layer *layer)
{
    struct net_normalization *n = &layer->of.normalization;
    int channels = net->value[layer->x].channels;
    size_t bytes = (size_t)channels * net->parameters.own->size;

    CALL(NULL, anydnnCreateTensorDescriptor(&n->shape));
    CALL(NULL, anydnnSetTensor4dDescriptor(n->shape, ANYDNN_TENSOR_NCHW, net->parameters.own->type,
                                           1, channels, 1, 1));
    for (int i = 0; i < 2; i++)
        if (net_allocate(net, &n->running[i], bytes) < 0 ||
            net_allocate(net, &n->saved[i], bytes) < 0)
            return -1;
    return draw_running(net, n);
}

static void destroy(struct net *net, struct net_layer *layer)
{
    struct net_normalization *n = &layer->of.normalization;

    for (int i = 0; i < 2; i++) {
        net_release(net, n->running[i]);
        net_release(net, n->saved[i]);
    }
    net_release(net, n->reserve);
    if (n->shape != NULL)
        anydnnDestroyTensorDescriptor(n->shape);
}

static int enlarge_reserve(struct net *net, struct net_normalization *n, size_t bytes)
{
    if (bytes <= n->reserve_bytes)
        return 0;
    net_release(net, n->reserve);
    n->reserve_bytes = 0;
    n->reserve = NULL;
    if (net_allocate(net, &n->reserve, bytes) < 0)
        return -1;
    n->reserve_bytes = bytes;
    return 0;
}

static int workspace(struct net *net, struct net_layer *layer, const struct net_batch *batch,
                     size_t *bytes)
{
    struct net_normalization *n = &layer->of.normalization;
    anydnnTensorDescriptor_t x = batch->value[layer->x], z = n->z < 0 ? NULL : batch->value[n->z];
    anydnnTensorDescriptor_t y = batch->value[layer->y];
    size_t need[2] = {0}, reserve = 0;

    CALL(layer->name, anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                          net->handle, mode, n->ops, x, z, y, n->shape, net->relu, &need[0]));
    CALL(layer->name, anydnnGetBatchNormalizationBackwardExWorkspaceSize(
                          net->handle, mode, n->ops, x, y, y, z, x, n->shape, net->relu, &need[1]));
    CALL(layer->name, anydnnGetBatchNormalizationTrainingExReserveSpaceSize(
                          net->handle, mode, n->ops, net->relu, x, &reserve));
    for (int i = 0; i < 2; i++)
        *bytes = need[i] > *bytes ? need[i] : *bytes;
    return enlarge_reserve(net, n, reserve);
}

/* Runs inference. It has no fused call. */
static int infer(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    const struct net_normalization *n = &layer->of.normalization;
    const struct parameters *p = &net->parameters;
    union call_factor one = call_factor(net->element, 1), zero = call_factor(net->element, 0);
    anydnnTensorDescriptor_t x = batch->value[layer->x], y = batch->value[layer->y];
    void *to = net->value[layer->y].data;

    CALL(layer->name, anydnnBatchNormalizationForwardInference(
                          net->handle, mode, &one, &zero, x, net->value[layer->x].data, y, to,
                          n->shape, parameters_value(p, n->scale), parameters_value(p, n->bias),
                          n->running[0], n->running[1], epsilon));
    if (n->z >= 0)
        CALL(layer->name, anydnnAddTensor(net->handle, &one, batch->value[n->z],
                                          net->value[n->z].data, &one, y, to));
    if (n->relu)
        CALL(layer->name,
             anydnnActivationForward(net->handle, net->relu, &one, y, to, &zero, y, to));
    return 0;
}

static int forward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    const struct net_normalization *n = &layer->of.normalization;
    const struct parameters *p = &net->parameters;
    union call_factor one = call_factor(net->element, 1), zero = call_factor(net->element, 0);

    if (!net->training)
        return infer(net, layer, batch);
    CALL(layer->name, anydnnBatchNormalizationForwardTrainingEx(
                          net->handle, mode, n->ops, &one, &zero, batch->value[layer->x],
                          net->value[layer->x].data, n->z < 0 ? NULL : batch->value[n->z],
                          n->z < 0 ? NULL : net->value[n->z].data, batch->value[layer->y],
                          net->value[layer->y].data, n->shape, parameters_value(p, n->scale),
                          parameters_value(p, n->bias), averaging, n->running[0], n->running[1],
                          epsilon, n->saved[0], n->saved[1], net->relu, net->workspace,
                          net->workspace_bytes, n->reserve, n->reserve_bytes));
    return 0;
}

/* Computes the gradients. The gradient of z is not blended, so in forward order, the normalization
 * must be the last reader of z. */
static int backward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    const struct net_normalization *n = &layer->of.normalization;
    const struct parameters *p = &net->parameters;
    union call_factor one = call_factor(net->element, 1), zero = call_factor(net->element, 0);
    union call_factor beta = net_blend(net, layer->x);
    anydnnTensorDescriptor_t x = batch->value[layer->x], y = batch->value[layer->y];
    const struct net_value *in = &net->value[layer->x], *out = &net->value[layer->y];

    if (n->z >= 0)
        net_blend(net, n->z);
    CALL(layer->name, anydnnBatchNormalizationBackwardEx(
                          net->handle, mode, n->ops, &one, &beta, &one, &zero, x, in->data, y,
                          out->data, y, out->gradient, n->z < 0 ? NULL : batch->value[n->z],
                          n->z < 0 ? NULL : net->value[n->z].gradient, x, in->gradient, n->shape,
                          parameters_value(p, n->scale), parameters_value(p, n->bias),
                          parameters_gradient(p, n->scale), parameters_gradient(p, n->bias),
                          epsilon, n->saved[0], n->saved[1], net->relu, net->workspace,
                          net->workspace_bytes, n->reserve, n->reserve_bytes));
    return 0;
}

const struct net_kind net_normalizations = {create, destroy, workspace, forward, backward};
