/* SPDX-License-Identifier: Apache-2.0 */
/* What operands hold before a run: seeded numbers that the type can hold, and where an operation
 * goes back over another, what that one gave. */
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
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double unit_random(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* Small enough that the sums of a test shape are exact in the accumulator. */
static double random_integer(const struct element *element, int32_t type, uint64_t *state)
{
    int digits = adn_type_digits(type);
    int reach = digits == 0 || digits >= 24 ? 4 : 2;
    int low = element->fraction || element->low < 0 ? -reach : 0;

    return low + (int)(next_random(state) % (uint64_t)(reach - low + 1));
}

/* Two uniform numbers make a hump around 0; no zeros, so that a product left out shows. */
static double random_real(uint64_t *state)
{
    double value = 2 * (unit_random(state) + unit_random(state)) - 2;

    return fabs(value) < 0.01 ? 0.5 : value;
}

static int is_variance(const char *role)
{
    return strcmp(role, "var") == 0 || strcmp(role, "running_var") == 0 ||
           strcmp(role, "save_inv_var") == 0;
}

static double draw(const struct verify_subject *subject, int slot, uint64_t *state)
{
    int32_t type = subject->problem.tensor[slot].type;
    const struct element *element = subject->slot[slot].element;
    double value = subject->data == VERIFY_REALS && element->fraction
                       ? random_real(state)
                       : random_integer(element, type, state);

    if (is_variance(subject->info->slot[slot].role))
        value = fabs(value) + 0.5;
    if (subject->problem.operation == ANYDNN_PLUGIN_OP_TENSOR &&
        subject->problem.params.op_tensor.op == 4)
        value = fabs(value);
    return adn_type_round(type, value);
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
                               subject->data == VERIFY_REALS ? 1000003 : 0};
    int64_t elements = adn_shape_elements(&subject->problem.tensor[0]);

    for (int64_t i = 0; i < bytes->count; i++)
        bytes->before[i] = (double)(next_random(state) >> 56);
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

    if (verify_is_bytes(subject->info->slot[slot].role)) {
        fill_bytes(subject, slot, seed, &state);
        return;
    }
    for (int64_t i = 0; i < at->count; i++)
        at->before[i] = draw(subject, slot, &state);
    if (subject->data == VERIFY_SPECIALS && slot == 0 && at->element->fraction)
        add_specials(at);
}

/* ---- what another operation gave before */

struct source {
    int32_t operation;
    const char *from[4]; /* operands of the forward operation that exist here under that name */
    const char *to[4];   /* its outputs that are inputs here */
};

static const struct source *source_of(int32_t operation)
{
    static const struct {
        int32_t backward;
        struct source source;
    } sources[] = {
        {ANYDNN_PLUGIN_POOLING_BACKWARD, {ANYDNN_PLUGIN_POOLING_FORWARD, {"x"}, {"y"}}},
        {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, {ANYDNN_PLUGIN_ACTIVATION_FORWARD, {"x"}, {"y"}}},
        {ANYDNN_PLUGIN_LRN_BACKWARD, {ANYDNN_PLUGIN_LRN_FORWARD, {"x"}, {"y"}}},
        {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, {ANYDNN_PLUGIN_SOFTMAX_FORWARD, {NULL}, {"y"}}},
        {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
         {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
          {"x", "scale", "bias"},
          {"y", "save_mean", "save_inv_var", "reserve"}}},
    };

    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        if (sources[i].backward == operation)
            return &sources[i].source;
    return NULL;
}

static int named(const char *const names[4], const char *role)
{
    for (int i = 0; i < 4 && names[i] != NULL; i++)
        if (strcmp(names[i], role) == 0)
            return 1;
    return 0;
}

/* The forward problem; its operands have the shapes of those of the same name here, and the shape
 * of the first where there is none (softmax's x, the sum that an activation follows). */
static void describe_source(const struct verify_subject *subject, const struct source *source,
                            struct adn_problem *forward, struct adn_values *values)
{
    const struct adn_operation *info = adn_problem_operation(source->operation);

    adn_problem_init(forward, source->operation);
    adn_values_init(values, source->operation);
    forward->params = subject->problem.params;
    for (int i = 0; i < info->slot_count; i++) {
        int slot = verify_slot_find(subject, info->slot[i].role);

        if (slot < 0 && (info->slot[i].flags & ADN_SLOT_OPTIONAL) &&
            !(strcmp(info->slot[i].role, "z") == 0 && verify_slot_find(subject, "dz") >= 0))
            continue;
        if (slot < 0 && strcmp(info->slot[i].role, "bias") == 0)
            slot = verify_slot_find(subject, "scale");
        forward->tensor[i] = subject->problem.tensor[slot < 0 ? 0 : slot];
        forward->present |= UINT32_C(1) << i;
    }
}

static int derive(struct verify_subject *subject, uint64_t seed, struct verify_oracle *oracle,
                  char *sentence)
{
    const struct source *source = source_of(subject->problem.operation);
    double *in[VERIFY_SLOTS] = {NULL};
    double *out[VERIFY_SLOTS] = {NULL};
    double *own[VERIFY_SLOTS] = {NULL};
    struct adn_problem forward;
    struct adn_values values;
    const struct adn_operation *info;
    int result;

    if (source == NULL)
        return 0;
    describe_source(subject, source, &forward, &values);
    info = adn_problem_operation(source->operation);
    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;
        int slot = verify_slot_find(subject, role);
        int64_t count = adn_shape_elements(&forward.tensor[i]);
        uint64_t state = seed ^ UINT64_C(0xabcdef);

        if (!(forward.present >> i & 1))
            continue;
        if (slot >= 0 && named(source->from, role)) {
            in[i] = subject->slot[slot].before;
        } else if (slot >= 0 && named(source->to, role)) {
            out[i] = subject->slot[slot].before;
        } else if (info->slot[i].flags & ADN_SLOT_IN) {
            in[i] = own[i] = tool_alloc((size_t)count * sizeof(double));
            for (int64_t k = 0; k < count; k++)
                own[i][k] = random_real(&state);
        }
    }
    result = verify_oracle_run(oracle, &forward, &values, in, out, sentence);
    for (int i = 0; i < VERIFY_SLOTS; i++)
        free(own[i]);
    for (int i = 0; i < info->slot_count && result == 0; i++)
        for (int64_t k = 0; out[i] != NULL && k < adn_shape_elements(&forward.tensor[i]); k++)
            out[i][k] = adn_type_round(forward.tensor[i].type, out[i][k]);
    return result;
}

/* ---- the whole */

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
        slot->compared =
            verify_is_out(subject, i) && strcmp(role, "temp") != 0 && strcmp(role, "temp2") != 0;
        if (is_read(subject, i) && problem->alias[i] == 0) {
            slot->before = tool_alloc((size_t)slot->count * sizeof(double));
            fill_slot(subject, i, seed);
        }
    }
    return derive(subject, seed, oracle, sentence);
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
