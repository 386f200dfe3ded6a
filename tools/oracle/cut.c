/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a problem. An axis is a size that several operands share, such as the samples. Convolutions
 * have the axes n, channels per group, filters per group, groups, each spatial size and each filter
 * size. Pooling has n, c and the spatial sizes. Every other operation has each dim, for operands
 * whose size equals that of the first operand. Formulas determine the output sizes of windows.
 * Three more axes are stride, dilation and padding. Their size is one more than the excess over the
 * least value. */
#include "tools/oracle/cut.h"

#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/shape.h"
#include "judge/rules.h"
#include "judge/subject.h"
#include "problem/check_problem.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "sys/error.h"

enum { SAMPLES, CHANNELS, FILTERS, GROUPS, SPATIAL };
#define SPATIAL_MAX ANYDNN_PLUGIN_SPATIAL_MAX
#define WINDOW      (SPATIAL + SPATIAL_MAX)
#define PAD         (WINDOW + SPATIAL_MAX)
#define STRIDE      (PAD + SPATIAL_MAX)
#define DILATION    (STRIDE + SPATIAL_MAX)
#define AXES        (DILATION + SPATIAL_MAX)

/* ---- axes and operands */

static int is_one_of(const char *role, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, role) == 0)
            return 1;
    return 0;
}

static int is_input_like(const char *role)
{
    static const char *const names[] = {"x", "dx", NULL};

    return is_one_of(role, names);
}

static int is_filter_like(const char *role)
{
    static const char *const names[] = {"w", "dw", NULL};

    return is_one_of(role, names);
}

static int is_bias_like(const char *role)
{
    static const char *const names[] = {"bias", "db", NULL};

    return is_one_of(role, names);
}

static int is_convolution(const struct adn_subject *subject)
{
    return subject->info->family == ADN_FAMILY_CONVOLUTION ||
           subject->info->family == ADN_FAMILY_FUSED;
}

static int is_windowed(const struct adn_subject *subject)
{
    return is_convolution(subject) || subject->info->family == ADN_FAMILY_POOLING;
}

static const char *role_of(const struct adn_subject *subject, int slot)
{
    return subject->info->slot[slot].role;
}

/* Returns the dim of an operand that an axis refers to, or -1. */
static int dim_of(const struct adn_subject *subject, int axis, int slot)
{
    const char *role = role_of(subject, slot);
    int filter = is_filter_like(role);

    if (!is_convolution(subject) && axis < WINDOW)
        return axis >= SPATIAL ? axis - SPATIAL + 2 : axis <= CHANNELS ? axis : -1;
    if (axis == SAMPLES)
        return filter || is_bias_like(role) ? -1 : 0;
    if (axis == CHANNELS)
        return is_input_like(role) || filter ? 1 : -1;
    if (axis == FILTERS)
        return filter ? 0 : is_input_like(role) ? -1 : 1;
    if (axis >= SPATIAL && axis < WINDOW)
        return filter || is_bias_like(role) ? -1 : axis - SPATIAL + 2;
    return axis >= WINDOW && axis < PAD && filter ? axis - WINDOW + 2 : -1;
}

/* Returns the operand whose size defines the axis. */
static int leader_of(const struct adn_subject *subject, int axis)
{
    for (int i = 0; i < subject->info->slot_count; i++) {
        int dim = adn_subject_has(subject, i) ? dim_of(subject, axis, i) : -1;

        if (dim < 0 || dim >= subject->problem.tensor[i].ndims)
            continue;
        if (!is_windowed(subject) || axis < SPATIAL || axis >= WINDOW ||
            is_input_like(role_of(subject, i)))
            return i;
    }
    return -1;
}

/* ---- sizes */

int oracle_axes(const struct adn_subject *subject)
{
    (void)subject;
    return AXES;
}

static int has_bytes(const struct adn_subject *subject)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (adn_subject_has(subject, i) && adn_judge_is_bytes(role_of(subject, i)))
            return 1;
    return 0;
}

/* Returns the parameter of an axis and its least value, or NULL if it has none. */
static int64_t *parameter(struct adn_subject *subject, int axis, int64_t *least)
{
    struct anydnn_plugin_convolution *convolution = &subject->problem.params.convolution;
    struct anydnn_plugin_pooling *pooling = &subject->problem.params.pooling;
    int convolves = is_convolution(subject);

    *least = axis < STRIDE ? 0 : 1;
    if (!is_windowed(subject) || axis < PAD)
        return NULL;
    if (axis >= DILATION)
        return convolves ? &convolution->dilation[axis - DILATION] : NULL;
    if (axis >= STRIDE)
        return convolves ? &convolution->stride[axis - STRIDE] : &pooling->stride[axis - STRIDE];
    return convolves ? &convolution->pad[axis - PAD] : &pooling->pad[axis - PAD];
}

static int spatial_dims(const struct adn_subject *subject)
{
    return is_convolution(subject) ? subject->problem.params.convolution.spatial_dims
                                   : subject->problem.params.pooling.spatial_dims;
}

int64_t oracle_axis_size(const struct adn_subject *subject, int axis)
{
    struct adn_subject *own = (struct adn_subject *)(uintptr_t)subject;
    int leader = leader_of(subject, axis);
    int64_t least;
    const int64_t *value;

    /* The length of byte buffers depends on all sizes. */
    if (has_bytes(subject))
        return 0;
    if (axis == GROUPS)
        return is_convolution(subject) ? subject->problem.params.convolution.groups : 0;
    if (axis >= PAD) {
        value = parameter(own, axis, &least);
        return value != NULL && (axis - PAD) % SPATIAL_MAX < spatial_dims(subject)
                   ? *value - least + 1
                   : 0;
    }
    if (leader < 0 || (is_convolution(subject) && (axis == CHANNELS || axis == FILTERS) &&
                       subject->problem.params.convolution.groups > 1))
        return 0;
    return subject->problem.tensor[leader].dims[dim_of(subject, axis, leader)];
}

/* ---- cutting */

/* Cuts a dim and its numbers. */
static void cut_dim(struct adn_subject *subject, int slot, int dim, int64_t from, int64_t count)
{
    struct anydnn_plugin_tensor *tensor = &subject->problem.tensor[slot];
    struct adn_subject_slot *at = &subject->slot[slot];
    const char *layout = adn_layout_name(tensor);
    int64_t outer = 1, inner = 1, size = tensor->dims[dim];

    for (int d = 0; d < tensor->ndims; d++) {
        outer *= d < dim ? tensor->dims[d] : 1;
        inner *= d > dim ? tensor->dims[d] : 1;
    }
    for (int64_t i = 0; at->before != NULL && i < outer; i++)
        memmove(at->before + i * count * inner, at->before + (i * size + from) * inner,
                (size_t)(count * inner) * sizeof(double));
    tensor->dims[dim] = count;
    if (layout != NULL)
        adn_layout_set(tensor, layout);
    at->count = adn_shape_elements(tensor);
}

/* Recomputes the output sizes of a window. Returns 0 if there are none, or if they exceed the known
 * values. */
static int follow(struct adn_subject *subject)
{
    const union kit_params *params = &subject->problem.params;
    int leader = leader_of(subject, SPATIAL);
    int filter = leader_of(subject, WINDOW);
    int convolves = is_convolution(subject);

    for (int d = 0; d < spatial_dims(subject); d++) {
        int64_t in = subject->problem.tensor[leader].dims[d + 2];
        int64_t out =
            convolves ? adn_shape_convolution_out(in, params->convolution.pad[d],
                                                  subject->problem.tensor[filter].dims[d + 2],
                                                  params->convolution.dilation[d],
                                                  params->convolution.stride[d])
                      : adn_shape_pooling_out(in, params->pooling.pad[d], params->pooling.window[d],
                                              params->pooling.stride[d]);

        for (int i = 0; i < subject->info->slot_count; i++) {
            const char *role = role_of(subject, i);

            if (!adn_subject_has(subject, i) || is_input_like(role) || is_filter_like(role) ||
                is_bias_like(role))
                continue;
            if (out < 1 ||
                (out > subject->problem.tensor[i].dims[d + 2] && subject->slot[i].before != NULL))
                return 0;
            cut_dim(subject, i, d + 2, 0, out);
        }
    }
    return 1;
}

/* Cuts whole groups with their channels and filters. */
static void cut_groups(struct adn_subject *subject, int64_t from, int64_t count)
{
    int64_t groups = subject->problem.params.convolution.groups;

    for (int i = 0; i < subject->info->slot_count; i++) {
        int dim = is_filter_like(role_of(subject, i)) ? 0 : 1;
        int64_t each;

        if (!adn_subject_has(subject, i))
            continue;
        each = subject->problem.tensor[i].dims[dim] / groups;
        cut_dim(subject, i, dim, from * each, count * each);
    }
    subject->problem.params.convolution.groups = count;
}

static void cut_axis(struct adn_subject *subject, const struct oracle_cut *cut)
{
    int leader = leader_of(subject, cut->axis);
    int64_t size = oracle_axis_size(subject, cut->axis);
    int windowed = is_windowed(subject) && cut->axis >= SPATIAL;

    for (int i = 0; i < subject->info->slot_count; i++) {
        int dim = adn_subject_has(subject, i) ? dim_of(subject, cut->axis, i) : -1;

        if (dim < 0 || dim >= subject->problem.tensor[i].ndims ||
            subject->problem.tensor[i].dims[dim] != size)
            continue;
        if (i == leader || !windowed || is_input_like(role_of(subject, i)) ||
            is_filter_like(role_of(subject, i)))
            cut_dim(subject, i, dim, cut->from, cut->count);
    }
}

void oracle_copy(const struct adn_subject *subject, struct adn_subject *copy)
{
    adn_subject_begin(copy, &subject->problem, &subject->values);
    copy->data = subject->data;
    copy->numbers = subject->numbers;
    for (int i = 0; i < ADN_SLOTS; i++) {
        size_t bytes = (size_t)subject->slot[i].count * sizeof(double);

        if (subject->slot[i].before == NULL)
            continue;
        copy->slot[i].before = tool_alloc(bytes);
        memcpy(copy->slot[i].before, subject->slot[i].before, bytes);
    }
}

int oracle_cut(const struct adn_subject *subject, const struct oracle_cut *cut,
               struct adn_subject *smaller)
{
    struct adn_refusal refusal;
    int64_t least;
    int64_t *value;
    int good = 1;

    oracle_copy(subject, smaller);
    value = parameter(smaller, cut->axis, &least);
    if (value != NULL)
        *value = least + cut->count - 1;
    else if (cut->axis == GROUPS)
        cut_groups(smaller, cut->from, cut->count);
    else
        cut_axis(smaller, cut);
    if (is_windowed(smaller))
        good = leader_of(smaller, SPATIAL) >= 0 &&
               (!is_convolution(smaller) || leader_of(smaller, WINDOW) >= 0) && follow(smaller);
    smaller->terms = adn_judge_terms(&smaller->problem);
    adn_refusal_begin(&refusal);
    good = good && adn_problem_check(&smaller->problem, "reduce") == ANYDNN_STATUS_SUCCESS;
    adn_refusal_end(&refusal);
    if (!good)
        adn_subject_free(smaller);
    return good;
}
