/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements activations. oneDNN's eltwise primitives compute those whose definition matches ours.
 * Our own code computes the rest in one pass over the operands:
 *   - forward ReLUs that propagate NaN: oneDNN returns 0 for NaN;
 *   - a clipped ReLU with a ceiling below 0, which oneDNN's clip refuses;
 *   - ELU: oneDNN's exp(x) - 1 loses the digits of small x, and its gradient takes the negative
 *     branch at y = 0;
 *   - backward ReLUs: oneDNN multiplies dy by a slope of 0, so that Inf becomes NaN;
 *   - identity.
 * A later step restores the values of sigmoid and swish far below 0 (activation_lost.h).
 */
#include "activation_lost.h"
#include "table.h"

#include <string.h>

/* The number of elements processed at a time. */
#define CHUNK 256

static struct onednn_activation params_of(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_activation *params = problem->params;
    return (struct onednn_activation){params->mode, params->nan_propagate, params->coef};
}

static int32_t check_mode(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    struct onednn_activation activation = params_of(problem);

    if (activation.mode >= 0 && activation.mode < ONEDNN_ACTIVATION_END)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "activation %d is out of range 0..%d",
                      activation.mode, ONEDNN_ACTIVATION_END - 1);
}

/* Refuses swish if dx lies on x. oneDNN allows dx to overwrite dy, but not x, which swish's
 * gradient reads. */
static int32_t check_backward(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t reason = check_mode(problem, why);

    if (reason || params_of(problem).mode != ONEDNN_SWISH)
        return reason;
    return onednn_check_apart(problem, slot_activation_backward_dx, slot_activation_backward_x,
                              why);
}

/* ------------------------------------------------------------------ our own code */

static int forward_is_own(const struct onednn_activation *activation)
{
    return activation->mode == ONEDNN_ELU || activation->mode == ONEDNN_IDENTITY ||
           (onednn_is_relu(activation) && activation->nan_propagate) ||
           (activation->mode == ONEDNN_CLIPPED_RELU && !(activation->coef >= 0));
}

static int backward_is_own(const struct onednn_activation *activation)
{
    return activation->mode == ONEDNN_ELU || activation->mode == ONEDNN_IDENTITY ||
           onednn_is_relu(activation);
}

/* ------------------------------------------------------------------ our own code: rows of float */

/* Applies the activation to one chunk. Loops of constant length over local arrays vectorize. v <= 0
 * is false for NaN, so NaN stays; without propagation, NaN becomes 0. */
static void activate_floats(const struct onednn_activation *activation, float v[CHUNK])
{
    const float coef = (float)activation->coef;

    if (activation->mode == ONEDNN_ELU) {
        for (int i = 0; i < CHUNK; i++)
            v[i] = v[i] > 0 ? v[i] : coef * expm1f(v[i]);
        return;
    }
    if (!onednn_is_relu(activation))
        return;
    if (activation->nan_propagate)
        for (int i = 0; i < CHUNK; i++)
            v[i] = v[i] <= 0 ? 0 : v[i];
    else
        for (int i = 0; i < CHUNK; i++)
            v[i] = v[i] > 0 ? v[i] : 0;
    if (activation->mode == ONEDNN_CLIPPED_RELU)
        for (int i = 0; i < CHUNK; i++)
            v[i] = v[i] > coef ? coef : v[i];
}

static void gradient_floats(const struct onednn_activation *activation, float g[CHUNK],
                            const float y[CHUNK])
{
    const float coef = (float)activation->coef;

    if (activation->mode == ONEDNN_ELU)
        for (int i = 0; i < CHUNK; i++)
            g[i] = y[i] >= 0 ? g[i] : (y[i] + coef) * g[i];
    if (onednn_is_relu(activation))
        for (int i = 0; i < CHUNK; i++)
            g[i] = y[i] > 0 ? g[i] : 0;
    if (activation->mode == ONEDNN_CLIPPED_RELU)
        for (int i = 0; i < CHUNK; i++)
            g[i] = y[i] >= coef ? 0 : g[i];
}

/* Returns 1 if all rows are contiguous floats and the results are not blended. */
static int is_plain(const double scale[2], const struct onednn_walk *walk, const int64_t stride[])
{
    for (int32_t t = 0; t < walk->steps.tensors; t++) {
        if (walk->type[t] != ANYDNN_PLUGIN_FLOAT || stride[t] != sizeof(float))
            return 0;
    }
    return scale[0] == 1 && scale[1] == 0;
}

static void plain_row(const struct onednn_activation *activation, int32_t tensors,
                      char *const place[], int64_t n)
{
    float value[CHUNK] = {0}, y[CHUNK] = {0};

    for (int64_t i = 0; i < n; i += CHUNK) {
        size_t at = (size_t)i * sizeof(float);
        size_t bytes = (size_t)(n - i < CHUNK ? n - i : CHUNK) * sizeof(float);

        memcpy(value, place[1] + at, bytes);
        if (tensors == 3) {
            memcpy(y, place[2] + at, bytes);
            gradient_floats(activation, value, y);
        } else {
            activate_floats(activation, value);
        }
        memcpy(place[0] + at, value, bytes);
    }
}

/* ------------------------------------------------------------------ our own code: rows of
 * any type */

/* Computes out = alpha * value + beta * out. */
static void blend(const double scale[2], int32_t type, char *out, int64_t stride, double *value,
                  int64_t n)
{
    double prior[CHUNK];

    for (int64_t i = 0; i < n; i++)
        value[i] *= scale[0];
    if (scale[1] != 0) {
        onednn_row_load(prior, type, out, stride, n);
        for (int64_t i = 0; i < n; i++)
            value[i] += scale[1] * prior[i];
    }
    onednn_row_store(type, out, stride, value, n);
}

/* Computes one forward row. place[0] is y, place[1] is x. */
static void forward_row(void *arg, const struct onednn_walk *walk, char *const place[],
                        const int64_t stride[], int64_t n)
{
    const struct onednn_row_call *row = arg;
    const struct onednn_activation *activation = row->data;
    double value[CHUNK];

    if (is_plain(row->call->operands->scale, walk, stride)) {
        plain_row(activation, walk->steps.tensors, place, n);
        return;
    }
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t count = n - i < CHUNK ? n - i : CHUNK;

        onednn_row_load(value, walk->type[1], place[1] + i * stride[1], stride[1], count);
        onednn_activate_row(activation, value, count);
        blend(row->call->operands->scale, walk->type[0], place[0] + i * stride[0], stride[0], value,
              count);
    }
}

/* Computes one backward row. place[0] is dx, place[1] is dy, place[2] is y. */
static void backward_row(void *arg, const struct onednn_walk *walk, char *const place[],
                         const int64_t stride[], int64_t n)
{
    const struct onednn_row_call *row = arg;
    const struct onednn_activation *activation = row->data;
    const double *scale = row->call->operands->scale;
    double value[CHUNK], y[CHUNK];

    if (backward_is_own(activation) && is_plain(scale, walk, stride)) {
        plain_row(activation, walk->steps.tensors, place, n);
        return;
    }
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t count = n - i < CHUNK ? n - i : CHUNK;

        onednn_row_load(value, walk->type[1], place[1] + i * stride[1], stride[1], count);
        onednn_row_load(y, walk->type[2], place[2] + i * stride[2], stride[2], count);
        for (int64_t k = 0; k < count; k++)
            value[k] = onednn_gradient(activation, y[k], value[k], 0);
        blend(scale, walk->type[0], place[0] + i * stride[0], stride[0], value, count);
    }
}

static void run_own(struct onednn_build *build, onednn_row_fn row, const int32_t slot[],
                    int32_t tensors)
{
    struct onednn_activation activation = params_of(build->problem);
    struct onednn_view operand[ONEDNN_WALK_TENSORS];
    const struct onednn_view *view[ONEDNN_WALK_TENSORS];
    struct onednn_place place[ONEDNN_WALK_TENSORS];

    for (int32_t t = 0; t < tensors; t++) {
        operand[t] = onednn_operand(build, slot[t]);
        view[t] = &operand[t];
        place[t] = (struct onednn_place){.slot = slot[t]};
    }
    onednn_run_rows(build, row, &activation, sizeof activation, view, place, tensors);
}

/* ------------------------------------------------------------------ oneDNN's primitives */

/* Returns the parameters of oneDNN's eltwise primitive. */
static struct onednn_eltwise eltwise_of(const struct onednn_activation *activation, int backward)
{
    struct onednn_eltwise eltwise = {.direction = dnnl_forward_training};

    switch (activation->mode) {
    case ONEDNN_SIGMOID:
        eltwise.algorithm =
            backward ? dnnl_eltwise_logistic_use_dst_for_bwd : dnnl_eltwise_logistic;
        break;
    case ONEDNN_TANH:
        eltwise.algorithm = backward ? dnnl_eltwise_tanh_use_dst_for_bwd : dnnl_eltwise_tanh;
        break;
    case ONEDNN_SWISH:
        eltwise.algorithm = dnnl_eltwise_swish;
        eltwise.alpha = (float)activation->coef;
        break;
    case ONEDNN_RELU:
        eltwise.algorithm = dnnl_eltwise_relu;
        break;
    default:
        eltwise.algorithm = dnnl_eltwise_clip;
        eltwise.beta = (float)activation->coef;
        break;
    }
    return eltwise;
}

static void build_forward(struct onednn_build *build)
{
    struct onednn_activation activation = params_of(build->problem);
    struct onednn_view operand = onednn_operand(build, slot_activation_forward_x);
    struct onednn_view dense = onednn_packed_like(&operand, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view work = onednn_flat(kit_count(dense.dims, dense.ndims));
    struct onednn_eltwise eltwise = eltwise_of(&activation, 0);
    struct onednn_lost lost = {
        .activation = activation,
        .in_place = onednn_in_place(build, slot_activation_forward_y, slot_activation_forward_x),
        .count = work.dims[0]};
    dnnl_primitive_desc_t descriptor;
    int x;

    if (forward_is_own(&activation)) {
        run_own(build, forward_row,
                (const int32_t[]){slot_activation_forward_y, slot_activation_forward_x}, 2);
        return;
    }
    eltwise.x = onednn_layout_of(build, &work);
    descriptor =
        onednn_keep(build, onednn_describe_eltwise(&eltwise, build->attributes), "this activation");
    x = onednn_load_as(build, slot_activation_forward_x, &dense, &work);
    lost.x = onednn_place_of(build, x);
    if (onednn_loses(&activation, 0))
        onednn_lost_look(build, &lost);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output y;

        build->when = mode;
        y = onednn_result_as(build, slot_activation_forward_y, &dense, &work);
        ONEDNN_RUN(build, descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y.memory});
        lost.out = onednn_place_of(build, y.memory);
        if (onednn_loses(&activation, 0))
            onednn_lost_mend(build, &lost);
        onednn_store_as(build, &y, 0);
    }
}

static void build_backward(struct onednn_build *build)
{
    struct onednn_activation activation = params_of(build->problem);
    struct onednn_view operand = onednn_operand(build, slot_activation_backward_dx);
    struct onednn_view dense = onednn_packed_like(&operand, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view work = onednn_flat(kit_count(dense.dims, dense.ndims));
    struct onednn_eltwise eltwise = eltwise_of(&activation, 1);
    struct onednn_lost lost = {.activation = activation,
                               .backward = 1,
                               .in_place = onednn_in_place(build, slot_activation_backward_dx,
                                                           slot_activation_backward_dy),
                               .count = work.dims[0]};
    int by_x = activation.mode == ONEDNN_SWISH;
    dnnl_primitive_desc_t descriptor;
    int data, dy;

    /* oneDNN allows dx to overwrite dy, but not y. */
    if (backward_is_own(&activation) ||
        onednn_in_place(build, slot_activation_backward_dx, slot_activation_backward_y)) {
        run_own(build, backward_row,
                (const int32_t[]){slot_activation_backward_dx, slot_activation_backward_dy,
                                  slot_activation_backward_y},
                3);
        return;
    }
    eltwise.x = eltwise.dx = onednn_layout_of(build, &work);
    eltwise.hint =
        onednn_keep(build, onednn_describe_eltwise(&eltwise, build->attributes), "this activation");
    eltwise.direction = dnnl_backward_data;
    descriptor = onednn_keep(build, onednn_describe_eltwise(&eltwise, build->attributes),
                             "the gradient of this activation");
    data = onednn_load_as(build, by_x ? slot_activation_backward_x : slot_activation_backward_y,
                          &dense, &work);
    dy = onednn_load_as(build, slot_activation_backward_dy, &dense, &work);
    lost.x = onednn_place_of(build, data);
    lost.dy = onednn_place_of(build, dy);
    if (onednn_loses(&activation, 1))
        onednn_lost_look(build, &lost);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        struct onednn_output dx;

        build->when = mode;
        dx = onednn_result_as(build, slot_activation_backward_dx, &dense, &work);
        ONEDNN_RUN(build, descriptor, {by_x ? DNNL_ARG_SRC : DNNL_ARG_DST, data},
                   {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx.memory});
        lost.out = onednn_place_of(build, dx.memory);
        if (onednn_loses(&activation, 1))
            onednn_lost_mend(build, &lost);
        onednn_store_as(build, &dx, 0);
    }
}

const struct onednn_operation onednn_activation_forward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .types = ONEDNN_FLOATS_INT8,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check_mode,
    .build = build_forward,
};

const struct onednn_operation onednn_activation_backward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_BACKWARD,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check_backward,
    .build = build_backward,
};
