/* SPDX-License-Identifier: Apache-2.0 */
/* What operands hold before a run: seeded numbers that the type can hold. */
#include "subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "numerics/numerics.h"

#define SPECIAL_EVERY 7

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t verify_random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double unit_random(uint64_t *state)
{
    return (double)(verify_random_bits(state) >> 11) * 0x1p-53;
}

/* Of products whose sums in half stay below its largest number, 5 standard deviations far: whole
 * numbers from -r to r have the variance r^2 / 3. */
static int half_reach(double terms)
{
    double reach = sqrt(3 * adn_type_highest(ANYDNN_PLUGIN_HALF) / 5 / sqrt(terms));

    return reach < 32 ? (int)reach : 32;
}

/* The sums of a test shape are exact in the accumulator. Those of 16-bit numbers that are added up
 * in float are too long for 16 bits, many of them just between two such numbers. */
static int reach_of(const struct verify_subject *subject, int slot)
{
    const struct adn_problem *problem = &subject->problem;
    int digits = adn_type_digits(problem->tensor[slot].type);
    int products = subject->info->family == ADN_FAMILY_CONVOLUTION ||
                   subject->info->family == ADN_FAMILY_FUSED;

    if (digits == 0 || digits >= 24)
        return 4;
    if (verify_judge(problem) != VERIFY_SUMS || !verify_exact_on_integers(problem) ||
        (products && problem->params.convolution.compute_type == ANYDNN_PLUGIN_HALF))
        return 2;
    if (products && problem->operation != ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS)
        return digits >= 11 ? half_reach(subject->terms) : 16;
    return (1 << digits) - 1;
}

/* How the values of one operand are drawn. */
struct draw {
    int32_t type;
    int reals;
    enum verify_data data;
    double low; /* of whole numbers */
    uint64_t count;
    int positive;
    double shift;
};

/* Functions that are no sums know no limit: of integers they get small ones. */
static void range_of(const struct verify_subject *subject, int slot, struct draw *draw)
{
    double high = adn_type_highest(draw->type);

    draw->low = adn_type_lowest(draw->type);
    if (subject->slot[slot].element->fraction || subject->data == VERIFY_INTEGERS ||
        subject->data == VERIFY_SPECIALS)
        high = reach_of(subject, slot);
    else if (subject->data == VERIFY_LARGE)
        draw->low = high - 3;
    else if (!verify_exact_on_integers(&subject->problem))
        high = 10;
    if (draw->low < -high)
        draw->low = -high - (high == adn_type_highest(draw->type));
    draw->count = (uint64_t)(high - draw->low) + 1;
}

/* Two uniform numbers make a hump around 0; no zeros, so that a product left out shows. */
double verify_random_real(uint64_t *state)
{
    double value = 2 * (unit_random(state) + unit_random(state)) - 2;

    return fabs(value) < 0.01 ? 0.5 : value;
}

static int is_variance(const char *role)
{
    return strcmp(role, "var") == 0 || strcmp(role, "running_var") == 0 ||
           strcmp(role, "save_inv_var") == 0;
}

static void describe_draw(const struct verify_subject *subject, int slot, struct draw *draw)
{
    int variance = is_variance(subject->info->slot[slot].role);

    draw->type = subject->problem.tensor[slot].type;
    draw->data = subject->data;
    draw->reals = verify_is_real(subject->data) && subject->slot[slot].element->fraction;
    draw->positive = variance || (subject->problem.operation == ANYDNN_PLUGIN_OP_TENSOR &&
                                  subject->problem.params.op_tensor.op == 4);
    draw->shift = variance ? 0.5 : 0;
    range_of(subject, slot, draw);
}

/* Box and Muller 1958. */
static double normal_random(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - unit_random(state)));

    return radius * cos(2 * 3.14159265358979323846 * unit_random(state));
}

static double draw_real(enum verify_data data, uint64_t *state)
{
    return data == VERIFY_NORMAL    ? normal_random(state)
           : data == VERIFY_UNIFORM ? 2 * unit_random(state) - 1
                                    : verify_random_real(state);
}

static double draw_one(const struct draw *draw, uint64_t *state)
{
    double value = draw->reals ? draw_real(draw->data, state)
                               : draw->low + (double)(verify_random_bits(state) % draw->count);

    if (draw->positive)
        value = fabs(value) + draw->shift;
    return draw->reals ? adn_type_round(draw->type, value) : value;
}

/* NaN first, so that it meets the first window; then infinities of both signs. */
static void add_specials(struct verify_slot *slot)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, NAN};

    for (int64_t i = 1, k = 0; i < slot->count; i += SPECIAL_EVERY, k++)
        slot->before[i] = specials[k % 4];
}

static void fill_bytes(struct verify_subject *subject, int slot, uint64_t seed, uint64_t *state)
{
    struct verify_slot *bytes = &subject->slot[slot];
    const uint64_t words[4] = {ANYDNN_DROPOUT_MAGIC, ANYDNN_DROPOUT_VERSION, seed,
                               verify_is_real(subject->data) ? 1000003 : 0};
    int64_t elements = adn_shape_elements(&subject->problem.tensor[0]);

    for (int64_t i = 0; i < bytes->count; i++)
        bytes->before[i] = (double)(verify_random_bits(state) >> 56);
    if (strcmp(subject->info->slot[slot].role, "states") == 0)
        for (int64_t i = 0; i < bytes->count && i < 32; i++)
            bytes->before[i] = ((const unsigned char *)words)[i];
    else if (elements % 8 != 0)
        bytes->before[bytes->count - 1] =
            (int)bytes->before[bytes->count - 1] & ((1 << elements % 8) - 1);
}

static void fill_slot(struct verify_subject *subject, int slot, uint64_t seed)
{
    struct verify_slot *at = &subject->slot[slot];
    uint64_t state = seed + (uint64_t)slot * UINT64_C(0xd1342543de82ef95);
    struct draw draw;

    if (verify_is_bytes(subject->info->slot[slot].role)) {
        fill_bytes(subject, slot, seed, &state);
        return;
    }
    describe_draw(subject, slot, &draw);
    for (int64_t i = 0; i < at->count; i++)
        at->before[i] = draw_one(&draw, &state);
    if (subject->data == VERIFY_SPECIALS && slot == 0 && at->element->fraction)
        add_specials(at);
}

/* ---- the whole */

/* Of inputs in one place all hold what the first does. */
static void share_place(struct verify_subject *subject, int slot)
{
    const struct verify_slot *home = &subject->slot[adn_problem_home(&subject->problem, slot)];
    struct verify_slot *to = &subject->slot[slot];

    if (to == home || !verify_is_in(subject, slot) || home->before == NULL)
        return;
    to->before = tool_alloc((size_t)to->count * sizeof(double));
    memcpy(to->before, home->before, (size_t)to->count * sizeof(double));
}

/* Read: inputs, and outputs that are blended with what they hold. */
static int is_read(const struct verify_subject *subject, int slot)
{
    int alpha;
    int beta;

    verify_blend(subject, slot, &alpha, &beta);
    return verify_is_in(subject, slot) || (beta >= 0 && subject->values.scale[beta] != 0);
}

int verify_subject_fill(struct verify_subject *subject, const struct adn_problem *problem,
                        const struct adn_values *values, enum verify_data data, uint64_t seed,
                        struct verify_oracle *oracle, char *sentence)
{
    int result;

    memset(subject, 0, sizeof(*subject));
    subject->problem = *problem;
    subject->values = *values;
    subject->info = adn_problem_operation(problem->operation);
    subject->data = data;
    subject->terms = verify_terms(problem);
    for (int i = 0; i < subject->info->slot_count; i++) {
        struct verify_slot *slot = &subject->slot[i];
        const char *name = adn_type_name(problem->tensor[i].type);
        const char *role = subject->info->slot[i].role;

        if (!verify_is_present(subject, i))
            continue;
        slot->element = element_find(name, strlen(name));
        if (slot->element == NULL) {
            snprintf(sentence, VERIFY_SENTENCE, "operand %s is of an unknown type", role);
            return -1;
        }
        slot->count = adn_shape_elements(&problem->tensor[i]);
        slot->compared = verify_is_out(subject, i) && !verify_is_idle(problem, role);
        if (is_read(subject, i) && adn_problem_home(problem, i) == i) {
            slot->before = tool_alloc((size_t)slot->count * sizeof(double));
            fill_slot(subject, i, seed);
        }
    }
    result = verify_source_fill(subject, seed, oracle, sentence);
    for (int i = 0; i < subject->info->slot_count && result == 0; i++)
        if (verify_is_present(subject, i))
            share_place(subject, i);
    return result;
}

void verify_subject_free(struct verify_subject *subject)
{
    for (int i = 0; i < VERIFY_SLOTS; i++) {
        free(subject->slot[i].before);
        free(subject->slot[i].want);
        free(subject->slot[i].sum);
        free(subject->slot[i].squares);
    }
    memset(subject, 0, sizeof(*subject));
}
