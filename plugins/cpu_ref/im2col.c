/* SPDX-License-Identifier: Apache-2.0 */
/* im2col: the windows of x as columns, so that the filter as a matrix [K, C*R*S] times col is the
 * convolution: col[(c, r, s), (n, p, q)] is what w[k, c, r, s] meets at output p, q of image n. */
#include "image.h"
#include "table.h"
#include "walk.h"

/* Slots. */
enum { X, COL };

/* Modes of struct anydnn_plugin_convolution. */
enum { FLIPPED, CROSS, MODE_END };

struct im2col_state {
    struct image x;
    int64_t window[IMAGE_SPATIAL]; /* d, h, w; a missing one is 1 */
    int64_t out[IMAGE_SPATIAL];    /* windows */
    int64_t pad[IMAGE_SPATIAL];
    int64_t stride[IMAGE_SPATIAL];
    int64_t dilation[IMAGE_SPATIAL];
    int flipped;
};

struct im2col_job {
    const struct im2col_state *state;
    const struct anydnn_plugin_tensor *col;
    const void *from;
    void *to;
};

/* A row of col: a channel and a place in the window. */
struct im2col_row {
    int64_t first;                /* offset in x of the channel */
    int64_t begin[IMAGE_SPATIAL]; /* the place in x, without pads, that window 0 has there */
};

static struct im2col_row row_at(const struct im2col_state *state, int64_t row)
{
    struct im2col_row made;

    for (int32_t s = IMAGE_SPATIAL - 1; s >= 0; s--) {
        int64_t place = row % state->window[s];

        row /= state->window[s];
        place = state->flipped ? state->window[s] - 1 - place : place;
        made.begin[s] = place * state->dilation[s] - state->pad[s];
    }
    made.first =
        row / state->x.dims[1] * state->x.strides[0] + row % state->x.dims[1] * state->x.strides[1];
    return made;
}

/* Offset in x of column `column` of a row, an image and a window; -1: padding. */
static int64_t source(const struct im2col_state *state, const struct im2col_row *row,
                      int64_t column)
{
    int64_t offset = row->first;

    for (int32_t s = IMAGE_SPATIAL - 1; s >= 0; s--) {
        int64_t place = row->begin[s] + column % state->out[s] * state->stride[s];

        column /= state->out[s];
        if (place < 0 || place >= state->x.dims[2 + s])
            return -1;
        offset += place * state->x.strides[2 + s];
    }
    return offset + column * state->x.strides[0];
}

#define CPU_REF_TEMPLATE "im2col.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ geometry and conditions */

static void fill_state(const struct anydnn_plugin_problem *problem, struct im2col_state *state)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t missing = IMAGE_SPATIAL - params->spatial_dims;

    state->x = image_of(problem->tensor[X]);
    state->flipped = params->mode == FLIPPED;
    for (int32_t s = 0; s < IMAGE_SPATIAL; s++) {
        int64_t covered;

        state->window[s] = s < missing ? 1 : params->window[s - missing];
        state->pad[s] = s < missing ? 0 : params->pad[s - missing];
        state->stride[s] = s < missing ? 1 : params->stride[s - missing];
        state->dilation[s] = s < missing ? 1 : params->dilation[s - missing];
        covered = (state->window[s] - 1) * state->dilation[s] + 1;
        state->out[s] = state->x.dims[2 + s] + 2 * state->pad[s] - covered;
        state->out[s] = state->out[s] < 0 ? 0 : state->out[s] / state->stride[s] + 1;
    }
}

static int32_t check_params(const struct anydnn_plugin_problem *problem,
                            struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t reason = image_check(problem, X, why);

    if (reason)
        return reason;
    if (params->spatial_dims != problem->tensor[X]->ndims - 2)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "im2col: x has %d dimensions and the window %d; x must have 2 more",
                              problem->tensor[X]->ndims, params->spatial_dims);
    if (params->mode < 0 || params->mode >= MODE_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "im2col: mode is %d; convolution and cross are 0 and 1",
                              params->mode);
    if (params->groups > 1)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_GROUPS,
                              "im2col: there are %lld groups; it knows none",
                              (long long)params->groups);
    for (int32_t s = 0; s < params->spatial_dims; s++) {
        if (params->window[s] < 1 || params->stride[s] < 1 || params->dilation[s] < 1 ||
            params->pad[s] < 0)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "im2col: along spatial dim %d window, stride, dilation and pad "
                                  "are %lld, %lld, %lld, %lld; 1, 1, 1 and 0 are the least",
                                  s, (long long)params->window[s], (long long)params->stride[s],
                                  (long long)params->dilation[s], (long long)params->pad[s]);
    }
    return 0;
}

static int32_t im2col_check(const struct anydnn_plugin_problem *problem,
                            struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *x = problem->tensor[X];
    const struct anydnn_plugin_tensor *col = problem->tensor[COL];
    int32_t reason = check_params(problem, why);
    struct im2col_state state;
    struct cpu_ref_text a, b;
    int64_t want[2];

    if (reason)
        return reason;
    fill_state(problem, &state);
    want[0] = x->dims[1] * cpu_ref_count(state.window, IMAGE_SPATIAL);
    want[1] = x->dims[0] * cpu_ref_count(state.out, IMAGE_SPATIAL);
    if (col->ndims != 2 || col->dims[0] != want[0] || col->dims[1] != want[1])
        return cpu_ref_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE, "im2col: col has dims %s; the windows of x make %s",
            cpu_ref_dims_text(&a, col->dims, col->ndims), cpu_ref_dims_text(&b, want, 2));
    if (problem->alias[COL])
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                              "im2col: col is written over x, which is needed until the end");
    return 0;
}

/* ------------------------------------------------------------------ table entry */

static void im2col_prepare(struct anydnn_plugin_plan *plan)
{
    fill_state(&plan->problem, plan->state);
}

const struct cpu_ref_kernel cpu_ref_im2col = {
    .operation = ANYDNN_PLUGIN_IM2COL,
    .layouts = CPU_REF_LAYOUTS,
    .main_slot = X,
    .required = 1u << X | 1u << COL,
    .outputs = 1u << COL,
    .uniform = 1u << X | 1u << COL,
    .params_size = sizeof(struct anydnn_plugin_convolution),
    .state_size = sizeof(struct im2col_state),
    .check = im2col_check,
    .prepare = im2col_prepare,
    .run = {CPU_REF_EACH_FLOAT(im2col_run)},
};
