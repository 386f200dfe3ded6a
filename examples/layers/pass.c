/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the layers forward and backward, and the loss between these passes. */
#include "pass.h"

/* Converts between the two types, if they differ. */
static int convert(struct net *net, anydnnTensorDescriptor_t from_shape, const void *from,
                   anydnnTensorDescriptor_t to_shape, void *to)
{
    float one = 1, zero = 0;

    if (net->element != net->parameters.own)
        CALL("loss",
             anydnnTransformTensor(net->handle, &one, from_shape, from, &zero, to_shape, to));
    return 0;
}

int pass_forward(struct net *net, const struct net_batch *batch)
{
    union call_factor one = call_factor(net->parameters.own, 1);
    union call_factor zero = call_factor(net->parameters.own, 0);
    int last = net->values - 1;

    for (int l = 0; l < net->layers; l++)
        if (net->layer[l].kind->forward(net, &net->layer[l], batch) < 0)
            return -1;
    if (convert(net, batch->value[last], net->value[last].data, batch->scores, net->scores) < 0)
        return -1;
    CALL("loss", anydnnSoftmaxForward(net->handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                      &one, batch->scores, net->scores, &zero, batch->scores,
                                      net->log_probability));
    return 0;
}

int pass_backward(struct net *net, const struct net_batch *batch)
{
    union call_factor one = call_factor(net->parameters.own, 1);
    union call_factor zero = call_factor(net->parameters.own, 0);
    int last = net->values - 1;

    for (int v = 0; v < net->values; v++)
        net->value[v].written = 0;
    CALL("loss", anydnnSoftmaxBackward(net->handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                       &one, batch->scores, net->log_probability, batch->scores,
                                       net->target, &zero, batch->scores, net->d_scores));
    if (convert(net, batch->scores, net->d_scores, batch->value[last], net->value[last].gradient) <
        0)
        return -1;
    for (int l = net->layers - 1; l >= 0; l--)
        if (net->layer[l].kind->backward(net, &net->layer[l], batch) < 0)
            return -1;
    return 0;
}
