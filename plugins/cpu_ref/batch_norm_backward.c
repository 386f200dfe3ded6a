/* SPDX-License-Identifier: Apache-2.0 */
/* Implements backward batch normalization. g is the gradient before the activation, and m is the
 * number of elements in a cell. The normalized x is n = (x - mean) * inv_std.
 *   dz = g, dbias = sum g, dscale = sum g n,
 *   dx = scale * inv_std * (g - dbias / m - n * dscale / m). */
#include "batch_norm.h"
#include "table.h"

#define SLOT(name) slot_batch_normalization_backward_##name

/* The tensors of the iteration over elements, after those of batch_norm.h, and of the iteration
 * within a cell. */
enum { WALK_DY = BATCH_NORM_X + 1, WALK_Y, WALK_DZ, WALK_DX, WALK_COUNT };
enum { CELL_X, CELL_DY, CELL_Y, CELL_COUNT };

/* The cost of an element in multiply-adds, for distribution over threads. */
#define COST 12

struct backward_job {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
    struct batch_norm_cell *cells;
    struct batch_norm_act act;
    const uint8_t *reserve; /* NULL without activation */
};

/* The state of the sums over one cell. */
struct backward_sums {
    const struct backward_job *job;
    struct batch_norm_cell *cell;
    int64_t first; /* logical position of the cell's first element */
    int64_t at;    /* position within the cell */
};

/* Returns g, the gradient before the activation. */
static inline double before_activation(const struct backward_job *job,
                                       const struct batch_norm_cell *cell, int64_t element,
                                       double x, double dy, double y)
{
    if (!job->reserve)
        return dy;
    return batch_norm_before(&job->act, cpu_ref_bits_get(job->reserve, element), y, dy,
                             batch_norm_normalize(cell, x));
}

/* Loads the parameters of a cell, and mean and 1 / sqrt(var + epsilon) if they were saved. Returns
 * 1 if they were. */
static int load_cell(const struct backward_job *job, int64_t i)
{
    const struct anydnn_plugin_plan *plan = job->plan;
    struct batch_norm_cell *cell = &job->cells[i];

    *cell = (struct batch_norm_cell){
        .scale = cpu_ref_batch_norm_load(plan, job->operands, SLOT(scale), i)};
    if (plan->problem.tensor[SLOT(bias)])
        cell->bias = cpu_ref_batch_norm_load(plan, job->operands, SLOT(bias), i);
    if (!plan->problem.tensor[SLOT(save_mean)])
        return 0;
    cell->mean = cpu_ref_batch_norm_load(plan, job->operands, SLOT(save_mean), i);
    cell->inv_std = cpu_ref_batch_norm_load(plan, job->operands, SLOT(save_inv_var), i);
    return 1;
}

#define CPU_REF_TEMPLATE "batch_norm_backward.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ limits */

static int32_t refuse_without(struct kit_refusal *why, const char *rule, const char *operand)
{
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                      "batch_normalization_backward: %s, but %s is absent", rule, operand);
}

static int32_t backward_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    int32_t mode = params->activation;

    if (params->ops == BATCH_NORM_PLAIN)
        return 0;
    if (!problem->tensor[SLOT(y)] &&
        (mode == CPU_REF_SIGMOID || mode == CPU_REF_TANH || mode == CPU_REF_ELU))
        return refuse_without(why, "this activation's gradient requires y", "y");
    if (mode == CPU_REF_SWISH && !problem->tensor[SLOT(bias)])
        return refuse_without(why, "swish's gradient requires its argument", "bias");
    if (mode == CPU_REF_SWISH && params->ops == BATCH_NORM_ADD_ACTIVATION)
        return refuse_without(why, "swish's gradient requires its argument", "z");
    return 0;
}

/* ------------------------------------------------------------------ table entry */

/* Prepares the state. x replaces an absent y, and dx an absent dz. */
static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *y = tensor[tensor[SLOT(y)] ? SLOT(y) : SLOT(x)];
    const struct anydnn_plugin_tensor *dz = tensor[tensor[SLOT(dz)] ? SLOT(dz) : SLOT(dx)];
    /* The last tensor of an iteration must not be broadcast. */
    const struct anydnn_plugin_tensor *const cell[CELL_COUNT] = {tensor[SLOT(x)], tensor[SLOT(dy)],
                                                                 y};
    const struct anydnn_plugin_tensor *elements[WALK_COUNT] = {
        NULL, tensor[SLOT(x)], tensor[SLOT(dy)], y, dz, tensor[SLOT(dx)]};

    cpu_ref_batch_norm_prepare(plan, cell, CELL_COUNT, elements, WALK_COUNT);
}

const struct cpu_ref_kernel cpu_ref_batch_normalization_backward = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = SLOT(dy),
    .uniform = 1u << SLOT(x) | 1u << SLOT(dy) | 1u << SLOT(y) | 1u << SLOT(dx) | 1u << SLOT(dz),
    .state_size = sizeof(struct batch_norm_state),
    .check = backward_check,
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
