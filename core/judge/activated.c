/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the error sums of a convolution or a matrix product that ends in an activation whose
 * last bits depend on the library. The activation turns an error e of its argument v into about
 * |f'(v)| e. It adds an error of a few units of its result. Rounding the argument, or a product
 * with its coefficient, counts as a few units of v. The sum S behind an element therefore becomes
 *   max |f'| S + |f(v)|        for reals, whose sum v is off by units of S
 *   |f'(v) v| + |f(v)|         for whole numbers, whose sum v is exact in any order.
 * Swish is v times a sigmoid. A sigmoid below the least normal number has the same absolute error
 * as that number. Swish therefore counts as |v| times at least that number. GELU is v times a
 * probability. Some libraries compute it as 1 + erf or 1 + tanh, which cancel, so GELU counts as
 * |v|.
 */
#include "judge/sums.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/expect.h"
#include "judge/rules.h"
#include "problem/problem.h"

/* Returns the largest |f'|, or 1 if that is less. That of swish is 1.0998 for every coefficient,
 * that of GELU 1.129, and those of sigmoid and tanh are at most 1. */
static double steepest(struct adn_judge_activation f)
{
    return f.mode == ADN_JUDGE_ELU                                     ? fmax(1, fabs(f.coef))
           : f.mode == ADN_JUDGE_SWISH                                 ? 1.1
           : f.mode == ADN_JUDGE_GELU || f.mode == ADN_JUDGE_GELU_TANH ? 1.13
                                                                       : 1;
}

/* Returns f'(v) for y = f(v), or the largest slope of GELU. */
static double slope_at(struct adn_judge_activation f, double v, double y)
{
    double part = 1 / (1 + exp(-f.coef * v));

    switch (f.mode) {
    case ADN_JUDGE_SIGMOID:
        return y * (1 - y);
    case ADN_JUDGE_TANH:
        return 1 - y * y;
    case ADN_JUDGE_ELU:
        return v > 0 ? 1 : y + f.coef;
    case ADN_JUDGE_GELU:
    case ADN_JUDGE_GELU_TANH:
        return steepest(f);
    default:
        return part + f.coef * y * (1 - part);
    }
}

/* Returns the least factor of v. */
static double least_factor(const struct adn_subject *subject, int slot)
{
    int32_t mode = adn_judge_activation_of(&subject->problem).mode;

    if (mode == ADN_JUDGE_GELU || mode == ADN_JUDGE_GELU_TANH)
        return 1;
    if (mode != ADN_JUDGE_SWISH)
        return 0;
    return subject->problem.tensor[slot].type == ANYDNN_PLUGIN_DOUBLE ? DBL_MIN : (double)FLT_MIN;
}

static int compute_arguments(struct adn_oracle *oracle, const struct adn_subject *subject,
                             double *out[ADN_SLOTS], char *sentence)
{
    struct adn_subject bare = *subject;

    if (bare.problem.operation == ANYDNN_PLUGIN_MATMUL) {
        bare.problem.params.matmul.activation = ADN_JUDGE_IDENTITY;
        bare.problem.params.matmul.coef = 0;
    } else {
        bare.problem.params.convolution.activation = ADN_JUDGE_IDENTITY;
        bare.problem.params.convolution.coef = 0;
    }
    return adn_oracle_results(oracle, &bare, ADN_AS_THEY_ARE, 0, out, sentence);
}

/* Returns the role of the output behind the activation. */
static const char *f_result(const struct adn_subject *subject)
{
    return subject->problem.operation == ANYDNN_PLUGIN_MATMUL ? "d" : "y";
}

int adn_oracle_activated(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence)
{
    struct adn_judge_activation f = adn_judge_activation_of(&subject->problem);
    int slot = adn_subject_lookup(subject, f_result(subject));
    struct adn_subject_slot *y = &subject->slot[slot];
    double *out[ADN_SLOTS] = {NULL};
    double steep = steepest(f), least = least_factor(subject, slot);
    int result = subject->whole ? compute_arguments(oracle, subject, out, sentence) : 0;

    for (int64_t k = 0; result == 0 && k < y->count; k++) {
        double want = y->want[k];
        double moved = subject->whole ? fabs(slope_at(f, out[slot][k], want) * out[slot][k])
                                      : steep * y->sum[k];

        if (isfinite(moved))
            moved += least * (subject->whole ? fabs(out[slot][k]) : y->sum[k]);
        y->sum[k] = (isfinite(moved) ? moved : 0) + fabs(want);
        if (y->squares != NULL)
            y->squares[k] *= subject->whole ? 0 : steep * steep;
    }
    for (int i = 0; i < ADN_SLOTS; i++)
        free(out[i]);
    return result;
}
