/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test backend mock_dropout of the space "mockdev": dropout, forward and backward, in float
 * and double. It follows only the text of anydnn.h, so that cpu_ref can be compared with it bit
 * for bit. The setting set.log works as in mock_backend.c.
 */
#include <string.h>

#include "fake.h"
#include "mock.h"
#include "mock_settings.h"

/* The four words of the states. */
enum { MAGIC, VERSION, SEED, OFFSET, WORDS };

/* ------------------------------------------------------------------ Philox4x32-10 */

struct words {
    uint32_t word[4];
};

static uint32_t high(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

/* Computes the counter's words (Salmon et al., SC 2011): round r uses the key plus r times the
 * Weyl constants. */
static struct words philox(struct words counter, uint32_t key0, uint32_t key1)
{
    for (uint32_t round = 0; round < 10; round++) {
        const struct words old = counter;

        counter.word[0] =
            high(0xCD9E8D57u, old.word[2]) ^ old.word[1] ^ (key0 + round * 0x9E3779B9u);
        counter.word[1] = 0xCD9E8D57u * old.word[2];
        counter.word[2] =
            high(0xD2511F53u, old.word[0]) ^ old.word[3] ^ (key1 + round * 0xBB67AE85u);
        counter.word[3] = 0xD2511F53u * old.word[0];
    }
    return counter;
}

static int dropped(const uint64_t *states, uint64_t element, double probability)
{
    uint64_t e = states[OFFSET] + element;
    struct words counter = {{(uint32_t)(e / 4), (uint32_t)(e / 4 >> 32), 0, 0}};
    struct words words = philox(counter, (uint32_t)states[SEED], (uint32_t)(states[SEED] >> 32));

    return (double)words.word[e % 4] < probability * 4294967296.0;
}

/* ------------------------------------------------------------------ elements */

/* Returns the position, in elements, of element i in row-major order of the dims. */
static int64_t place_of(const struct anydnn_plugin_tensor *tensor, uint64_t i)
{
    int64_t place = 0;

    for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
        place += (int64_t)(i % (uint64_t)tensor->dims[d]) * tensor->strides[d];
        i /= (uint64_t)tensor->dims[d];
    }
    return place;
}

static const struct anydnn_plugin_tensor *from_of(const struct anydnn_plugin_plan *plan)
{
    return plan->problem.tensor[0];
}

static const struct anydnn_plugin_tensor *to_of(const struct anydnn_plugin_problem *problem)
{
    int32_t is_forward = problem->operation == ANYDNN_PLUGIN_DROPOUT_FORWARD;

    return problem->tensor[is_forward ? slot_dropout_forward_y : slot_dropout_backward_dx];
}

static uint64_t count_of(const struct anydnn_plugin_plan *plan)
{
    uint64_t count = 1;

    for (int32_t d = 0; d < from_of(plan)->ndims; d++)
        count *= (uint64_t)from_of(plan)->dims[d];
    return count;
}

static void scale_element(const struct anydnn_plugin_plan *plan, const char *from, char *to,
                          uint64_t i, int kept)
{
    int32_t type = from_of(plan)->type;
    double share = 1 - plan->copies.params.dropout.probability;
    size_t size = mock_type_size(type);
    const char *at = from + place_of(from_of(plan), i) * (int64_t)size;
    char *put = to + place_of(to_of(&plan->problem), i) * (int64_t)size;
    double whole = 0;
    float single = 0;

    if (kept && type == ANYDNN_PLUGIN_DOUBLE) {
        memcpy(&whole, at, size);
        whole = whole / share;
    } else if (kept) {
        memcpy(&single, at, size);
        single = (float)((double)single / share);
    }
    memcpy(put, type == ANYDNN_PLUGIN_DOUBLE ? (void *)&whole : (void *)&single, size);
}

static int32_t run_forward(const struct anydnn_plugin_plan *plan, char *const *data)
{
    unsigned char *reserve = (unsigned char *)data[slot_dropout_forward_reserve];
    double probability = plan->copies.params.dropout.probability;
    uint64_t states[WORDS], count = count_of(plan);

    memcpy(states, data[slot_dropout_forward_states], sizeof(states));
    if (states[MAGIC] != 0x706f7264796e61ULL || states[VERSION] != 1)
        return kit_fail(3, "the states are none");
    memset(reserve, 0, (count + 7) / 8);
    for (uint64_t i = 0; i < count; i++) {
        int kept = !dropped(states, i, probability);

        reserve[i / 8] |= (unsigned char)(kept << i % 8);
        scale_element(plan, data[slot_dropout_forward_x], data[slot_dropout_forward_y], i, kept);
    }
    states[OFFSET] += count;
    for (uint64_t i = count; i % 4 != 0; i++)
        states[OFFSET]++;
    memcpy(data[slot_dropout_forward_states], states, sizeof(states));
    return 0;
}

static int32_t run_backward(const struct anydnn_plugin_plan *plan, char *const *data)
{
    const unsigned char *reserve = (const unsigned char *)data[slot_dropout_backward_reserve];
    uint64_t count = count_of(plan);

    for (uint64_t i = 0; i < count; i++)
        scale_element(plan, data[slot_dropout_backward_dy], data[slot_dropout_backward_dx], i,
                      reserve[i / 8] >> i % 8 & 1);
    return 0;
}

/* ------------------------------------------------------------------ the backend */

static int32_t refuse(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    if (to_of(problem)->type == problem->tensor[0]->type)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "both tensors must be of one type");
}

static int32_t execute(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int forward = plan->problem.operation == ANYDNN_PLUGIN_DROPOUT_FORWARD;
    uint32_t present = forward ? 0xfu : 0x7u;
    char *data[ANYDNN_PLUGIN_OPERAND_MAX] = {NULL};
    struct mock_line line;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    mock_line_begin(&line, "plan_execute");
    mock_line_add(&line, " operation=%s", mock_operations[plan->problem.operation].name);
    mock_line_operands(&line, operands, present, from_of(plan)->type);
    mock_line_end(&line);
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if ((present >> slot & 1) && !(data[slot] = mock_space_reach(operands->data[slot], 1)))
            return kit_fail(8, "an operand is no memory of the space");
    return forward ? run_forward(plan, data) : run_backward(plan, data);
}

#define TYPES                                                                                      \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_DOUBLE))

static const struct fake_operation operations[] = {{ANYDNN_PLUGIN_DROPOUT_FORWARD, TYPES},
                                                   {ANYDNN_PLUGIN_DROPOUT_BACKWARD, TYPES}};

const char mock_space_name[] = "mockdev";

struct fake fake = {
    .layouts = KIT_LAYOUTS,
    .maths = KIT_EVERY_MATH,
    .space = mock_space_name,
    .space_functions = &mock_space,
    .operations = operations,
    .operation_count = 2,
    .refuse = refuse,
    .execute = execute,
    MOCK_SETTINGS,
};
