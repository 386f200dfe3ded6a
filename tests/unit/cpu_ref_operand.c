/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the operands that tests of cpu_ref run on (cpu_ref_operand.h). */
#include "cpu_ref_operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

int64_t operand_random(uint64_t *seed, int64_t least, int64_t most)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (int64_t)((*seed >> 33) % (uint64_t)(most - least + 1));
}

enum operand_layout operand_any_layout(uint64_t *seed)
{
    return (enum operand_layout)operand_random(seed, 0, OPERAND_LAYOUTS - 1);
}

int64_t operand_lanes(int32_t type)
{
    switch (type) {
    case S8X4:
    case U8X4:
        return 4;
    case S8X32:
        return 32;
    default:
        return 1;
    }
}

static int64_t scalar_bytes(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_DOUBLE:
    case ANYDNN_PLUGIN_UINT64:
        return 8;
    case ANYDNN_PLUGIN_FLOAT:
    case ANYDNN_PLUGIN_INT32:
    case ANYDNN_PLUGIN_UINT32:
        return 4;
    case ANYDNN_PLUGIN_HALF:
    case ANYDNN_PLUGIN_BFLOAT16:
    case ANYDNN_PLUGIN_UINT16:
        return 2;
    default:
        return 1;
    }
}

/* Returns the element's position by the formula of plugin.h: dims count elements, strides count
 * vectors. */
static int64_t place_of(const struct operand *operand, const int64_t *index)
{
    const struct anydnn_plugin_tensor *tensor = &operand->tensor;
    int64_t lanes = operand_lanes(tensor->type), vector = 0, lane = 0;

    for (int32_t d = 0; d < tensor->ndims; d++) {
        if (d == 1) {
            vector += index[d] / lanes * tensor->strides[d];
            lane = index[d] % lanes;
        } else {
            vector += index[d] * tensor->strides[d];
        }
    }
    return (vector * lanes + lane) * scalar_bytes(tensor->type);
}

/* Draws an order of the dims, from the fastest to the slowest. */
static void draw_order(int32_t ndims, enum operand_layout layout, uint64_t *seed, int32_t *order)
{
    for (int32_t i = 0; i < ndims; i++)
        order[i] = ndims - 1 - i;
    if (layout == OPERAND_CHANNELS && ndims > 1) {
        memmove(order + 1, order, (size_t)(ndims - 2) * sizeof order[0]);
        order[0] = 1;
    }
    for (int32_t i = ndims - 1; layout == OPERAND_GAPS && i > 0; i--) {
        int32_t j = (int32_t)operand_random(seed, 0, i), moved = order[i];
        order[i] = order[j];
        order[j] = moved;
    }
}

void operand_make(struct operand *operand, int32_t type, int32_t ndims, const int64_t *dims,
                  enum operand_layout layout, uint64_t *seed)
{
    int64_t stride = 1, index[ANYDNN_PLUGIN_DIM_MAX] = {0}, lanes = operand_lanes(type);
    int32_t order[ANYDNN_PLUGIN_DIM_MAX];

    memset(operand, 0, sizeof *operand);
    operand->tensor =
        (struct anydnn_plugin_tensor){.struct_size = sizeof operand->tensor, .type = type};
    operand->tensor.ndims = ndims;
    memcpy(operand->tensor.dims, dims, (size_t)ndims * sizeof dims[0]);
    draw_order(ndims, layout, seed, order);
    for (int32_t i = 0; i < ndims; i++) {
        int64_t extent = order[i] == 1 ? dims[1] / lanes : dims[order[i]];

        if (layout == OPERAND_GAPS)
            stride += operand_random(seed, 0, 2);
        operand->tensor.strides[order[i]] = stride;
        stride *= extent;
    }
    for (int32_t d = 0; d < ndims; d++)
        index[d] = dims[d] - 1;
    operand->bytes = place_of(operand, index) + scalar_bytes(type);
    operand->data = malloc((size_t)operand->bytes);
    operand->before = malloc((size_t)operand->bytes);
    operand->taken = calloc(1, (size_t)operand->bytes);
    assert_true(operand->data && operand->before && operand->taken);
    memset(operand->data, 0x5a, (size_t)operand->bytes);
    memset(index, 0, sizeof index);
    do
        memset(operand->taken + place_of(operand, index), 1, (size_t)scalar_bytes(type));
    while (operand_next(operand, index));
}

void operand_free(struct operand *operand)
{
    free(operand->data);
    free(operand->before);
    free(operand->taken);
}

int operand_next(const struct operand *operand, int64_t *index)
{
    for (int32_t d = operand->tensor.ndims - 1; d >= 0; d--) {
        if (++index[d] < operand->tensor.dims[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

double operand_get(const struct operand *operand, const int64_t *index)
{
    return adn_element_load(operand->tensor.type, operand->data + place_of(operand, index));
}

void operand_set(struct operand *operand, const int64_t *index, double value)
{
    adn_element_store(operand->tensor.type, operand->data + place_of(operand, index), value);
}

void operand_put(struct operand *operand, const double *values)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    do
        operand_set(operand, index, *values++);
    while (operand_next(operand, index));
}

void operand_expect(const struct operand *operand, const double *values)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0}, at = 0;

    do {
        double got = operand_get(operand, index), want = values[at];

        if (got != want && !(isnan(got) && isnan(want)))
            fail_msg("element %d is %.17g and not %.17g", (int)at, got, want);
        at++;
    } while (operand_next(operand, index));
}

void operand_fill(struct operand *operand, uint64_t *seed, int64_t least, int64_t most,
                  double divisor)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    do
        operand_set(operand, index, (double)operand_random(seed, least, most) / divisor);
    while (operand_next(operand, index));
}

static void fill_problem(const struct operand_call *call, struct anydnn_plugin_problem *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->struct_size = sizeof *problem;
    problem->operation = call->operation;
    problem->algorithm = -1;
    problem->params = call->params;
    for (int slot = 0; slot < OPERAND_SLOTS; slot++) {
        problem->alias[slot] = call->alias[slot];
        if (!call->slot[slot])
            continue;
        problem->tensor[slot] = &call->slot[slot]->tensor;
        problem->present |= UINT32_C(1) << slot;
    }
}

static void check_untouched(const struct operand *operand, int slot, int is_output)
{
    for (int64_t i = 0; i < operand->bytes; i++) {
        if (operand->data[i] != operand->before[i] && !(is_output && operand->taken[i]))
            fail_msg("byte %d of slot %d was touched", (int)i, slot);
    }
}

void operand_run(const struct operand_call *call, uint32_t outputs)
{
    struct anydnn_plugin_operands operands = {.struct_size = sizeof operands, .value = call->value};
    struct anydnn_plugin_context *context = fixture_context();
    struct anydnn_plugin_problem problem;
    struct anydnn_plugin_plan *plan;
    int32_t effect = 0;

    fill_problem(call, &problem);
    memcpy(operands.scale, call->scale, sizeof operands.scale);
    for (int slot = 0; slot < OPERAND_SLOTS; slot++) {
        struct operand *operand = call->slot[slot];

        if (!operand)
            continue;
        operands.data[slot] = operand->data;
        memcpy(operand->before, operand->data, (size_t)operand->bytes);
    }
    plan = fixture_plan(context, &problem);
    if (fixture_operation(call->operation)->plan_execute(plan, &operands, &effect))
        fail_msg("%s", fixture_error);
    fixture_operation(call->operation)->plan_destroy(plan);
    fixture_plugin()->context_destroy(context);
    for (int slot = 0; slot < OPERAND_SLOTS; slot++) {
        struct operand *operand = call->slot[slot];
        int is_output = 0;

        for (int other = 0; other < OPERAND_SLOTS; other++)
            is_output |= (outputs >> other & 1) && call->slot[other] == operand;
        if (operand)
            check_untouched(operand, slot, is_output);
    }
}

void operand_declined(const struct operand_call *call, int32_t reason, const char *part)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct anydnn_plugin_problem problem;
    struct fixture_answer answer;

    fill_problem(call, &problem);
    fixture_ask(context, &problem, &answer);
    if (answer.reason != reason || !strstr(answer.sentence, part))
        fail_msg("expected reason %d, \"%s\"; got %d, \"%s\"", reason, part, answer.reason,
                 answer.sentence);
    fixture_plugin()->context_destroy(context);
}
