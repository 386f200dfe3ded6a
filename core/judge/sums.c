/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the sums that bound the error of an element: sums of absolute terms, or the effect of
 * small changes of the inputs. */
#include "judge/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/cancel.h"
#include "judge/expect.h"
#include "judge/rules.h"
#include "numerics/numerics.h"
#include "problem/problem.h"

/* The number of tries with random changes. */
#define TRIES 4
/* The part of ADN_CHANGE by which a number changes on average. */
#define MEAN_CHANGE 0.75

/* Measures the effect of changes. Double-sided differences would gain nothing, since only the size
 * counts. Twice the largest effect of a few random changes stands for the largest of all. */
static int sensitivity(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence)
{
    int result = 0;

    for (int i = 0; i < ADN_SLOTS; i++)
        for (int64_t k = 0; subject->slot[i].want != NULL && k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] = 0;
    for (int try = 0; try < TRIES && result == 0; try++) {
        double *out[ADN_SLOTS] = {NULL};

        result = adn_oracle_results(oracle, subject, ADN_CHANGED, (uint64_t)try + 1, out, sentence);
        for (int i = 0; i < ADN_SLOTS && result == 0; i++) {
            struct adn_subject_slot *slot = &subject->slot[i];

            for (int64_t k = 0; out[i] != NULL && k < slot->count; k++) {
                double moved = 2 * fabs(out[i][k] - slot->want[k]) / (MEAN_CHANGE * ADN_CHANGE);

                if (isfinite(moved) && moved > slot->sum[k])
                    slot->sum[k] = moved;
            }
            free(out[i]);
        }
    }
    for (int i = 0; i < ADN_SLOTS; i++)
        for (int64_t k = 0; subject->slot[i].want != NULL && k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] += fabs(subject->slot[i].want[k]);
    return result;
}

/* Adds the error of a logarithm. The logarithm of a sum near 1 is small, but has the absolute error
 * of the sum, one unit in the last place of 1. */
static void add_floor(struct adn_subject *subject)
{
    const struct adn_problem *problem = &subject->problem;
    int floor = problem->operation == ANYDNN_PLUGIN_SOFTMAX_FORWARD &&
                problem->params.softmax.algorithm == 2;

    for (int i = 0; i < ADN_SLOTS && floor; i++)
        for (int64_t k = 0; subject->slot[i].want != NULL && k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] += 1;
}

/* Adds the error of the paths of ctc_loss. They are summed as logarithms in double, which grow to
 * the cost of the sequence. Each step rounds by a unit of that, and so does the share of the paths,
 * at most 1, that a gradient holds (Graves et al. 2006, equation 16, in logarithms). Only results
 * in double show it. */
static void add_paths(struct adn_subject *subject)
{
    const struct anydnn_plugin_tensor *x = &subject->problem.tensor[0];
    const struct adn_subject_slot *costs = &subject->slot[slot_ctc_loss_costs];
    struct adn_subject_slot *gradients = &subject->slot[slot_ctc_loss_gradients];

    if (subject->problem.operation != ANYDNN_PLUGIN_CTC_LOSS || x->type != ANYDNN_PLUGIN_DOUBLE ||
        costs->want == NULL || gradients->sum == NULL)
        return;
    for (int64_t k = 0; k < gradients->count; k++) {
        double cost = costs->want[k / x->dims[2] % x->dims[1]];

        if (isfinite(cost))
            gradients->sum[k] += fabs(cost);
    }
}

/* Adds the error of GELU. Its probability is at most 1, and its rounding may be that of 1 where a
 * backend computes it as 1 + erf or 1 + tanh; it is multiplied by the argument. */
static int add_gelu(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence)
{
    int32_t mode = subject->problem.params.normalization.activation;
    struct adn_subject bare = *subject;
    double *out[ADN_SLOTS] = {NULL};
    int y, result;

    if (subject->problem.operation != ANYDNN_PLUGIN_NORMALIZATION_FORWARD ||
        (mode != ADN_JUDGE_GELU && mode != ADN_JUDGE_GELU_TANH))
        return 0;
    y = adn_subject_lookup(subject, "y");
    bare.problem.params.normalization.activation = ADN_JUDGE_IDENTITY;
    result = adn_oracle_results(oracle, &bare, ADN_AS_THEY_ARE, 0, out, sentence);
    for (int64_t k = 0; result == 0 && k < subject->slot[y].count; k++)
        subject->slot[y].sum[k] += isfinite(out[y][k]) ? fabs(out[y][k]) : 0;
    for (int i = 0; i < ADN_SLOTS; i++)
        free(out[i]);
    return result;
}

int adn_oracle_sums(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence)
{
    enum adn_judgement judgement = adn_judge_of(&subject->problem);
    double *out[ADN_SLOTS] = {NULL};
    int result = 0;

    if (judgement == ADN_JUDGE_SENSITIVE) {
        result = sensitivity(oracle, subject, sentence);
        add_floor(subject);
        add_paths(subject);
        if (result == 0)
            result = add_gelu(oracle, subject, sentence);
        if (result == 0)
            result = adn_subject_cancelling(subject, sentence);
    } else if (judgement == ADN_JUDGE_SUMS) {
        result = adn_oracle_results(oracle, subject, ADN_ABSOLUTE, 0, out, sentence);
        for (int i = 0; i < ADN_SLOTS && result == 0; i++)
            if (out[i] != NULL) {
                free(subject->slot[i].sum);
                subject->slot[i].sum = out[i];
            }
    }
    if (judgement == ADN_JUDGE_SUMS && result == 0 &&
        subject->problem.math != ANYDNN_PLUGIN_MATH_DEFAULT) {
        memset(out, 0, sizeof(out));
        result = adn_oracle_results(oracle, subject, ADN_SQUARED, 0, out, sentence);
        for (int i = 0; i < ADN_SLOTS && result == 0; i++)
            subject->slot[i].squares = out[i];
    }
    return result;
}
