/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network as a list of layers, each of which reads values and makes one. It is put together by
 * net_begin, the functions that add a layer, and net_create; all its memory is the handle's.
 */
#ifndef LAYERS_NET_H
#define LAYERS_NET_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"
#include "element.h"
#include "parameters.h"

enum { NET_LAYERS = 96, NET_VALUES = NET_LAYERS + 1 };

/* What flows from layer to layer: images of `channels` times `side` times `side`, and the loss's
 * derivative by them. Value 0 are the network's images; no gradient of theirs is computed. */
struct net_value {
    int channels;
    int side;
    void *data;
    void *gradient;
    int written; /* by a user of the value, in this pass backward: the next one adds to it */
};

/* What depends on the number of images in one call. */
struct net_batch {
    int count;
    anydnnTensorDescriptor_t value[NET_VALUES];
    anydnnTensorDescriptor_t scores; /* of the parameters' own type, in which the loss is taken */
};

struct net;
struct net_layer;

struct net_kind {
    /* What no batch changes, and memory for batches of net->most images. */
    int (*create)(struct net *net, struct net_layer *layer);
    void (*destroy)(struct net *net, struct net_layer *layer);
    /* Raises *bytes to what a call needs; NULL: nothing. */
    int (*workspace)(struct net *net, struct net_layer *layer, const struct net_batch *batch,
                     size_t *bytes);
    int (*forward)(struct net *net, struct net_layer *layer, const struct net_batch *batch);
    int (*backward)(struct net *net, struct net_layer *layer, const struct net_batch *batch);
};

/* A fully connected layer is a convolution whose filter covers its input. */
struct net_convolution {
    int outputs;
    int window;
    int stride;
    int pad;
    int biased;
    int relu;
    double gain; /* weights are drawn uniformly between -+ gain / sqrt(inputs of one output) */
    int w;       /* parameters */
    int bias;
    anydnnConvolutionDescriptor_t how;
    anydnnFilterDescriptor_t filter;
    anydnnTensorDescriptor_t bias_shape;
};

/* y = relu(normalized x + value z); z -1: nothing is added. */
struct net_normalization {
    int z;
    int relu;
    int scale; /* parameters */
    int bias;
    anydnnBatchNormOps_t ops;
    anydnnTensorDescriptor_t shape;
    void *running[2]; /* mean and variance */
    void *saved[2];   /* mean and 1 / deviation, for backward */
    void *reserve;
    size_t reserve_bytes;
};

struct net_pooling {
    anydnnPoolingMode_t mode;
    int window;
    int stride;
    anydnnPoolingDescriptor_t how;
};

/* In place, on x. */
struct net_dropout {
    double probability;
    uint64_t seed;
    anydnnDropoutDescriptor_t how;
    void *states;
    void *reserve; /* which elements of the last batch were kept, one bit each */
    size_t reserve_bytes;
};

struct net_layer {
    const char *name;
    const struct net_kind *kind;
    int x; /* values */
    int y;
    union {
        struct net_convolution convolution;
        struct net_normalization normalization;
        struct net_pooling pooling;
        struct net_dropout dropout;
    } of;
};

struct net {
    anydnnHandle_t handle;
    const struct element *element;
    anydnnMathType_t math;
    int most;     /* images in one batch */
    int training; /* else nothing is dropped, and normalizations take what they learnt */
    int broken;   /* a layer could not be added */
    int layers;
    struct net_layer layer[NET_LAYERS];
    int values;
    struct net_value value[NET_VALUES];
    struct parameters parameters;
    anydnnActivationDescriptor_t relu;
    void *scores; /* as the batch's; the last value where both have one type */
    void *d_scores;
    void *log_probability;
    void *target; /* derivative of the scaled loss by the logarithms: -scale/count at the labels */
    void *workspace;
    size_t workspace_bytes;
};

/* A network of images of that shape; gives value 0. */
int net_begin(struct net *net, anydnnHandle_t handle, const struct element *element,
              anydnnMathType_t math, int most, int channels, int side);

/* Each adds a layer that reads value x, and gives the value that it makes. `name` is kept. A layer
 * too many is left out with a complaint, and net_create then fails. */
int net_add_convolution(struct net *net, const char *name, int x, struct net_convolution how);
int net_add_normalization(struct net *net, const char *name, int x, int z, int relu);
int net_add_pooling(struct net *net, const char *name, int x, anydnnPoolingMode_t mode, int window,
                    int stride);
int net_add_dropout(struct net *net, int x, double probability, uint64_t seed);

/* The last value are the scores of the classes, 1 x 1 each. Parameters are random, of the seed.
 * After a failure, too, net_destroy is to be called. */
int net_create(struct net *net, uint64_t seed);
void net_destroy(struct net *net);

/* Describes batches of `count` images and sees to the workspace that they need. */
int net_batch_create(struct net *net, struct net_batch *batch, int count);
void net_batch_destroy(struct net_batch *batch);

/* ---- for the kinds of layers */

extern const struct net_kind net_convolutions, net_normalizations, net_poolings, net_dropouts;

/* The next layer, whose y is a new value of that shape; NULL where there are too many. */
struct net_layer *net_add(struct net *net, const struct net_kind *kind, const char *name, int x,
                          int channels, int side);
/* Memory of the handle, all 0. */
int net_allocate(struct net *net, void **memory, size_t bytes);
void net_release(struct net *net, void *memory);
/* Bytes of the value in a batch of the most images. */
size_t net_value_bytes(const struct net *net, int value);
/* What a gradient of the value is blended with: 0 for its first writer in a pass, then 1. */
union call_factor net_blend(struct net *net, int value);

#endif
