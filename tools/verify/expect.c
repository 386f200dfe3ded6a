/* SPDX-License-Identifier: Apache-2.0 */
/* Right answers: what the oracle gives without scaling factors, which are applied here; and the
 * sums that bound the error of an element. */
#include "subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative change of the inputs, and tries of it with random signs. */
#define CHANGE 0x1p-20
#define TRIES  4

/* ---- changed inputs */

enum change { AS_THEY_ARE, ABSOLUTE, SQUARED, CHANGED };

/* Operands whose absolute values make the sum S; the others choose what is summed up. */
static int is_term(const struct verify_subject *subject, int slot)
{
    const char *role = subject->info->slot[slot].role;

    if (verify_is_bytes(role))
        return 0;
    return subject->problem.operation != ANYDNN_PLUGIN_POOLING_BACKWARD || strcmp(role, "dy") == 0;
}

static double factor_of(const struct verify_subject *subject, int slot)
{
    const double *scale = subject->values.scale;

    if (subject->problem.operation == ANYDNN_PLUGIN_OP_TENSOR && slot < 2)
        return scale[slot];
    if (subject->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD)
        return slot == 0 ? scale[0] : slot == 2 ? scale[1] : 1;
    return 1;
}

static double *changed(const struct verify_subject *subject, int slot, enum change change,
                       uint64_t signs)
{
    const struct verify_slot *from = &subject->slot[slot];
    double factor = factor_of(subject, slot);
    double *values = tool_alloc((size_t)from->count * sizeof(double));

    for (int64_t i = 0; i < from->count; i++) {
        double value = from->before[i] * factor;

        if (change != AS_THEY_ARE && !is_term(subject, slot))
            change = AS_THEY_ARE;
        if (change == CHANGED) {
            signs = signs * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            value *= signs >> 63 ? 1 + CHANGE : 1 - CHANGE;
        } else if (change == ABSOLUTE) {
            value = fabs(value);
        } else if (change == SQUARED) {
            value *= value;
        }
        values[i] = value;
    }
    return values;
}

/* Results without the blend, for every compared output. */
static int results(struct verify_oracle *oracle, const struct verify_subject *subject,
                   enum change change, uint64_t signs, double *out[VERIFY_SLOTS], char *sentence)
{
    struct adn_problem problem = subject->problem;
    struct adn_values values;
    double *in[VERIFY_SLOTS] = {NULL};
    int result;

    adn_values_init(&values, problem.operation);
    memcpy(values.number, subject->values.number, sizeof(values.number));
    values.value = subject->values.value;
    if (problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD) {
        values.scale[1] = 1;
        if (change == ABSOLUTE || change == SQUARED)
            problem.params.convolution.activation = 5;
    }
    for (int i = 0; i < subject->info->slot_count; i++) {
        if (!verify_is_present(subject, i))
            continue;
        if (subject->slot[i].before != NULL && verify_is_in(subject, i))
            in[i] = changed(subject, i, change, signs + (uint64_t)i);
        if (subject->slot[i].compared)
            out[i] = tool_alloc((size_t)subject->slot[i].count * sizeof(double));
    }
    result = verify_oracle_run(oracle, &problem, &values, in, out, sentence);
    for (int i = 0; i < VERIFY_SLOTS; i++)
        free(in[i]);
    for (int i = 0; i < VERIFY_SLOTS && result != 0; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    return result;
}

/* ---- the sums */

/* Double-sided differences would gain nothing: only the size counts. Twice the largest of a few
 * random choices of signs stands for the largest of all. */
static int sensitivity(struct verify_oracle *oracle, struct verify_subject *subject, char *sentence)
{
    int result = 0;

    for (int i = 0; i < VERIFY_SLOTS; i++)
        for (int64_t k = 0; subject->slot[i].want != NULL && k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] = 0;
    for (int try = 0; try < TRIES && result == 0; try++) {
        double *out[VERIFY_SLOTS] = {NULL};

        result = results(oracle, subject, CHANGED, (uint64_t)try * 977 + 1, out, sentence);
        for (int i = 0; i < VERIFY_SLOTS && result == 0; i++) {
            struct verify_slot *slot = &subject->slot[i];

            for (int64_t k = 0; out[i] != NULL && k < slot->count; k++) {
                double moved = 2 * fabs(out[i][k] - slot->want[k]) / CHANGE;

                if (isfinite(moved) && moved > slot->sum[k])
                    slot->sum[k] = moved;
            }
            free(out[i]);
        }
    }
    for (int i = 0; i < VERIFY_SLOTS; i++)
        for (int64_t k = 0; subject->slot[i].want != NULL && k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] += fabs(subject->slot[i].want[k]);
    return result;
}

/* The logarithm of a sum near 1 is small and carries the sum's error, a unit of 1. */
static void add_floor(struct verify_subject *subject)
{
    const struct adn_problem *problem = &subject->problem;
    int floor = problem->operation == ANYDNN_PLUGIN_SOFTMAX_FORWARD &&
                problem->params.softmax.algorithm == 2;

    for (int i = 0; i < VERIFY_SLOTS && floor; i++)
        for (int64_t k = 0; subject->slot[i].want != NULL && k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] += 1;
}

static void take_results(struct verify_subject *subject, double *out[VERIFY_SLOTS])
{
    for (int i = 0; i < VERIFY_SLOTS; i++) {
        if (out[i] == NULL)
            continue;
        subject->slot[i].want = out[i];
        subject->slot[i].sum = tool_alloc((size_t)subject->slot[i].count * sizeof(double));
        for (int64_t k = 0; k < subject->slot[i].count; k++)
            subject->slot[i].sum[k] = fabs(out[i][k]);
    }
}

static int sums(struct verify_oracle *oracle, struct verify_subject *subject, char *sentence)
{
    enum verify_judgement judgement = verify_judge(&subject->problem);
    double *out[VERIFY_SLOTS] = {NULL};
    int result = 0;

    if (judgement == VERIFY_SENSITIVE) {
        result = sensitivity(oracle, subject, sentence);
        add_floor(subject);
    } else if (judgement == VERIFY_SUMS) {
        result = results(oracle, subject, ABSOLUTE, 0, out, sentence);
        for (int i = 0; i < VERIFY_SLOTS && result == 0; i++)
            if (out[i] != NULL) {
                free(subject->slot[i].sum);
                subject->slot[i].sum = out[i];
            }
    }
    if (judgement == VERIFY_SUMS && result == 0 &&
        subject->problem.math != ANYDNN_PLUGIN_MATH_DEFAULT) {
        memset(out, 0, sizeof(out));
        result = results(oracle, subject, SQUARED, 0, out, sentence);
        for (int i = 0; i < VERIFY_SLOTS && result == 0; i++)
            subject->slot[i].squares = out[i];
    }
    return result;
}

/* ---- the blend */

/* What an output held before: its own content, or that of the input in whose place it lies. */
static const double *prior_of(const struct verify_subject *subject, int slot)
{
    int alias = subject->problem.alias[slot];

    return subject->slot[alias > 0 ? alias - 1 : slot].before;
}

static int blend(struct verify_subject *subject)
{
    int plain = 1;

    for (int i = 0; i < subject->info->slot_count; i++) {
        struct verify_slot *slot = &subject->slot[i];
        const double *prior = prior_of(subject, i);
        int at_alpha;
        int at_beta;
        double alpha;
        double beta;

        verify_blend(subject, i, &at_alpha, &at_beta);
        alpha = at_alpha >= 0 ? subject->values.scale[at_alpha] : 1;
        beta = at_beta >= 0 ? subject->values.scale[at_beta] : 0;
        if (slot->want == NULL || (alpha == 1 && beta == 0))
            continue;
        plain = 0;
        for (int64_t k = 0; k < slot->count; k++) {
            double old = beta != 0 && prior != NULL ? beta * prior[k] : 0;

            slot->want[k] = alpha * slot->want[k] + old;
            slot->sum[k] = fabs(alpha) * slot->sum[k] + fabs(old);
            if (slot->squares != NULL)
                slot->squares[k] *= alpha * alpha;
        }
    }
    return plain;
}

int verify_oracle_answer(struct verify_oracle *oracle, struct verify_subject *subject,
                         char *sentence)
{
    double *out[VERIFY_SLOTS] = {NULL};
    int result = results(oracle, subject, AS_THEY_ARE, 0, out, sentence);
    int plain;

    if (result != 0)
        return result;
    take_results(subject, out);
    subject->exact = (subject->data != VERIFY_REALS || !subject->slot[0].element->fraction) &&
                     verify_exact_on_integers(&subject->problem);
    if (!subject->exact)
        result = sums(oracle, subject, sentence);
    plain = blend(subject);
    if (plain && verify_judge(&subject->problem) == VERIFY_EXACT)
        subject->exact = 1;
    return result;
}
