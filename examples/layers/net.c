/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a network: its list of layers, its values, and the memory for them. */
#include "net.h"

#include <math.h>
#include <string.h>

#include "complain.h"
#include "dataset.h"

int net_begin(struct net *net, anydnnHandle_t handle, const struct element *element,
              anydnnMathType_t math, int most, int channels, int side)
{
    *net = (struct net){
        .handle = handle,
        .element = element,
        .math = math,
        .most = most,
        .values = 1,
        .value = {{.channels = channels, .side = side}},
    };
    parameters_begin(&net->parameters, handle, element, element->type == ANYDNN_DATA_HALF);
    return 0;
}

struct net_layer *net_add(struct net *net, const struct net_kind *kind, const char *name, int x,
                          int channels, int side)
{
    struct net_layer *layer = &net->layer[net->layers];

    if (net->broken)
        return NULL;
    if (net->layers == NET_LAYERS) {
        net->broken = 1;
        complain("%s: more than %d layers.", name, NET_LAYERS);
        return NULL;
    }
    net->layers++;
    *layer = (struct net_layer){.name = name, .kind = kind, .x = x, .y = net->values};
    net->value[net->values++] = (struct net_value){.channels = channels, .side = side};
    return layer;
}

/* ---- memory */

int net_allocate(struct net *net, void **memory, size_t bytes)
{
    CALL(NULL, anydnnMemAlloc(net->handle, bytes, memory));
    CALL(NULL, anydnnMemSet(net->handle, *memory, 0, bytes));
    return 0;
}

void net_release(struct net *net, void *memory)
{
    if (memory != NULL)
        anydnnMemFree(net->handle, memory);
}

size_t net_value_bytes(const struct net *net, int value)
{
    const struct net_value *v = &net->value[value];

    return (size_t)net->most * v->channels * v->side * v->side * net->element->size;
}

static int allocate_values(struct net *net)
{
    for (int v = 0; v < net->values; v++)
        if (net_allocate(net, &net->value[v].data, net_value_bytes(net, v)) < 0 ||
            (v > 0 && net_allocate(net, &net->value[v].gradient, net_value_bytes(net, v)) < 0))
            return -1;
    return 0;
}

/* Allocates the memory of the loss. If the scores have a shorter type than the parameters, the loss
 * is computed from a copy. */
static int allocate_loss(struct net *net)
{
    struct net_value *last = &net->value[net->values - 1];
    size_t bytes = (size_t)net->most * CLASSES * net->parameters.own->size;

    if (net->element == net->parameters.own) {
        net->scores = last->data;
        net->d_scores = last->gradient;
    } else if (net_allocate(net, &net->scores, bytes) < 0 ||
               net_allocate(net, &net->d_scores, bytes) < 0) {
        return -1;
    }
    return net_allocate(net, &net->log_probability, bytes) < 0 ||
                   net_allocate(net, &net->target, bytes) < 0
               ? -1
               : 0;
}

static int create_relu(struct net *net)
{
    CALL(NULL, anydnnCreateActivationDescriptor(&net->relu));
    CALL(NULL, anydnnSetActivationDescriptor(net->relu, ANYDNN_ACTIVATION_RELU,
                                             ANYDNN_NOT_PROPAGATE_NAN, 0));
    return 0;
}

int net_create(struct net *net, uint64_t seed)
{
    if (net->broken || create_relu(net) < 0 || parameters_create(&net->parameters, seed) < 0)
        return -1;
    for (int l = 0; l < net->layers; l++)
        if (net->layer[l].kind->create(net, &net->layer[l]) < 0)
            return -1;
    return allocate_values(net) < 0 || allocate_loss(net) < 0 ? -1 : 0;
}

void net_destroy(struct net *net)
{
    for (int l = 0; l < net->layers; l++)
        net->layer[l].kind->destroy(net, &net->layer[l]);
    if (net->element != net->parameters.own) {
        net_release(net, net->scores);
        net_release(net, net->d_scores);
    }
    for (int v = 0; v < net->values; v++) {
        net_release(net, net->value[v].data);
        net_release(net, net->value[v].gradient);
    }
    net_release(net, net->log_probability);
    net_release(net, net->target);
    net_release(net, net->workspace);
    parameters_destroy(&net->parameters);
    if (net->relu != NULL)
        anydnnDestroyActivationDescriptor(net->relu);
    memset(net, 0, sizeof *net);
}

union call_factor net_blend(struct net *net, int value)
{
    union call_factor beta = call_factor(net->element, net->value[value].written);

    net->value[value].written = 1;
    return beta;
}

/* ---- batches */

static int describe(anydnnTensorDescriptor_t *tensor, anydnnDataType_t type, int count,
                    int channels, int side)
{
    CALL(NULL, anydnnCreateTensorDescriptor(tensor));
    CALL(NULL, anydnnSetTensor4dDescriptor(*tensor, ANYDNN_TENSOR_NCHW, type, count, channels, side,
                                           side));
    return 0;
}

static int enlarge_workspace(struct net *net, size_t bytes)
{
    if (bytes <= net->workspace_bytes)
        return 0;
    net_release(net, net->workspace);
    net->workspace = NULL;
    net->workspace_bytes = 0;
    CALL(NULL, anydnnMemAlloc(net->handle, bytes, &net->workspace));
    net->workspace_bytes = bytes;
    return 0;
}

int net_batch_create(struct net *net, struct net_batch *batch, int count)
{
    size_t bytes = 0;

    *batch = (struct net_batch){.count = count};
    for (int v = 0; v < net->values; v++)
        if (describe(&batch->value[v], net->element->type, count, net->value[v].channels,
                     net->value[v].side) < 0)
            return -1;
    if (describe(&batch->scores, net->parameters.own->type, count, CLASSES, 1) < 0)
        return -1;
    for (int l = 0; l < net->layers; l++)
        if (net->layer[l].kind->workspace != NULL &&
            net->layer[l].kind->workspace(net, &net->layer[l], batch, &bytes) < 0)
            return -1;
    return enlarge_workspace(net, bytes);
}

void net_batch_destroy(struct net_batch *batch)
{
    for (int v = 0; v < NET_VALUES; v++)
        if (batch->value[v] != NULL)
            anydnnDestroyTensorDescriptor(batch->value[v]);
    if (batch->scores != NULL)
        anydnnDestroyTensorDescriptor(batch->scores);
    *batch = (struct net_batch){0};
}
