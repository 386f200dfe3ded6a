/* SPDX-License-Identifier: Apache-2.0 */
/* The library calls of one training step, in the order in which they run. */
#include "pass.h"

#include "dropout.h"

/* Algorithms that are deterministic and of which every backend has a form. */
static const anydnnConvolutionFwdAlgo_t forward_algo =
    ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
static const anydnnConvolutionBwdDataAlgo_t data_algo = ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1;
static const anydnnConvolutionBwdFilterAlgo_t filter_algo = ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

static void *at(void *row, size_t offset)
{
    return (char *)row + offset;
}

int pass_workspace(struct network *net, const struct network_batch *batch, size_t *bytes)
{
    *bytes = 0;
    for (int l = 0; l < LAYERS; l++) {
        const char *name = network_layers[l].name;
        size_t need[3] = {0};

        NETWORK_CALL(net, name,
                     anydnnGetConvolutionForwardWorkspaceSize(
                         net->handle, batch->in[l], net->filter[l], net->convolution, batch->out[l],
                         forward_algo, &need[0]));
        NETWORK_CALL(net, name,
                     anydnnGetConvolutionBackwardFilterWorkspaceSize(
                         net->handle, batch->in[l], batch->out[l], net->convolution, net->filter[l],
                         filter_algo, &need[1]));
        if (l > 0)
            NETWORK_CALL(net, name,
                         anydnnGetConvolutionBackwardDataWorkspaceSize(
                             net->handle, net->filter[l], batch->out[l], net->convolution,
                             batch->in[l], data_algo, &need[2]));
        for (int i = 0; i < 3; i++)
            *bytes = need[i] > *bytes ? need[i] : *bytes;
    }
    return 0;
}

/* Convolution, bias and ReLU in one call; the last layer's scores have no ReLU. */
static int layer_forward(struct network *net, const struct network_batch *batch, int l)
{
    const char *name = network_layers[l].name;
    union network_factor one = network_factor(net, 1);
    union network_factor zero = network_factor(net, 0);
    void *w = at(net->parameters, net->filter_at[l]);
    void *bias = at(net->parameters, net->bias_at[l]);

    if (l < LAYERS - 1) {
        NETWORK_CALL(net, name,
                     anydnnConvolutionBiasActivationForward(
                         net->handle, &one, batch->in[l], net->in[l], net->filter[l], w,
                         net->convolution, forward_algo, net->workspace, net->workspace_bytes,
                         &zero, NULL, NULL, net->bias[l], bias, net->relu, batch->out[l],
                         net->out[l]));
    } else {
        NETWORK_CALL(net, name,
                     anydnnConvolutionForward(net->handle, &one, batch->in[l], net->in[l],
                                              net->filter[l], w, net->convolution, forward_algo,
                                              net->workspace, net->workspace_bytes, &zero,
                                              batch->out[l], net->out[l]));
        NETWORK_CALL(net, name,
                     anydnnAddTensor(net->handle, &one, net->bias[l], bias, &one, batch->out[l],
                                     net->out[l]));
    }
    if (network_layers[l].pooled)
        NETWORK_CALL(net, name,
                     anydnnPoolingForward(net->handle, net->pooling, &one, batch->out[l],
                                          net->out[l], &zero, batch->in[l + 1], net->in[l + 1]));
    return 0;
}

int pass_forward(struct network *net, const struct network_batch *batch)
{
    union network_factor one = network_factor(net, 1);
    union network_factor zero = network_factor(net, 0);

    for (int l = 0; l < LAYERS; l++)
        if ((l == LAYERS - 1 && dropout_forward(net, batch) < 0) ||
            layer_forward(net, batch, l) < 0)
            return -1;
    NETWORK_CALL(net, "loss",
                 anydnnSoftmaxForward(net->handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                      &one, batch->in[LAYERS], net->in[LAYERS], &zero,
                                      batch->in[LAYERS], net->log_probability));
    return 0;
}

/* From d_in[l + 1] to d_out[l]. The activation's derivative needs its output alone, which is why
 * the fused forward call need not keep what went into the ReLU. */
static int layer_backward_to_convolution(struct network *net, const struct network_batch *batch,
                                         int l)
{
    const char *name = network_layers[l].name;
    union network_factor one = network_factor(net, 1);
    union network_factor zero = network_factor(net, 0);
    anydnnTensorDescriptor_t out = batch->out[l];

    if (network_layers[l].pooled)
        NETWORK_CALL(net, name,
                     anydnnPoolingBackward(net->handle, net->pooling, &one, batch->in[l + 1],
                                           net->in[l + 1], batch->in[l + 1], net->d_in[l + 1], out,
                                           net->out[l], &zero, out, net->d_out[l]));
    if (l < LAYERS - 1)
        NETWORK_CALL(net, name,
                     anydnnActivationBackward(net->handle, net->relu, &one, out, net->out[l], out,
                                              net->d_out[l], out, net->out[l], &zero, out,
                                              net->d_out[l]));
    return 0;
}

static int layer_backward(struct network *net, const struct network_batch *batch, int l)
{
    const char *name = network_layers[l].name;
    union network_factor one = network_factor(net, 1);
    union network_factor zero = network_factor(net, 0);

    if (layer_backward_to_convolution(net, batch, l) < 0)
        return -1;
    NETWORK_CALL(net, name,
                 anydnnConvolutionBackwardBias(net->handle, &one, batch->out[l], net->d_out[l],
                                               &zero, net->bias[l],
                                               at(net->gradients, net->bias_at[l])));
    NETWORK_CALL(net, name,
                 anydnnConvolutionBackwardFilter(
                     net->handle, &one, batch->in[l], net->in[l], batch->out[l], net->d_out[l],
                     net->convolution, filter_algo, net->workspace, net->workspace_bytes, &zero,
                     net->filter[l], at(net->gradients, net->filter_at[l])));
    if (l > 0)
        NETWORK_CALL(net, name,
                     anydnnConvolutionBackwardData(
                         net->handle, &one, net->filter[l], at(net->parameters, net->filter_at[l]),
                         batch->out[l], net->d_out[l], net->convolution, data_algo, net->workspace,
                         net->workspace_bytes, &zero, batch->in[l], net->d_in[l]));
    return 0;
}

int pass_backward(struct network *net, const struct network_batch *batch)
{
    union network_factor one = network_factor(net, 1);
    union network_factor zero = network_factor(net, 0);
    anydnnTensorDescriptor_t scores = batch->in[LAYERS];

    NETWORK_CALL(net, "loss",
                 anydnnSoftmaxBackward(net->handle, ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                       &one, scores, net->log_probability, scores, net->target,
                                       &zero, scores, net->d_in[LAYERS]));
    for (int l = LAYERS - 1; l >= 0; l--)
        if (layer_backward(net, batch, l) < 0 ||
            (l == LAYERS - 1 && dropout_backward(net, batch) < 0))
            return -1;
    return 0;
}

int pass_update(struct network *net, double rate, double momentum)
{
    union network_factor one = network_factor(net, 1);
    union network_factor keep = network_factor(net, momentum);
    union network_factor step = network_factor(net, -rate);

    NETWORK_CALL(net, "update",
                 anydnnAddTensor(net->handle, &one, net->all, net->gradients, &keep, net->all,
                                 net->velocity));
    NETWORK_CALL(net, "update",
                 anydnnAddTensor(net->handle, &step, net->all, net->velocity, &one, net->all,
                                 net->parameters));
    return 0;
}
