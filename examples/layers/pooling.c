/* SPDX-License-Identifier: Apache-2.0 */
/* Implements pooling over square windows without padding. */
#include "net.h"

int net_add_pooling(struct net *net, const char *name, int x, anydnnPoolingMode_t mode, int window,
                    int stride)
{
    const struct net_value *in = &net->value[x];
    struct net_layer *layer =
        net_add(net, &net_poolings, name, x, in->channels, (in->side - window) / stride + 1);

    if (layer == NULL)
        return x;
    layer->of.pooling = (struct net_pooling){.mode = mode, .window = window, .stride = stride};
    return layer->y;
}

static int create(struct net *net, struct net_layer *layer)
{
    struct net_pooling *p = &layer->of.pooling;

    (void)net;
    CALL(NULL, anydnnCreatePoolingDescriptor(&p->how));
    CALL(NULL, anydnnSetPooling2dDescriptor(p->how, p->mode, ANYDNN_NOT_PROPAGATE_NAN, p->window,
                                            p->window, 0, 0, p->stride, p->stride));
    return 0;
}

static void destroy(struct net *net, struct net_layer *layer)
{
    (void)net;
    if (layer->of.pooling.how != NULL)
        anydnnDestroyPoolingDescriptor(layer->of.pooling.how);
}

static int forward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    union call_factor one = call_factor(net->element, 1), zero = call_factor(net->element, 0);

    CALL(layer->name, anydnnPoolingForward(net->handle, layer->of.pooling.how, &one,
                                           batch->value[layer->x], net->value[layer->x].data, &zero,
                                           batch->value[layer->y], net->value[layer->y].data));
    return 0;
}

static int backward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    union call_factor one = call_factor(net->element, 1);
    union call_factor beta = net_blend(net, layer->x);
    anydnnTensorDescriptor_t x = batch->value[layer->x], y = batch->value[layer->y];
    const struct net_value *in = &net->value[layer->x], *out = &net->value[layer->y];

    CALL(layer->name, anydnnPoolingBackward(net->handle, layer->of.pooling.how, &one, y, out->data,
                                            y, out->gradient, x, in->data, &beta, x, in->gradient));
    return 0;
}

const struct net_kind net_poolings = {create, destroy, NULL, forward, backward};
