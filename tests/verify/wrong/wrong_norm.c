/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in float with plain loops: layer, group and RMS normalization in both directions,
 * and matrix products. It is correct by default. Under each name of the table it breaks one rule.
 */
#include <math.h>
#include <stdlib.h>

#include "fault.h"
#include "tensor.h"

#define SUCCESS   ANYDNN_PLUGIN_STATUS_SUCCESS
#define NO_MEMORY ANYDNN_PLUGIN_STATUS_ALLOC_FAILED

#define FORWARD_SLOT(name)  slot_normalization_forward_##name
#define BACKWARD_SLOT(name) slot_normalization_backward_##name
#define MATMUL(name)        slot_matmul_##name

enum {
    RIGHT,
    MOMENTS,
    UNBIASED,
    EPSILON,
    RMS_MEAN,
    GROUPS,
    CENTERED,
    ADDS_LATE,
    TANH_FOR_ERF,
    SAVES_VARIANCE,
    IGNORES_SAVED,
    MEAN_OF_W,
    LAST_ROW,
    DBIAS_AFTER,
    IGNORES_DSUM,
    READS_C,
    BIAS_TWICE,
    BATCH,
    AUX_AFTER,
    TRANSPOSES,
    FAULTS
};

#define FORWARD  ANYDNN_PLUGIN_NORMALIZATION_FORWARD
#define BACKWARD ANYDNN_PLUGIN_NORMALIZATION_BACKWARD
#define PRODUCT  ANYDNN_PLUGIN_MATMUL

static const struct fault faults[FAULTS] = {
    /* The variance is the mean of squares less the square of the mean. */
    [MOMENTS] = {"wrong_moments", FORWARD, NULL},
    /* The variance divides by one element less. */
    [UNBIASED] = {"wrong_unbiased", FORWARD, NULL},
    /* Adds epsilon to the deviation. */
    [EPSILON] = {"wrong_epsilon", FORWARD, NULL},
    /* Subtracts a mean in RMS. */
    [RMS_MEAN] = {"wrong_rms_mean", FORWARD, NULL},
    /* Makes groups of every n-th channel instead of neighbours. */
    [GROUPS] = {"wrong_group_order", FORWARD, NULL},
    /* Ignores that a scale is zero-centred. */
    [CENTERED] = {"wrong_centered", FORWARD, NULL},
    /* Adds z to the normalized x. */
    [ADDS_LATE] = {"wrong_adds_late", FORWARD, NULL},
    /* Computes GELU by its approximation. */
    [TANH_FOR_ERF] = {"wrong_tanh_for_erf", FORWARD, NULL},
    /* Saves the variance. */
    [SAVES_VARIANCE] = {"wrong_saves_variance", FORWARD, NULL},
    /* Reads the saved deviation as a variance. */
    [IGNORES_SAVED] = {"wrong_saved", BACKWARD, NULL},
    /* Subtracts the mean gradient in RMS. */
    [MEAN_OF_W] = {"wrong_mean_of_w", BACKWARD, NULL},
    /* Leaves the last element of x out of dscale. */
    [LAST_ROW] = {"wrong_last_row", BACKWARD, NULL},
    /* Sums dbias before the activation is undone. */
    [DBIAS_AFTER] = {"wrong_dbias_after", BACKWARD, NULL},
    /* Ignores dsum. */
    [IGNORES_DSUM] = {"wrong_dsum", BACKWARD, NULL},
    /* Reads c with beta 0. */
    [READS_C] = {"wrong_reads_c", PRODUCT, NULL},
    /* Adds the bias for each step along k. */
    [BIAS_TWICE] = {"wrong_bias_twice", PRODUCT, NULL},
    /* Uses the first matrix of b for the whole batch. */
    [BATCH] = {"wrong_batch", PRODUCT, NULL},
    /* Stores aux behind the activation. */
    [AUX_AFTER] = {"wrong_aux_after", PRODUCT, NULL},
    /* Assumes that b is packed. */
    [TRANSPOSES] = {"wrong_transposes", PRODUCT, NULL},
};

static int fault;

/* ------------------------------------------------------------------ shared */

static int64_t count(const struct anydnn_plugin_tensor *tensor)
{
    int64_t product = 1;

    for (int d = 0; d < tensor->ndims; d++)
        product *= tensor->dims[d];
    return product;
}

/* Returns the element of an operand whose dims are those of the index or 1. */
static float *element(const struct anydnn_plugin_plan *plan,
                      const struct anydnn_plugin_operands *operands, int slot, const int64_t *index)
{
    const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
    int64_t at = 0;

    for (int d = 0; d < tensor->ndims; d++)
        at += tensor->dims[d] == 1 ? 0 : index[d] * tensor->strides[d];
    return (float *)operands->data[slot] + at;
}

static float read(const struct anydnn_plugin_plan *plan,
                  const struct anydnn_plugin_operands *operands, int slot, const int64_t *index,
                  float otherwise)
{
    return operands->data[slot] ? *element(plan, operands, slot, index) : otherwise;
}

/* Returns 1 / (1 + exp(-v)), without overflow. */
static float sigmoid(float v)
{
    float e = expf(-fabsf(v));

    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

static float activate(int32_t mode, int32_t nan_propagate, double coef, float v)
{
    float u = 0.7978845608f * (v + 0.044715f * v * v * v);

    switch (mode) {
    case 0:
        return sigmoid(v);
    case 2:
        return tanhf(v);
    case 4:
        return v > 0 ? v : (float)coef * expm1f(v);
    case 5:
        return v;
    case 6:
        return v * sigmoid((float)coef * v);
    case ANYDNN_PLUGIN_ACTIVATION_GELU:
        return fault == TANH_FOR_ERF ? v * (1 + tanhf(u)) / 2
                                     : v * (1 + erff(v * 0.7071067812f)) / 2;
    case ANYDNN_PLUGIN_ACTIVATION_GELU_TANH:
        return v * (1 + tanhf(u)) / 2;
    default:
        if (nan_propagate && isnan(v))
            return v;
        return mode == 3 && v > (float)coef ? (float)coef : v > 0 ? v : 0;
    }
}

static float slope(int32_t mode, double coef, float v)
{
    float y = activate(mode, 0, coef, v), t, u;

    switch (mode) {
    case 0:
        return y * (1 - y);
    case 2:
        return 1 - y * y;
    case 4:
        return v > 0 ? 1 : y + (float)coef;
    case 5:
        return 1;
    case 6:
        t = sigmoid((float)coef * v);
        return t + (float)coef * v * t * (1 - t);
    case ANYDNN_PLUGIN_ACTIVATION_GELU:
        return (1 + erff(v * 0.7071067812f)) / 2 + v * 0.3989422804f * expf(-v * v / 2);
    case ANYDNN_PLUGIN_ACTIVATION_GELU_TANH:
        u = 0.7978845608f * (1 + 3 * 0.044715f * v * v);
        t = tanhf(0.7978845608f * (v + 0.044715f * v * v * v));
        return (1 + t) / 2 + v * (1 - t * t) * u / 2;
    default:
        return v > 0 && !(mode == 3 && v >= (float)coef);
    }
}

/* ------------------------------------------------------------------ normalizations */

/* The values that a set shares. */
struct set {
    float mean, square, r, w, wn, first;
    int64_t count;
};

struct norm {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
    const struct anydnn_plugin_normalization *params;
    const struct anydnn_plugin_tensor *x;
    struct set *sets;
    int backward;
};

static struct set *set_at(const struct norm *norm, const int64_t *index)
{
    const struct anydnn_plugin_tensor *x = norm->x;
    int64_t set = 0;

    for (int d = 0; d < x->ndims; d++)
        if (norm->params->kind != ANYDNN_PLUGIN_NORMALIZATION_GROUP)
            set = norm->params->axes >> d & 1 ? set : set * x->dims[d] + index[d];
        else if (d == norm->params->channel_axis)
            set = set * norm->params->groups +
                  (fault == GROUPS ? index[d] % norm->params->groups
                                   : index[d] / (x->dims[d] / norm->params->groups));
        else if (d == 0)
            set = index[0];
    return &norm->sets[set];
}

/* Returns v. The slots of x and z are the same in both directions where they exist. */
static float input(const struct norm *norm, const int64_t *index)
{
    float v = *element(norm->plan, norm->operands, 0, index);

    if (norm->backward || fault == ADDS_LATE)
        return v;
    return v + read(norm->plan, norm->operands, 3, index, 0);
}

/* Computes the statistics of all sets: two passes in float. */
static void fill_sets(const struct norm *norm)
{
    int rms = norm->params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS && fault != RMS_MEAN;
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    do {
        struct set *set = set_at(norm, index);

        set->first = set->count == 0 ? input(norm, index) : set->first;
        set->mean += input(norm, index) - set->first;
        set->square += fault == MOMENTS ? input(norm, index) * input(norm, index) : 0;
        set->count++;
    } while (step(norm->x, index));
    for (int64_t k = 0; k < count(norm->x) && norm->sets[k].count > 0; k++) {
        struct set *set = &norm->sets[k];

        set->mean = rms ? 0 : set->first + set->mean / (float)set->count;
        set->square =
            fault == MOMENTS ? set->square - set->mean * set->mean * (float)set->count : 0;
    }
    do {
        struct set *set = set_at(norm, index);
        float difference = input(norm, index) - set->mean;

        set->square += fault == MOMENTS ? 0 : difference * difference;
    } while (step(norm->x, index));
    for (int64_t k = 0; k < count(norm->x) && norm->sets[k].count > 0; k++) {
        struct set *set = &norm->sets[k];
        float variance = set->square / (float)(set->count - (fault == UNBIASED && set->count > 1));

        set->square = variance;
        set->r = fault == EPSILON ? 1 / (sqrtf(variance) + (float)norm->params->epsilon)
                                  : 1 / sqrtf(variance + (float)norm->params->epsilon);
    }
}

static float factor(const struct norm *norm, const int64_t *index)
{
    int slot = norm->backward ? 2 : 1;
    int centered = (norm->params->flags & ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED) != 0;

    if (!norm->operands->data[slot])
        return 1;
    return (float)(centered && fault != CENTERED) +
           *element(norm->plan, norm->operands, slot, index);
}

static void forward(const struct norm *norm)
{
    const struct anydnn_plugin_normalization *params = norm->params;
    const struct anydnn_plugin_operands *operands = norm->operands;
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int64_t at = 0;

    do {
        const struct set *set = set_at(norm, index);
        float v = input(norm, index), y = factor(norm, index) * ((v - set->mean) * set->r);

        y += read(norm->plan, operands, FORWARD_SLOT(bias), index, 0);
        if (fault == ADDS_LATE)
            y += read(norm->plan, operands, FORWARD_SLOT(z), index, 0);
        *element(norm->plan, operands, FORWARD_SLOT(y), index) =
            activate(params->activation, params->nan_propagate, params->coef, y);
        if (operands->data[FORWARD_SLOT(sum)])
            *element(norm->plan, operands, FORWARD_SLOT(sum), index) = v;
    } while (step(norm->x, index));
    if (operands->data[FORWARD_SLOT(save_inv_dev)])
        do {
            if (operands->data[FORWARD_SLOT(save_mean)])
                *element(norm->plan, operands, FORWARD_SLOT(save_mean), index) =
                    norm->sets[at].mean;
            *element(norm->plan, operands, FORWARD_SLOT(save_inv_dev), index) =
                fault == SAVES_VARIANCE ? norm->sets[at].square : norm->sets[at].r;
            at++;
        } while (step(norm->plan->problem.tensor[FORWARD_SLOT(save_inv_dev)], index));
}

/* An element in backward: normalized, and its gradient before the activation. */
struct gradient {
    float n, g, w;
};

static struct gradient gradient_at(const struct norm *norm, const int64_t *index)
{
    const struct set *set = set_at(norm, index);
    float dy = *element(norm->plan, norm->operands, 1, index);
    struct gradient at = {.n = (input(norm, index) - set->mean) * set->r};
    float v = factor(norm, index) * at.n + read(norm->plan, norm->operands, 3, index, 0);

    at.g = dy * slope(norm->params->activation, norm->params->coef, v);
    at.w = factor(norm, index) * at.g;
    return at;
}

/* Takes saved statistics. */
static void load_sets(const struct norm *norm)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int64_t at = 0;

    if (!norm->operands->data[BACKWARD_SLOT(save_inv_dev)])
        return;
    do {
        float saved = *element(norm->plan, norm->operands, BACKWARD_SLOT(save_inv_dev), index);

        norm->sets[at].mean = read(norm->plan, norm->operands, BACKWARD_SLOT(save_mean), index, 0);
        norm->sets[at++].r =
            fault == IGNORES_SAVED ? 1 / sqrtf(saved + (float)norm->params->epsilon) : saved;
    } while (step(norm->plan->problem.tensor[BACKWARD_SLOT(save_inv_dev)], index));
}

/* Adds up the gradient of a scale or bias. */
static void sum_gradient(const struct norm *norm, int slot)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int64_t left = count(norm->x);

    if (!norm->operands->data[slot])
        return;
    do
        *element(norm->plan, norm->operands, slot, index) = 0;
    while (step(norm->plan->problem.tensor[slot], index));
    do {
        struct gradient at = gradient_at(norm, index);
        float add = slot == BACKWARD_SLOT(dscale) ? at.g * at.n
                    : fault == DBIAS_AFTER        ? *element(norm->plan, norm->operands, 1, index)
                                                  : at.g;

        left--;
        if (!(fault == LAST_ROW && slot == BACKWARD_SLOT(dscale) && left == 0))
            *element(norm->plan, norm->operands, slot, index) += add;
    } while (step(norm->x, index));
}

static void backward(const struct norm *norm)
{
    int rms = norm->params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS && fault != MEAN_OF_W;
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    load_sets(norm);
    do {
        struct gradient at = gradient_at(norm, index);

        set_at(norm, index)->w += at.w;
        set_at(norm, index)->wn += at.w * at.n;
    } while (step(norm->x, index));
    sum_gradient(norm, BACKWARD_SLOT(dscale));
    sum_gradient(norm, BACKWARD_SLOT(dbias));
    do {
        const struct set *set = set_at(norm, index);
        struct gradient at = gradient_at(norm, index);
        float m = (float)set->count;
        float dsum = fault == IGNORES_DSUM
                         ? 0
                         : read(norm->plan, norm->operands, BACKWARD_SLOT(dsum), index, 0);

        *element(norm->plan, norm->operands, BACKWARD_SLOT(dx), index) =
            set->r * (at.w - (rms ? 0 : set->w / m) - at.n * (set->wn / m)) + dsum;
    } while (step(norm->x, index));
}

static int32_t normalize(const struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands)
{
    struct norm norm = {.plan = plan,
                        .operands = operands,
                        .params = &plan->copies.params.normalization,
                        .x = plan->problem.tensor[0],
                        .backward = plan->problem.operation == BACKWARD};

    norm.sets = calloc((size_t)count(norm.x) + 1, sizeof(*norm.sets));
    if (!norm.sets)
        return NO_MEMORY;
    fill_sets(&norm);
    if (norm.backward)
        backward(&norm);
    else
        forward(&norm);
    free(norm.sets);
    return SUCCESS;
}

/* ------------------------------------------------------------------ products */

static void multiply(const struct anydnn_plugin_plan *plan,
                     const struct anydnn_plugin_operands *operands)
{
    const struct anydnn_plugin_matmul *params = &plan->copies.params.matmul;
    const struct anydnn_plugin_tensor *d = plan->problem.tensor[MATMUL(d)],
                                      *b = plan->problem.tensor[MATMUL(b)];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0}, inner = b->dims[b->ndims - 2];
    int last = d->ndims - 1;

    do {
        int64_t a_index[ANYDNN_PLUGIN_DIM_MAX], b_index[ANYDNN_PLUGIN_DIM_MAX];
        float v = 0;

        for (int i = 0; i <= last; i++) {
            a_index[i] = index[i];
            b_index[i] = fault == BATCH && i < last - 1 ? 0 : index[i];
        }
        for (int64_t k = 0; k < inner; k++) {
            a_index[last] = b_index[last - 1] = k;
            v += *element(plan, operands, MATMUL(a), a_index) *
                 (fault == TRANSPOSES && last == 1
                      ? ((const float *)operands->data[MATMUL(b)])[k * b->dims[1] + index[1]]
                      : *element(plan, operands, MATMUL(b), b_index));
        }
        v *= (float)operands->scale[0];
        if (operands->data[MATMUL(c)] && (operands->scale[1] != 0 || fault == READS_C))
            v += (float)operands->scale[1] * *element(plan, operands, MATMUL(c), index);
        v +=
            read(plan, operands, MATMUL(bias), index, 0) * (fault == BIAS_TWICE ? (float)inner : 1);
        if (operands->data[MATMUL(aux)] && fault != AUX_AFTER)
            *element(plan, operands, MATMUL(aux), index) = v;
        v = activate(params->activation, params->nan_propagate, params->coef, v);
        *element(plan, operands, MATMUL(d), index) = v;
        if (operands->data[MATMUL(aux)] && fault == AUX_AFTER)
            *element(plan, operands, MATMUL(aux), index) = v;
    } while (step(d, index));
}

/* ------------------------------------------------------------------ the backend */

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    (void)effect;
    if (plan->problem.operation != PRODUCT)
        return normalize(plan, operands);
    multiply(plan, operands);
    return SUCCESS;
}

/* Only c may be in place, since the other inputs are read again after outputs were written. */
static int32_t refuse(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    if (fake_check_types(problem, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT), why) != 0)
        return why->reason;
    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX && problem->operation != PRODUCT; i++)
        if (problem->alias[i])
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS, "this backend has no in-place form");
    return 0;
}

static void begin(const char *function)
{
    if (strcmp(function, "main") == 0)
        fault = fault_of_file(faults, FAULTS);
}

static const struct fake_operation operations[] = {
    {FORWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
    {BACKWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
    {PRODUCT, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)}};

struct fake fake = {
    .layouts = KIT_LAYOUTS,
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .operations = operations,
    .operation_count = 3,
    .enter = begin,
    .refuse = refuse,
    .execute = plan_execute,
};
