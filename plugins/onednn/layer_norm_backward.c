/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the gradients of layer and group normalization. Our own step undoes activation and
 * scale, which gives w, and sums the gradients of scale and bias in double. oneDNN computes
 * dx = (w - mean(w) - n mean(w n)) / deviation for each row.
 */
#include <string.h>

#include "layer_norm.h"
#include "table.h"

#define SLOT(name) slot_normalization_backward_##name

static int is_present(const struct onednn_build *build, int32_t slot)
{
    return build->problem->tensor[slot] != NULL;
}

/* The gradient of a parameter: an array of double for each piece of the work. */
struct parameter {
    int32_t slot;
    struct onednn_place place;
    struct onednn_view view; /* with the dims of x */
    int64_t count, pieces;
};

/* The most pieces. They are the same for any number of threads, and so are the bits of a sum. */
#define PIECES_MAX 16

/* Returns the elements of a gradient, or 0 if it is absent. */
static int64_t gradient_count(const struct onednn_build *build, int32_t slot)
{
    const struct anydnn_plugin_tensor *tensor = build->problem->tensor[slot];
    return tensor ? kit_count(tensor->dims, tensor->ndims) : 0;
}

/* Returns the number of pieces. Their arrays have fewer elements than x. */
static int64_t pieces_of(const struct onednn_build *build, const struct onednn_sets *sets)
{
    int64_t scale = gradient_count(build, SLOT(dscale)), bias = gradient_count(build, SLOT(dbias));
    int64_t pieces = onednn_pieces_of(&sets->dense);
    int64_t fitting = sets->count * sets->size / (scale + bias + 1);

    pieces = pieces < fitting ? pieces : fitting;
    return pieces < 1 ? 1 : pieces < PIECES_MAX ? pieces : PIECES_MAX;
}

static void run_clear(const struct onednn_call *call, const void *data)
{
    const struct parameter *parameter = data;

    memset(onednn_at(call, parameter->place), 0,
           kit_bytes(parameter->count * parameter->pieces, sizeof(double)));
}

/* Adds the sums of all pieces to those of the first, in their order. */
static void run_gather(const struct onednn_call *call, const void *data)
{
    const struct parameter *parameter = data;
    double *sum = onednn_at(call, parameter->place);

    for (int64_t piece = 1; piece < parameter->pieces; piece++)
        for (int64_t i = 0; i < parameter->count; i++)
            sum[i] += sum[piece * parameter->count + i];
}

/* Reserves the arrays and clears them, if the operand exists. */
static struct parameter begin(struct onednn_build *build, const struct onednn_sets *sets,
                              int32_t slot)
{
    struct parameter made = {.slot = slot, .place = {.slot = -1}, .view = sets->dense};
    struct onednn_view operand;

    if (!is_present(build, slot))
        return made;
    operand = onednn_sets_operand(build, slot);
    made.view = onednn_sets_packed(&operand, ANYDNN_PLUGIN_DOUBLE);
    made.count = gradient_count(build, slot);
    made.pieces = pieces_of(build, sets);
    made.place = onednn_reserve(build, kit_bytes(made.count * made.pieces, sizeof(double)));
    onednn_run_own(build, run_clear, &made, sizeof made);
    return made;
}

/* Adds the steps that sum the pieces and store the gradient. */
static void end(struct onednn_build *build, const struct parameter *parameter)
{
    struct onednn_view operand, to, from = onednn_sets_own(&parameter->view);

    if (!is_present(build, parameter->slot))
        return;
    operand = onednn_sets_operand(build, parameter->slot);
    to = onednn_sets_own(&operand);
    onednn_run_own(build, run_gather, parameter, sizeof *parameter);
    onednn_copy(build, (struct onednn_place){.slot = parameter->slot}, &to, parameter->place,
                &from);
}

/* Returns w as rows of float. w replaces absent parameters. */
static int undo(struct onednn_build *build, const struct onednn_sets *sets, int v,
                const struct onednn_sets_statistics *statistics)
{
    struct parameter dscale = begin(build, sets, SLOT(dscale)),
                     dbias = begin(build, sets, SLOT(dbias));
    const size_t apart[9] = {[7] = kit_bytes(dscale.count, sizeof(double)),
                             [8] = kit_bytes(dbias.count, sizeof(double))};
    struct onednn_view dy = onednn_sets_operand(build, SLOT(dy)), inverse = sets->cells;
    struct onednn_view scale = sets->dense, bias = sets->dense;
    int w = onednn_temporary_as(build, &sets->work);
    struct onednn_place here = onednn_place_of(build, w);
    struct onednn_place place[9] = {here,
                                    {.slot = SLOT(dy)},
                                    onednn_place_of(build, v),
                                    onednn_place_of(build, statistics->mean),
                                    statistics->inverse,
                                    here,
                                    here,
                                    dscale.place,
                                    dbias.place};
    struct onednn_norm_act act = onednn_norm_act_of(build);

    inverse.type = ANYDNN_PLUGIN_DOUBLE;
    act.has_scale = onednn_sets_take(build, SLOT(scale), &scale, &place[5]);
    act.has_bias = onednn_sets_take(build, SLOT(bias), &bias, &place[6]);
    act.sums_scale = (int8_t)is_present(build, SLOT(dscale));
    act.sums_bias = (int8_t)is_present(build, SLOT(dbias));
    onednn_share_rows(build, onednn_norm_undo_row, &act, sizeof act,
                      (const struct onednn_view *const[]){&sets->dense, &dy, &sets->dense,
                                                          &sets->cells, &inverse, &scale, &bias,
                                                          &dscale.view, &dbias.view},
                      place, 9, pieces_of(build, sets), apart);
    end(build, &dscale);
    end(build, &dbias);
    return w;
}

/* Returns 1 if w is dy, and no parameter has a gradient. */
static int is_plain(const struct onednn_build *build)
{
    return onednn_norm_act_of(build).activation.mode == ONEDNN_IDENTITY &&
           !is_present(build, SLOT(scale)) && !is_present(build, SLOT(dscale)) &&
           !is_present(build, SLOT(dbias));
}

/* Adds the step dx = r + dsum. */
static void add_dsum(struct onednn_build *build, const struct onednn_sets *sets, int r)
{
    struct onednn_norm_act act = onednn_norm_act_of(build);
    struct onednn_view dx = onednn_sets_operand(build, SLOT(dx));
    struct onednn_view dsum = onednn_sets_operand(build, SLOT(dsum));

    onednn_share_rows(build, onednn_norm_add_row, &act, sizeof act,
                      (const struct onednn_view *const[]){&dx, &sets->dense, &dsum},
                      (const struct onednn_place[]){
                          {.slot = SLOT(dx)}, onednn_place_of(build, r), {.slot = SLOT(dsum)}},
                      3, onednn_pieces_of(&sets->dense), NULL);
}

static void build_backward(struct onednn_build *build)
{
    struct onednn_sets sets = onednn_sets_of(build);
    struct onednn_view dx_view = onednn_sets_operand(build, SLOT(dx));
    int has_dsum = is_present(build, SLOT(dsum)), v, w, dx;
    struct onednn_sets_statistics statistics;
    dnnl_primitive_desc_t descriptor;
    onednn_layout dense;

    build->when = ONEDNN_FAST;
    dense = onednn_layout_of(build, &sets.dense);
    descriptor = onednn_sets_describe(build, &sets, dnnl_backward_data, 0);
    v = onednn_sets_load(build, &sets, SLOT(x));
    statistics = is_present(build, SLOT(save_inv_dev))
                     ? onednn_sets_restore(build, &sets, SLOT(save_mean), SLOT(save_inv_dev))
                     : onednn_sets_measure(build, &sets, v);
    w = is_plain(build) ? onednn_sets_load(build, &sets, SLOT(dy))
                        : undo(build, &sets, v, &statistics);
    /* The primitive reads x twice, so dx must not overwrite it. */
    dx = has_dsum || onednn_in_place(build, SLOT(dx), SLOT(x))
             ? onednn_temporary(build, dense)
             : onednn_result(build, SLOT(dx), &dx_view, dense);
    ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, v}, {DNNL_ARG_MEAN, statistics.mean},
               {DNNL_ARG_VARIANCE, statistics.variance}, {DNNL_ARG_DIFF_DST, w},
               {DNNL_ARG_DIFF_SRC, onednn_recast(build, dx, onednn_layout_of(build, &sets.work))});
    if (has_dsum)
        add_dsum(build, &sets, dx);
    else
        onednn_store(build, SLOT(dx), &dx_view, dx, dense, ANYDNN_PLUGIN_FLOAT, 0);
}

const struct onednn_operation onednn_normalization_backward = {
    .operation = ANYDNN_PLUGIN_NORMALIZATION_BACKWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = onednn_layer_norm_check,
    .build = build_backward,
    .mode = onednn_layer_norm_mode,
};
