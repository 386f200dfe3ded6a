/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines a network as a list of layers, each of which reads values and computes one. It is built
 * by net_begin, the functions that add a layer, and net_create. The handle owns all its memory.
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

/* A value between layers: images of `channels` x `side` x `side`, and the gradient of the loss with
 * respect to them. Value 0 holds the network's input images, whose gradient is not computed. */
struct net_value {
    int channels;
    int side;
    void *data;
    void *gradient;
    int written; /* 1 if this backward pass has written the gradient: later writers add to it */
};

/* The descriptors for a number of images per call. */
struct net_batch {
    int count;
    anydnnTensorDescriptor_t value[NET_VALUES];
    anydnnTensorDescriptor_t scores; /* in the type of the parameters and the loss */
};

struct net;
struct net_layer;

struct net_kind {
    /* Creates what is independent of the batch, and memory for batches of net->most images. */
    int (*create)(struct net *net, struct net_layer *layer);
    void (*destroy)(struct net *net, struct net_layer *layer);
    /* Raises *bytes to the workspace that a call needs. NULL if it needs none. */
    int (*workspace)(struct net *net, struct net_layer *layer, const struct net_batch *batch,
                     size_t *bytes);
    int (*forward)(struct net *net, struct net_layer *layer, const struct net_batch *batch);
    int (*backward)(struct net *net, struct net_layer *layer, const struct net_batch *batch);
};

/* A convolution. A fully connected layer is a convolution whose filter covers its input. */
struct net_convolution {
    int outputs;
    int window;
    int stride;
    int pad;
    int biased;
    int relu;
    double gain; /* weights are uniform between -+ gain / sqrt(inputs of one output) */
    int w;       /* numbers of the parameters */
    int bias;
    anydnnConvolutionDescriptor_t how;
    anydnnFilterDescriptor_t filter;
    anydnnTensorDescriptor_t bias_shape;
};

/* A normalization: y = relu(normalized x + value z). If z is -1, nothing is added. */
struct net_normalization {
    int z;
    int relu;
    int scale; /* numbers of the parameters */
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

/* A dropout in place, on x. */
struct net_dropout {
    double probability;
    uint64_t seed;
    anydnnDropoutDescriptor_t how;
    void *states;
    void *reserve; /* one bit per element of the last batch: 1 if it was kept */
    size_t reserve_bytes;
};

struct net_layer {
    const char *name;
    const struct net_kind *kind;
    int x; /* numbers of the values */
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
    int most;     /* most images per batch */
    int training; /* if 0, nothing is dropped, and normalizations use their running averages */
    int broken;   /* 1 if a layer could not be added */
    int layers;
    struct net_layer layer[NET_LAYERS];
    int values;
    struct net_value value[NET_VALUES];
    struct parameters parameters;
    anydnnActivationDescriptor_t relu;
    void *scores; /* like the batch's scores; the last value if the types are the same */
    void *d_scores;
    void *log_probability;
    void *target; /* gradient of the scaled loss with respect to the logarithms: -scale/count at the
                     labels */
    void *workspace;
    size_t workspace_bytes;
};

/* Begins a network for images of this shape, which are value 0. */
int net_begin(struct net *net, anydnnHandle_t handle, const struct element *element,
              anydnnMathType_t math, int most, int channels, int side);

/* Each of these functions adds a layer that reads value x, and returns the layer's value. `name` is
 * kept. A layer beyond the limit is omitted with a complaint, and net_create then fails. */
int net_add_convolution(struct net *net, const char *name, int x, struct net_convolution how);
int net_add_normalization(struct net *net, const char *name, int x, int z, int relu);
int net_add_pooling(struct net *net, const char *name, int x, anydnnPoolingMode_t mode, int window,
                    int stride);
int net_add_dropout(struct net *net, int x, double probability, uint64_t seed);

/* Creates the network. Its last value are the scores of the classes, 1 x 1 each. The parameters are
 * random, determined by the seed. net_destroy must also be called after a failure. */
int net_create(struct net *net, uint64_t seed);
void net_destroy(struct net *net);

/* Describes batches of `count` images, and allocates their workspace. */
int net_batch_create(struct net *net, struct net_batch *batch, int count);
void net_batch_destroy(struct net_batch *batch);

/* ---- functions for the kinds of layers */

extern const struct net_kind net_convolutions, net_normalizations, net_poolings, net_dropouts;

/* Adds a layer whose y is a new value of this shape. Returns NULL if there are too many layers. */
struct net_layer *net_add(struct net *net, const struct net_kind *kind, const char *name, int x,
                          int channels, int side);
/* Allocates zeroed memory of the handle. */
int net_allocate(struct net *net, void **memory, size_t bytes);
void net_release(struct net *net, void *memory);
/* Returns the bytes of a value in a batch of the largest size. */
size_t net_value_bytes(const struct net *net, int value);
/* Returns the factor of the prior gradient of a value: 0 for its first writer in a pass, then 1. */
union call_factor net_blend(struct net *net, int value);

#endif
