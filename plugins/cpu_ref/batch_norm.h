/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the operations of batch normalization share. A cell is the set of elements that
 * share one mean and one variance: a channel, or in mode per-activation one position over all
 * images. The work has two steps: all cells, then all elements. */
#ifndef CPU_REF_BATCH_NORM_H
#define CPU_REF_BATCH_NORM_H

#include "activate.h"
#include "bits.h"

/* The modes and ops of struct anydnn_plugin_batch_normalization. */
enum { BATCH_NORM_PER_ACTIVATION, BATCH_NORM_SPATIAL, BATCH_NORM_PERSISTENT };
enum { BATCH_NORM_PLAIN, BATCH_NORM_ACTIVATION, BATCH_NORM_ADD_ACTIVATION };

/* The tensors of an iteration over elements; the first is the array of cells. */
enum { BATCH_NORM_CELLS, BATCH_NORM_X };

struct batch_norm_cell {
    double mean;
    double inv_std; /* 1 / sqrt(variance + epsilon) */
    double scale;
    double bias;
    double dscale; /* the two gradients before blending; backward only */
    double dbias;
};

struct batch_norm_state {
    struct kit_walk cell;             /* elements of one cell, in logical order */
    struct kit_walk elements;         /* all elements, in logical order, with their cells */
    struct anydnn_plugin_tensor grid; /* the cells with the parameters' dims, packed */
    int64_t cells;
    int64_t count; /* elements per cell */
    int64_t image; /* elements per image */
    int64_t run;   /* elements of a cell in one image */
};

/* The activation of a plan. */
struct batch_norm_act {
    int32_t ops, mode, nan_propagate;
    double coef;
};

static inline struct batch_norm_act batch_norm_act(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    return (struct batch_norm_act){params->ops, params->activation, params->nan_propagate,
                                   params->coef};
}

static inline int batch_norm_is_relu(int32_t mode)
{
    return mode == CPU_REF_RELU || mode == CPU_REF_CLIPPED_RELU;
}

static inline double batch_norm_normalize(const struct batch_norm_cell *cell, double x)
{
    return cell->scale * ((x - cell->mean) * cell->inv_std) + cell->bias;
}

/* Returns 1 if the activation passes the gradient at v. The reserve stores this bit. */
static inline int batch_norm_passes(const struct batch_norm_act *act, double v)
{
    if (!batch_norm_is_relu(act->mode))
        return 1;
    return v > 0 && !(act->mode == CPU_REF_CLIPPED_RELU && v >= act->coef);
}

/* Returns the gradient before the activation. v is the argument, y the value of the activation. */
static inline double batch_norm_before(const struct batch_norm_act *act, int passes, double y,
                                       double dy, double v)
{
    if (!passes)
        return 0;
    if (batch_norm_is_relu(act->mode))
        return dy;
    return cpu_ref_activation_gradient(act->mode, act->coef, y, dy, v);
}

/* Returns the offset in a tensor of a cell's first element. A parameter has only this one. */
static inline int64_t batch_norm_at(const struct batch_norm_state *state,
                                    const struct anydnn_plugin_tensor *tensor, int64_t cell)
{
    return cpu_ref_offset(state->grid.dims, tensor->strides, state->grid.ndims, cell);
}

/* Returns the logical position of an element of a cell. `first` is that of the cell's first
 * element, `at` the number within the cell. */
static inline int64_t batch_norm_element(const struct batch_norm_state *state, int64_t first,
                                         int64_t at)
{
    return at / state->run * state->image + first + at % state->run;
}

/* Returns the logical position of a cell's first element. */
static inline int64_t batch_norm_first(const struct batch_norm_state *state, int64_t cell)
{
    return cell * state->run;
}

/* Returns a parameter of a cell. Parameters are double if the data is double, else float or the
 * data's type. */
double cpu_ref_batch_norm_load(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, int32_t slot,
                               int64_t cell);
/* Stores alpha * value + beta * prior, if the operand is present. With beta 0, prior is not
 * read. */
void cpu_ref_batch_norm_store(const struct anydnn_plugin_plan *plan,
                              const struct anydnn_plugin_operands *operands, int32_t slot,
                              int64_t cell, double alpha, double value, double beta);

/* Allocates the cells. Returns NULL after a message to the host if there is no memory. */
struct batch_norm_cell *cpu_ref_batch_norm_cells(const struct anydnn_plugin_plan *plan);

/* Fills plan->state. `cell` lists the tensors of an iteration within a cell. `elements` lists those
 * of all elements, with a free first entry for the cells. */
void cpu_ref_batch_norm_prepare(struct anydnn_plugin_plan *plan,
                                const struct anydnn_plugin_tensor *const cell[], int32_t in_cell,
                                const struct anydnn_plugin_tensor *elements[], int32_t in_elements);

#endif
