/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization: conditions, geometry and parameters, for all its operations. */
#include "batch_norm.h"

#include <math.h>

/* ------------------------------------------------------------------ parameters */

double cpu_ref_batch_norm_load(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, int32_t slot,
                               int64_t cell)
{
    const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
    int64_t at = batch_norm_at(plan->state, tensor, cell);

    if (tensor->type == ANYDNN_PLUGIN_DOUBLE)
        return ((const double *)operands->data[slot])[at];
    return ((const float *)operands->data[slot])[at];
}

void cpu_ref_batch_norm_store(const struct anydnn_plugin_plan *plan,
                              const struct anydnn_plugin_operands *operands, int32_t slot,
                              int64_t cell, double alpha, double value, double beta)
{
    const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
    double result;
    int64_t at;

    if (!tensor)
        return;
    at = batch_norm_at(plan->state, tensor, cell);
    result = alpha * value;
    if (beta != 0)
        result += beta * cpu_ref_batch_norm_load(plan, operands, slot, cell);
    if (tensor->type == ANYDNN_PLUGIN_DOUBLE)
        ((double *)operands->data[slot])[at] = result;
    else
        ((float *)operands->data[slot])[at] = (float)result;
}

struct batch_norm_cell *cpu_ref_batch_norm_cells(const struct anydnn_plugin_plan *plan)
{
    const struct batch_norm_state *state = plan->state;
    struct batch_norm_cell *cells =
        cpu_ref_host->alloc((size_t)state->cells * sizeof(struct batch_norm_cell));

    if (!cells)
        cpu_ref_fail(CPU_REF_ALLOC_FAILED, "%s: no memory for %lld means and variances",
                     cpu_ref_operation_name(plan->problem.operation), (long long)state->cells);
    return cells;
}

/* ------------------------------------------------------------------ conditions */

static int32_t check_params(const struct anydnn_plugin_problem *problem,
                            struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    const char *name = cpu_ref_operation_name(problem->operation);

    if (params->mode < 0 || params->mode >= BATCH_NORM_MODE_END || params->ops < 0 ||
        params->ops >= BATCH_NORM_OPS_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: mode is %d and ops %d; both must be 0 to 2", name, params->mode,
                              params->ops);
    if (params->ops != BATCH_NORM_PLAIN &&
        (params->activation < 0 || params->activation >= CPU_REF_ACTIVATION_END))
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: activation %d is none from 0 to %d", name, params->activation,
                              CPU_REF_ACTIVATION_END - 1);
    if (!(params->epsilon >= 0) || isinf(params->epsilon))
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: epsilon is %g; it must be at least 0 and finite", name,
                              params->epsilon);
    if (problem->tensor[0]->ndims < 2)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: x has 1 dimension; n and c are the least", name);
    return 0;
}

/* 1,C,1,1, per activation 1,C,H,W. */
static void cell_grid(const struct anydnn_plugin_problem *problem,
                      struct anydnn_plugin_tensor *grid)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[0];
    int64_t stride = 1;

    *grid = *x;
    grid->type = ANYDNN_PLUGIN_DOUBLE;
    for (int32_t d = x->ndims - 1; d >= 0; d--) {
        if (d != 1 && (d == 0 || params->mode != BATCH_NORM_PER_ACTIVATION))
            grid->dims[d] = 1;
        grid->strides[d] = stride;
        stride *= grid->dims[d];
    }
}

static int32_t check_param_tensor(const struct anydnn_plugin_problem *problem, int32_t slot,
                                  const struct anydnn_plugin_tensor *grid,
                                  struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];
    const char *name = cpu_ref_operation_name(problem->operation);
    int32_t type = problem->tensor[0]->type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE
                                                                    : ANYDNN_PLUGIN_FLOAT;
    struct cpu_ref_text a, b;

    if (tensor->type != type)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s: %s is %s; beside x it must be %s", name,
                              cpu_ref_slot_name(problem->operation, slot),
                              cpu_ref_type_name(tensor->type), cpu_ref_type_name(type));
    if (!cpu_ref_same_dims(tensor, grid))
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %s has dims %s; mode and x give %s", name,
                              cpu_ref_slot_name(problem->operation, slot),
                              cpu_ref_dims_text(&a, tensor->dims, tensor->ndims),
                              cpu_ref_dims_text(&b, grid->dims, grid->ndims));
    return 0;
}

int32_t cpu_ref_batch_norm_check(const struct anydnn_plugin_problem *problem, uint32_t data,
                                 uint32_t params, struct cpu_ref_refusal *why)
{
    struct anydnn_plugin_tensor grid;
    int32_t reason = check_params(problem, why);

    if (!reason)
        reason = cpu_ref_check_dims(problem, data, 0, why);
    if (reason)
        return reason;
    cell_grid(problem, &grid);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX && !reason; slot++) {
        if (!problem->tensor[slot])
            continue;
        if (params >> slot & 1)
            reason = check_param_tensor(problem, slot, &grid, why);
        if (!reason)
            reason = cpu_ref_check_alias(problem, slot, why);
    }
    return reason;
}

int32_t cpu_ref_batch_norm_check_reserve(const struct anydnn_plugin_problem *problem, int32_t slot,
                                         struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[0];

    if (params->ops == BATCH_NORM_PLAIN)
        return 0;
    if (!problem->tensor[slot])
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: the reserve is absent; with an activation it is required",
                              cpu_ref_operation_name(problem->operation));
    return cpu_ref_check_bytes(problem, slot, cpu_ref_bits_bytes(cpu_ref_count(x->dims, x->ndims)),
                               why);
}

/* Each output, over any other operand at the same address. */
int32_t cpu_ref_batch_norm_check_pointers(const struct anydnn_plugin_plan *plan,
                                          const struct anydnn_plugin_operands *operands)
{
    uint32_t outputs = plan->kernel->outputs & plan->problem.present;
    int32_t status = CPU_REF_SUCCESS;

    for (uint32_t left = outputs; left && !status; left &= left - 1) {
        int32_t out = __builtin_ctz(left);
        status = cpu_ref_check_pointers(plan, operands, ~(1u << out), out);
    }
    return status;
}

/* ------------------------------------------------------------------ geometry */

void cpu_ref_batch_norm_prepare(struct anydnn_plugin_plan *plan,
                                const struct anydnn_plugin_tensor *const cell[], int32_t in_cell,
                                const struct anydnn_plugin_tensor *elements[], int32_t in_elements)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[0];
    struct batch_norm_state *state = plan->state;
    uint32_t within = params->mode == BATCH_NORM_PER_ACTIVATION ? 1u : ~(1u << 1);

    cell_grid(&plan->problem, &state->grid);
    state->cells = cpu_ref_count(state->grid.dims, x->ndims);
    state->image = cpu_ref_count(x->dims + 1, x->ndims - 1);
    state->run = state->image / state->cells;
    state->count = state->run * x->dims[0];
    cpu_ref_walk_init_logical(&state->cell, cell, in_cell, within);
    elements[BATCH_NORM_CELLS] = &state->grid;
    cpu_ref_walk_init_logical(&state->elements, elements, in_elements, CPU_REF_WALK_ALL);
    state->elements.element_size[BATCH_NORM_CELLS] = sizeof(struct batch_norm_cell);
}
