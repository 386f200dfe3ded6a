/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the dropout layer, which works in place. The states determine which elements are
 * dropped. Forward stores this in the reserve, and backward reads it. Both give the same result on
 * every backend. */
#include "net.h"

static const char name[] = "dropout";

/* Adds a dropout layer. A ReLU before it derives its slope from the sign of its output. Dropping
 * and scaling in place preserves the sign of kept elements, and dropped elements receive no
 * gradient. */
int net_add_dropout(struct net *net, int x, double probability, uint64_t seed)
{
    struct net_layer *layer = net_add(net, &net_dropouts, name, x, 0, 0);

    if (layer == NULL)
        return x;
    net->values--; /* the layer adds no value */
    layer->y = x;
    layer->of.dropout = (struct net_dropout){.probability = probability, .seed = seed};
    return x;
}

static int reserve_bytes(struct net *net, int value, size_t *bytes)
{
    const struct net_value *v = &net->value[value];
    anydnnTensorDescriptor_t tensor = NULL;
    anydnnStatus_t status = anydnnCreateTensorDescriptor(&tensor);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnSetTensor4dDescriptor(tensor, ANYDNN_TENSOR_NCHW, net->element->type,
                                             net->most, v->channels, v->side, v->side);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnDropoutGetReserveSpaceSize(tensor, bytes);
    anydnnDestroyTensorDescriptor(tensor);
    return call_done(status, NULL);
}

static int create(struct net *net, struct net_layer *layer)
{
    struct net_dropout *d = &layer->of.dropout;
    size_t bytes = 0;

    CALL(NULL, anydnnDropoutGetStatesSize(net->handle, &bytes));
    CALL(NULL, anydnnMemAlloc(net->handle, bytes, &d->states));
    CALL(NULL, anydnnCreateDropoutDescriptor(&d->how));
    CALL(NULL, anydnnSetDropoutDescriptor(d->how, net->handle, (float)d->probability, d->states,
                                          bytes, d->seed));
    if (reserve_bytes(net, layer->x, &bytes) < 0)
        return -1;
    CALL(NULL, anydnnMemAlloc(net->handle, bytes, &d->reserve));
    return 0;
}

static void destroy(struct net *net, struct net_layer *layer)
{
    struct net_dropout *d = &layer->of.dropout;

    if (d->how != NULL)
        anydnnDestroyDropoutDescriptor(d->how);
    net_release(net, d->states);
    net_release(net, d->reserve);
}

static int forward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    struct net_dropout *d = &layer->of.dropout;
    anydnnTensorDescriptor_t x = batch->value[layer->x];
    void *data = net->value[layer->x].data;

    if (!net->training)
        return 0;
    CALL(NULL, anydnnDropoutGetReserveSpaceSize(x, &d->reserve_bytes));
    CALL(name,
         anydnnDropoutForward(net->handle, d->how, x, data, x, data, d->reserve, d->reserve_bytes));
    return 0;
}

static int backward(struct net *net, struct net_layer *layer, const struct net_batch *batch)
{
    const struct net_dropout *d = &layer->of.dropout;
    anydnnTensorDescriptor_t x = batch->value[layer->x];
    void *gradient = net->value[layer->x].gradient;

    if (!net->training)
        return 0;
    CALL(name, anydnnDropoutBackward(net->handle, d->how, x, gradient, x, gradient, d->reserve,
                                     d->reserve_bytes));
    return 0;
}

const struct net_kind net_dropouts = {create, destroy, NULL, forward, backward};
