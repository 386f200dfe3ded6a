/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test backend mock_dropout of the space "mockdev": dropout, forward and backward, in float
 * and double. It follows only the text of anydnn.h, so that cpu_ref can be compared with it bit
 * for bit. The setting set.log works as in mock_backend.c.
 */
#include <string.h>

#include "mock.h"
#include "mock_settings.h"

enum { X, STATES, Y, RESERVE };
enum { DY, MASK, DX };

/* The four words of the states. */
enum { MAGIC, VERSION, SEED, OFFSET, WORDS };

struct anydnn_plugin_context {
    int32_t device;
};

struct anydnn_plugin_plan {
    int32_t operation;
    double probability;
    uint64_t count;
    struct anydnn_plugin_tensor from;
    struct anydnn_plugin_tensor to;
};

static int32_t fail(int32_t status, const char *text)
{
    mock_host->set_error(mock_host, text);
    return status;
}

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

static void scale_element(const struct anydnn_plugin_plan *plan, const char *from, char *to,
                          uint64_t i, int kept)
{
    size_t size = mock_type_size(plan->from.type);
    const char *at = from + place_of(&plan->from, i) * (int64_t)size;
    char *put = to + place_of(&plan->to, i) * (int64_t)size;
    double whole = 0;
    float single = 0;

    if (kept && plan->from.type == ANYDNN_PLUGIN_DOUBLE) {
        memcpy(&whole, at, size);
        whole = whole / (1 - plan->probability);
    } else if (kept) {
        memcpy(&single, at, size);
        single = (float)((double)single / (1 - plan->probability));
    }
    memcpy(put, plan->from.type == ANYDNN_PLUGIN_DOUBLE ? (void *)&whole : (void *)&single, size);
}

static int32_t run_forward(const struct anydnn_plugin_plan *plan, char *const *data)
{
    unsigned char *reserve = (unsigned char *)data[RESERVE];
    uint64_t states[WORDS];

    memcpy(states, data[STATES], sizeof(states));
    if (states[MAGIC] != 0x706f7264796e61ULL || states[VERSION] != 1)
        return fail(3, "the states are none");
    memset(reserve, 0, (plan->count + 7) / 8);
    for (uint64_t i = 0; i < plan->count; i++) {
        int kept = !dropped(states, i, plan->probability);

        reserve[i / 8] |= (unsigned char)(kept << i % 8);
        scale_element(plan, data[X], data[Y], i, kept);
    }
    states[OFFSET] += plan->count;
    for (uint64_t i = plan->count; i % 4 != 0; i++)
        states[OFFSET]++;
    memcpy(data[STATES], states, sizeof(states));
    return 0;
}

static int32_t run_backward(const struct anydnn_plugin_plan *plan, char *const *data)
{
    const unsigned char *reserve = (const unsigned char *)data[MASK];

    for (uint64_t i = 0; i < plan->count; i++)
        scale_element(plan, data[DY], data[DX], i, reserve[i / 8] >> i % 8 & 1);
    return 0;
}

/* ------------------------------------------------------------------ the backend */

static int32_t dropout_candidates(struct anydnn_plugin_context *context,
                                  const struct anydnn_plugin_problem *problem,
                                  anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t to = problem->operation == ANYDNN_PLUGIN_DROPOUT_FORWARD ? Y : DX;
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .engine = 1, .algorithm = -1};

    (void)context;
    if (problem->tensor[to]->type != problem->tensor[0]->type) {
        candidate.reason = ANYDNN_PLUGIN_REASON_TYPE;
        candidate.sentence = "both tensors must be of one type";
    }
    offer(cookie, &candidate);
    return 0;
}

static int32_t dropout_plan_create(struct anydnn_plugin_context *context,
                                   const struct anydnn_plugin_problem *problem, uint64_t engine,
                                   struct anydnn_plugin_plan **plan)
{
    const struct anydnn_plugin_dropout *params = problem->params;
    int32_t to = problem->operation == ANYDNN_PLUGIN_DROPOUT_FORWARD ? Y : DX;
    struct anydnn_plugin_plan *made = mock_host->alloc(sizeof(*made));

    (void)context;
    (void)engine;
    if (!made)
        return 2;
    made->operation = problem->operation;
    made->probability = params->probability;
    made->from = *problem->tensor[0];
    made->to = *problem->tensor[to];
    made->count = 1;
    for (int32_t d = 0; d < made->from.ndims; d++)
        made->count *= (uint64_t)made->from.dims[d];
    *plan = made;
    return 0;
}

static int32_t dropout_plan_execute(struct anydnn_plugin_plan *plan,
                                    const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int forward = plan->operation == ANYDNN_PLUGIN_DROPOUT_FORWARD;
    uint32_t present = forward ? 0xfu : 0x7u;
    char *data[ANYDNN_PLUGIN_OPERAND_MAX] = {NULL};
    struct mock_line line;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    mock_line_begin(&line, "plan_execute");
    mock_line_add(&line, " operation=%s", mock_operations[plan->operation].name);
    mock_line_operands(&line, operands, present, plan->from.type);
    mock_line_end(&line);
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if ((present >> slot & 1) && !(data[slot] = mock_space_reach(operands->data[slot], 1)))
            return fail(8, "an operand is no memory of the space");
    return forward ? run_forward(plan, data) : run_backward(plan, data);
}

static void dropout_plan_destroy(struct anydnn_plugin_plan *plan)
{
    mock_host->free(plan);
}

static int32_t dropout_context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made = mock_host->alloc(sizeof(*made));

    if (!made)
        return 2;
    made->device = device;
    *context = made;
    return 0;
}

static void dropout_context_destroy(struct anydnn_plugin_context *context)
{
    mock_host->free(context);
}

#define OFFERS(number)                                                                             \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_operation), .operation = (number),              \
        .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT) |                                     \
                 ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_DOUBLE),                                     \
        .layouts =                                                                                 \
            ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,  \
        .maths = 0xf, .candidates = dropout_candidates, .plan_create = dropout_plan_create,        \
        .plan_execute = dropout_plan_execute, .plan_destroy = dropout_plan_destroy,                \
    }

static const struct anydnn_plugin_operation forward = OFFERS(ANYDNN_PLUGIN_DROPOUT_FORWARD);
static const struct anydnn_plugin_operation backward = OFFERS(ANYDNN_PLUGIN_DROPOUT_BACKWARD);
static const struct anydnn_plugin_operation *const offered[] = {&forward, &backward};

const char mock_name[] = MOCK_NAME;
const char mock_space_name[] = MOCK_SPACE;

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = MOCK_NAME,
    .vendor = "the anydnn tests",
    .version = "1.0",
    .build_id = "",
    .space = MOCK_SPACE,
    .operation_count = 2,
    .operations = offered,
    .space_functions = &mock_space,
    .context_create = dropout_context_create,
    .context_destroy = dropout_context_destroy,
    MOCK_SETTINGS,
};

const struct anydnn_plugin_abi anydnn_plugin_abi = ANYDNN_PLUGIN_ABI_INITIALIZER;

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    mock_host = host;
    *plugin = &description;
    return 0;
}
