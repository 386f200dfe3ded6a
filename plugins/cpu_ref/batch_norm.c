/* SPDX-License-Identifier: Apache-2.0 */
/* Implements geometry and parameters of all operations of batch normalization. */
#include "batch_norm.h"

#include <math.h>

#include "mixed.h"

/* ------------------------------------------------------------------ parameters */

double cpu_ref_batch_norm_load(const struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, int32_t slot,
                               int64_t cell)
{
    const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
    int64_t at = batch_norm_at(plan->state, tensor, cell);
    const struct cpu_ref_mixed *type = cpu_ref_mixed(tensor->type);
    double value;

    type->load(&value, (const char *)operands->data[slot] + at * type->size, 1, 1);
    return value;
}

void cpu_ref_batch_norm_store(const struct anydnn_plugin_plan *plan,
                              const struct anydnn_plugin_operands *operands, int32_t slot,
                              int64_t cell, double alpha, double value, double beta)
{
    const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
    const struct cpu_ref_mixed *type;
    double result;
    int64_t at;

    if (!tensor)
        return;
    type = cpu_ref_mixed(tensor->type);
    at = batch_norm_at(plan->state, tensor, cell);
    result = alpha * value;
    if (beta != 0)
        result += beta * cpu_ref_batch_norm_load(plan, operands, slot, cell);
    type->store((char *)operands->data[slot] + at * type->size, 1, &result, 1);
}

struct batch_norm_cell *cpu_ref_batch_norm_cells(const struct anydnn_plugin_plan *plan)
{
    const struct batch_norm_state *state = plan->state;
    struct batch_norm_cell *cells =
        kit_host->alloc(kit_bytes(state->cells, sizeof(struct batch_norm_cell)));

    if (!cells)
        kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                 "%s: out of memory for %lld means and variances",
                 kit_operation_name(plan->problem.operation), (long long)state->cells);
    return cells;
}

/* Sets the dims of the parameters: 1,C,1,1, or 1,C,H,W in mode per-activation. */
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
    state->cells = kit_count(state->grid.dims, x->ndims);
    state->image = kit_count(x->dims + 1, x->ndims - 1);
    state->run = state->image / state->cells;
    state->count = state->run * x->dims[0];
    cpu_ref_walk_init_logical(&state->cell, cell, in_cell, within);
    elements[BATCH_NORM_CELLS] = &state->grid;
    cpu_ref_walk_init_logical(&state->elements, elements, in_elements, KIT_WALK_ALL);
    state->elements.element_size[BATCH_NORM_CELLS] = sizeof(struct batch_norm_cell);
}
