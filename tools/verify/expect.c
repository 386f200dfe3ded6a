/* SPDX-License-Identifier: Apache-2.0 */
/* Right answers: what the oracle gives without scaling factors, which are applied here, and whether
 * it is the only right one. */
#include "subject.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* Bits of a factor whose product with a number of 16 bits float holds, rounded to none. */
#define FACTOR_DIGITS 12

/* ---- changed inputs */

/* Operands whose absolute values make the sum S; the others choose what is summed up. */
static int is_term(const struct verify_subject *subject, int slot)
{
    const char *role = subject->info->slot[slot].role;

    if (verify_is_bytes(role))
        return 0;
    return subject->problem.operation != ANYDNN_PLUGIN_POOLING_BACKWARD || strcmp(role, "dy") == 0;
}

/* Factors of inputs. Those of sums that wrap come behind the sums. */
static double factor_of(const struct verify_subject *subject, int slot, int wraps)
{
    const double *scale = subject->values.scale;

    if (subject->problem.operation == ANYDNN_PLUGIN_OP_TENSOR && slot < 2)
        return scale[slot];
    if (subject->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD)
        return slot == 0 && !wraps ? scale[0] : slot == 2 ? scale[1] : 1;
    return 1;
}

/* 1/2 to 1, or the negative of that. Changes of one size could cancel in each other's sum. */
static double random_change(uint64_t *seed)
{
    uint64_t bits = verify_random_bits(seed);
    double size = 0.5 + (double)(bits >> 12) * 0x1p-53;

    return bits & 1 ? size : -size;
}

static double *changed(const struct verify_subject *subject, int slot, double factor,
                       enum verify_change change, uint64_t seed)
{
    const struct verify_slot *from = &subject->slot[slot];
    double *values = tool_alloc((size_t)from->count * sizeof(double));

    if (!is_term(subject, slot))
        change = VERIFY_AS_THEY_ARE;
    for (int64_t i = 0; i < from->count; i++) {
        double value = from->before[i] * factor;

        if (change == VERIFY_CHANGED) {
            value *= 1 + VERIFY_CHANGE * random_change(&seed);
        } else if (change == VERIFY_ABSOLUTE) {
            value = fabs(value);
        } else if (change == VERIFY_SQUARED) {
            value *= value;
        }
        values[i] = value;
    }
    return values;
}

/* ---- results */

/* The maximum of nothing is the type's lowest number, not that of double. */
static void lower(const struct verify_subject *subject, double *const out[VERIFY_SLOTS])
{
    for (int i = 0; i < VERIFY_SLOTS; i++)
        for (int64_t k = 0; out[i] != NULL && k < subject->slot[i].count; k++)
            if (out[i][k] == -DBL_MAX)
                out[i][k] = adn_type_lowest(subject->problem.tensor[i].type);
}

int verify_results(struct verify_oracle *oracle, const struct verify_subject *subject,
                   enum verify_change change, uint64_t seed, double *out[VERIFY_SLOTS],
                   char *sentence)
{
    struct adn_problem problem = subject->problem;
    int wraps = change == VERIFY_AS_THEY_ARE && verify_sums_wrap(&problem);
    struct adn_values values;
    double *in[VERIFY_SLOTS] = {NULL};
    int result;

    adn_values_init(&values, problem.operation);
    memcpy(values.number, subject->values.number, sizeof(values.number));
    values.value = subject->values.value;
    if (problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD) {
        values.scale[0] = wraps ? subject->values.scale[0] : 1;
        values.scale[1] = 1;
        if (change == VERIFY_ABSOLUTE || change == VERIFY_SQUARED)
            problem.params.convolution.activation = 5;
    }
    for (int i = 0; i < subject->info->slot_count; i++) {
        if (!verify_is_present(subject, i))
            continue;
        if (subject->slot[i].before != NULL && verify_is_in(subject, i))
            in[i] = changed(subject, i, factor_of(subject, i, wraps), change,
                            seed * VERIFY_SLOTS + (uint64_t)i);
        if (subject->slot[i].compared)
            out[i] = tool_alloc((size_t)subject->slot[i].count * sizeof(double));
    }
    result = (wraps ? verify_wrapping_run : verify_oracle_run)(oracle, &problem, &values, in, out,
                                                               sentence);
    if (result == 0)
        lower(subject, out);
    for (int i = 0; i < VERIFY_SLOTS; i++)
        free(in[i]);
    for (int i = 0; i < VERIFY_SLOTS && result != 0; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    return result;
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

/* ---- the blend */

/* What an output held before: its own content, or that of the input in whose place it lies. */
static const double *prior_of(const struct verify_subject *subject, int slot)
{
    return subject->slot[adn_problem_home(&subject->problem, slot)].before;
}

static void blend_slot(struct verify_subject *subject, int slot, double alpha, double beta)
{
    struct verify_slot *at = &subject->slot[slot];
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

/* Applies the factors; 1 when each result is one term that is rounded once, to the output's type:
 * nothing is added, and the product with the factor is exact. */
static int blend(struct verify_subject *subject)
{
    int once = 1;

    for (int i = 0; i < subject->info->slot_count; i++) {
        int at_alpha;
        int at_beta;
        double alpha;
        double beta;

        verify_blend(subject, i, &at_alpha, &at_beta);
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

/* Whether all that is read are whole numbers, and few enough of them that float adds them up
 * exactly; those of 32 bits are too long for it. */
static int is_whole(const struct verify_subject *subject)
{
    if (subject->data == VERIFY_INTEGERS || subject->data == VERIFY_SPECIALS)
        return 1;
    for (int i = 0; i < subject->info->slot_count; i++) {
        const struct verify_slot *slot = &subject->slot[i];

        if (slot->before != NULL && (subject->problem.tensor[i].type == ANYDNN_PLUGIN_INT32 ||
                                     (slot->element->fraction && verify_is_real(subject->data))))
            return 0;
    }
    return 1;
}

int verify_oracle_answer(struct verify_oracle *oracle, struct verify_subject *subject,
                         char *sentence)
{
    double *out[VERIFY_SLOTS] = {NULL};
    int result = verify_results(oracle, subject, VERIFY_AS_THEY_ARE, 0, out, sentence);

    if (result != 0)
        return result;
    take_results(subject, out);
    subject->whole = is_whole(subject);
    subject->exact = subject->whole && verify_exact_on_integers(&subject->problem);
    if (!subject->exact)
        result = verify_sums(oracle, subject, sentence);
    if (result == 0 && verify_is_activated(&subject->problem))
        result = verify_activated(oracle, subject, sentence);
    if (blend(subject) && verify_judge(&subject->problem) == VERIFY_EXACT)
        subject->exact = 1;
    return result;
}
