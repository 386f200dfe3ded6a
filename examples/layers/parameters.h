/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps all parameters of a network in one row, so that a step updates them with a few calls. The
 * row is float (double for double data). Convolutions of a shorter type read copies of that type,
 * which are renewed after each update. This is mixed-precision training (Micikevicius et al., 2018,
 * section 3.1).
 */
#ifndef LAYERS_PARAMETERS_H
#define LAYERS_PARAMETERS_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdint.h>

#include "element.h"

enum { PARAMETERS_AT_MOST = 192 };

/* The parts of the row. Weights are read in the data's type; parameters of normalizations are read
 * in the row's own type. */
enum parameter_part { PART_WEIGHTS, PART_NORMS, PARTS };

struct parameter {
    const char *layer;
    enum parameter_part part;
    size_t at; /* offset in elements from the beginning of its part */
    size_t count;
    double bound; /* uniform between minus and plus this; if 0, all elements are `constant` */
    double constant;
};

struct parameters {
    anydnnHandle_t handle;
    const struct element *data; /* type that convolutions read */
    const struct element *own;  /* type of the row */
    int items;
    struct parameter item[PARAMETERS_AT_MOST];
    size_t count[PARTS]; /* elements, including padding for alignment */
    anydnnTensorDescriptor_t all;
    anydnnTensorDescriptor_t weights;
    anydnnTensorDescriptor_t short_weights;
    void *row;
    void *gradients; /* times the scale of the loss */
    void *velocity;
    void *short_row;       /* NULL if both types are the same */
    void *short_gradients; /* NULL if both types are the same */
    anydnnReduceTensorDescriptor_t largest;
    anydnnTensorDescriptor_t one;
    void *amax;
    void *workspace;
    size_t workspace_bytes;
    double loss_scale;
    int scaled;  /* 1 if the scale follows the gradients */
    int sound;   /* finite steps since it changed */
    int skipped; /* steps with gradients that are not finite */
};

/* Begins an empty row. `scaled` enables the loss scale that half needs. */
void parameters_begin(struct parameters *p, anydnnHandle_t handle, const struct element *data,
                      int scaled);
/* Adds a parameter. Returns its number, or -1 if there are too many. */
int parameters_add(struct parameters *p, struct parameter what);
/* Allocates the rows and draws their values. */
int parameters_create(struct parameters *p, uint64_t seed);
void parameters_destroy(struct parameters *p);

size_t parameters_bytes(const struct parameters *p);

/* These functions return the addresses at which kernels read parameter `item` and write its
 * gradient. */
void *parameters_value(const struct parameters *p, int item);
void *parameters_gradient(const struct parameters *p, int item);

/* Updates all parameters: velocity = momentum velocity + gradient + decay parameter; parameter -=
 * rate velocity. If a gradient is not finite, skips the step, halves the scale of the loss, and
 * returns 1. */
int parameters_update(struct parameters *p, double rate, double momentum, double decay);

/* Reads all parameters as double, in the order of the items, without padding. */
int parameters_read(const struct parameters *p, double *values);
size_t parameters_count(const struct parameters *p);

#endif
