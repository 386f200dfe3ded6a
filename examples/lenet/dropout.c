/* SPDX-License-Identifier: Apache-2.0 */
/* The states say which elements go, forward writes that down in the reserve, backward reads it:
 * both look the same on every backend. */
#include "dropout.h"

enum { DROPPED = LAYERS - 1 }; /* the layer before which elements are dropped */

static const char name[] = "dropout";

static int reserve_bytes(struct network *net, int count, size_t *bytes)
{
    const struct layer *layer = &network_layers[DROPPED];
    anydnnTensorDescriptor_t tensor = NULL;
    anydnnStatus_t status = anydnnCreateTensorDescriptor(&tensor);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnSetTensor4dDescriptor(tensor, ANYDNN_TENSOR_NCHW, net->element->type, count,
                                             layer->inputs, layer->side, layer->side);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnDropoutGetReserveSpaceSize(tensor, bytes);
    anydnnDestroyTensorDescriptor(tensor);
    return network_done(net, status, NULL);
}

int dropout_create(struct network *net, double probability, int most, uint64_t seed)
{
    size_t bytes = 0;

    NETWORK_CALL(net, NULL, anydnnDropoutGetStatesSize(net->handle, &bytes));
    NETWORK_CALL(net, NULL, anydnnMemAlloc(net->handle, bytes, &net->dropout.states));
    NETWORK_CALL(net, NULL, anydnnCreateDropoutDescriptor(&net->dropout.what));
    NETWORK_CALL(net, NULL,
                 anydnnSetDropoutDescriptor(net->dropout.what, net->handle, (float)probability,
                                            net->dropout.states, bytes, seed));
    if (reserve_bytes(net, most, &bytes) < 0)
        return -1;
    NETWORK_CALL(net, NULL, anydnnMemAlloc(net->handle, bytes, &net->dropout.reserve));
    return 0;
}

void dropout_destroy(struct network *net)
{
    if (net->dropout.what != NULL)
        anydnnDestroyDropoutDescriptor(net->dropout.what);
    if (net->dropout.states != NULL)
        anydnnMemFree(net->handle, net->dropout.states);
    if (net->dropout.reserve != NULL)
        anydnnMemFree(net->handle, net->dropout.reserve);
    net->dropout = (struct network_dropout){0};
}

/* The ReLU before it takes its slope from the sign of what it gave; to drop and scale in place
 * leaves the sign of what is kept, and no gradient comes back to what is not. */
int dropout_forward(struct network *net, const struct network_batch *batch)
{
    anydnnTensorDescriptor_t x = batch->in[DROPPED];

    if (net->dropout.what == NULL || !net->training)
        return 0;
    NETWORK_CALL(net, NULL, anydnnDropoutGetReserveSpaceSize(x, &net->dropout.reserve_bytes));
    NETWORK_CALL(net, name,
                 anydnnDropoutForward(net->handle, net->dropout.what, x, net->in[DROPPED], x,
                                      net->in[DROPPED], net->dropout.reserve,
                                      net->dropout.reserve_bytes));
    return 0;
}

int dropout_backward(struct network *net, const struct network_batch *batch)
{
    anydnnTensorDescriptor_t dx = batch->in[DROPPED];

    if (net->dropout.what == NULL || !net->training)
        return 0;
    NETWORK_CALL(net, name,
                 anydnnDropoutBackward(net->handle, net->dropout.what, dx, net->d_in[DROPPED], dx,
                                       net->d_in[DROPPED], net->dropout.reserve,
                                       net->dropout.reserve_bytes));
    return 0;
}
