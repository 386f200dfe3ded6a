/* SPDX-License-Identifier: Apache-2.0 */
/* Implements sets of elements and their statistics, for layer, group and RMS normalization. */
#include "norm_kinds.h"

#include <math.h>

int32_t cpu_ref_norm_check_types(const struct anydnn_plugin_problem *problem,
                                 struct kit_refusal *why)
{
    (void)problem;
    (void)why;
    return 0;
}

static void add_dim(struct norm_dims *dims, int64_t size, int64_t by, int32_t of, int is_within)
{
    dims->within |= (uint32_t)is_within << dims->count;
    *(is_within ? &dims->size : &dims->sets) *= size;
    dims->dim[dims->count++] = (struct norm_dim){size, by, of};
}

void cpu_ref_norm_dims(const struct anydnn_plugin_problem *problem, struct norm_dims *dims)
{
    const struct anydnn_plugin_normalization *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[0];

    *dims = (struct norm_dims){.sets = 1, .size = 1};
    for (int32_t d = 0; d < x->ndims; d++) {
        int64_t members = x->dims[d] / params->groups;

        if (params->kind != ANYDNN_PLUGIN_NORMALIZATION_GROUP) {
            add_dim(dims, x->dims[d], 1, d, params->axes >> d & 1);
        } else if (d == params->channel_axis) {
            add_dim(dims, params->groups, members, d, 0);
            add_dim(dims, members, 1, d, 1);
        } else {
            add_dim(dims, x->dims[d], 1, d, d > 0);
        }
    }
}

struct norm_settings cpu_ref_norm_settings(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_normalization *params = problem->params;

    return (struct norm_settings){
        .is_rms = params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS,
        .is_centered = (params->flags & ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED) != 0,
        .activation = params->activation,
        .nan_propagate = params->nan_propagate,
        .coef = params->coef,
        .epsilon = params->epsilon};
}

/* Returns the stride of a tensor along one dim of the iteration, and updates that of the cells. */
static int64_t stride_of(const struct norm_dim *dim, int is_within,
                         const struct anydnn_plugin_tensor *tensor, int is_saved)
{
    if (tensor->dims[dim->of] == 1 || (is_saved && is_within))
        return 0;
    return tensor->strides[dim->of] * (is_saved ? 1 : dim->by);
}

void cpu_ref_norm_walk(const struct norm_dims *dims, uint32_t mask,
                       const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                       uint32_t saved, struct kit_walk *walk)
{
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX + 1][KIT_WALK_TENSORS];
    int64_t cells = 1;

    for (int32_t d = dims->count - 1; d >= 0; d--) {
        int is_within = dims->within >> d & 1;

        for (int32_t t = 0; t < tensors; t++)
            strides[d][t] = !tensor[t]
                                ? (is_within ? 0 : cells)
                                : stride_of(&dims->dim[d], is_within, tensor[t], saved >> t & 1);
        cells *= is_within ? 1 : dims->dim[d].size;
    }
    kit_walk_begin(walk, tensors);
    for (int32_t t = 0; t < tensors; t++)
        walk->element_size[t] =
            tensor[t] ? kit_type_size(tensor[t]->type) : (int64_t)sizeof(struct norm_cell);
    for (int32_t d = 0; d < dims->count; d++)
        if (mask >> d & 1)
            kit_walk_add(walk, dims->dim[d].size, strides[d], 0);
    kit_walk_end(walk);
}

void cpu_ref_norm_operand(const struct cpu_ref_mixed *type, const void *place, int64_t stride,
                          int64_t begin, int64_t n, double otherwise, double *to)
{
    if (type)
        type->load(to, (const char *)place + begin * stride * type->size, stride, n);
    for (int64_t i = 0; !type && i < n; i++)
        to[i] = otherwise;
}

void cpu_ref_norm_load(const struct norm_input *input, void *const place[], const int64_t stride[],
                       int64_t begin, int64_t n, double *v)
{
    double other[CPU_REF_MIXED_ROW];

    cpu_ref_norm_operand(input->x, place[0], stride[0], begin, n, 0, v);
    if (!input->z)
        return;
    cpu_ref_norm_operand(input->z, place[input->z_at], stride[input->z_at], begin, n, 0, other);
    for (int64_t i = 0; i < n; i++)
        v[i] += other[i];
    if (!input->sum)
        return;
    input->sum->store(other, 1, v, n);
    input->sum->load(v, other, 1, n);
}

/* The state of a pass over a set. */
struct pass {
    const struct norm_input *input;
    double mean;
    double sum;     /* of differences from the mean */
    double squares; /* of the same */
};

static void statistics_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    struct pass *pass = arg;
    double v[CPU_REF_MIXED_ROW];

    for (int64_t begin = 0; begin < n; begin += CPU_REF_MIXED_ROW) {
        int64_t m = cpu_ref_min(n - begin, CPU_REF_MIXED_ROW);

        cpu_ref_norm_load(pass->input, place, stride, begin, m, v);
        for (int64_t i = 0; i < m; i++) {
            double difference = v[i] - pass->mean;

            pass->sum += difference;
            pass->squares += difference * difference;
        }
    }
}

/* The second pass finds the rounding of the mean, and corrects the squares by it. */
void cpu_ref_norm_statistics(const struct norm_input *input, const struct kit_walk *set,
                             void *const data[], const struct norm_settings *settings,
                             struct norm_cell *cell)
{
    double count = (double)set->count, variance;
    struct pass pass = {.input = input};

    kit_walk_run(set, data, statistics_row, &pass);
    variance = pass.squares / count;
    cell->mean = cell->shift = 0;
    if (!settings->is_rms) {
        pass = (struct pass){.input = input, .mean = pass.sum / count};
        kit_walk_run(set, data, statistics_row, &pass);
        cell->mean = pass.mean;
        cell->shift = pass.sum / count;
        variance = pass.squares / count - cell->shift * cell->shift;
    }
    cell->inv_dev = 1 / sqrt((variance < 0 ? 0 : variance) + settings->epsilon);
}
