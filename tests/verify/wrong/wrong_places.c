/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in float for the ways back over softmax (accurate, by channels) and ReLU. Right
 * as it stands; with -DWRONG_WRITES_EARLY its softmax keeps products in dx while it still reads y,
 * with -DWRONG_READS_UNREAD its ReLU goes back by x, for the tests of `anydnn verify`. WRONG_NAME
 * is its name.
 */
#include <anydnn/plugin.h>

#include <stdlib.h>

#include "tensor.h"

#define SUCCESS   0
#define NO_MEMORY 2
#define RELU      1
#define ACCURATE  1
#define CHANNEL   1

enum { Y, DY };
enum { SOFTMAX_DX = 2, X = 2, RELU_DX };

struct anydnn_plugin_context {
    int unused;
};

struct anydnn_plugin_plan {
    int32_t operation;
    struct anydnn_plugin_tensor tensor[4];
};

static float *at(const struct anydnn_plugin_plan *plan,
                 const struct anydnn_plugin_operands *operands, int slot, const int64_t *index)
{
    return (float *)operands->data[slot] + offset(&plan->tensor[slot], index);
}

static void put(const struct anydnn_plugin_operands *operands, float *dx, double value)
{
    double prior = operands->scale[1] != 0 ? operands->scale[1] * (double)*dx : 0;

    *dx = (float)(operands->scale[0] * value + prior);
}

/* The channels of one place; index[1] is 0 before and after. */
static void softmax_place(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int64_t *index)
{
    int64_t channels = plan->tensor[Y].dims[1];
    double sum = 0;

    for (index[1] = 0; index[1] < channels; index[1]++) {
        double product =
            (double)*at(plan, operands, Y, index) * (double)*at(plan, operands, DY, index);

#ifdef WRONG_WRITES_EARLY
        if (operands->scale[1] == 0)
            *at(plan, operands, SOFTMAX_DX, index) = (float)product;
#endif
        sum += product;
    }
    for (index[1] = 0; index[1] < channels; index[1]++) {
        double y = (double)*at(plan, operands, Y, index);

#ifdef WRONG_WRITES_EARLY
        if (operands->scale[1] == 0) {
            float *dx = at(plan, operands, SOFTMAX_DX, index);

            *dx = (float)(operands->scale[0] * ((double)*dx - y * sum));
            continue;
        }
#endif
        put(operands, at(plan, operands, SOFTMAX_DX, index),
            y * ((double)*at(plan, operands, DY, index) - sum));
    }
    index[1] = 0;
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
#ifdef WRONG_READS_UNREAD
    int by = X;
#else
    int by = Y;
#endif

    (void)effect;
    do
        if (plan->operation == ANYDNN_PLUGIN_ACTIVATION_BACKWARD)
            put(operands, at(plan, operands, RELU_DX, index),
                *at(plan, operands, by, index) > 0 ? (double)*at(plan, operands, DY, index) : 0);
        else if (index[1] == 0)
            softmax_place(plan, operands, index);
    while (step(&plan->tensor[Y], index));
    return SUCCESS;
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .algorithm = -1, .engine = 1};
    const struct anydnn_plugin_softmax *softmax = problem->params;
    const struct anydnn_plugin_activation *activation = problem->params;
    int relu = problem->operation == ANYDNN_PLUGIN_ACTIVATION_BACKWARD;

    (void)context;
    if (relu ? activation->mode != RELU
             : softmax->algorithm != ACCURATE || softmax->mode != CHANNEL) {
        candidate.reason = ANYDNN_PLUGIN_REASON_PARAMETER;
        candidate.sentence = "this backend has relu, and accurate softmax by channels";
    }
    if (problem->tensor[Y]->type != ANYDNN_PLUGIN_FLOAT) {
        candidate.reason = ANYDNN_PLUGIN_REASON_TYPE;
        candidate.sentence = "this backend takes float alone";
    }
    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next)
        if (node->must_understand) {
            candidate.reason = ANYDNN_PLUGIN_REASON_EXTENSION;
            candidate.sentence = "this backend knows no extensions";
        }
    offer(cookie, &candidate);
    return SUCCESS;
}

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_plan *made = calloc(1, sizeof(*made));

    (void)context;
    (void)engine;
    if (!made)
        return NO_MEMORY;
    made->operation = problem->operation;
    for (int i = 0; i < 4; i++)
        if (problem->tensor[i])
            made->tensor[i] = *problem->tensor[i];
    *plan = made;
    return SUCCESS;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    free(plan);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
    *context = calloc(1, sizeof(**context));
    return *context ? SUCCESS : NO_MEMORY;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    free(context);
}

#define OPERATION(number)                                                                          \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_operation), .operation = (number),              \
        .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),                                      \
        .layouts =                                                                                 \
            ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,  \
        .maths = 0x1, .candidates = candidates, .plan_create = plan_create,                        \
        .plan_execute = plan_execute, .plan_destroy = plan_destroy,                                \
    }

static const struct anydnn_plugin_operation softmax = OPERATION(ANYDNN_PLUGIN_SOFTMAX_BACKWARD);
static const struct anydnn_plugin_operation relu = OPERATION(ANYDNN_PLUGIN_ACTIVATION_BACKWARD);
static const struct anydnn_plugin_operation *const operations[] = {&softmax, &relu};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = WRONG_NAME,
    .vendor = "anydnn tests",
    .version = "1",
    .build_id = "",
    .space = "host",
    .operation_count = 2,
    .operations = operations,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    (void)host;
    *plugin = &description;
    return SUCCESS;
}
