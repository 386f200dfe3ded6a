/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements batch normalization in inference and training. oneDNN normalizes. Our own steps
 * compute the unbiased running variance, the saved 1 / sqrt(variance + epsilon), the addition, and
 * the activation with the reserve's bits. oneDNN's fused ReLU stores a workspace in another format,
 * and oneDNN fuses no other activation.
 */
#include "batch_norm.h"
#include "table.h"

#define INFERENCE(name) slot_batch_normalization_inference_##name
#define TRAINING(name)  slot_batch_normalization_training_##name

/* ------------------------------------------------------------------ common parts */

int32_t onednn_norm_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;

    if (params->mode < ONEDNN_PER_ACTIVATION || params->mode > ONEDNN_PERSISTENT ||
        params->ops < ONEDNN_NORM_PLAIN || params->ops > ONEDNN_NORM_ADD_ACTIVATION)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "mode is %d and ops %d; both must be 0 to 2", params->mode, params->ops);
    if (params->ops != ONEDNN_NORM_PLAIN &&
        (params->activation < 0 || params->activation >= ONEDNN_ACTIVATION_END))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "activation %d is out of range 0..%d", params->activation,
                          ONEDNN_ACTIVATION_END - 1);
    return 0;
}

struct onednn_activation onednn_norm_activation(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    return (struct onednn_activation){params->activation, params->nan_propagate, params->coef};
}

struct onednn_norm onednn_norm_of(const struct onednn_build *build)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    struct onednn_view x = onednn_operand(build, 0);
    int64_t elements = kit_count(x.dims, x.ndims);
    struct onednn_norm norm = {.cells = x.dims[1]};

    if (params->mode == ONEDNN_PER_ACTIVATION) {
        struct onednn_view rows = {.ndims = 2, .type = ANYDNN_PLUGIN_FLOAT};

        norm.cells = elements / x.dims[0];
        norm.dense = onednn_packed(&x, ANYDNN_PLUGIN_FLOAT);
        rows.dims[0] = x.dims[0];
        rows.dims[1] = rows.strides[0] = norm.cells;
        rows.strides[1] = 1;
        norm.work = onednn_around(&rows, 1);
    } else {
        norm.dense = onednn_packed_like(&x, ANYDNN_PLUGIN_FLOAT);
        norm.work = onednn_around(&norm.dense, 1);
    }
    norm.count = elements / norm.cells;
    return norm;
}

int onednn_load_cells(struct onednn_build *build, const struct onednn_norm *norm, int32_t slot)
{
    struct onednn_view operand = onednn_operand(build, slot);
    struct onednn_view packed = onednn_packed(&operand, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view flat = onednn_flat(norm->cells);

    return onednn_load_as(build, slot, &packed, &flat);
}

int onednn_temporary_cells(struct onednn_build *build, const struct onednn_norm *norm)
{
    struct onednn_view flat = onednn_flat(norm->cells);
    return onednn_temporary_as(build, &flat);
}

struct onednn_output onednn_result_cells(struct onednn_build *build, const struct onednn_norm *norm,
                                         int32_t slot)
{
    struct onednn_view operand = onednn_operand(build, slot);
    struct onednn_view packed = onednn_packed(&operand, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view flat = onednn_flat(norm->cells);

    return onednn_result_as(build, slot, &packed, &flat);
}

dnnl_primitive_desc_t onednn_norm_describe(struct onednn_build *build,
                                           const struct onednn_norm *norm,
                                           dnnl_prop_kind_t direction, unsigned flags,
                                           dnnl_primitive_desc_t hint)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    onednn_layout layout = onednn_layout_of(build, &norm->work);
    struct onednn_batch_normalization normalization = {.direction = direction,
                                                       .x = layout,
                                                       .dx = layout,
                                                       .epsilon = (float)params->epsilon,
                                                       .flags = flags,
                                                       .hint = hint};

    return onednn_keep(build,
                       onednn_describe_batch_normalization(&normalization, build->attributes),
                       "batch normalization of these sizes");
}

/* ------------------------------------------------------------------ forward */

/* The operands of the normalization, as memory numbers. */
struct forward {
    dnnl_primitive_desc_t descriptor; /* NULL for our own code */
    int measures;                     /* 1 if it also computes mean and variance */
    int x, scale, bias, mean, variance;
};

static dnnl_primitive_desc_t describe(struct onednn_build *build, const struct onednn_norm *norm,
                                      dnnl_prop_kind_t direction)
{
    return onednn_norm_has_runs(norm)
               ? NULL
               : onednn_norm_describe(build, norm, direction,
                                      dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift,
                                      NULL);
}

static void normalize(struct onednn_build *build, const struct onednn_norm *norm,
                      const struct forward *forward, int y)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    struct onednn_norm_runs runs = {.work = norm->work,
                                    .measures = forward->measures,
                                    .epsilon = (double)(float)params->epsilon,
                                    .x = onednn_place_of(build, forward->x),
                                    .mean = onednn_place_of(build, forward->mean),
                                    .variance = onednn_place_of(build, forward->variance),
                                    .scale = onednn_place_of(build, forward->scale),
                                    .bias = onednn_place_of(build, forward->bias),
                                    .y = onednn_place_of(build, y)};

    if (onednn_norm_has_runs(norm))
        onednn_norm_run_runs(build, &runs);
    else
        ONEDNN_RUN(build, forward->descriptor, {DNNL_ARG_SRC, forward->x},
                   {DNNL_ARG_MEAN, forward->mean}, {DNNL_ARG_VARIANCE, forward->variance},
                   {DNNL_ARG_SCALE, forward->scale}, {DNNL_ARG_SHIFT, forward->bias},
                   {DNNL_ARG_DST, y});
}

/* Adds the steps after the normalization: they turn v into y. v is y's memory or a temporary. */
static void finish(struct onednn_build *build, const struct onednn_norm *norm, int32_t z_slot,
                   int32_t reserve_slot, int v, int y)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    struct onednn_norm_elements elements = {.activation = onednn_norm_activation(build->problem),
                                            .dense = norm->dense,
                                            .v = onednn_place_of(build, v),
                                            .out = onednn_place_of(build, y),
                                            .z_slot = -1,
                                            .reserve_slot = reserve_slot};

    if (params->ops == ONEDNN_NORM_PLAIN)
        return;
    if (params->ops == ONEDNN_NORM_ADD_ACTIVATION) {
        elements.z_slot = z_slot;
        elements.z = onednn_operand(build, z_slot);
    }
    onednn_run_own(build, onednn_norm_activate, &elements, sizeof elements);
}

static int32_t inference_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;

    if (params->ops == ONEDNN_NORM_ADD_ACTIVATION)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "ops is bn_add_activation, but z is absent");
    return onednn_norm_check(problem, why);
}

static void build_inference(struct onednn_build *build)
{
    struct onednn_norm norm = onednn_norm_of(build);
    struct forward forward = {.descriptor = describe(build, &norm, dnnl_forward_inference),
                              .x = onednn_load_as(build, INFERENCE(x), &norm.dense, &norm.work),
                              .scale = onednn_load_cells(build, &norm, INFERENCE(scale)),
                              .bias = onednn_load_cells(build, &norm, INFERENCE(bias)),
                              .mean = onednn_load_cells(build, &norm, INFERENCE(mean)),
                              .variance = onednn_load_cells(build, &norm, INFERENCE(var))};

    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output y;

        build->when = mode;
        y = onednn_result_as(build, INFERENCE(y), &norm.dense, &norm.work);
        normalize(build, &norm, &forward, y.memory);
        finish(build, &norm, -1, -1, y.memory, y.memory);
        onednn_store_as(build, &y, 0);
    }
}

static int32_t training_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;

    if (params->ops == ONEDNN_NORM_ADD_ACTIVATION && !problem->tensor[TRAINING(z)])
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "ops is bn_add_activation, but z is absent");
    if (params->ops != ONEDNN_NORM_PLAIN && !problem->tensor[TRAINING(reserve)])
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "the reserve is absent; it is required with an activation");
    return onednn_norm_check(problem, why);
}

static struct onednn_norm_cells cells_of(const struct onednn_build *build, int32_t slot)
{
    struct onednn_norm_cells cells = {.slot = -1};

    if (build->problem->present >> slot & 1) {
        cells.slot = slot;
        cells.view = onednn_operand(build, slot);
    }
    return cells;
}

static struct onednn_norm_statistics statistics_of(const struct onednn_build *build,
                                                   const struct onednn_norm *norm, int mean,
                                                   int variance)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;

    return (struct onednn_norm_statistics){
        .cells = norm->cells,
        .count = norm->count,
        .epsilon = params->epsilon,
        .mean = onednn_place_of(build, mean),
        .variance = onednn_place_of(build, variance),
        .running_mean = cells_of(build, TRAINING(running_mean)),
        .running_variance = cells_of(build, TRAINING(running_var)),
        .save_mean = cells_of(build, TRAINING(save_mean)),
        .save_inv_variance = cells_of(build, TRAINING(save_inv_var))};
}

static void build_training(struct onednn_build *build)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    struct onednn_norm norm = onednn_norm_of(build);
    struct forward forward = {.descriptor = describe(build, &norm, dnnl_forward_training),
                              .measures = onednn_norm_has_runs(&norm),
                              .x = onednn_load_as(build, TRAINING(x), &norm.dense, &norm.work),
                              .scale = onednn_load_cells(build, &norm, TRAINING(scale)),
                              .bias = onednn_load_cells(build, &norm, TRAINING(bias)),
                              .mean = onednn_temporary_cells(build, &norm),
                              .variance = onednn_temporary_cells(build, &norm)};
    struct onednn_norm_statistics statistics =
        statistics_of(build, &norm, forward.mean, forward.variance);
    int32_t reserve = params->ops == ONEDNN_NORM_PLAIN ? -1 : TRAINING(reserve);

    if (!forward.measures)
        onednn_norm_measure(build, &norm, forward.x, forward.mean, forward.variance);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output y;
        int v;

        build->when = mode;
        y = onednn_result_as(build, TRAINING(y), &norm.dense, &norm.work);
        /* y may lie on z, which is read after v is written. */
        v = onednn_in_place(build, TRAINING(y), TRAINING(z))
                ? onednn_temporary_as(build, &norm.work)
                : y.memory;
        normalize(build, &norm, &forward, v);
        onednn_run_own(build, onednn_norm_keep, &statistics, sizeof statistics);
        finish(build, &norm, TRAINING(z), reserve, v, y.memory);
        onednn_store_as(build, &y, 0);
    }
}

const struct onednn_operation onednn_batch_normalization_inference = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
    .types = ONEDNN_FLOATS_INT8,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = inference_check,
    .build = build_inference,
};

const struct onednn_operation onednn_batch_normalization_training = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = training_check,
    .build = build_training,
};
