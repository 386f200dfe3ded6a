/* SPDX-License-Identifier: Apache-2.0 */
/* Implements im2col: the windows of x as columns. The filter as a matrix [K, C*R*S] times col is
 * the convolution. col[(c, r, s), (n, p, q)] is the factor of w[k, c, r, s] for output p, q of
 * image n. */
#include "image.h"
#include "table.h"
#include "walk.h"

/* The modes of struct anydnn_plugin_convolution. */
enum { FLIPPED, CROSS };

struct im2col_state {
    struct image x;
    int64_t window[IMAGE_SPATIAL]; /* d, h, w; 1 for a missing dim */
    int64_t out[IMAGE_SPATIAL];    /* number of windows */
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

/* A row of col: a channel and a position in the window. */
struct im2col_row {
    int64_t first;                /* offset of the channel in x */
    int64_t begin[IMAGE_SPATIAL]; /* position of window 0 in x, without pads */
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

/* Returns the offset in x of column `column` of a row, or -1 for padding. A column is an image and
 * a window. */
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

/* ------------------------------------------------------------------ geometry */

static void fill_state(const struct anydnn_plugin_problem *problem, struct im2col_state *state)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t missing = IMAGE_SPATIAL - params->spatial_dims;

    state->x = image_of(problem->tensor[slot_im2col_x]);
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

/* ------------------------------------------------------------------ table entry */

static void im2col_prepare(struct anydnn_plugin_plan *plan)
{
    fill_state(&plan->problem, plan->state);
}

const struct cpu_ref_kernel cpu_ref_im2col = {
    .operation = ANYDNN_PLUGIN_IM2COL,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_im2col_x,
    .apart = 1u << slot_im2col_col,
    .uniform = 1u << slot_im2col_x | 1u << slot_im2col_col,
    .state_size = sizeof(struct im2col_state),
    .check = image_check,
    .prepare = im2col_prepare,
    .run = {CPU_REF_EACH_FLOAT(im2col_run)},
};
