/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the network: descriptors, parameters, and the memory for what flows through it. */
#include "network.h"

#include <math.h>
#include <stdlib.h>

#include "complain.h"
#include "dataset.h"
#include "dropout.h"
#include "pass.h"
#include "random.h"
#include "report.h"

enum { ALIGNMENT = 256, WEIGHTS_STREAM = 2 };

const struct layer network_layers[LAYERS] = {
    {"conv1", 1, 6, 28, 5, 1},   {"conv2", 6, 16, 12, 5, 1}, {"full3", 16, 120, 4, 4, 0},
    {"full4", 120, 84, 1, 1, 0}, {"full5", 84, 10, 1, 1, 0},
};

int network_done(struct network *net, anydnnStatus_t status, const char *where)
{
    if (status != ANYDNN_STATUS_SUCCESS)
        return complain_of_library(where);
    if (net->report != NULL && where != NULL)
        report_note(net->report, net->handle, where);
    return 0;
}

union network_factor network_factor(const struct network *net, double value)
{
    union network_factor factor;

    if (net->element->type == ANYDNN_DATA_DOUBLE)
        factor.twofold = value;
    else
        factor.single = (float)value;
    return factor;
}

static int side_out(const struct layer *layer)
{
    return layer->side - layer->window + 1;
}

static size_t filter_count(const struct layer *layer)
{
    return (size_t)layer->outputs * layer->inputs * layer->window * layer->window;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int describe_operations(struct network *net, anydnnMathType_t math)
{
    NETWORK_CALL(net, NULL, anydnnCreateConvolutionDescriptor(&net->convolution));
    NETWORK_CALL(net, NULL,
                 anydnnSetConvolution2dDescriptor(net->convolution, 0, 0, 1, 1, 1, 1,
                                                  ANYDNN_CROSS_CORRELATION, net->element->compute));
    NETWORK_CALL(net, NULL, anydnnSetConvolutionMathType(net->convolution, math));
    NETWORK_CALL(net, NULL, anydnnCreateActivationDescriptor(&net->relu));
    NETWORK_CALL(net, NULL,
                 anydnnSetActivationDescriptor(net->relu, ANYDNN_ACTIVATION_RELU,
                                               ANYDNN_NOT_PROPAGATE_NAN, 0));
    NETWORK_CALL(net, NULL, anydnnCreatePoolingDescriptor(&net->pooling));
    NETWORK_CALL(net, NULL,
                 anydnnSetPooling2dDescriptor(net->pooling, ANYDNN_POOLING_MAX,
                                              ANYDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    return 0;
}

/* Lays all parameters into one row, so that a training step updates them with two calls. */
static int describe_parameters(struct network *net)
{
    const struct element *e = net->element;
    size_t bytes = 0;

    for (int l = 0; l < LAYERS; l++) {
        const struct layer *layer = &network_layers[l];

        NETWORK_CALL(net, NULL, anydnnCreateFilterDescriptor(&net->filter[l]));
        NETWORK_CALL(net, NULL,
                     anydnnSetFilter4dDescriptor(net->filter[l], e->type, ANYDNN_TENSOR_NCHW,
                                                 layer->outputs, layer->inputs, layer->window,
                                                 layer->window));
        NETWORK_CALL(net, NULL, anydnnCreateTensorDescriptor(&net->bias[l]));
        NETWORK_CALL(net, NULL,
                     anydnnSetTensor4dDescriptor(net->bias[l], ANYDNN_TENSOR_NCHW, e->type, 1,
                                                 layer->outputs, 1, 1));
        net->filter_at[l] = bytes;
        net->bias_at[l] = bytes + aligned(filter_count(layer) * e->size);
        bytes = net->bias_at[l] + aligned((size_t)layer->outputs * e->size);
    }
    net->all_bytes = bytes;
    NETWORK_CALL(net, NULL, anydnnCreateTensorDescriptor(&net->all));
    NETWORK_CALL(net, NULL,
                 anydnnSetTensor4dDescriptor(net->all, ANYDNN_TENSOR_NCHW, e->type, 1, 1, 1,
                                             (int)(bytes / e->size)));
    return 0;
}

static int allocate(struct network *net, void **memory, size_t bytes)
{
    NETWORK_CALL(net, NULL, anydnnMemAlloc(net->handle, bytes, memory));
    NETWORK_CALL(net, NULL, anydnnMemSet(net->handle, *memory, 0, bytes));
    return 0;
}

static int allocate_pair(struct network *net, void **value, void **derivative, int channels,
                         int side, int most)
{
    size_t bytes = (size_t)most * channels * side * side * net->element->size;

    return allocate(net, value, bytes) < 0 || allocate(net, derivative, bytes) < 0 ? -1 : 0;
}

static int allocate_flow(struct network *net, int most)
{
    size_t scores = (size_t)most * CLASSES * net->element->size;

    if (allocate(net, &net->in[0], (size_t)most * IMAGE_PIXELS * net->element->size) < 0)
        return -1;
    for (int l = 0; l < LAYERS; l++) {
        const struct layer *layer = &network_layers[l];
        int side = side_out(layer);

        if (allocate_pair(net, &net->out[l], &net->d_out[l], layer->outputs, side, most) < 0)
            return -1;
        net->in[l + 1] = net->out[l];
        net->d_in[l + 1] = net->d_out[l];
        if (layer->pooled && allocate_pair(net, &net->in[l + 1], &net->d_in[l + 1], layer->outputs,
                                           side / 2, most) < 0)
            return -1;
    }
    return allocate(net, &net->log_probability, scores) < 0 ||
                   allocate(net, &net->target, scores) < 0
               ? -1
               : 0;
}

/* Uniform between plus and minus 1/sqrt(inputs of one output), weights and biases alike. */
static void draw_parameters(const struct network *net, char *host, uint64_t seed)
{
    struct random r = random_stream(seed, WEIGHTS_STREAM);

    for (int l = 0; l < LAYERS; l++) {
        const struct layer *layer = &network_layers[l];
        double bound = 1 / sqrt((double)layer->inputs * layer->window * layer->window);

        for (size_t i = 0; i < filter_count(layer); i++)
            net->element->store(host + net->filter_at[l], i, random_uniform(&r, -bound, bound));
        for (size_t i = 0; i < (size_t)layer->outputs; i++)
            net->element->store(host + net->bias_at[l], i, random_uniform(&r, -bound, bound));
    }
}

static int allocate_parameters(struct network *net, uint64_t seed)
{
    char *host = calloc(1, net->all_bytes);
    int result = -1;

    if (host == NULL)
        return complain("out of memory for the parameters.");
    draw_parameters(net, host, seed);
    if (allocate(net, &net->parameters, net->all_bytes) < 0 ||
        allocate(net, &net->gradients, net->all_bytes) < 0 ||
        allocate(net, &net->velocity, net->all_bytes) < 0)
        goto out;
    result = network_done(net,
                          anydnnMemCopy(net->handle, net->parameters, host, net->all_bytes,
                                        ANYDNN_MEMCPY_HOST_TO_DEVICE),
                          NULL);
out:
    free(host);
    return result;
}

int network_create(struct network *net, anydnnHandle_t handle, const struct element *element,
                   anydnnMathType_t math, int most, uint64_t seed)
{
    *net = (struct network){.handle = handle, .element = element};
    if (describe_operations(net, math) < 0 || describe_parameters(net) < 0 ||
        allocate_parameters(net, seed) < 0 || allocate_flow(net, most) < 0)
        return -1;
    return 0;
}

static void release(struct network *net, void *memory)
{
    if (memory != NULL)
        anydnnMemFree(net->handle, memory);
}

void network_destroy(struct network *net)
{
    for (int l = 0; l < LAYERS; l++) {
        if (net->in[l + 1] != net->out[l]) {
            release(net, net->in[l + 1]);
            release(net, net->d_in[l + 1]);
        }
        release(net, net->out[l]);
        release(net, net->d_out[l]);
        if (net->filter[l] != NULL)
            anydnnDestroyFilterDescriptor(net->filter[l]);
        if (net->bias[l] != NULL)
            anydnnDestroyTensorDescriptor(net->bias[l]);
    }
    release(net, net->in[0]);
    release(net, net->log_probability);
    release(net, net->target);
    release(net, net->parameters);
    release(net, net->gradients);
    release(net, net->velocity);
    release(net, net->workspace);
    dropout_destroy(net);
    if (net->all != NULL)
        anydnnDestroyTensorDescriptor(net->all);
    if (net->pooling != NULL)
        anydnnDestroyPoolingDescriptor(net->pooling);
    if (net->relu != NULL)
        anydnnDestroyActivationDescriptor(net->relu);
    if (net->convolution != NULL)
        anydnnDestroyConvolutionDescriptor(net->convolution);
    *net = (struct network){0};
}

static int describe_images(struct network *net, anydnnTensorDescriptor_t *tensor, int count,
                           int channels, int side)
{
    NETWORK_CALL(net, NULL, anydnnCreateTensorDescriptor(tensor));
    NETWORK_CALL(net, NULL,
                 anydnnSetTensor4dDescriptor(*tensor, ANYDNN_TENSOR_NCHW, net->element->type, count,
                                             channels, side, side));
    return 0;
}

int network_batch_create(struct network *net, struct network_batch *batch, int count)
{
    size_t bytes;

    *batch = (struct network_batch){.count = count};
    if (describe_images(net, &batch->in[0], count, 1, IMAGE_SIDE) < 0)
        return -1;
    for (int l = 0; l < LAYERS; l++) {
        const struct layer *layer = &network_layers[l];
        int side = side_out(layer);

        if (describe_images(net, &batch->out[l], count, layer->outputs, side) < 0)
            return -1;
        batch->in[l + 1] = batch->out[l];
        if (layer->pooled &&
            describe_images(net, &batch->in[l + 1], count, layer->outputs, side / 2) < 0)
            return -1;
    }
    if (pass_workspace(net, batch, &bytes) < 0)
        return -1;
    if (bytes > net->workspace_bytes) {
        release(net, net->workspace);
        net->workspace = NULL;
        net->workspace_bytes = 0;
        NETWORK_CALL(net, NULL, anydnnMemAlloc(net->handle, bytes, &net->workspace));
        net->workspace_bytes = bytes;
    }
    return 0;
}

void network_batch_destroy(struct network_batch *batch)
{
    for (int l = 0; l < LAYERS; l++) {
        if (batch->in[l + 1] != NULL && batch->in[l + 1] != batch->out[l])
            anydnnDestroyTensorDescriptor(batch->in[l + 1]);
        if (batch->out[l] != NULL)
            anydnnDestroyTensorDescriptor(batch->out[l]);
    }
    if (batch->in[0] != NULL)
        anydnnDestroyTensorDescriptor(batch->in[0]);
    *batch = (struct network_batch){0};
}
