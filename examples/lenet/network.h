/* SPDX-License-Identifier: Apache-2.0 */
/* LeNet for 28 x 28 images: its layers, their descriptors, and its memory, all of it the handle's.
 */
#ifndef LENET_NETWORK_H
#define LENET_NETWORK_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdint.h>

#include "element.h"

enum { LAYERS = 5 };

/* A fully connected layer is a convolution whose filter covers its input. */
struct layer {
    const char *name;
    int inputs;  /* channels */
    int outputs; /* channels */
    int side;    /* of the input image */
    int window;  /* of the filter */
    int pooled;  /* a 2 x 2 max-pooling follows */
};

extern const struct layer network_layers[LAYERS];

/* What depends on the number of images in one call. Layer l reads in[l] and its convolution writes
 * out[l]; in[l + 1] is out[l] after pooling, or out[l] itself; in[LAYERS] are the scores. */
struct network_batch {
    int count;
    anydnnTensorDescriptor_t in[LAYERS + 1];
    anydnnTensorDescriptor_t out[LAYERS];
};

/* A scaling factor is a float, for double tensors a double. */
union network_factor {
    float single;
    double twofold;
};

struct report;

struct network_dropout {
    anydnnDropoutDescriptor_t what; /* NULL: none */
    void *states;
    void *reserve; /* which elements of the last batch were kept, one bit each */
    size_t reserve_bytes;
};

struct network {
    anydnnHandle_t handle;
    const struct element *element;
    struct report *report; /* notes each call while it is not NULL */
    anydnnConvolutionDescriptor_t convolution;
    anydnnActivationDescriptor_t relu;
    anydnnPoolingDescriptor_t pooling;
    struct network_dropout dropout;
    int training; /* else nothing is dropped */
    anydnnFilterDescriptor_t filter[LAYERS];
    anydnnTensorDescriptor_t bias[LAYERS];
    anydnnTensorDescriptor_t all; /* all parameters as one row, and likewise their gradients */
    size_t filter_at[LAYERS];     /* bytes from the beginning of that row */
    size_t bias_at[LAYERS];
    size_t all_bytes;
    void *parameters;
    void *gradients;
    void *velocity;
    void *in[LAYERS + 1]; /* as in struct network_batch, for the largest batch */
    void *out[LAYERS];
    void *d_in[LAYERS + 1]; /* derivatives of the loss; [0] is not computed */
    void *d_out[LAYERS];
    void *log_probability;
    void *target; /* derivative of the loss by the logarithms: -1/count at the labels, else 0 */
    void *workspace;
    size_t workspace_bytes;
};

/* Makes the network for batches of at most `most` images, with random parameters of the seed.
 * After a failure, too, network_destroy is to be called. */
int network_create(struct network *net, anydnnHandle_t handle, const struct element *element,
                   anydnnMathType_t math, int most, uint64_t seed);
void network_destroy(struct network *net);

/* Describes batches of `count` images and sees to the workspace that they need. */
int network_batch_create(struct network *net, struct network_batch *batch, int count);
void network_batch_destroy(struct network_batch *batch);

/* After each call of the library: complains if it failed, else notes who ran it. `where` is the
 * layer's name, or NULL for calls that no backend's operation answers. */
int network_done(struct network *net, anydnnStatus_t status, const char *where);

#define NETWORK_CALL(net, where, call)                                                             \
    do {                                                                                           \
        if (network_done(net, call, where) < 0)                                                    \
            return -1;                                                                             \
    } while (0)

union network_factor network_factor(const struct network *net, double value);

#endif
