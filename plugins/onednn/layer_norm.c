/* SPDX-License-Identifier: Apache-2.0 */
/* Arranges the operands of layer and group normalization as rows, and obtains the statistics. */
#include "layer_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "batch_norm.h"

#define FORWARD(name) slot_normalization_forward_##name

int32_t onednn_layer_norm_check(const struct anydnn_plugin_problem *problem,
                                struct kit_refusal *why)
{
    const struct anydnn_plugin_normalization *params = problem->params;

    if (params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "kind is rms; oneDNN's layer normalization subtracts a mean");
    if (params->flags & ~ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "flags are 0x%x; only 0x%x is supported", params->flags,
                          ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED);
    if (!onednn_activation_exists(params->activation))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "unknown activation %d",
                          params->activation);
    if (params->epsilon != 0 &&
        (params->epsilon < (double)FLT_MIN || params->epsilon > (double)FLT_MAX))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "epsilon is %g; oneDNN requires 0 or a normal float", params->epsilon);
    return 0;
}

/* Returns ONEDNN_FAST for every call, since the operations have no scaling factors. */
uint32_t onednn_layer_norm_mode(const struct anydnn_plugin_operands *operands)
{
    (void)operands;
    return ONEDNN_FAST;
}

/* ------------------------------------------------------------------ views */

static int has_groups(const struct anydnn_plugin_normalization *params)
{
    return params->kind == ANYDNN_PLUGIN_NORMALIZATION_GROUP;
}

static void add_dim(struct onednn_view *view, int64_t dim, int64_t stride)
{
    view->dims[view->ndims] = dim;
    view->strides[view->ndims++] = stride;
}

struct onednn_view onednn_sets_operand(const struct onednn_build *build, int32_t slot)
{
    const struct anydnn_plugin_normalization *params = build->problem->params;
    const struct anydnn_plugin_tensor *x = build->problem->tensor[FORWARD(x)];
    const struct anydnn_plugin_tensor *tensor = build->problem->tensor[slot];
    struct onednn_view view = {.type = tensor->type};

    for (int32_t d = 0; d < x->ndims; d++) {
        int64_t members = x->dims[d] / params->groups;
        int64_t stride = tensor->dims[d] == 1 ? 0 : tensor->strides[d];

        if (!has_groups(params) || d != params->channel_axis) {
            add_dim(&view, x->dims[d], stride);
        } else if (tensor->dims[d] == x->dims[d]) {
            add_dim(&view, params->groups, stride * members);
            add_dim(&view, members, stride);
        } else {
            add_dim(&view, params->groups, stride);
            add_dim(&view, members, 0);
        }
    }
    return view;
}

int8_t onednn_sets_take(const struct onednn_build *build, int32_t slot, struct onednn_view *view,
                        struct onednn_place *place)
{
    if (!build->problem->tensor[slot])
        return 0;
    *view = onednn_sets_operand(build, slot);
    *place = (struct onednn_place){.slot = slot};
    return 1;
}

struct onednn_view onednn_sets_own(const struct onednn_view *view)
{
    struct onednn_view own = *view;

    for (int32_t d = 0; d < own.ndims; d++)
        if (own.strides[d] == 0) {
            own.dims[d] = 1;
            own.strides[d] = 1;
        }
    return own;
}

struct onednn_view onednn_sets_packed(const struct onednn_view *view, int32_t type)
{
    struct onednn_view own = onednn_sets_own(view);
    struct onednn_view packed = onednn_packed(&own, type);

    for (int32_t d = 0; d < packed.ndims; d++) {
        packed.strides[d] = view->strides[d] == 0 ? 0 : packed.strides[d];
        packed.dims[d] = view->dims[d];
    }
    return packed;
}

struct onednn_sets onednn_sets_of(const struct onednn_build *build)
{
    const struct anydnn_plugin_normalization *params = build->problem->params;
    struct onednn_view x = onednn_sets_operand(build, FORWARD(x));
    struct onednn_sets sets = {.size = 1};

    for (int32_t d = 0; d < x.ndims; d++)
        if (has_groups(params) ? d > 0 && d != params->channel_axis : params->axes >> d & 1) {
            sets.within |= UINT32_C(1) << d;
            sets.size *= x.dims[d];
        }
    sets.count = kit_count(x.dims, x.ndims) / sets.size;
    sets.dense = onednn_packed_inside(&x, ANYDNN_PLUGIN_FLOAT, sets.within);
    sets.work = (struct onednn_view){.type = ANYDNN_PLUGIN_FLOAT,
                                     .ndims = 2,
                                     .dims = {sets.count, sets.size},
                                     .strides = {sets.size, 1}};
    sets.cells = sets.dense;
    for (int32_t d = 0; d < x.ndims; d++)
        sets.cells.strides[d] = sets.within >> d & 1 ? 0 : sets.dense.strides[d] / sets.size;
    return sets;
}

int onednn_sets_load(struct onednn_build *build, const struct onednn_sets *sets, int32_t slot)
{
    struct onednn_view view = onednn_sets_operand(build, slot);
    int memory =
        onednn_load(build, slot, &view, onednn_layout_of(build, &sets->dense), ANYDNN_PLUGIN_FLOAT);

    return onednn_recast(build, memory, onednn_layout_of(build, &sets->work));
}

/* ------------------------------------------------------------------ statistics */

struct statistics {
    int64_t count, size;
    double epsilon;
    struct onednn_place v, mean, variance, inverse;
};

struct measuring {
    const struct statistics *s;
    const float *v;
    float *mean, *variance;
    double *inverse;
};

/* Computes the statistics of one set. Those of a set with infinities are NaN. */
static void measure_set(void *arg, int64_t set)
{
    const struct measuring *work = arg;
    float *mean = &work->mean[set], *variance = &work->variance[set];

    onednn_norm_measure_runs(work->v + set * work->s->size, 1, 0, work->s->size, mean, variance);
    *mean = isinf(*mean) ? NAN : *mean;
    work->inverse[set] = 1 / sqrt((double)*variance + work->s->epsilon);
}

static void run_measure(const struct onednn_call *call, const void *data)
{
    const struct statistics *s = data;
    struct measuring work = {s, onednn_at(call, s->v), onednn_at(call, s->mean),
                             onednn_at(call, s->variance), onednn_at(call, s->inverse)};

    onednn_share(call, s->count, measure_set, &work);
}

static void run_restore(const struct onednn_call *call, const void *data)
{
    const struct statistics *s = data;
    const double *inverse = onednn_at(call, s->inverse);
    float *variance = onednn_at(call, s->variance);

    for (int64_t i = 0; i < s->count; i++)
        variance[i] = (float)(1 / (inverse[i] * inverse[i]) - s->epsilon);
}

static struct onednn_sets_statistics begin(struct onednn_build *build,
                                           const struct onednn_sets *sets, struct statistics *step)
{
    const struct anydnn_plugin_normalization *params = build->problem->params;
    struct onednn_view flat = onednn_flat(sets->count);
    struct onednn_sets_statistics made = {
        .mean = onednn_temporary_as(build, &flat),
        .variance = onednn_temporary_as(build, &flat),
        .inverse = onednn_reserve(build, kit_bytes(sets->count, sizeof(double)))};

    *step = (struct statistics){.count = sets->count,
                                .size = sets->size,
                                .epsilon = (double)(float)params->epsilon,
                                .mean = onednn_place_of(build, made.mean),
                                .variance = onednn_place_of(build, made.variance),
                                .inverse = made.inverse};
    return made;
}

struct onednn_sets_statistics onednn_sets_measure(struct onednn_build *build,
                                                  const struct onednn_sets *sets, int v)
{
    struct statistics step;
    struct onednn_sets_statistics made = begin(build, sets, &step);

    step.v = onednn_place_of(build, v);
    onednn_run_own(build, run_measure, &step, sizeof step);
    return made;
}

/* Adds a copy of a saved statistic to an array of one value per set. */
static void take(struct onednn_build *build, const struct onednn_sets *sets,
                 struct onednn_place place, int32_t type, int32_t slot)
{
    struct onednn_view operand = onednn_sets_operand(build, slot);
    struct onednn_view from = onednn_sets_own(&operand), to = onednn_sets_own(&sets->cells);

    to.type = type;
    onednn_copy(build, place, &to, (struct onednn_place){.slot = slot}, &from);
}

struct onednn_sets_statistics onednn_sets_restore(struct onednn_build *build,
                                                  const struct onednn_sets *sets, int32_t mean_slot,
                                                  int32_t inverse_slot)
{
    struct statistics step;
    struct onednn_sets_statistics made = begin(build, sets, &step);

    take(build, sets, step.mean, ANYDNN_PLUGIN_FLOAT, mean_slot);
    take(build, sets, step.inverse, ANYDNN_PLUGIN_DOUBLE, inverse_slot);
    onednn_run_own(build, run_restore, &step, sizeof step);
    return made;
}

/* ------------------------------------------------------------------ the primitive */

dnnl_primitive_desc_t onednn_sets_describe(struct onednn_build *build,
                                           const struct onednn_sets *sets,
                                           dnnl_prop_kind_t direction, unsigned flags)
{
    const struct anydnn_plugin_normalization *params = build->problem->params;
    struct onednn_view flat = onednn_flat(sets->count);
    onednn_layout layout = onednn_layout_of(build, &sets->work);
    struct onednn_layer_normalization norm = {.direction = direction,
                                              .x = layout,
                                              .dx = layout,
                                              .statistics = onednn_layout_of(build, &flat),
                                              .epsilon = (float)params->epsilon,
                                              .flags = flags};

    if (direction == dnnl_backward_data) {
        norm.direction = dnnl_forward_training;
        norm.hint =
            onednn_keep(build, onednn_describe_layer_normalization(&norm, build->attributes),
                        "layer normalization of these sizes");
        norm.direction = direction;
    }
    return onednn_keep(build, onednn_describe_layer_normalization(&norm, build->attributes),
                       "layer normalization of these sizes");
}

struct onednn_norm_act onednn_norm_act_of(const struct onednn_build *build)
{
    const struct anydnn_plugin_normalization *params = build->problem->params;

    return (struct onednn_norm_act){
        .activation = {params->activation, params->nan_propagate, params->coef},
        .is_centered = (params->flags & ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED) != 0};
}
