/* SPDX-License-Identifier: Apache-2.0 */
/* A small backend in float for softmax backward (accurate, by channels) and ReLU backward. */
#include "fault.h"
#include "tensor.h"

#define ACCURATE 1
#define CHANNEL  1

#define SOFTMAX(name) slot_softmax_backward_##name
#define RELU(name)    slot_activation_backward_##name
_Static_assert(KIT_SAME_SLOT(softmax_backward, activation_backward, y),
               "plan_execute steps over y");

enum { RIGHT, WRITES_EARLY, READS_UNREAD };

static const struct fault faults[] = {
    /* Stores products in dx while it still reads y. */
    [WRITES_EARLY] = {"wrong_writes_early", ANYDNN_PLUGIN_SOFTMAX_BACKWARD},
    /* Computes the gradient from x, which the mode does not read. */
    [READS_UNREAD] = {"wrong_reads_unread", ANYDNN_PLUGIN_ACTIVATION_BACKWARD},
};

static int fault;

static float *at(const struct anydnn_plugin_plan *plan,
                 const struct anydnn_plugin_operands *operands, int slot, const int64_t *index)
{
    return (float *)operands->data[slot] + offset(plan->problem.tensor[slot], index);
}

static void put(const struct anydnn_plugin_operands *operands, float *dx, double value)
{
    double prior = operands->scale[1] != 0 ? operands->scale[1] * (double)*dx : 0;

    *dx = (float)(operands->scale[0] * value + prior);
}

/* Computes the channels of one position; index[1] is 0 before and after. */
static void softmax_place(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int64_t *index)
{
    int64_t channels = plan->problem.tensor[SOFTMAX(y)]->dims[1];
    double sum = 0;

    for (index[1] = 0; index[1] < channels; index[1]++) {
        double product = (double)*at(plan, operands, SOFTMAX(y), index) *
                         (double)*at(plan, operands, SOFTMAX(dy), index);

        if (fault == WRITES_EARLY && operands->scale[1] == 0)
            *at(plan, operands, SOFTMAX(dx), index) = (float)product;
        sum += product;
    }
    for (index[1] = 0; index[1] < channels; index[1]++) {
        double y = (double)*at(plan, operands, SOFTMAX(y), index);

        if (fault == WRITES_EARLY && operands->scale[1] == 0) {
            float *dx = at(plan, operands, SOFTMAX(dx), index);

            *dx = (float)(operands->scale[0] * ((double)*dx - y * sum));
            continue;
        }
        put(operands, at(plan, operands, SOFTMAX(dx), index),
            y * ((double)*at(plan, operands, SOFTMAX(dy), index) - sum));
    }
    index[1] = 0;
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int by = fault == READS_UNREAD ? RELU(x) : RELU(y);

    (void)effect;
    do
        if (plan->problem.operation == ANYDNN_PLUGIN_ACTIVATION_BACKWARD)
            put(operands, at(plan, operands, RELU(dx), index),
                *at(plan, operands, by, index) > 0 ? (double)*at(plan, operands, RELU(dy), index)
                                                   : 0);
        else if (index[1] == 0)
            softmax_place(plan, operands, index);
    while (step(plan->problem.tensor[RELU(y)], index));
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t refuse(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_softmax *softmax = problem->params;
    const struct anydnn_plugin_activation *activation = problem->params;
    int relu = problem->operation == ANYDNN_PLUGIN_ACTIVATION_BACKWARD;

    if (relu ? activation->mode != ANYDNN_PLUGIN_ACTIVATION_RELU
             : softmax->algorithm != ACCURATE || softmax->mode != CHANNEL)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "this backend has relu, and accurate softmax by channels");
    return fake_check_types(problem, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT), why);
}

static void begin(const char *function)
{
    if (strcmp(function, "main") == 0)
        fault = fault_of_file(faults, sizeof(faults) / sizeof(faults[0]));
}

static const struct fake_operation operations[] = {
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
};

struct fake fake = {
    .layouts = KIT_LAYOUTS,
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .operations = operations,
    .operation_count = 2,
    .enter = begin,
    .refuse = refuse,
    .execute = plan_execute,
};
