/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements LRN across channels. oneDNN's window is symmetric: for even n it covers n - 1
 * channels, or n with other neighbors. Our own code computes such windows. It also computes those
 * for which oneDNN's channels-last backward kernel for AVX-512 is defective (is_own,
 * is_own_backward). oneDNN's backward kernels may need a workspace of the forward pass; if so, the
 * plan runs forward again.
 */
#include "lrn.h"
#include "table.h"

/* The channels in a vector of oneDNN's AVX-512 kernel. */
#define VECTOR 16

static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_lrn *params = problem->params;

    if (params->n >= 1 && params->n <= ONEDNN_LRN_WINDOW_MAX)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "n is %d; it must be from 1 to %d",
                      params->n, ONEDNN_LRN_WINDOW_MAX);
}

/* Refuses an output that lies on an input. Neither oneDNN nor our own code works in place. */
static int32_t check_forward(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t reason = check(problem, why);

    return reason ? reason
                  : onednn_check_apart(problem, slot_lrn_forward_y, slot_lrn_forward_x, why);
}

static int32_t check_backward(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t reason = check(problem, why);

    if (!reason)
        reason = onednn_check_apart(problem, slot_lrn_backward_dx, slot_lrn_backward_dy, why);
    return reason ? reason
                  : onednn_check_apart(problem, slot_lrn_backward_dx, slot_lrn_backward_x, why);
}

static struct onednn_lrn describe(struct onednn_build *build, const struct onednn_view *work)
{
    const struct anydnn_plugin_lrn *params = build->problem->params;
    onednn_layout layout = onednn_layout_of(build, work);

    return (struct onednn_lrn){.direction = dnnl_forward_training,
                               .x = layout,
                               .dx = layout,
                               .n = params->n,
                               .alpha = (float)params->alpha,
                               .beta = (float)params->beta,
                               .k = (float)params->k};
}

/* Returns 1 if our own code is required. oneDNN 2.6 crashes when it creates a backward kernel for a
 * window of one channel. */
static int is_own(const struct onednn_build *build)
{
    const struct anydnn_plugin_lrn *params = build->problem->params;
    return params->n % 2 == 0 || params->n == 1;
}

/* Returns 1 if our own code is required backward. oneDNN's kernel is wrong for windows of 7 and
 * more if the last vector is partly filled and is not the first (2.6.3 and 3.2: relative errors of
 * 0.1 to 3). With another beta than 0.75, or without AVX-512, oneDNN uses its reference code, which
 * is correct but slower than ours. */
static int is_own_backward(const struct onednn_build *build, const struct onednn_lrn_own *own)
{
    const struct anydnn_plugin_lrn *params = build->problem->params;
    int part = own->channels > VECTOR && own->channels % VECTOR != 0;

    return is_own(build) || (params->n >= 7 && own->inner == 1 && part);
}

/* Returns the parameters for our own code. They are rounded to float, as anydnn.h specifies. */
static struct onednn_lrn_own own_of(const struct onednn_build *build,
                                    const struct onednn_view *dense)
{
    const struct anydnn_plugin_lrn *params = build->problem->params;
    struct onednn_lrn_own own = {.channels = dense->dims[1],
                                 .inner = dense->strides[1],
                                 .before = (params->n - 1) / 2,
                                 .alpha = (double)(float)params->alpha / params->n,
                                 .beta = (double)(float)params->beta,
                                 .k = (double)(float)params->k};

    own.after = params->n - 1 - own.before;
    own.outer = kit_count(dense->dims, dense->ndims) / (own.channels * own.inner);
    return own;
}

static dnnl_primitive_desc_t forward_descriptor(struct onednn_build *build,
                                                const struct onednn_view *work,
                                                dnnl_prop_kind_t direction)
{
    struct onednn_lrn lrn = describe(build, work);

    lrn.direction = direction;
    return onednn_keep(build, onednn_describe_lrn(&lrn, build->attributes), "LRN of these sizes");
}

static void build_forward(struct onednn_build *build)
{
    struct onednn_view operand = onednn_operand(build, slot_lrn_forward_x);
    struct onednn_view dense = onednn_packed_like(&operand, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view work = onednn_around(&dense, 1);
    struct onednn_lrn_own own = own_of(build, &dense);
    dnnl_primitive_desc_t descriptor =
        is_own(build) ? NULL : forward_descriptor(build, &work, dnnl_forward_inference);
    int x = onednn_load_as(build, slot_lrn_forward_x, &dense, &work);

    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output y;

        build->when = mode;
        y = onednn_result_as(build, slot_lrn_forward_y, &dense, &work);
        own.x = onednn_place_of(build, x);
        own.out = onednn_place_of(build, y.memory);
        if (is_own(build))
            onednn_run_own(build, onednn_lrn_own_forward, &own, sizeof own);
        else
            ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y.memory});
        onednn_store_as(build, &y, 0);
    }
}

/* Adds oneDNN's two steps: forward again for the workspace, if there is one, then backward. */
static void run_backward(struct onednn_build *build, const struct onednn_view *work, int x, int dy,
                         int dx)
{
    struct onednn_lrn lrn = describe(build, work);
    onednn_layout workspace;
    dnnl_primitive_desc_t descriptor;
    int kept;

    lrn.hint = forward_descriptor(build, work, dnnl_forward_training);
    lrn.direction = dnnl_backward_data;
    descriptor = onednn_keep(build, onednn_describe_lrn(&lrn, build->attributes),
                             "backward LRN of these sizes");
    if (!descriptor)
        return;
    workspace = onednn_chosen(descriptor, dnnl_query_workspace_md);
    if (!workspace || onednn.dnnl_memory_desc_get_size(workspace) == 0) {
        ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy},
                   {DNNL_ARG_DIFF_SRC, dx});
        return;
    }
    kept = onednn_temporary(build, workspace);
    /* dx is written last, so it can hold the unused y until then. */
    ONEDNN_RUN(build, lrn.hint, {DNNL_ARG_SRC, x}, {DNNL_ARG_DST, dx}, {DNNL_ARG_WORKSPACE, kept});
    ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy},
               {DNNL_ARG_WORKSPACE, kept}, {DNNL_ARG_DIFF_SRC, dx});
}

static void build_backward(struct onednn_build *build)
{
    struct onednn_view operand = onednn_operand(build, slot_lrn_backward_x);
    struct onednn_view dense = onednn_packed_like(&operand, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view work = onednn_around(&dense, 1);
    struct onednn_lrn_own own = own_of(build, &dense);
    int x = onednn_load_as(build, slot_lrn_backward_x, &dense, &work);
    int dy = onednn_load_as(build, slot_lrn_backward_dy, &dense, &work);

    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output dx;

        build->when = mode;
        dx = onednn_result_as(build, slot_lrn_backward_dx, &dense, &work);
        own.x = onednn_place_of(build, x);
        own.dy = onednn_place_of(build, dy);
        own.out = onednn_place_of(build, dx.memory);
        if (is_own_backward(build, &own))
            onednn_run_own(build, onednn_lrn_own_backward, &own, sizeof own);
        else
            run_backward(build, &work, x, dy, dx.memory);
        onednn_store_as(build, &dx, 0);
    }
}

const struct onednn_operation onednn_lrn_forward = {
    .operation = ANYDNN_PLUGIN_LRN_FORWARD,
    .types = ONEDNN_FLOATS_INT8,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check_forward,
    .build = build_forward,
};

const struct onednn_operation onednn_lrn_backward = {
    .operation = ANYDNN_PLUGIN_LRN_BACKWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check_backward,
    .build = build_backward,
};
