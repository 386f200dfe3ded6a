/* SPDX-License-Identifier: Apache-2.0 */
/* transform_tensor_ex and transform_filter. FOLD pads, then moves each block of fold[0] x fold[1]..
 * places into channels; UNFOLD moves them back, then pads. Channel c and place o within the block
 * (counted as an index tuple, the last spatial dim fastest) make channel o * (channels of x) + c.
 */
#include "table.h"
#include "walk.h"

/* Slots. */
enum { X, Y };

/* Directions of struct anydnn_plugin_transform. */
enum { FOLD, UNFOLD, DIRECTION_END };

/* An element's way back, in multiply-adds for the cut into threads. */
#define COST 40

struct transform_job {
    const struct anydnn_plugin_transform *params;
    const struct anydnn_plugin_tensor *x, *y;
    const void *from;
    void *to;
    double alpha, beta;
};

static int64_t block_size(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    return cpu_ref_count(params->fold, ndims - 2);
}

/* ------------------------------------------------------------------ where an element comes from */

/* Replaces the place in a folded tensor by that in the unfolded one of so many channels. */
static void unfolded_place(const struct anydnn_plugin_transform *params, int32_t ndims,
                           int64_t channels, int64_t place[])
{
    int64_t within = place[1] / channels;

    place[1] %= channels;
    for (int32_t d = ndims - 1; d >= 2; d--) {
        int64_t fold = params->fold[d - 2];
        place[d] = place[d] * fold + within % fold;
        within /= fold;
    }
}

/* And back. */
static void folded_place(const struct anydnn_plugin_transform *params, int32_t ndims,
                         int64_t channels, int64_t place[])
{
    int64_t within = 0;

    for (int32_t d = 2; d < ndims; d++) {
        int64_t fold = params->fold[d - 2];
        within = within * fold + place[d] % fold;
        place[d] /= fold;
    }
    place[1] += within * channels;
}

/* Replaces the place in a padded tensor by that in the one without pads, whose dims are given.
 * Returns 0 where there is only padding, or the rest of a block. */
static int unpadded_place(const struct anydnn_plugin_transform *params, int32_t ndims,
                          const int64_t dims[], int64_t place[])
{
    int inside = 1;

    for (int32_t d = 0; d < ndims; d++) {
        int64_t padded = params->pad_before[d] + dims[d] + params->pad_after[d];

        inside = inside && place[d] < padded;
        place[d] -= params->pad_before[d];
        inside = inside && place[d] >= 0 && place[d] < dims[d];
    }
    return inside;
}

/* Dims between the two steps of UNFOLD. */
static void unfolded_dims(const struct anydnn_plugin_transform *params,
                          const struct anydnn_plugin_tensor *x, int64_t dims[])
{
    for (int32_t d = 0; d < x->ndims; d++)
        dims[d] = d < 2 ? x->dims[d] : x->dims[d] * params->fold[d - 2];
    dims[1] /= block_size(params, x->ndims);
}

/* Offset in x of what comes to place number `linear` of y; -1: a zero does. */
static int64_t source(const struct transform_job *job, int64_t linear)
{
    const struct anydnn_plugin_tensor *x = job->x;
    int64_t place[ANYDNN_PLUGIN_DIM_MAX] = {0}, dims[ANYDNN_PLUGIN_DIM_MAX] = {0}, offset = 0;

    for (int32_t d = x->ndims - 1; d >= 0; d--) {
        place[d] = linear % job->y->dims[d];
        linear /= job->y->dims[d];
    }
    if (job->params->direction == FOLD) {
        unfolded_place(job->params, x->ndims, job->y->dims[1] / block_size(job->params, x->ndims),
                       place);
        if (!unpadded_place(job->params, x->ndims, x->dims, place))
            return -1;
    } else {
        unfolded_dims(job->params, x, dims);
        if (!unpadded_place(job->params, x->ndims, dims, place))
            return -1;
        folded_place(job->params, x->ndims, dims[1], place);
    }
    for (int32_t d = 0; d < x->ndims; d++)
        offset += place[d] * x->strides[d];
    return offset;
}

#define CPU_REF_TEMPLATE "transform.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ conditions */

/* The dims that the transform makes of x's; 0 where it makes none. */
static int result_dims(const struct anydnn_plugin_transform *params,
                       const struct anydnn_plugin_tensor *x, int64_t dims[])
{
    int32_t unfold = params->direction == UNFOLD;
    int64_t block = block_size(params, x->ndims);
    int fits = !unfold || x->dims[1] % block == 0;

    for (int32_t d = 0; d < x->ndims; d++)
        dims[d] = x->dims[d];
    if (unfold && fits)
        unfolded_dims(params, x, dims);
    for (int32_t d = 0; d < x->ndims; d++) {
        int64_t fold = d < 2 || unfold ? 1 : params->fold[d - 2];

        dims[d] += params->pad_before[d] + params->pad_after[d];
        fits = fits && dims[d] > 0;
        dims[d] = (dims[d] + fold - 1) / fold;
    }
    if (!unfold)
        dims[1] *= block;
    return fits;
}

static int32_t transform_check(const struct anydnn_plugin_problem *problem,
                               struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_transform *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[X];
    const struct anydnn_plugin_tensor *y = problem->tensor[Y];
    const char *name = cpu_ref_operation_name(problem->operation);
    struct anydnn_plugin_tensor want = *x;
    struct cpu_ref_text a, b;

    if (params->direction < 0 || params->direction >= DIRECTION_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: direction is %d; fold and unfold are 0 and 1", name,
                              params->direction);
    if (x->ndims < 3)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: x has %d dimensions; 3 are the least", name, x->ndims);
    for (int32_t d = 0; d < x->ndims - 2; d++) {
        if (params->fold[d] < 1)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "%s: fold is %s; each must be at least 1", name,
                                  cpu_ref_dims_text(&a, params->fold, x->ndims - 2));
    }
    if (!result_dims(params, x, want.dims) || !cpu_ref_same_dims(&want, y))
        return cpu_ref_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE, "%s: y has dims %s; the transform makes %s of x", name,
            cpu_ref_dims_text(&a, y->dims, y->ndims), cpu_ref_dims_text(&b, want.dims, want.ndims));
    if (problem->alias[Y])
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                              "%s: y is written over x, which is needed until the end", name);
    return 0;
}

/* ------------------------------------------------------------------ table entries */

const struct cpu_ref_kernel cpu_ref_transform_tensor_ex = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = X,
    .required = 1u << X | 1u << Y,
    .outputs = 1u << Y,
    .uniform = 1u << X | 1u << Y,
    .params_size = sizeof(struct anydnn_plugin_transform),
    .check = transform_check,
    .run = {[ANYDNN_PLUGIN_FLOAT] = transform_run_float,
            [ANYDNN_PLUGIN_DOUBLE] = transform_run_double},
};

const struct cpu_ref_kernel cpu_ref_transform_filter = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_FILTER,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = X,
    .required = 1u << X | 1u << Y,
    .outputs = 1u << Y,
    .uniform = 1u << X | 1u << Y,
    .params_size = sizeof(struct anydnn_plugin_transform),
    .check = transform_check,
    .run = {[ANYDNN_PLUGIN_FLOAT] = transform_run_float,
            [ANYDNN_PLUGIN_DOUBLE] = transform_run_double},
};
