/* SPDX-License-Identifier: Apache-2.0 */
/* Finds sets of neighbouring elements, or images with groups of channels, in a normalization. */
#include "kinds_view.h"

#include <string.h>

#define FORWARD(name)  slot_normalization_forward_##name
#define BACKWARD(name) slot_normalization_backward_##name

/* The tensors with the channels of groups as two dims: the groups, and the channels of one. */
struct split {
    struct anydnn_plugin_tensor tensor[KINDS_TENSORS], gradient[2];
    const struct anydnn_plugin_tensor *at[KINDS_TENSORS];
    uint32_t within; /* the dims of a set's elements */
};

static int is_group(const struct anydnn_plugin_normalization *params)
{
    return params->kind == ANYDNN_PLUGIN_NORMALIZATION_GROUP;
}

static void find_slots(struct cuda_kinds_view *view, const struct anydnn_plugin_problem *problem)
{
    static const int32_t forward[] = {FORWARD(y),         FORWARD(x),           FORWARD(z),
                                      FORWARD(sum),       FORWARD(scale),       FORWARD(bias),
                                      FORWARD(save_mean), FORWARD(save_inv_dev)};
    static const int32_t backward[] = {BACKWARD(dx),        BACKWARD(x),           BACKWARD(dy),
                                       BACKWARD(dsum),      BACKWARD(scale),       BACKWARD(bias),
                                       BACKWARD(save_mean), BACKWARD(save_inv_dev)};
    int is_forward = problem->operation == ANYDNN_PLUGIN_NORMALIZATION_FORWARD;

    for (int32_t t = 0; t < KINDS_TENSORS; t++) {
        view->slot[t] = is_forward ? forward[t] : backward[t];
        if (!problem->tensor[view->slot[t]])
            view->slot[t] = -1;
    }
    for (int32_t i = 0; i < 2; i++) {
        int32_t slot = i == 0 ? BACKWARD(dscale) : BACKWARD(dbias);

        view->gradient[i] = is_forward || !problem->tensor[slot] ? -1 : slot;
    }
}

/* Splits a tensor's channels. A tensor without groups has one channel. */
static void split_tensor(struct anydnn_plugin_tensor *to, const struct anydnn_plugin_tensor *from,
                         const struct anydnn_plugin_normalization *params, int32_t ndims)
{
    int32_t axis = params->channel_axis, n = 0;

    *to = (struct anydnn_plugin_tensor){.struct_size = sizeof *to, .type = ANYDNN_PLUGIN_FLOAT};
    for (int32_t d = 0; d < ndims; d++) {
        int64_t dim = from ? from->dims[d] : 1, stride = from ? from->strides[d] : 1, members = 1;

        if (is_group(params) && d == axis) {
            members = dim > params->groups ? dim / params->groups : 1;
            to->dims[n] = dim / members;
            to->strides[n++] = stride * members;
            dim = members;
        }
        to->dims[n] = dim;
        to->strides[n++] = stride;
    }
    to->ndims = n;
    if (from)
        to->type = from->type;
}

static const struct anydnn_plugin_tensor *tensor_at(const struct anydnn_plugin_problem *problem,
                                                    int32_t slot)
{
    return slot < 0 ? NULL : problem->tensor[slot];
}

static void split_all(struct split *split, const struct cuda_kinds_view *view,
                      const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_normalization *params = problem->params;
    int32_t ndims = problem->tensor[0]->ndims, axis = params->channel_axis;

    for (int32_t t = 0; t < KINDS_TENSORS; t++) {
        split_tensor(&split->tensor[t], tensor_at(problem, view->slot[t]), params, ndims);
        split->at[t] = &split->tensor[t];
    }
    for (int32_t i = 0; i < 2; i++)
        split_tensor(&split->gradient[i], tensor_at(problem, view->gradient[i]), params, ndims);
    split->within = is_group(params) ? ((2u << ndims) - 1) & ~1u & ~(1u << axis) : params->axes;
}

/* ------------------------------------------------------------------ rows */

/* Returns 1 if the gradients have the strides of their operands, as far as a row is concerned. */
static int gradients_match(const struct split *split, const struct cuda_kinds_view *view)
{
    for (int32_t i = 0; i < 2; i++) {
        const struct anydnn_plugin_tensor *of = &split->tensor[KINDS_SCALE + i];
        const struct anydnn_plugin_tensor *gradient = &split->gradient[i];

        for (int32_t d = 0; view->gradient[i] >= 0 && d < of->ndims; d++) {
            if (gradient->dims[d] > 1 && gradient->strides[d] != of->strides[d])
                return 0;
        }
    }
    return 1;
}

/* Finds how the factors follow the elements of a set: each element has its own, and all pieces the
 * same, or each serves a plane of elements. Returns 0 for another way. */
static int make_factors(struct cuda_kinds_rows *rows, const struct split *split,
                        const struct cuda_kinds_view *view)
{
    const struct anydnn_plugin_tensor *of[] = {
        &split->tensor[KINDS_OUT], &split->tensor[KINDS_SCALE], &split->tensor[KINDS_BIAS]};
    int follow = 1, stay = 1;
    struct cuda_walk walk;
    int32_t last;

    cuda_walk_make(&walk, of, 3, split->within, KIT_WALK_SORTED);
    last = walk.ndims - 1;
    for (int32_t i = 0; i < 2; i++) {
        if (view->slot[KINDS_SCALE + i] < 0)
            continue;
        follow &= walk.strides[last][1 + i] == 1;
        stay &= walk.strides[last][1 + i] == 0;
        for (int32_t d = 0; d < last; d++)
            follow &= walk.strides[d][1 + i] == 0;
        rows->factor_step[i] = last == 1 ? walk.strides[0][1 + i] : 0;
    }
    if (follow && rows->piece == rows->size && walk.dims[last] < rows->size) {
        rows->piece = walk.dims[last];
        for (int32_t t = 0; t < KINDS_DATA; t++)
            rows->pitch[t] = rows->piece;
    }
    if (follow && (stay || walk.dims[last] == rows->piece))
        return 1;
    rows->plane = walk.dims[last];
    return stay && last <= 1 && rows->piece == rows->size;
}

static void make_rows(struct cuda_kinds_view *view, const struct split *split)
{
    struct cuda_kinds_rows *rows = &view->rows;
    uint32_t outside = ((1u << split->tensor[0].ndims) - 1) & ~split->within;
    struct cuda_walk walk;
    int good = gradients_match(split, view);
    int32_t last;

    cuda_walk_make(&walk, split->at, KINDS_DATA, split->within, KIT_WALK_SORTED);
    cuda_walk_make(&rows->sets, split->at, KINDS_TENSORS, outside, KIT_WALK_SORTED);
    last = walk.ndims - 1;
    good &= last <= 1 && rows->sets.ndims <= 2 && rows->sets.count < INT32_MAX;
    rows->size = walk.count;
    rows->piece = walk.dims[last];
    for (int32_t t = 0; t < KINDS_DATA; t++) {
        good &= view->slot[t] < 0 || walk.strides[last][t] == 1;
        rows->pitch[t] = last == 1 ? walk.strides[0][t] : 0;
    }
    for (int32_t d = 0; d < rows->sets.ndims && rows->sets.count > 1; d++)
        for (int32_t t = KINDS_SCALE; t <= KINDS_BIAS; t++)
            rows->have_own_factors |= rows->sets.strides[d][t] != 0;
    rows->exist = good && make_factors(rows, split, view);
}

int cuda_kinds_rows_are_wide(const struct cuda_kinds_view *view, int32_t lanes)
{
    const struct cuda_kinds_rows *rows = &view->rows;
    int wide = rows->piece % lanes == 0 && rows->plane % lanes == 0;

    for (int32_t t = 0; t <= KINDS_BIAS; t++) {
        int is_read = (t < KINDS_DATA || rows->plane == 0) && view->slot[t] >= 0;

        if (is_read && t < KINDS_DATA && rows->piece < rows->size)
            wide &= rows->pitch[t] % lanes == 0;
        for (int32_t d = 0; is_read && rows->sets.count > 1 && d < rows->sets.ndims; d++)
            wide &= rows->sets.strides[d][t] % lanes == 0;
    }
    return wide;
}

/* ------------------------------------------------------------------ images */

/* Finds the pixels of a group's images. The group's dims are: images, groups at `axis`, the
 * channels of a group, and pixels elsewhere. */
static int make_pixels(struct cuda_kinds_images *images, const struct split *split,
                       const struct cuda_kinds_view *view, int32_t axis)
{
    uint32_t pixels = split->within & ~(2u << axis);
    struct cuda_walk walk;
    int good;

    cuda_walk_make(&walk, split->at, KINDS_DATA, pixels, KIT_WALK_SORTED);
    good = walk.ndims == 1;
    images->pixels = walk.count;
    for (int32_t t = 0; t < KINDS_DATA; t++) {
        images->pixel[t] = walk.count > 1 ? walk.strides[0][t] : 0;
        if (view->slot[t] < 0)
            continue;
        images->image[t] = images->images > 1 ? split->tensor[t].strides[0] : 0;
        good &= images->channels == 1 ||
                (images->channels > images->groups ? split->tensor[t].strides[axis + 1] == 1
                                                   : split->tensor[t].strides[axis] == 1);
    }
    return good;
}

/* Returns the stride between channels of scale, bias, or a gradient; -1 if it varies elsewhere, or
 * if it is one for groups of several channels alone. */
static int64_t channel_step(const struct anydnn_plugin_tensor *of, int32_t axis, int64_t members)
{
    for (int32_t d = 0; d < of->ndims; d++) {
        if (of->dims[d] > 1 && d != axis && d != axis + 1)
            return -1;
    }
    if (of->dims[axis + 1] > 1)
        return of->strides[axis + 1];
    return of->dims[axis] == 1 ? 0 : members == 1 ? of->strides[axis] : -1;
}

static void make_images(struct cuda_kinds_view *view, const struct split *split,
                        const struct anydnn_plugin_normalization *params)
{
    struct cuda_kinds_images *images = &view->images;
    const struct anydnn_plugin_tensor *out = &split->tensor[KINDS_OUT];
    int32_t axis = params->channel_axis;
    int64_t members = out->dims[axis + 1];

    images->images = out->dims[0];
    images->groups = out->dims[axis];
    images->channels = images->groups * members;
    images->exist = make_pixels(images, split, view, axis);
    for (int32_t i = 0; i < 2; i++) {
        const struct anydnn_plugin_tensor *saved = &split->tensor[KINDS_MEAN + i];

        images->factor_step[i] = channel_step(&split->tensor[KINDS_SCALE + i], axis, members);
        images->gradient_step[i] = channel_step(&split->gradient[i], axis, members);
        images->saved_image[i] = saved->strides[0];
        images->saved_group[i] = saved->strides[axis];
        images->exist &= images->factor_step[i] >= 0 && images->gradient_step[i] >= 0;
        /* A gradient of all channels together is another sum. */
        images->exist &=
            view->gradient[i] < 0 || images->channels == 1 || images->gradient_step[i] > 0;
    }
}

int cuda_kinds_images_are_wide(const struct cuda_kinds_view *view, int32_t lanes)
{
    const struct cuda_kinds_images *images = &view->images;
    int wide = images->channels % lanes == 0;

    for (int32_t t = 0; t < KINDS_DATA; t++)
        wide &= images->image[t] % lanes == 0 && images->pixel[t] % lanes == 0;
    return wide;
}

void cuda_kinds_view_make(struct cuda_kinds_view *view, const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_normalization *params = problem->params;
    struct split split;

    memset(view, 0, sizeof *view);
    find_slots(view, problem);
    if (is_group(params) && problem->tensor[0]->ndims == ANYDNN_PLUGIN_DIM_MAX)
        return; /* no dim is left for the groups */
    split_all(&split, view, problem);
    make_rows(view, &split);
    if (is_group(params))
        make_images(view, &split, params);
}
