/* SPDX-License-Identifier: Apache-2.0 */
/* Computes right results: applies the scaling factors to the oracle's results, and decides whether
 * a result is the only right one. */
#include "judge/expect.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/random.h"
#include "judge/rules.h"
#include "judge/sums.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/unread.h"

/* The bits of a factor whose product with a number of 16 bits is exact in float. */
#define FACTOR_DIGITS 12

/* ---- changed inputs */

/* Returns 1 for operands whose absolute values make the sum S. The others choose which terms are
 * summed. */
static int is_term(const struct adn_subject *subject, int slot)
{
    const char *role = subject->info->slot[slot].role;

    if (adn_judge_is_bytes(role) || adn_problem_on_host(&subject->problem, slot))
        return 0;
    return subject->problem.operation != ANYDNN_PLUGIN_POOLING_BACKWARD || strcmp(role, "dy") == 0;
}

/* Returns the factor of inputs. If sums wrap, the factors apply after the sums instead. */
static double factor_of(const struct adn_subject *subject, int slot, int wraps)
{
    const double *scale = subject->values.scale;

    if (subject->problem.operation == ANYDNN_PLUGIN_OP_TENSOR && slot < 2)
        return scale[slot];
    if (subject->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD)
        return slot == 0 && !wraps ? scale[0] : slot == 2 ? scale[1] : 1;
    if (subject->problem.operation == ANYDNN_PLUGIN_MATMUL)
        return slot == 0 ? scale[0] : slot == 2 ? scale[1] : 1;
    return 1;
}

/* Returns 1 for the input that a matrix product adds, and does not read if its factor is 0. */
static int adds_input(const struct adn_subject *subject, int slot)
{
    return subject->problem.operation == ANYDNN_PLUGIN_MATMUL && slot == 2;
}

/* Returns 1/2 to 1, or the negative of that. Changes of equal size could cancel each other in a
 * sum. */
static double random_change(uint64_t *seed)
{
    uint64_t bits = adn_random_bits(seed);
    double size = 0.5 + (double)(bits >> 12) * 0x1p-53;

    return bits & 1 ? size : -size;
}

static double *changed(const struct adn_subject *subject, int slot, double factor,
                       enum adn_change change, uint64_t seed)
{
    const struct adn_subject_slot *from = &subject->slot[slot];
    /* Points are counted from the middle of an image, but located by their distance from its
     * border. */
    int is_place = strcmp(subject->info->slot[slot].role, "grid") == 0;
    double *values = reallocarray(NULL, (size_t)from->count, sizeof(double));

    if (values == NULL)
        return NULL;

    if (!is_term(subject, slot))
        change = ADN_AS_THEY_ARE;
    for (int64_t i = 0; i < from->count; i++) {
        /* An input that is not added may be NaN. */
        double value = factor == 0 && adds_input(subject, slot) ? 0 : from->before[i] * factor;

        if (change == ADN_CHANGED) {
            value += (is_place + fabs(value)) * ADN_CHANGE * random_change(&seed);
        } else if (change == ADN_ABSOLUTE) {
            value = fabs(value);
        } else if (change == ADN_SQUARED) {
            value *= value;
        }
        values[i] = value;
    }
    return values;
}

/* Rounds x + z as a normalization does that stores it, in place of x. */
static void round_sum(const struct adn_subject *subject, double *const in[ADN_SLOTS])
{
    int x = 0, z = adn_subject_lookup(subject, "z"), sum = adn_subject_lookup(subject, "sum");

    if (subject->problem.operation != ANYDNN_PLUGIN_NORMALIZATION_FORWARD || sum < 0)
        return;
    for (int64_t i = 0; i < subject->slot[x].count; i++) {
        in[x][i] = adn_type_round(subject->problem.tensor[sum].type, in[x][i] + in[z][i]);
        in[z][i] = 0;
    }
}

/* ---- results */

/* Sets the maximum of no elements to the lowest number of the type, not of double. */
static void lower(const struct adn_subject *subject, double *const out[ADN_SLOTS])
{
    for (int i = 0; i < ADN_SLOTS; i++)
        for (int64_t k = 0; out[i] != NULL && k < subject->slot[i].count; k++)
            if (out[i][k] == -DBL_MAX)
                out[i][k] = adn_type_lowest(subject->problem.tensor[i].type);
}

int adn_oracle_results(struct adn_oracle *oracle, const struct adn_subject *subject,
                       enum adn_change change, uint64_t seed, double *out[ADN_SLOTS],
                       char *sentence)
{
    struct adn_problem problem = subject->problem;
    int wraps = change == ADN_AS_THEY_ARE && adn_judge_sums_wrap(&problem);
    struct adn_values values;
    double *in[ADN_SLOTS] = {NULL};
    int result = 0;

    adn_values_init(&values, problem.operation);
    memcpy(values.number, subject->values.number, sizeof(values.number));
    values.value = subject->values.value;
    if (problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD) {
        values.scale[0] = wraps ? subject->values.scale[0] : 1;
        values.scale[1] = 1;
        if (change == ADN_ABSOLUTE || change == ADN_SQUARED)
            problem.params.convolution.activation = ADN_JUDGE_IDENTITY;
    }
    if (problem.operation == ANYDNN_PLUGIN_MATMUL) {
        values.scale[0] = values.scale[1] = 1;
        if (change == ADN_ABSOLUTE || change == ADN_SQUARED)
            problem.params.matmul.activation = ADN_JUDGE_IDENTITY;
    }
    for (int i = 0; i < subject->info->slot_count && result == 0; i++) {
        if (!adn_subject_has(subject, i))
            continue;
        if (subject->slot[i].before != NULL && adn_subject_is_in(subject, i) &&
            (in[i] = changed(subject, i, factor_of(subject, i, wraps), change,
                             seed * ADN_SLOTS + (uint64_t)i)) == NULL)
            result = adn_judge_no_memory(sentence);
        if (subject->slot[i].compared &&
            (out[i] = reallocarray(NULL, (size_t)subject->slot[i].count, sizeof(double))) == NULL)
            result = adn_judge_no_memory(sentence);
    }
    if (result == 0)
        round_sum(subject, in);
    if (result == 0)
        result = (wraps ? adn_oracle_run_wrapping : adn_oracle_run)(oracle, &problem, &values, in,
                                                                    out, sentence);
    if (result == 0)
        lower(subject, out);
    for (int i = 0; i < ADN_SLOTS; i++)
        free(in[i]);
    for (int i = 0; i < ADN_SLOTS && result != 0; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    return result;
}

static int take_results(struct adn_subject *subject, double *out[ADN_SLOTS], char *sentence)
{
    int result = 0;

    for (int i = 0; i < ADN_SLOTS; i++) {
        struct adn_subject_slot *slot = &subject->slot[i];

        slot->want = out[i];
        if (out[i] == NULL)
            continue;
        slot->sum = reallocarray(NULL, (size_t)slot->count, sizeof(double));
        if (slot->sum == NULL)
            result = adn_judge_no_memory(sentence);
        for (int64_t k = 0; slot->sum != NULL && k < slot->count; k++)
            slot->sum[k] = fabs(out[i][k]);
    }
    return result;
}

/* ---- the blend */

/* Returns what an output held before: its own content, or that of the input at its address. */
static const double *prior_of(const struct adn_subject *subject, int slot)
{
    return subject->slot[adn_problem_home(&subject->problem, slot)].before;
}

static void blend_slot(struct adn_subject *subject, int slot, double alpha, double beta)
{
    struct adn_subject_slot *at = &subject->slot[slot];
    const double *prior = prior_of(subject, slot);

    for (int64_t k = 0; k < at->count; k++) {
        double old = beta != 0 && prior != NULL ? beta * prior[k] : 0;

        at->want[k] = alpha * at->want[k] + old;
        at->sum[k] = fabs(alpha) * at->sum[k] + fabs(old);
        if (at->squares != NULL)
            at->squares[k] *= alpha * alpha;
    }
}

static int has_few_digits(double factor)
{
    int exponent;
    double digits = ldexp(frexp(factor, &exponent), FACTOR_DIGITS);

    return digits == trunc(digits);
}

/* Applies the factors. Returns 1 if each result is one term that is rounded once, to the output's
 * type: nothing is added, and the product with the factor is exact. */
static int blend(struct adn_subject *subject)
{
    int once = 1;

    for (int i = 0; i < subject->info->slot_count; i++) {
        int at_alpha;
        int at_beta;
        double alpha;
        double beta;

        adn_subject_blend(subject, i, &at_alpha, &at_beta);
        alpha = at_alpha >= 0 ? subject->values.scale[at_alpha] : 1;
        beta = at_beta >= 0 ? subject->values.scale[at_beta] : 0;
        if (subject->slot[i].want == NULL || (alpha == 1 && beta == 0))
            continue;
        once &= beta == 0 && has_few_digits(alpha) &&
                subject->problem.tensor[i].type != ANYDNN_PLUGIN_INT32;
        blend_slot(subject, i, alpha, beta);
    }
    return once;
}

/* ---- the whole */

/* Returns 1 if all inputs are whole numbers that float adds up exactly. Numbers of 32 bits are too
 * long for that. */
static int is_whole(const struct adn_subject *subject)
{
    if (subject->numbers == ADN_NUMBERS_SMALL)
        return 1;
    for (int i = 0; i < subject->info->slot_count; i++) {
        const struct adn_subject_slot *slot = &subject->slot[i];

        int32_t type = subject->problem.tensor[i].type;

        if (slot->before != NULL &&
            (type == ANYDNN_PLUGIN_INT32 ||
             (adn_type_digits(type) > 0 && subject->numbers == ADN_NUMBERS_REAL)))
            return 0;
    }
    return 1;
}

int adn_oracle_expect(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence)
{
    double *out[ADN_SLOTS] = {NULL};
    int result = adn_oracle_results(oracle, subject, ADN_AS_THEY_ARE, 0, out, sentence);

    if (result != 0)
        return result;
    result = take_results(subject, out, sentence);
    if (result != 0)
        return result;
    subject->whole = is_whole(subject);
    subject->exact = subject->whole && adn_judge_exact_on_integers(&subject->problem);
    if (!subject->exact)
        result = adn_oracle_sums(oracle, subject, sentence);
    if (result == 0 && adn_judge_is_activated(&subject->problem))
        result = adn_oracle_activated(oracle, subject, sentence);
    if (blend(subject) && adn_judge_of(&subject->problem) == ADN_JUDGE_EXACT)
        subject->exact = 1;
    return result;
}
