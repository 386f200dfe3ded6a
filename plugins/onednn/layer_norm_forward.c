/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements layer and group normalization. oneDNN normalizes rows, and applies a scale and a bias
 * that are the same for every set. Our own steps add z, compute the statistics in double, and apply
 * other parameters and the activation. oneDNN sums a set in float, which long sets and means far
 * from zero do not tolerate.
 */
#include "layer_norm.h"
#include "table.h"

#define SLOT(name) slot_normalization_forward_##name

static int is_present(const struct onednn_build *build, int32_t slot)
{
    return build->problem->tensor[slot] != NULL;
}

/* Returns 1 if the operand exists and is the same for every set. */
static int is_shared(const struct onednn_build *build, const struct onednn_sets *sets, int32_t slot)
{
    struct onednn_view view;

    if (!is_present(build, slot))
        return 0;
    view = onednn_sets_operand(build, slot);
    for (int32_t d = 0; d < view.ndims; d++)
        if (!(sets->within >> d & 1) && view.strides[d] != 0)
            return 0;
    return 1;
}

/* Returns x + z as rows of float, and stores the sum if it is an output. */
static int load_sum(struct onednn_build *build, const struct onednn_sets *sets)
{
    struct onednn_norm_act act = onednn_norm_act_of(build);
    struct onednn_view x = onednn_sets_operand(build, SLOT(x)), z, sum;
    int has_sum = is_present(build, SLOT(sum));
    struct onednn_place place[4] = {
        {.slot = -1}, {.slot = SLOT(x)}, {.slot = SLOT(z)}, {.slot = SLOT(sum)}};
    int v;

    if (!is_present(build, SLOT(z)))
        return onednn_sets_load(build, sets, SLOT(x));
    z = onednn_sets_operand(build, SLOT(z));
    sum = has_sum ? onednn_sets_operand(build, SLOT(sum)) : z;
    v = onednn_temporary_as(build, &sets->work);
    place[0] = onednn_place_of(build, v);
    onednn_share_rows(build, onednn_norm_add_row, &act, sizeof act,
                      (const struct onednn_view *const[]){&sets->dense, &x, &z, &sum}, place,
                      has_sum ? 4 : 3, onednn_pieces_of(&sets->dense), NULL);
    return v;
}

/* Loads a parameter that all sets share, as an array of float. */
static int load_shared(struct onednn_build *build, const struct onednn_sets *sets, int32_t slot)
{
    struct onednn_view view = onednn_sets_operand(build, slot), packed = sets->dense;
    struct onednn_view flat = onednn_flat(sets->size);

    for (int32_t d = 0; d < packed.ndims; d++)
        if (!(sets->within >> d & 1)) {
            view.dims[d] = packed.dims[d] = 1;
            view.strides[d] = packed.strides[d] = sets->size;
        }
    return onednn_recast(
        build,
        onednn_load(build, slot, &view, onednn_layout_of(build, &packed), ANYDNN_PLUGIN_FLOAT),
        onednn_layout_of(build, &flat));
}

/* Returns the factors that all sets share: the scale, or 1 + scale. */
static int load_factors(struct onednn_build *build, const struct onednn_sets *sets)
{
    struct onednn_norm_act act = onednn_norm_act_of(build);
    struct onednn_view flat = onednn_flat(sets->size);
    int scale = load_shared(build, sets, SLOT(scale)), factor;

    if (!act.is_centered)
        return scale;
    factor = onednn_temporary_as(build, &flat);
    onednn_run_rows(build, onednn_norm_center_row, &act, sizeof act,
                    (const struct onednn_view *const[]){&flat, &flat},
                    (const struct onednn_place[]){onednn_place_of(build, factor),
                                                  onednn_place_of(build, scale)},
                    2);
    return factor;
}

/* Adds the primitive. `flags` state which parameters it applies. */
static void normalize(struct onednn_build *build, const struct onednn_sets *sets,
                      const struct onednn_sets_statistics *statistics, unsigned flags, int v, int y)
{
    struct onednn_argument arguments[6] = {{DNNL_ARG_SRC, v},
                                           {DNNL_ARG_MEAN, statistics->mean},
                                           {DNNL_ARG_VARIANCE, statistics->variance},
                                           {DNNL_ARG_DST, y}};
    int count = 4;

    if (flags & dnnl_use_scale)
        arguments[count++] = (struct onednn_argument){DNNL_ARG_SCALE, load_factors(build, sets)};
    if (flags & dnnl_use_shift)
        arguments[count++] =
            (struct onednn_argument){DNNL_ARG_SHIFT, load_shared(build, sets, SLOT(bias))};
    onednn_run(
        build,
        onednn_sets_describe(build, sets, dnnl_forward_inference, flags | dnnl_use_global_stats),
        arguments, count);
}

/* Adds the step that applies what the primitive does not, from n to the operand y. */
static void finish(struct onednn_build *build, const struct onednn_sets *sets, unsigned flags,
                   int n)
{
    struct onednn_norm_act act = onednn_norm_act_of(build);
    struct onednn_view y = onednn_sets_operand(build, SLOT(y)), scale = y, bias = y;
    struct onednn_place place[4] = {
        {.slot = SLOT(y)}, onednn_place_of(build, n), {.slot = SLOT(y)}, {.slot = SLOT(y)}};

    if (!(flags & dnnl_use_scale))
        act.has_scale = onednn_sets_take(build, SLOT(scale), &scale, &place[2]);
    if (!(flags & dnnl_use_shift))
        act.has_bias = onednn_sets_take(build, SLOT(bias), &bias, &place[3]);
    onednn_share_rows(build, onednn_norm_finish_row, &act, sizeof act,
                      (const struct onednn_view *const[]){&y, &sets->dense, &scale, &bias}, place,
                      4, onednn_pieces_of(&sets->dense), NULL);
}

/* Adds a copy of a statistic, an array of `type`, to its operand. */
static void save(struct onednn_build *build, const struct onednn_sets *sets,
                 struct onednn_place place, int32_t type, int32_t slot)
{
    struct onednn_view operand, to, from = onednn_sets_own(&sets->cells);

    if (!is_present(build, slot))
        return;
    operand = onednn_sets_operand(build, slot);
    to = onednn_sets_own(&operand);
    from.type = type;
    onednn_copy(build, (struct onednn_place){.slot = slot}, &to, place, &from);
}

/* Returns the flags of the parameters that the primitive applies. The scale comes first. */
static unsigned flags_of(const struct onednn_build *build, const struct onednn_sets *sets)
{
    int has_scale = is_present(build, SLOT(scale)),
        shares_scale = is_shared(build, sets, SLOT(scale));

    return (shares_scale ? (unsigned)dnnl_use_scale : 0u) |
           ((!has_scale || shares_scale) && is_shared(build, sets, SLOT(bias))
                ? (unsigned)dnnl_use_shift
                : 0u);
}

/* Returns 1 if the primitive does all that follows the normalization. */
static int is_finished(const struct onednn_build *build, unsigned flags)
{
    return onednn_norm_act_of(build).activation.mode == ONEDNN_IDENTITY &&
           is_present(build, SLOT(scale)) == !!(flags & dnnl_use_scale) &&
           is_present(build, SLOT(bias)) == !!(flags & dnnl_use_shift);
}

static void build_forward(struct onednn_build *build)
{
    struct onednn_sets sets = onednn_sets_of(build);
    struct onednn_view y_view = onednn_sets_operand(build, SLOT(y));
    unsigned flags = flags_of(build, &sets);
    struct onednn_sets_statistics statistics;
    onednn_layout dense;
    int v, y;

    build->when = ONEDNN_FAST;
    dense = onednn_layout_of(build, &sets.dense);
    v = load_sum(build, &sets);
    statistics = onednn_sets_measure(build, &sets, v);
    if (is_finished(build, flags)) {
        y = onednn_result(build, SLOT(y), &y_view, dense);
        normalize(build, &sets, &statistics, flags, v,
                  onednn_recast(build, y, onednn_layout_of(build, &sets.work)));
        onednn_store(build, SLOT(y), &y_view, y, dense, ANYDNN_PLUGIN_FLOAT, 0);
    } else {
        y = onednn_temporary_as(build, &sets.work);
        normalize(build, &sets, &statistics, flags, v, y);
        finish(build, &sets, flags, y);
    }
    save(build, &sets, onednn_place_of(build, statistics.mean), ANYDNN_PLUGIN_FLOAT,
         SLOT(save_mean));
    save(build, &sets, statistics.inverse, ANYDNN_PLUGIN_DOUBLE, SLOT(save_inv_dev));
}

const struct onednn_operation onednn_normalization_forward = {
    .operation = ANYDNN_PLUGIN_NORMALIZATION_FORWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = onednn_layer_norm_check,
    .build = build_forward,
    .mode = onednn_layer_norm_mode,
};
