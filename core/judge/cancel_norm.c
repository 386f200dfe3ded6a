/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds the error of layer, group and RMS normalization, as cancel.c does for batch normalization
 * backward.
 *
 * Forward, the mean is a sum of its own. Its error of units of mean|x| reaches each result times r
 * and the factor, also where changes of the inputs cancel in the mean.
 *
 * Backward, a set has m elements, n = (x - mean) r, the gradient g before the activation, and
 * w = factor g. Then dx = r (w - mean(w) - n mean(w n)) + dsum, dscale = sum g n, dbias = sum g.
 * To first order, rounding errors of dx are a few units, and those of a sum of m terms, times
 * r (|w| + mean|w| + E mean|w n| + |n| mean(|w| E)) + |dsum|, with E = |n| + r mean|x|. The last
 * term of E is absent if there is no mean or the mean is an operand. Errors of the other two are
 * the same times sum |g| E and sum |g|. |g| is at most |dy| times the largest slope of the
 * activation. Where rounding decides on which side of a jump of the slope an element lies, no
 * gradient is wrong: |g| then counts so many times that the bound exceeds the jump.
 */
#include "judge/cancel.h"

#include <math.h>
#include <stdlib.h>

#include "desc/shape.h"
#include "problem/problem.h"

/* The units of rounding within which an argument is undecided. */
#define JUMP 64

/* The values that a set's elements share. Those from `w` on are means of absolute values. */
struct set {
    double mean, r, x;
    double w, wn, we;
};

struct norm {
    const struct adn_subject *subject;
    const struct anydnn_plugin_normalization *params;
    const struct anydnn_plugin_tensor *x;
    const double *x_values, *dy, *scale, *bias, *dsum;
    double steep; /* largest slope of the activation */
    double unit;  /* rounding of the computation */
    double m;     /* elements of a set */
    int64_t elements, sets;
    int own_mean; /* 1 if the mean is computed */
    struct set *set;
};

static const double *input(const struct adn_subject *subject, const char *role)
{
    int slot = adn_subject_lookup(subject, role);

    return slot >= 0 ? subject->slot[slot].before : NULL;
}

/* Returns the number of the set of element i. */
static int64_t set_of(const struct norm *norm, int64_t i)
{
    const struct anydnn_plugin_tensor *x = norm->x;
    int64_t number = 0, weight = 1;

    for (int d = x->ndims - 1; d >= 0; d--, i /= x->dims[d + 1]) {
        int64_t at = i % x->dims[d];

        if (norm->params->kind != ANYDNN_PLUGIN_NORMALIZATION_GROUP) {
            number += norm->params->axes >> d & 1 ? 0 : at * weight;
            weight *= norm->params->axes >> d & 1 ? 1 : x->dims[d];
        } else if (d == norm->params->channel_axis) {
            number += at / (x->dims[d] / norm->params->groups) * weight;
            weight *= norm->params->groups;
        } else if (d == 0) {
            number += at * weight;
        }
    }
    return number;
}

/* Returns the place of element i of x in an operand whose dims are those of x or 1. */
static int64_t part_of(const struct norm *norm, int slot, int64_t i)
{
    const struct anydnn_plugin_tensor *part = &norm->subject->problem.tensor[slot];
    const struct anydnn_plugin_tensor *x = norm->x;
    int64_t place = 0, weight = 1;

    for (int d = x->ndims - 1; d >= 0; d--, i /= x->dims[d + 1]) {
        place += part->dims[d] == 1 ? 0 : i % x->dims[d] * weight;
        weight *= part->dims[d];
    }
    return place;
}

static struct set *set_at(const struct norm *norm, int64_t i)
{
    return &norm->set[set_of(norm, i)];
}

static double normalized(const struct norm *norm, int64_t i)
{
    return (norm->x_values[i] - set_at(norm, i)->mean) * set_at(norm, i)->r;
}

/* Returns E. */
static double error_of(const struct norm *norm, int64_t i)
{
    const struct set *set = set_at(norm, i);

    return fabs(normalized(norm, i)) + (norm->own_mean ? set->r * set->x : 0);
}

static double factor_of(const struct norm *norm, int64_t i)
{
    int centered = (norm->params->flags & ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED) != 0;

    if (norm->scale == NULL)
        return 1;
    return centered + norm->scale[part_of(norm, adn_subject_lookup(norm->subject, "scale"), i)];
}

/* Returns 1 if rounding decides on which side of a jump of the activation's slope element i lies.
 */
static int is_undecided(const struct norm *norm, int64_t i)
{
    int32_t mode = norm->params->activation;
    double bias = 0, v, error;

    if (mode != ANYDNN_PLUGIN_ACTIVATION_RELU && mode != ANYDNN_PLUGIN_ACTIVATION_CLIPPED_RELU &&
        mode != ANYDNN_PLUGIN_ACTIVATION_ELU)
        return 0;
    if (norm->bias != NULL)
        bias = norm->bias[part_of(norm, adn_subject_lookup(norm->subject, "bias"), i)];
    v = factor_of(norm, i) * normalized(norm, i) + bias;
    error = JUMP * norm->unit * (fabs(factor_of(norm, i)) * error_of(norm, i) + fabs(bias));
    return fabs(v) <= error ||
           (mode == ANYDNN_PLUGIN_ACTIVATION_CLIPPED_RELU && fabs(v - norm->params->coef) <= error);
}

/* Returns the largest |g| and |w|. */
static double gradient(const struct norm *norm, int64_t i)
{
    return norm->steep * fabs(norm->dy[i]) * (is_undecided(norm, i) ? 1 / norm->unit : 1);
}

static double weighted(const struct norm *norm, int64_t i)
{
    return fabs(factor_of(norm, i)) * gradient(norm, i);
}

/* Returns the largest slope of an activation, which is that of GELU for the last two. */
static double steepest(const struct anydnn_plugin_normalization *params)
{
    switch (params->activation) {
    case ANYDNN_PLUGIN_ACTIVATION_ELU:
        return fmax(1, fabs(params->coef));
    case ANYDNN_PLUGIN_ACTIVATION_SWISH:
    case ANYDNN_PLUGIN_ACTIVATION_GELU:
    case ANYDNN_PLUGIN_ACTIVATION_GELU_TANH:
        return 1.13;
    default:
        return 1;
    }
}

/* Computes mean and r of each set, or takes them from the operands. */
static void fill_statistics(struct norm *norm, int backward)
{
    const double *mean = backward ? input(norm->subject, "save_mean") : NULL;
    const double *r = backward ? input(norm->subject, "save_inv_dev") : NULL;
    int rms = norm->params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS;

    for (int64_t i = 0; i < norm->elements; i++) {
        set_at(norm, i)->mean += rms ? 0 : norm->x_values[i] / norm->m;
        set_at(norm, i)->x += fabs(norm->x_values[i]) / norm->m;
    }
    for (int64_t i = 0; i < norm->elements; i++) {
        struct set *set = set_at(norm, i);
        double difference = norm->x_values[i] - set->mean;

        set->r += difference * difference / norm->m;
    }
    for (int64_t k = 0; k < norm->sets; k++) {
        norm->set[k].r = r != NULL ? r[k] : 1 / sqrt(norm->set[k].r + norm->params->epsilon);
        if (mean != NULL)
            norm->set[k].mean = mean[k];
    }
    norm->own_mean = !rms && mean == NULL;
}

/* Adds up |g| and |g| E in the gradients of bias and scale, to which S is raised. */
static int raise_gradient(struct adn_subject *subject, const struct norm *norm, const char *role,
                          int by_normal, char *sentence)
{
    int slot = adn_subject_lookup(subject, role);
    struct adn_subject_slot *at;
    double *sum;

    if (slot < 0 || subject->slot[slot].sum == NULL)
        return 0;
    at = &subject->slot[slot];
    sum = calloc((size_t)at->count, sizeof(*sum));
    if (sum == NULL)
        return adn_judge_no_memory(sentence);
    for (int64_t i = 0; i < norm->elements; i++)
        sum[part_of(norm, slot, i)] += gradient(norm, i) * (by_normal ? error_of(norm, i) : 1);
    for (int64_t k = 0; k < at->count; k++)
        adn_subject_raise(at, k, sum[k]);
    free(sum);
    return 0;
}

static void raise_dx(struct adn_subject *subject, const struct norm *norm)
{
    struct adn_subject_slot *dx = &subject->slot[adn_subject_lookup(subject, "dx")];

    for (int64_t i = 0; i < norm->elements; i++) {
        struct set *set = set_at(norm, i);

        set->w += weighted(norm, i) / norm->m;
        set->wn += weighted(norm, i) * fabs(normalized(norm, i)) / norm->m;
        set->we += weighted(norm, i) * error_of(norm, i) / norm->m;
    }
    for (int64_t i = 0; i < norm->elements; i++) {
        const struct set *set = set_at(norm, i);

        adn_subject_raise(dx, i,
                          fabs(set->r) * (weighted(norm, i) + set->w + error_of(norm, i) * set->wn +
                                          fabs(normalized(norm, i)) * set->we) +
                              (norm->dsum != NULL ? fabs(norm->dsum[i]) : 0));
    }
}

/* Raises S of the results of forward to the sizes of their terms. */
static void raise_forward(struct adn_subject *subject, const struct norm *norm)
{
    int mean = adn_subject_lookup(subject, "save_mean");

    for (int64_t i = 0; i < norm->elements; i++)
        adn_subject_raise(&subject->slot[adn_subject_lookup(subject, "y")], i,
                          norm->steep * fabs(factor_of(norm, i)) * error_of(norm, i));
    for (int64_t k = 0; mean >= 0 && k < norm->sets; k++)
        adn_subject_raise(&subject->slot[mean], k, norm->set[k].x);
}

/* Returns x + z in new memory, or NULL. */
static double *sum_of(const struct adn_subject *subject)
{
    const double *z = input(subject, "z");
    double *sum = reallocarray(NULL, (size_t)subject->slot[0].count, sizeof(*sum));

    for (int64_t i = 0; sum != NULL && i < subject->slot[0].count; i++)
        sum[i] = subject->slot[0].before[i] + (z != NULL ? z[i] : 0);
    return sum;
}

int adn_subject_cancelling_norm(struct adn_subject *subject, char *sentence)
{
    int backward = subject->problem.operation == ANYDNN_PLUGIN_NORMALIZATION_BACKWARD;
    double *sum = sum_of(subject);
    struct norm norm = {.subject = subject,
                        .params = &subject->problem.params.normalization,
                        .x = &subject->problem.tensor[0],
                        .x_values = sum,
                        .dy = input(subject, "dy"),
                        .scale = input(subject, "scale"),
                        .bias = input(subject, "bias"),
                        .dsum = input(subject, "dsum")};
    int result = 0;

    norm.elements = adn_shape_elements(norm.x);
    norm.steep = steepest(norm.params);
    norm.unit = norm.x->type == ANYDNN_PLUGIN_DOUBLE ? 0x1p-53 : 0x1p-24;
    norm.sets = set_of(&norm, norm.elements - 1) + 1;
    norm.m = (double)(norm.elements / norm.sets);
    norm.set = calloc((size_t)norm.sets, sizeof(*norm.set));
    if (norm.set == NULL || sum == NULL)
        result = adn_judge_no_memory(sentence);
    if (result == 0)
        fill_statistics(&norm, backward);
    if (result == 0 && !backward)
        raise_forward(subject, &norm);
    if (result == 0 && backward) {
        raise_dx(subject, &norm);
        result = raise_gradient(subject, &norm, "dscale", 1, sentence);
    }
    if (result == 0 && backward)
        result = raise_gradient(subject, &norm, "dbias", 0, sentence);
    free(norm.set);
    free(sum);
    return result;
}
