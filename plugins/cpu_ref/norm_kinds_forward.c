/* SPDX-License-Identifier: Apache-2.0 */
/* Implements layer, group and RMS normalization. Each set is processed separately. */
#include "norm_kinds.h"
#include "table.h"

/* The slots are also the tensors of an iteration. */
#define SLOT(name) slot_normalization_forward_##name
#define SLOTS      (SLOT(save_inv_dev) + 1)

/* The cost of an element in multiply-adds, for distribution over threads. */
#define COST 30

struct forward_state {
    struct kit_walk sets;
    struct kit_walk set;
    struct norm_settings settings;
    struct norm_input input;
    const struct cpu_ref_mixed *type[SLOTS]; /* NULL: absent */
};

/* The state of the last pass over one set. */
struct forward_pass {
    const struct forward_state *state;
    struct norm_cell cell;
};

static void *at(const struct forward_state *state, int slot, void *const place[],
                const int64_t stride[], int64_t i)
{
    return (char *)place[slot] + i * stride[slot] * state->set.element_size[slot];
}

static void result_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct forward_pass *pass = arg;
    const struct forward_state *state = pass->state;
    const struct norm_settings *set = &state->settings;
    double v[CPU_REF_MIXED_ROW], scale[CPU_REF_MIXED_ROW], bias[CPU_REF_MIXED_ROW];
    double y[CPU_REF_MIXED_ROW];

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);

        cpu_ref_norm_load(&state->input, place, stride, begin, m, v);
        cpu_ref_norm_operand(state->type[SLOT(scale)], place[SLOT(scale)], stride[SLOT(scale)],
                             begin, m, norm_no_scale(set), scale);
        cpu_ref_norm_operand(state->type[SLOT(bias)], place[SLOT(bias)], stride[SLOT(bias)], begin,
                             m, 0, bias);
        for (int64_t i = 0; i < m; i++)
            y[i] = cpu_ref_activate(set->activation, set->nan_propagate, set->coef,
                                    norm_factor(set, scale[i]) * norm_normal(&pass->cell, v[i]) +
                                        bias[i]);
        state->type[SLOT(y)]->store(at(state, SLOT(y), place, stride, begin), stride[SLOT(y)], y,
                                    m);
        if (state->type[SLOT(sum)])
            state->type[SLOT(sum)]->store(at(state, SLOT(sum), place, stride, begin),
                                          stride[SLOT(sum)], v, m);
    }
}

static void forward_sets(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct forward_state *state = arg;

    for (int64_t i = 0; i < n; i++) {
        struct forward_pass pass = {.state = state};
        void *data[SLOTS];
        double mean;

        for (int slot = 0; slot < SLOTS; slot++)
            data[slot] = at(state, slot, place, stride, i);
        cpu_ref_norm_statistics(&state->input, &state->set, data, &state->settings, &pass.cell);
        kit_walk_run(&state->set, data, result_row, &pass);
        mean = pass.cell.mean + pass.cell.shift;
        if (state->type[SLOT(save_mean)])
            state->type[SLOT(save_mean)]->store(data[SLOT(save_mean)], 1, &mean, 1);
        if (state->type[SLOT(save_inv_dev)])
            state->type[SLOT(save_inv_dev)]->store(data[SLOT(save_inv_dev)], 1, &pass.cell.inv_dev,
                                                   1);
    }
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan,
                           const struct anydnn_plugin_operands *operands)
{
    struct forward_state *state = plan->state;
    void *data[SLOTS];

    for (int slot = 0; slot < SLOTS; slot++)
        data[slot] = operands->data[state->type[slot] ? slot : SLOT(x)];
    cpu_ref_walk_parallel(&state->sets, data, COST * state->set.count, forward_sets, state);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Prepares the state. x replaces absent tensors, which are not accessed. */
static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const uint32_t saved = 1u << SLOT(save_mean) | 1u << SLOT(save_inv_dev);
    const struct anydnn_plugin_tensor *tensor[SLOTS];
    struct forward_state *state = plan->state;
    uint32_t absent = 0;
    struct norm_dims dims;

    for (int slot = 0; slot < SLOTS; slot++) {
        const struct anydnn_plugin_tensor *own = plan->problem.tensor[slot];

        absent |= own ? 0 : 1u << slot;
        tensor[slot] = own ? own : plan->problem.tensor[SLOT(x)];
        state->type[slot] = own ? cpu_ref_mixed(own->type) : NULL;
    }
    cpu_ref_norm_dims(&plan->problem, &dims);
    cpu_ref_norm_walk(&dims, ~dims.within, tensor, SLOTS, saved & ~absent, &state->sets);
    cpu_ref_norm_walk(&dims, dims.within, tensor, SLOTS, saved & ~absent, &state->set);
    state->settings = cpu_ref_norm_settings(&plan->problem);
    state->input = (struct norm_input){state->type[SLOT(x)], state->type[SLOT(z)],
                                       state->type[SLOT(sum)], SLOT(z)};
}

const struct cpu_ref_kernel cpu_ref_normalization_forward = {
    .operation = ANYDNN_PLUGIN_NORMALIZATION_FORWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = SLOT(x),
    .check_types = cpu_ref_norm_check_types,
    .state_size = sizeof(struct forward_state),
    .prepare = forward_prepare,
    .run = {CPU_REF_ANY_FLOAT(forward_run)},
};
