/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of batch normalization share. A cell is what has one mean and one variance: a
 * channel, or per activation one place of all images. The work goes in two steps: all cells, then
 * all elements. */
#ifndef CPU_REF_BATCH_NORM_H
#define CPU_REF_BATCH_NORM_H

#include "activate.h"
#include "bits.h"

/* Modes and ops of struct anydnn_plugin_batch_normalization. */
enum { BATCH_NORM_PER_ACTIVATION, BATCH_NORM_SPATIAL, BATCH_NORM_PERSISTENT };
enum { BATCH_NORM_PLAIN, BATCH_NORM_ACTIVATION, BATCH_NORM_ADD_ACTIVATION };

/* Tensors of a walk over elements; the first is the array of cells. */
enum { BATCH_NORM_CELLS, BATCH_NORM_X };

struct batch_norm_cell {
    double mean;
    double inv_std; /* 1 / sqrt(variance + epsilon) */
    double scale;
    double bias;
    double dscale; /* backward: the two gradients, before blending */
    double dbias;
};

struct batch_norm_state {
    struct kit_walk cell;             /* the elements of one cell, in logical order */
    struct kit_walk elements;         /* all elements, in logical order, beside their cells */
    struct anydnn_plugin_tensor grid; /* the cells, as the parameters' dims, packed */
    int64_t cells;
    int64_t count; /* elements of a cell */
    int64_t image; /* elements of one image */
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

/* What the reserve keeps of an element: whether the activation of `v` passes its gradient. */
static inline int batch_norm_passes(const struct batch_norm_act *act, double v)
{
    if (!batch_norm_is_relu(act->mode))
        return 1;
    return v > 0 && !(act->mode == CPU_REF_CLIPPED_RELU && v >= act->coef);
}

/* The gradient before the activation, of a value v that became y. */
static inline double batch_norm_before(const struct batch_norm_act *act, int passes, double y,
                                       double dy, double v)
{
    if (!passes)
        return 0;
    if (batch_norm_is_relu(act->mode))
        return dy;
    return cpu_ref_activation_gradient(act->mode, act->coef, y, dy, v);
}

/* Offset in a tensor of the first element of a cell; of a parameter, its only one. */
static inline int64_t batch_norm_at(const struct batch_norm_state *state,
                                    const struct anydnn_plugin_tensor *tensor, int64_t cell)
{
    return cpu_ref_offset(state->grid.dims, tensor->strides, state->grid.ndims, cell);
}

/* Place in logical order of an element of a cell, by the place of the cell's first and its own
 * within the cell. */
static inline int64_t batch_norm_element(const struct batch_norm_state *state, int64_t first,
                                         int64_t at)
{
    return at / state->run * state->image + first + at % state->run;
}

/* Place in logical order of the first element of a cell. */
static inline int64_t batch_norm_first(const struct batch_norm_state *state, int64_t cell)
{
    return cell * state->run;
}

/* Parameters have a type of their own: double beside double, else float. */
double cpu_ref_batch_norm_load(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, int32_t slot,
                               int64_t cell);
/* alpha * value + beta * prior, where the operand is present; prior is not read if beta is 0. */
void cpu_ref_batch_norm_store(const struct anydnn_plugin_plan *plan,
                              const struct anydnn_plugin_operands *operands, int32_t slot,
                              int64_t cell, double alpha, double value, double beta);

/* Memory for the cells; NULL, with a sentence at the host, when there is none. */
struct batch_norm_cell *cpu_ref_batch_norm_cells(const struct anydnn_plugin_plan *plan);

/* Fills plan->state. `cell` lists the tensors that are walked within a cell; `elements` those of
 * all elements, with room for the cells in front. */
void cpu_ref_batch_norm_prepare(struct anydnn_plugin_plan *plan,
                                const struct anydnn_plugin_tensor *const cell[], int32_t in_cell,
                                const struct anydnn_plugin_tensor *elements[], int32_t in_elements);

#endif
