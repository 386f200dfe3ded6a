/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds the error of results that remain after terms cancel. A correct evaluation rounds each
 * term, so that its error is a few units of the terms' sizes. Relative changes of the inputs may
 * leave such a result unchanged, and then do not show that error.
 *
 * Batch normalization backward is dx = slope (g - dbias / m - n dscale / m) with slope = scale inv,
 * n = (x - mean) inv, dbias = sum g, dscale = sum g n over the m elements of a cell. To first order
 * its rounding errors are at most a few units u, and those of a sum of m terms for the sums, times
 *   |slope| (|g|                        the differences, the product with the slope
 *            + sum |g| / m              of dbias
 *            + E |dscale| / m           of n at this element
 *            + |n| sum |g| E / m)       of dscale, and of each n in it
 * with E = |n| + inv sum |x| / m: the error of n is u |n| from the difference and the product, plus
 * inv u sum |x| / m from the mean, unless the mean is an operand. For x = (0, 0, 0, b), the dx of
 * the last element is 0 except for epsilon, for every dy. It stays 0 under relative changes of
 * every number, while each of these terms has the size of dy.
 *
 * The logarithm's softmax backward is dx = dy - exp(y) sum dy. Near y = 0, one element has all the
 * probability. A relative change of y does not change exp(y) there, whose rounding is a unit of 1.
 * The terms are |dy| + exp(y) sum |dy|.
 *
 * The other backward operations need no such sums. A relative change of a factor changes its term
 * in the same proportion, and no other term as much. These factors are y in softmax's y (dy - sum y
 * dy) and in the gradients of the activations, and x in the second term of LRN and of divisive
 * normalization. If x is 0, that term is 0, too.
 */
#include "judge/cancel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "desc/shape.h"
#include "problem/problem.h"

void adn_subject_raise(struct adn_subject_slot *slot, int64_t at, double terms)
{
    if (isfinite(terms) && terms > slot->sum[at])
        slot->sum[at] = terms;
}

/* ---- batch normalization backward */

/* The values that the elements with one scale share. Sums are divided by the number of elements. */
struct cell {
    double mean;
    double sum_x; /* of |x|; 0 where the mean is an operand */
    double inv;
    double slope;
    double dbias;
    double dscale;
    double sum_g;  /* of |g| */
    double sum_ge; /* of |g| E */
};

struct norm {
    const double *x;
    const double *dx;
    int64_t elements;
    int64_t inner; /* neighbours in one cell */
    int64_t count; /* of cells */
    double m;
    struct cell *cell;
};

static struct cell *cell_of(const struct norm *norm, int64_t i)
{
    return &norm->cell[i / norm->inner % norm->count];
}

static const double *input(const struct adn_subject *subject, const char *role)
{
    int slot = adn_subject_lookup(subject, role);

    return slot >= 0 ? subject->slot[slot].before : NULL;
}

static const double *result(const struct adn_subject *subject, const char *role)
{
    return subject->slot[adn_subject_lookup(subject, role)].want;
}

static int describe(const struct adn_subject *subject, struct norm *norm, char *sentence)
{
    const struct anydnn_plugin_tensor *x = &subject->problem.tensor[0];

    norm->x = input(subject, "x");
    norm->dx = result(subject, "dx");
    norm->elements = adn_shape_elements(x);
    norm->inner = 1;
    norm->count = norm->elements / x->dims[0];
    for (int d = 2; subject->problem.params.batch_normalization.mode != 0 && d < x->ndims; d++)
        norm->inner *= x->dims[d];
    norm->count /= norm->inner;
    norm->m = (double)(norm->elements / norm->count);
    norm->cell = calloc((size_t)norm->count, sizeof(*norm->cell));
    return norm->cell != NULL ? 0 : adn_judge_no_memory(sentence);
}

/* Computes the mean and 1 / sqrt(variance + epsilon) of each cell, if they are no operands. */
static void compute_statistics(const struct norm *norm, double epsilon)
{
    for (int64_t i = 0; i < norm->elements; i++) {
        cell_of(norm, i)->mean += norm->x[i] / norm->m;
        cell_of(norm, i)->sum_x += fabs(norm->x[i]) / norm->m;
    }
    for (int64_t i = 0; i < norm->elements; i++) {
        struct cell *cell = cell_of(norm, i);

        cell->inv += (norm->x[i] - cell->mean) * (norm->x[i] - cell->mean) / norm->m;
    }
    for (int64_t i = 0; i < norm->count; i++)
        norm->cell[i].inv = 1 / sqrt(norm->cell[i].inv + epsilon);
}

static void fill_cells(const struct adn_subject *subject, const struct norm *norm)
{
    const double *mean = input(subject, "save_mean");
    const double *inv = input(subject, "save_inv_var");

    if (mean == NULL || inv == NULL)
        compute_statistics(norm, subject->problem.params.batch_normalization.epsilon);
    for (int64_t i = 0; i < norm->count; i++) {
        struct cell *cell = &norm->cell[i];

        cell->mean = mean != NULL && inv != NULL ? mean[i] : cell->mean;
        cell->inv = mean != NULL && inv != NULL ? inv[i] : cell->inv;
        cell->slope = input(subject, "scale")[i] * cell->inv;
        cell->dbias = result(subject, "dbias")[i] / norm->m;
        cell->dscale = result(subject, "dscale")[i] / norm->m;
    }
}

static double normalized(const struct norm *norm, int64_t i)
{
    return (norm->x[i] - cell_of(norm, i)->mean) * cell_of(norm, i)->inv;
}

/* Returns |g|, computed from dx. If the slope is 0, nothing depends on it. */
static double gradient(const struct norm *norm, int64_t i)
{
    const struct cell *cell = cell_of(norm, i);

    return cell->slope != 0
               ? fabs(norm->dx[i] / cell->slope + cell->dbias + normalized(norm, i) * cell->dscale)
               : 0;
}

/* Returns E. */
static double error_of(const struct norm *norm, int64_t i)
{
    return fabs(normalized(norm, i)) + cell_of(norm, i)->inv * cell_of(norm, i)->sum_x;
}

static int raise_norm(struct adn_subject *subject, char *sentence)
{
    struct adn_subject_slot *dx = &subject->slot[adn_subject_lookup(subject, "dx")];
    struct norm norm;

    if (describe(subject, &norm, sentence) != 0)
        return -1;
    fill_cells(subject, &norm);
    for (int64_t i = 0; i < norm.elements; i++) {
        cell_of(&norm, i)->sum_g += gradient(&norm, i) / norm.m;
        cell_of(&norm, i)->sum_ge += gradient(&norm, i) * error_of(&norm, i) / norm.m;
    }
    for (int64_t i = 0; i < norm.elements; i++) {
        const struct cell *cell = cell_of(&norm, i);

        adn_subject_raise(dx, i,
                          fabs(cell->slope) * (gradient(&norm, i) + cell->sum_g +
                                               error_of(&norm, i) * fabs(cell->dscale) +
                                               fabs(normalized(&norm, i)) * cell->sum_ge));
    }
    free(norm.cell);
    return 0;
}

/* ---- softmax backward */

/* Returns the row of an element: all of an instance, or the channels of one position. */
static int64_t row_of(const struct anydnn_plugin_tensor *tensor, int instance, int64_t i)
{
    int64_t inner = 1;

    for (int d = 2; d < tensor->ndims; d++)
        inner *= tensor->dims[d];
    return instance ? i / (tensor->dims[1] * inner)
                    : i / (tensor->dims[1] * inner) * inner + i % inner;
}

static int raise_log_softmax(struct adn_subject *subject, char *sentence)
{
    const struct anydnn_plugin_tensor *tensor = &subject->problem.tensor[0];
    struct adn_subject_slot *dx = &subject->slot[adn_subject_lookup(subject, "dx")];
    int instance = subject->problem.params.softmax.mode == 0;
    const double *dy = input(subject, "dy");
    const double *y = input(subject, "y");
    double *sum = calloc((size_t)dx->count, sizeof(*sum));

    if (sum == NULL)
        return adn_judge_no_memory(sentence);
    for (int64_t i = 0; i < dx->count; i++)
        sum[row_of(tensor, instance, i)] += fabs(dy[i]);
    for (int64_t i = 0; i < dx->count; i++)
        adn_subject_raise(dx, i, fabs(dy[i]) + exp(y[i]) * sum[row_of(tensor, instance, i)]);
    free(sum);
    return 0;
}

int adn_subject_cancelling(struct adn_subject *subject, char *sentence)
{
    const struct adn_problem *problem = &subject->problem;

    if (problem->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD)
        return raise_norm(subject, sentence);
    if (problem->operation == ANYDNN_PLUGIN_NORMALIZATION_FORWARD ||
        problem->operation == ANYDNN_PLUGIN_NORMALIZATION_BACKWARD)
        return adn_subject_cancelling_norm(subject, sentence);
    if (problem->operation == ANYDNN_PLUGIN_SOFTMAX_BACKWARD &&
        problem->params.softmax.algorithm == 2)
        return raise_log_softmax(subject, sentence);
    return 0;
}
