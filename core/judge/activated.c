/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the error sums of a convolution that ends in an activation whose last bits depend on the
 * library. The activation turns an error e of its argument v into about |f'(v)| e. It adds an error
 * of a few units of its result. Rounding the argument, or a product with its coefficient, counts as
 * a few units of v. The sum S behind an element therefore becomes
 *   max |f'| S + |f(v)|        for reals, whose sum v is off by units of S
 *   |f'(v) v| + |f(v)|         for whole numbers, whose sum v is exact in any order.
 * Swish is v times a sigmoid. A sigmoid below the least normal number has the same absolute error
 * as that number. Swish therefore counts as |v| times at least that number.
 */
#include "judge/sums.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/expect.h"
#include "judge/rules.h"
#include "problem/problem.h"

/* Returns f'(v) for y = f(v). */
static double slope_at(const struct anydnn_plugin_convolution *params, double v, double y)
{
    double part = 1 / (1 + exp(-params->coef * v));

    switch (params->activation) {
    case ADN_JUDGE_SIGMOID:
        return y * (1 - y);
    case ADN_JUDGE_TANH:
        return 1 - y * y;
    case ADN_JUDGE_ELU:
        return v > 0 ? 1 : y + params->coef;
    default:
        return part + params->coef * y * (1 - part);
    }
}

/* Returns the largest |f'|, or 1 if that is less. That of swish is 1.0998 for every coefficient,
 * and those of sigmoid and tanh are at most 1. */
static double steepest(const struct anydnn_plugin_convolution *params)
{
    return params->activation == ADN_JUDGE_ELU     ? fmax(1, fabs(params->coef))
           : params->activation == ADN_JUDGE_SWISH ? 1.1
                                                   : 1;
}

/* Returns the least factor of v. */
static double least_factor(const struct adn_subject *subject, int slot)
{
    int swish = subject->problem.params.convolution.activation == ADN_JUDGE_SWISH;

    return !swish                                                       ? 0
           : subject->problem.tensor[slot].type == ANYDNN_PLUGIN_DOUBLE ? DBL_MIN
                                                                        : FLT_MIN;
}

static int compute_arguments(struct adn_oracle *oracle, const struct adn_subject *subject,
                             double *out[ADN_SLOTS], char *sentence)
{
    struct adn_subject bare = *subject;

    bare.problem.params.convolution.activation = ADN_JUDGE_IDENTITY;
    bare.problem.params.convolution.coef = 0;
    return adn_oracle_results(oracle, &bare, ADN_AS_THEY_ARE, 0, out, sentence);
}

int adn_oracle_activated(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence)
{
    const struct anydnn_plugin_convolution *params = &subject->problem.params.convolution;
    int slot = adn_subject_lookup(subject, "y");
    struct adn_subject_slot *y = &subject->slot[slot];
    double *out[ADN_SLOTS] = {NULL};
    double steep = steepest(params), least = least_factor(subject, slot);
    int result = subject->whole ? compute_arguments(oracle, subject, out, sentence) : 0;

    for (int64_t k = 0; result == 0 && k < y->count; k++) {
        double want = y->want[k];
        double moved = subject->whole ? fabs(slope_at(params, out[slot][k], want) * out[slot][k])
                                      : steep * y->sum[k];

        if (isfinite(moved))
            moved += least * (subject->whole ? fabs(out[slot][k]) : y->sum[k]);
        y->sum[k] = (isfinite(moved) ? moved : 0) + fabs(want);
        if (y->squares != NULL)
            y->squares[k] *= subject->whole ? 0 : steep * steep;
    }
    free(out[slot]);
    return result;
}
