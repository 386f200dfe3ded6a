/* SPDX-License-Identifier: Apache-2.0 */
/* Fills operands before a run with seeded numbers that their type can represent. */
#include "tools/oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "judge/oracle.h"
#include "judge/random.h"
#include "judge/rules.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

#define SPECIAL_EVERY 7

void oracle_from(struct adn_subject *subject, enum oracle_data data)
{
    subject->data = data;
    subject->numbers = data == ORACLE_INTEGERS || data == ORACLE_SPECIALS ? ADN_NUMBERS_SMALL
                       : oracle_is_real(data)                             ? ADN_NUMBERS_REAL
                                                                          : ADN_NUMBERS_WHOLE;
}

static int is_fraction(const struct adn_subject *subject, int slot)
{
    return adn_type_digits(subject->problem.tensor[slot].type) > 0;
}

static double unit_random(uint64_t *state)
{
    return (double)(adn_random_bits(state) >> 11) * 0x1p-53;
}

/* Returns the largest reach r, at most 32. Sums of products of integers from -r to r stay below
 * half's maximum by 5 standard deviations. Such integers have the variance r^2 / 3. */
static int half_reach(double terms)
{
    double reach = sqrt(3 * adn_type_highest(ANYDNN_PLUGIN_HALF) / 5 / sqrt(terms));

    return reach < 32 ? (int)reach : 32;
}

/* Returns the range of the integers. The sums of a test shape are exact in the accumulator. Those
 * of 16-bit numbers accumulated in float exceed 16 bits, and many lie midway between two such
 * numbers. */
static int reach_of(const struct adn_subject *subject, int slot)
{
    const struct adn_problem *problem = &subject->problem;
    int digits = adn_type_digits(problem->tensor[slot].type);
    int convolution = subject->info->family == ADN_FAMILY_CONVOLUTION ||
                      subject->info->family == ADN_FAMILY_FUSED;
    int products = convolution || subject->info->family == ADN_FAMILY_MATMUL;

    if (digits == 0 || digits >= 24)
        return 4;
    if (adn_judge_of(problem) != ADN_JUDGE_SUMS || !adn_judge_exact_on_integers(problem) ||
        (convolution && problem->params.convolution.compute_type == ANYDNN_PLUGIN_HALF))
        return 2;
    if (products && problem->operation != ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS)
        return digits >= 11 ? half_reach(subject->terms) : 16;
    return (1 << digits) - 1;
}

/* The distribution of one operand's values. */
struct draw {
    int32_t type;
    int reals;
    enum oracle_data data;
    double low; /* of integers */
    uint64_t count;
    int positive;
    double shift;
    int small; /* the operand that gets subnormal numbers, or those far from zero */
};

/* Sets the range. Functions that are not sums have no limit; for integer data they get small
 * numbers. */
static void range_of(const struct adn_subject *subject, int slot, struct draw *draw)
{
    double high = adn_type_highest(draw->type);

    draw->low = adn_type_lowest(draw->type);
    if (is_fraction(subject, slot) || subject->data == ORACLE_INTEGERS ||
        subject->data == ORACLE_SPECIALS)
        high = reach_of(subject, slot);
    else if (subject->data == ORACLE_LARGE)
        draw->low = high - 3;
    else if (!adn_judge_exact_on_integers(&subject->problem))
        high = 10;
    if (draw->low < -high)
        draw->low = -high - (high == adn_type_highest(draw->type));
    draw->count = (uint64_t)(high - draw->low) + 1;
}

/* Returns the sum of two uniform numbers, a triangular distribution around 0. It contains no zeros,
 * so that an omitted product shows. */
double oracle_random_real(uint64_t *state)
{
    double value = 2 * (unit_random(state) + unit_random(state)) - 2;

    return fabs(value) < 0.01 ? 0.5 : value;
}

static int is_variance(const char *role)
{
    return strcmp(role, "var") == 0 || strcmp(role, "running_var") == 0 ||
           strcmp(role, "save_inv_var") == 0 || strcmp(role, "save_inv_dev") == 0;
}

static void describe_draw(const struct adn_subject *subject, int slot, struct draw *draw)
{
    int variance = is_variance(subject->info->slot[slot].role);

    draw->type = subject->problem.tensor[slot].type;
    draw->data = (enum oracle_data)subject->data;
    draw->reals = oracle_is_real((enum oracle_data)subject->data) && is_fraction(subject, slot);
    draw->positive =
        variance ||
        (subject->problem.operation == ANYDNN_PLUGIN_OP_TENSOR &&
         subject->problem.params.op_tensor.op == 4) ||
        (subject->problem.operation == ANYDNN_PLUGIN_CTC_LOSS &&
         subject->problem.params.ctc.normalization == ANYDNN_PLUGIN_LOSS_NORMALIZATION_NONE);
    draw->shift = variance ? 0.5 : 0;
    draw->small = slot == 0;
    range_of(subject, slot, draw);
}

/* Returns a normal number (Box and Muller 1958). */
static double normal_random(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - unit_random(state)));

    return radius * cos(2 * 3.14159265358979323846 * unit_random(state));
}

/* Returns a normal number times a random power of two: 2^-10 to 2^3 in half, 2^-30 to 2^30
 * elsewhere. Sums of products do not overflow; squares in float and bfloat16 are far from both ends
 * of the range. */
static double wide_random(int32_t type, uint64_t *state)
{
    int half = type == ANYDNN_PLUGIN_HALF;
    int low = half ? -10 : -30, high = half ? 3 : 30;
    int power = low + (int)(unit_random(state) * (high - low + 1));

    return ldexp(normal_random(state), power);
}

/* Returns a multiple of the smallest number, below the smallest normal one. */
static double subnormal_random(int32_t type, uint64_t *state)
{
    double below = ldexp(1, adn_type_digits(type) - 1);

    return adn_type_least(type) * floor((2 * unit_random(state) - 1) * below);
}

static double draw_real(const struct draw *draw, uint64_t *state)
{
    switch (draw->data) {
    case ORACLE_WIDE:
        return wide_random(draw->type, state);
    case ORACLE_SUBNORMAL:
        return draw->small ? subnormal_random(draw->type, state) : normal_random(state);
    case ORACLE_NORMAL:
        return normal_random(state);
    case ORACLE_UNIFORM:
        return 2 * unit_random(state) - 1;
    default:
        return oracle_random_real(state);
    }
}

/* Returns the number around which the first operand lies: half the digits of the type, so that its
 * square still fits. */
static double far_from_zero(int32_t type)
{
    return ldexp(1, (adn_type_digits(type) + 1) / 2);
}

static double draw_one(const struct draw *draw, uint64_t *state)
{
    double value = draw->reals ? draw_real(draw, state)
                               : draw->low + (double)(adn_random_bits(state) % draw->count);

    if (draw->positive)
        value = fabs(value) + draw->shift;
    if (draw->data == ORACLE_FAR && draw->small)
        value += far_from_zero(draw->type);
    return draw->reals ? adn_type_round(draw->type, value) : value;
}

/* Inserts special values: NaN first, so that it lies in the first window, then infinities of both
 * signs. */
static void add_specials(struct adn_subject_slot *slot)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, NAN};

    for (int64_t i = 1, k = 0; i < slot->count; i += SPECIAL_EVERY, k++)
        slot->before[i] = specials[k % 4];
}

static void fill_bytes(struct adn_subject *subject, int slot, uint64_t seed, uint64_t *state)
{
    struct adn_subject_slot *bytes = &subject->slot[slot];
    const uint64_t words[4] = {ANYDNN_DROPOUT_MAGIC, ANYDNN_DROPOUT_VERSION, seed,
                               oracle_is_real((enum oracle_data)subject->data) ? 1000003 : 0};
    int64_t elements = adn_shape_elements(&subject->problem.tensor[0]);

    for (int64_t i = 0; i < bytes->count; i++)
        bytes->before[i] = (double)(adn_random_bits(state) >> 56);
    if (strcmp(subject->info->slot[slot].role, "states") == 0)
        for (int64_t i = 0; i < bytes->count && i < 32; i++)
            bytes->before[i] = ((const unsigned char *)words)[i];
    else if (elements % 8 != 0)
        bytes->before[bytes->count - 1] =
            (int)bytes->before[bytes->count - 1] & ((1 << elements % 8) - 1);
}

/* Fills host operands with consistent labels and lengths. */
static void fill_host(struct adn_subject *subject, int slot)
{
    int64_t count = subject->slot[slot].count;
    int32_t *values = tool_alloc_array(count, sizeof(*values));

    adn_problem_fill_host(&subject->problem, slot, values);
    for (int64_t i = 0; i < count; i++)
        subject->slot[slot].before[i] = values[i];
    free(values);
}

/* Returns 1 for the c of a matrix product with beta 0, which may hold anything. */
static int is_unread_addend(const struct adn_subject *subject, int slot)
{
    return subject->problem.operation == ANYDNN_PLUGIN_MATMUL && slot == 2 &&
           subject->values.scale[1] == 0;
}

static void fill_slot(struct adn_subject *subject, int slot, uint64_t seed)
{
    struct adn_subject_slot *at = &subject->slot[slot];
    uint64_t state = seed + (uint64_t)slot * UINT64_C(0xd1342543de82ef95);
    struct draw draw;

    if (adn_judge_is_bytes(subject->info->slot[slot].role)) {
        fill_bytes(subject, slot, seed, &state);
        return;
    }
    if (adn_problem_on_host(&subject->problem, slot)) {
        fill_host(subject, slot);
        return;
    }
    describe_draw(subject, slot, &draw);
    for (int64_t i = 0; is_unread_addend(subject, slot) && i < at->count; i++)
        at->before[i] = NAN;
    if (is_unread_addend(subject, slot))
        return;
    for (int64_t i = 0; i < at->count; i++)
        at->before[i] = draw_one(&draw, &state);
    if (subject->data == ORACLE_SPECIALS && slot == 0 && is_fraction(subject, slot))
        add_specials(at);
}

/* ---- the whole */

int oracle_fill(struct adn_subject *subject, const struct adn_problem *problem,
                const struct adn_values *values, enum oracle_data data, uint64_t seed,
                struct adn_oracle *oracle, char *sentence)
{
    int result;

    adn_subject_begin(subject, problem, values);
    oracle_from(subject, data);
    for (int i = 0; i < subject->info->slot_count; i++) {
        struct adn_subject_slot *slot = &subject->slot[i];

        if (!adn_subject_has(subject, i))
            continue;
        if (adn_type_size(problem->tensor[i].type) == 0) {
            snprintf(sentence, ADN_JUDGE_SENTENCE, "operand %s is of an unknown type",
                     subject->info->slot[i].role);
            return -1;
        }
        if (adn_subject_is_read(subject, i) && adn_problem_home(problem, i) == i) {
            slot->before = tool_alloc_array(slot->count, sizeof(double));
            fill_slot(subject, i, seed);
        }
    }
    result = oracle_fill_source(subject, seed, oracle, sentence);
    return result == 0 ? adn_subject_share(subject, sentence) : result;
}
