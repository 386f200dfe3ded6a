/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the backward operation of layer, group and RMS normalization, by the formulas of
 * plugin.h. The gradients of scale and bias are complete before dx may overwrite an input. */
#include "norm_kinds.h"
#include "table.h"

#define SLOT(name) slot_normalization_backward_##name
#define SLOTS      (SLOT(dbias) + 1)

/* The tensors of an iteration: the slots before DSCALE, the cells, and a parameter's gradient. */
enum { CELLS = SLOT(dscale), GRADIENT, TENSORS };

/* The cost of an element in multiply-adds, for distribution over threads. */
#define COST 40

/* The two iterations for the gradient of a parameter. */
struct gradient_walks {
    struct kit_walk kept;    /* its elements */
    struct kit_walk reduced; /* the elements of x that one of them serves */
};

struct backward_state {
    struct norm_dims dims;
    struct kit_walk sets;
    struct kit_walk set;
    struct kit_walk elements;
    struct gradient_walks scale, bias;
    struct norm_settings settings;
    const struct cpu_ref_mixed *type[SLOTS]; /* NULL: absent */
};

struct backward_job {
    const struct backward_state *state;
    const struct kit_walk *reduced;
    const struct cpu_ref_mixed *to; /* type of a parameter's gradient */
    int32_t by_normal;              /* 1: the gradient of scale; 0: that of bias */
};

/* The state of a pass over elements. */
struct backward_pass {
    const struct backward_state *state;
    const struct norm_cell *cell; /* NULL: each element has its own */
    int32_t by_normal;
    double sum_w, sum_wn; /* sums of a set */
    double sum;           /* of a parameter's gradient */
};

/* A row in doubles: normalized elements, gradients before the activation, and those times their
 * factors. */
struct row {
    double normal[CPU_REF_MIXED_ROW], g[CPU_REF_MIXED_ROW], w[CPU_REF_MIXED_ROW];
    double inv_dev[CPU_REF_MIXED_ROW];
};

static const struct norm_cell *cell_at(const struct backward_pass *pass, void *const place[],
                                       const int64_t stride[], int64_t i)
{
    return pass->cell ? pass->cell : (const struct norm_cell *)place[CELLS] + i * stride[CELLS];
}

static void load_row(const struct backward_pass *pass, void *const place[], const int64_t stride[],
                     int64_t begin, int64_t n, struct row *row)
{
    const struct norm_settings *set = &pass->state->settings;
    const struct cpu_ref_mixed *const *type = pass->state->type;
    double scale[CPU_REF_MIXED_ROW], bias[CPU_REF_MIXED_ROW];

    cpu_ref_norm_operand(type[SLOT(x)], place[SLOT(x)], stride[SLOT(x)], begin, n, 0, row->normal);
    cpu_ref_norm_operand(type[SLOT(dy)], place[SLOT(dy)], stride[SLOT(dy)], begin, n, 0, row->g);
    cpu_ref_norm_operand(type[SLOT(scale)], place[SLOT(scale)], stride[SLOT(scale)], begin, n,
                         norm_no_scale(set), scale);
    cpu_ref_norm_operand(type[SLOT(bias)], place[SLOT(bias)], stride[SLOT(bias)], begin, n, 0,
                         bias);
    for (int64_t i = 0; i < n; i++) {
        const struct norm_cell *cell = cell_at(pass, place, stride, begin + i);
        double factor = norm_factor(set, scale[i]), argument;

        row->inv_dev[i] = cell->inv_dev;
        row->normal[i] = norm_normal(cell, row->normal[i]);
        argument = factor * row->normal[i] + bias[i];
        row->g[i] = cpu_ref_activation_gradient(
            set->activation, set->coef,
            cpu_ref_activate(set->activation, set->nan_propagate, set->coef, argument), row->g[i],
            argument);
        row->w[i] = factor * row->g[i];
    }
}

/* ------------------------------------------------------------------ sets */

static void sums_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    struct backward_pass *pass = arg;
    struct row row;

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);

        load_row(pass, place, stride, begin, m, &row);
        for (int64_t i = 0; i < m; i++) {
            pass->sum_w += row.w[i];
            pass->sum_wn += row.w[i] * row.normal[i];
        }
    }
}

static void *at(const struct kit_walk *walk, int tensor, void *const place[],
                const int64_t stride[], int64_t i)
{
    return (char *)place[tensor] + i * stride[tensor] * walk->element_size[tensor];
}

static void backward_sets(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct backward_job *job = arg;
    const struct backward_state *state = job->state;
    const struct norm_input input = {.x = state->type[SLOT(x)]};
    double count = (double)state->dims.size;

    for (int64_t i = 0; i < n; i++) {
        struct backward_pass pass = {.state = state};
        struct norm_cell *cell;
        void *data[TENSORS];

        for (int tensor = 0; tensor < TENSORS; tensor++)
            data[tensor] = at(&state->sets, tensor, place, stride, i);
        pass.cell = cell = data[CELLS];
        cell->mean = 0;
        if (state->type[SLOT(save_mean)])
            state->type[SLOT(save_mean)]->load(&cell->mean, data[SLOT(save_mean)], 1, 1);
        if (state->type[SLOT(save_inv_dev)])
            state->type[SLOT(save_inv_dev)]->load(&cell->inv_dev, data[SLOT(save_inv_dev)], 1, 1);
        else
            cpu_ref_norm_statistics(&input, &state->set, data, &state->settings, cell);
        kit_walk_run(&state->set, data, sums_row, &pass);
        cell->mean_w = state->settings.is_rms ? 0 : pass.sum_w / count;
        cell->mean_wn = pass.sum_wn / count;
    }
}

/* ------------------------------------------------------------------ gradients of scale and bias */

static void gradient_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    struct backward_pass *pass = arg;
    struct row row;

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);

        load_row(pass, place, stride, begin, m, &row);
        for (int64_t i = 0; i < m; i++)
            pass->sum += pass->by_normal ? row.g[i] * row.normal[i] : row.g[i];
    }
}

static void kept_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct backward_job *job = arg;

    for (int64_t i = 0; i < n; i++) {
        struct backward_pass pass = {.state = job->state, .by_normal = job->by_normal};
        void *data[TENSORS];

        for (int tensor = 0; tensor < TENSORS; tensor++)
            data[tensor] = at(job->reduced, tensor, place, stride, i);
        kit_walk_run(job->reduced, data, gradient_row, &pass);
        job->to->store(data[GRADIENT], 1, &pass.sum, 1);
    }
}

static void run_gradient(const struct backward_state *state, const struct gradient_walks *walks,
                         int slot, void *const data[], void *to)
{
    struct backward_job job = {state, &walks->reduced, state->type[slot], slot == SLOT(dscale)};
    void *places[TENSORS];

    if (!state->type[slot])
        return;
    for (int tensor = 0; tensor < TENSORS; tensor++)
        places[tensor] = tensor == GRADIENT ? to : data[tensor];
    cpu_ref_walk_parallel(&walks->kept, places, COST * walks->reduced.count, kept_row, &job);
}

/* ------------------------------------------------------------------ elements */

static void element_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct backward_job *job = arg;
    const struct backward_state *state = job->state;
    const struct backward_pass pass = {.state = state};
    double dx[CPU_REF_MIXED_ROW];
    struct row row;

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);

        load_row(&pass, place, stride, begin, m, &row);
        cpu_ref_norm_operand(state->type[SLOT(dsum)], place[SLOT(dsum)], stride[SLOT(dsum)], begin,
                             m, 0, dx);
        for (int64_t i = 0; i < m; i++) {
            const struct norm_cell *cell = cell_at(&pass, place, stride, begin + i);

            dx[i] += row.inv_dev[i] * (row.w[i] - cell->mean_w - row.normal[i] * cell->mean_wn);
        }
        state->type[SLOT(dx)]->store(at(&state->elements, SLOT(dx), place, stride, begin),
                                     stride[SLOT(dx)], dx, m);
    }
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands)
{
    const struct backward_state *state = plan->state;
    struct backward_job job = {.state = state};
    size_t bytes = kit_bytes(state->dims.sets, sizeof(struct norm_cell));
    void *data[TENSORS];

    for (int slot = 0; slot < CELLS; slot++)
        data[slot] = operands->data[state->type[slot] ? slot : SLOT(x)];
    data[GRADIENT] = operands->data[SLOT(x)];
    data[CELLS] = kit_alloc(bytes, "the statistics of a normalization");
    if (!data[CELLS])
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    cpu_ref_walk_parallel(&state->sets, data, COST * state->dims.size, backward_sets, &job);
    run_gradient(state, &state->scale, SLOT(dscale), data, operands->data[SLOT(dscale)]);
    run_gradient(state, &state->bias, SLOT(dbias), data, operands->data[SLOT(dbias)]);
    cpu_ref_walk_parallel(&state->elements, data, COST, element_row, &job);
    kit_host->free(data[CELLS]);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ table entry */

/* Prepares the iterations for a parameter's gradient. It varies along the dims that it keeps. */
static void prepare_gradient(const struct norm_dims *dims,
                             const struct anydnn_plugin_tensor *const tensor[], uint32_t saved,
                             const struct anydnn_plugin_tensor *gradient,
                             struct gradient_walks *walks)
{
    const struct anydnn_plugin_tensor *list[TENSORS];
    uint32_t kept = 0;

    if (!gradient)
        return;
    for (int t = 0; t < TENSORS; t++)
        list[t] = t == GRADIENT ? gradient : tensor[t];
    for (int32_t d = 0; d < dims->count; d++)
        kept |= (uint32_t)(gradient->dims[dims->dim[d].of] != 1) << d;
    cpu_ref_norm_walk(dims, kept, list, TENSORS, saved, &walks->kept);
    cpu_ref_norm_walk(dims, ~kept, list, TENSORS, saved, &walks->reduced);
}

/* Prepares the state. x replaces absent tensors, which are not accessed. */
static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *own = plan->problem.tensor;
    const struct anydnn_plugin_tensor *tensor[TENSORS];
    struct backward_state *state = plan->state;
    uint32_t saved = 0;

    for (int slot = 0; slot < SLOTS; slot++)
        state->type[slot] = own[slot] ? cpu_ref_mixed(own[slot]->type) : NULL;
    for (int t = 0; t < CELLS; t++)
        tensor[t] = own[t] ? own[t] : own[SLOT(x)];
    for (int t = SLOT(save_mean); t <= SLOT(save_inv_dev); t++)
        saved |= own[t] ? 1u << t : 0;
    tensor[CELLS] = NULL;
    tensor[GRADIENT] = own[SLOT(x)];
    cpu_ref_norm_dims(&plan->problem, &state->dims);
    cpu_ref_norm_walk(&state->dims, ~state->dims.within, tensor, TENSORS, saved, &state->sets);
    cpu_ref_norm_walk(&state->dims, state->dims.within, tensor, TENSORS, saved, &state->set);
    cpu_ref_norm_walk(&state->dims, KIT_WALK_ALL, tensor, TENSORS, saved, &state->elements);
    prepare_gradient(&state->dims, tensor, saved, own[SLOT(dscale)], &state->scale);
    prepare_gradient(&state->dims, tensor, saved, own[SLOT(dbias)], &state->bias);
    state->settings = cpu_ref_norm_settings(&plan->problem);
}

const struct cpu_ref_kernel cpu_ref_normalization_backward = {
    .operation = ANYDNN_PLUGIN_NORMALIZATION_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = SLOT(x),
    .check_types = cpu_ref_norm_check_types,
    .state_size = sizeof(struct backward_state),
    .prepare = backward_prepare,
    .run = {CPU_REF_ANY_FLOAT(backward_run)},
};
