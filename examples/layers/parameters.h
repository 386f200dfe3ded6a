/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All parameters of a network in one row, so that a step updates them with a few calls. The row is
 * kept in float (double for double data). Where convolutions read a shorter type, they read copies
 * of that type, made anew after each update, as mixed-precision training does it (Micikevicius et
 * al., 2018, section 3.1).
 */
#ifndef LAYERS_PARAMETERS_H
#define LAYERS_PARAMETERS_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdint.h>

#include "element.h"

enum { PARAMETERS_AT_MOST = 192 };

/* Weights are of the data's type; those of normalizations are of the row's own. */
enum parameter_part { PART_WEIGHTS, PART_NORMS, PARTS };

struct parameter {
    const char *layer;
    enum parameter_part part;
    size_t at; /* elements from the beginning of its part */
    size_t count;
    double bound; /* drawn uniformly between minus and plus this, 0: all `constant` */
    double constant;
};

struct parameters {
    anydnnHandle_t handle;
    const struct element *data; /* what convolutions read */
    const struct element *own;  /* of the row */
    int items;
    struct parameter item[PARAMETERS_AT_MOST];
    size_t count[PARTS]; /* elements, with what fills the parts up to their alignment */
    anydnnTensorDescriptor_t all;
    anydnnTensorDescriptor_t weights;
    anydnnTensorDescriptor_t short_weights;
    void *row;
    void *gradients; /* times the scale of the loss */
    void *velocity;
    void *short_row;       /* NULL where both types are one */
    void *short_gradients; /* likewise */
    anydnnReduceTensorDescriptor_t largest;
    anydnnTensorDescriptor_t one;
    void *amax;
    void *workspace;
    size_t workspace_bytes;
    double loss_scale;
    int scaled;  /* the scale follows the gradients */
    int sound;   /* steps since it changed */
    int skipped; /* steps whose gradients were no finite numbers */
};

/* Before anything is added. `scaled`: a loss scale as half wants it. */
void parameters_begin(struct parameters *p, anydnnHandle_t handle, const struct element *data,
                      int scaled);
/* Room for one more; gives its number, or -1 where there are too many. */
int parameters_add(struct parameters *p, struct parameter what);
/* Allocates the rows and draws them. */
int parameters_create(struct parameters *p, uint64_t seed);
void parameters_destroy(struct parameters *p);

size_t parameters_bytes(const struct parameters *p);

/* Where a kernel finds parameter `item`, and where its gradient goes. */
void *parameters_value(const struct parameters *p, int item);
void *parameters_gradient(const struct parameters *p, int item);

/* velocity = momentum velocity + gradient + decay parameter; parameter -= rate velocity. Gives 1
 * where a gradient is no finite number: then the step is left out and the scale of the loss
 * halved. */
int parameters_update(struct parameters *p, double rate, double momentum, double decay);

/* All of them as double, in the order of the items, without what fills the row up. */
int parameters_read(const struct parameters *p, double *values);
size_t parameters_count(const struct parameters *p);

#endif
