/* SPDX-License-Identifier: Apache-2.0 */
/* Implements backward batch normalization. Our own step computes the gradient of the activation,
 * oneDNN that of the normalization. */
#include "batch_norm.h"
#include "table.h"

#define SLOT(name) slot_batch_normalization_backward_##name

/* ------------------------------------------------------------------ conditions */

static int32_t refuse_without(struct kit_refusal *why, const char *rule, const char *operand)
{
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "%s, but %s is absent", rule, operand);
}

static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    int32_t mode = params->activation, reason = onednn_norm_check(problem, why);

    if (!reason) /* oneDNN allows dx to overwrite dy, but not x */
        reason = onednn_check_apart(problem, SLOT(dx), SLOT(x), why);
    if (reason)
        return reason;
    if (!problem->tensor[SLOT(save_mean)] != !problem->tensor[SLOT(save_inv_var)])
        return refuse_without(why, "save_mean and save_inv_var must be given together",
                              "one of them");
    if (params->ops == ONEDNN_NORM_PLAIN)
        return 0;
    if (!problem->tensor[SLOT(reserve)])
        return refuse_without(why, "the reserve is required with an activation", "it");
    if (!problem->tensor[SLOT(y)] &&
        (mode == ONEDNN_SIGMOID || mode == ONEDNN_TANH || mode == ONEDNN_ELU))
        return refuse_without(why, "this activation's gradient requires y", "y");
    if (mode == ONEDNN_SWISH && !problem->tensor[SLOT(bias)])
        return refuse_without(why, "swish's gradient requires its argument", "bias");
    if (mode == ONEDNN_SWISH && params->ops == ONEDNN_NORM_ADD_ACTIVATION)
        return refuse_without(why, "swish's gradient requires its argument", "z");
    if (params->ops == ONEDNN_NORM_ADD_ACTIVATION && !problem->tensor[SLOT(dz)])
        return refuse_without(why, "ops is bn_add_activation", "dz");
    return 0;
}

/* Returns the mode of a call. There are two pairs of scaling factors: one for dx and dz, one for
 * the gradients of the parameters. */
static uint32_t mode_of(const struct anydnn_plugin_operands *operands)
{
    const double *scale = operands->scale;
    return scale[0] == 1 && scale[1] == 0 && scale[2] == 1 && scale[3] == 0 ? ONEDNN_FAST
                                                                            : ONEDNN_GENERAL;
}

/* ------------------------------------------------------------------ plans */

struct statistics {
    int mean, variance;
};

/* Loads the saved pair, or computes it from x. */
static struct statistics build_statistics(struct onednn_build *build,
                                          const struct onednn_norm *norm, int x)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    struct statistics found = {.variance = onednn_temporary_cells(build, norm)};

    if (build->problem->tensor[SLOT(save_mean)]) {
        int inverse = onednn_load_cells(build, norm, SLOT(save_inv_var));
        struct onednn_norm_restore restore = {.cells = norm->cells,
                                              .epsilon = (double)(float)params->epsilon,
                                              .inv_variance = onednn_place_of(build, inverse),
                                              .variance = onednn_place_of(build, found.variance)};

        found.mean = onednn_load_cells(build, norm, SLOT(save_mean));
        onednn_run_own(build, onednn_norm_restore, &restore, sizeof restore);
    } else {
        found.mean = onednn_temporary_cells(build, norm);
        onednn_norm_measure(build, norm, x, found.mean, found.variance);
    }
    return found;
}

/* Adds the step that computes the gradient before the activation, in x's memory order. */
static struct onednn_output build_gradient(struct onednn_build *build,
                                           const struct onednn_norm *norm, int x, int scale,
                                           const struct statistics *statistics)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    struct onednn_output g = {.slot = SLOT(dz), .dense = norm->dense};
    struct onednn_norm_elements elements = {.activation = onednn_norm_activation(build->problem),
                                            .plain = params->ops == ONEDNN_NORM_PLAIN,
                                            .dense = norm->dense,
                                            .dy = onednn_operand(build, SLOT(dy)),
                                            .dy_slot = SLOT(dy),
                                            .y_slot = -1,
                                            .reserve_slot = SLOT(reserve)};

    g.plain = onednn_temporary_as(build, &norm->dense);
    g.memory = onednn_recast(build, g.plain, onednn_layout_of(build, &norm->work));
    elements.out = onednn_place_of(build, g.plain);
    if (elements.plain)
        elements.reserve_slot = -1;
    if (build->problem->tensor[SLOT(y)]) {
        elements.y_slot = SLOT(y);
        elements.y = onednn_operand(build, SLOT(y));
    }
    if (!elements.plain && params->activation == ONEDNN_SWISH) {
        elements.per_activation = params->mode == ONEDNN_PER_ACTIVATION;
        elements.epsilon = params->epsilon;
        elements.x = onednn_place_of(build, x);
        elements.mean = onednn_place_of(build, statistics->mean);
        elements.variance = onednn_place_of(build, statistics->variance);
        elements.scale = onednn_place_of(build, scale);
        elements.bias = onednn_place_of(build, onednn_load_cells(build, norm, SLOT(bias)));
    }
    onednn_run_own(build, onednn_norm_gradient, &elements, sizeof elements);
    return g;
}

/* Adds the steps of one mode. */
static void run_backward(struct onednn_build *build, const struct onednn_norm *norm,
                         dnnl_primitive_desc_t descriptor, int x, int scale,
                         const struct statistics *statistics, const struct onednn_output *g)
{
    struct onednn_output dx = onednn_result_as(build, SLOT(dx), &norm->dense, &norm->work);
    struct onednn_output dscale = onednn_result_cells(build, norm, SLOT(dscale));
    struct onednn_output dbias = onednn_result_cells(build, norm, SLOT(dbias));
    const struct onednn_argument arguments[] = {{DNNL_ARG_SRC, x},
                                                {DNNL_ARG_MEAN, statistics->mean},
                                                {DNNL_ARG_VARIANCE, statistics->variance},
                                                {DNNL_ARG_SCALE, scale},
                                                {DNNL_ARG_DIFF_DST, g->memory},
                                                {DNNL_ARG_DIFF_SRC, dx.memory},
                                                {DNNL_ARG_DIFF_SCALE, dscale.memory},
                                                {DNNL_ARG_DIFF_SHIFT, dbias.memory},
                                                {DNNL_ARG_SHIFT, scale}};

    onednn_run(build, descriptor, arguments, onednn_shift_in_backward() ? 9 : 8);
    onednn_store_as(build, &dx, 0);
    onednn_store_as(build, &dscale, 2);
    onednn_store_as(build, &dbias, 2);
    if (build->problem->tensor[SLOT(dz)])
        onednn_store_as(build, g, 0);
}

static void build_backward(struct onednn_build *build)
{
    const struct anydnn_plugin_batch_normalization *params = build->problem->params;
    const unsigned flags = dnnl_use_scale | dnnl_use_shift;
    struct onednn_norm norm = onednn_norm_of(build);
    dnnl_primitive_desc_t hint =
        onednn_norm_describe(build, &norm, dnnl_forward_training, flags, NULL);
    dnnl_primitive_desc_t descriptor =
        onednn_norm_describe(build, &norm, dnnl_backward, flags, hint);
    int x = onednn_load_as(build, SLOT(x), &norm.dense, &norm.work);
    int scale = onednn_load_cells(build, &norm, SLOT(scale));
    struct statistics statistics = build_statistics(build, &norm, x);
    struct onednn_output g;

    if (params->ops == ONEDNN_NORM_PLAIN && !build->problem->tensor[SLOT(dz)])
        g.memory = onednn_load_as(build, SLOT(dy), &norm.dense, &norm.work);
    else
        g = build_gradient(build, &norm, x, scale, &statistics);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        build->when = mode;
        run_backward(build, &norm, descriptor, x, scale, &statistics, &g);
    }
}

const struct onednn_operation onednn_batch_normalization_backward = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check,
    .build = build_backward,
    .mode = mode_of,
};
