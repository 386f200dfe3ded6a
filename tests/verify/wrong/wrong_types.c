/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in the short types: half, bfloat16, integers and vectors of them. Right as it
 * stands; with -DWRONG_xxx it breaks one rule of these types, for the tests of `anydnn verify`.
 * WRONG_NAME is its name.
 */
#include <anydnn/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor.h"

#define SUCCESS    0
#define NO_MEMORY  2
#define NO_SUPPORT 9

struct anydnn_plugin_context {
    int unused;
};

struct anydnn_plugin_plan {
    int32_t operation;
    struct anydnn_plugin_tensor tensor[6];
    struct anydnn_plugin_convolution convolution;
    double epsilon;
};

/* ------------------------------------------------------------------ elements */

static int lanes_of(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_UINT8X4 ? 4
           : type == ANYDNN_PLUGIN_INT8X32                               ? 32
                                                                         : 1;
}

static int is_short_float(int32_t type)
{
    return type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;
}

static int is_unsigned(int32_t type)
{
    return type == ANYDNN_PLUGIN_UINT8 || type == ANYDNN_PLUGIN_UINT8X4;
}

/* Scalars from the operand's beginning to the element of that index. */
static int64_t place(const struct anydnn_plugin_tensor *tensor, const int64_t *index)
{
    int64_t lanes = lanes_of(tensor->type);
    int64_t of_vector[ANYDNN_PLUGIN_DIM_MAX];

#ifdef WRONG_PLAIN_CHANNELS
    lanes = 1;
#endif
    memcpy(of_vector, index, sizeof(of_vector));
    of_vector[1] /= lanes;
    return offset(tensor, of_vector) * lanes + index[1] % lanes;
}

static double whole(double value)
{
#ifdef WRONG_TIES_AWAY
    return round(value);
#elif defined(WRONG_TRUNCATES)
    return trunc(value);
#else
    return rint(value);
#endif
}

/* Sign, exponent and fraction of a number of 16 bits; the least normal number is 2^least. */
static uint16_t narrow(double value, int fraction, int least)
{
    int infinity = 0x7fff >> fraction << fraction;
    int bits = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent = size > 0 && isfinite(size) ? ilogb(size) : least;
    double sum;

    if (isnan(value))
        return (uint16_t)(infinity | 1 << (fraction - 1));
#ifdef WRONG_FLUSHES
    size = size < ldexp(1, least) ? 0 : size;
#endif
    exponent = exponent < least ? least : exponent;
    sum = isinf(size) ? infinity
                      : whole(ldexp(size, fraction - exponent)) + ldexp(exponent - least, fraction);
#ifdef WRONG_HALF_MAX
    infinity -= !isinf(size);
#endif
    return (uint16_t)(bits | (sum < infinity ? (int)sum : infinity));
}

static double widen(uint16_t bits, int fraction, int least)
{
    int exponent = (bits & 0x7fff) >> fraction;
    int digits = bits & ((1 << fraction) - 1);
    double size;

    if (exponent == 0x7fff >> fraction)
        size = digits ? NAN : INFINITY;
    else
        size = ldexp(digits + (exponent ? 1 << fraction : 0),
                     least - fraction + (exponent ? exponent - 1 : 0));
    return bits & 0x8000 ? -size : size;
}

static double load(const void *operand, int32_t type, int64_t at)
{
    uint16_t bits;
    float value;
    int32_t word;

    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        memcpy(&value, (const char *)operand + at * 4, sizeof(value));
        return (double)value;
    case ANYDNN_PLUGIN_INT32:
        memcpy(&word, (const char *)operand + at * 4, sizeof(word));
        return word;
    case ANYDNN_PLUGIN_HALF:
    case ANYDNN_PLUGIN_BFLOAT16:
        bits = ((const uint16_t *)operand)[at];
#ifdef WRONG_READS_PAIRS
        (void)((const volatile uint16_t *)operand)[at + 1];
#endif
#ifdef WRONG_EXPONENT
        return type == ANYDNN_PLUGIN_HALF ? widen(bits, 10, -15) : widen(bits, 7, -126);
#endif
        return type == ANYDNN_PLUGIN_HALF ? widen(bits, 10, -14) : widen(bits, 7, -126);
    default:
#ifndef WRONG_SIGNED
        if (is_unsigned(type))
            return ((const uint8_t *)operand)[at];
#endif
        return ((const int8_t *)operand)[at];
    }
}

static double saturate(int32_t type, double value)
{
    double low = type == ANYDNN_PLUGIN_INT32 ? INT32_MIN : is_unsigned(type) ? 0 : -128;
    double high = type == ANYDNN_PLUGIN_INT32 ? INT32_MAX : is_unsigned(type) ? 255 : 127;

    value = isnan(value) ? 0 : whole(value);
#ifdef WRONG_WRAPS
    return value - (high - low + 1) * floor((value - low) / (high - low + 1));
#else
    return value < low ? low : value > high ? high : value;
#endif
}

static void store(void *operand, int32_t type, int64_t at, double number)
{
    float value = (float)number;
    uint16_t bits;
    int32_t word;

    if (type == ANYDNN_PLUGIN_FLOAT) {
        memcpy((char *)operand + at * 4, &value, sizeof(value));
    } else if (is_short_float(type)) {
        bits = type == ANYDNN_PLUGIN_HALF ? narrow(number, 10, -14) : narrow(number, 7, -126);
        memcpy((char *)operand + at * 2, &bits, sizeof(bits));
    } else {
        word = (int32_t)saturate(type, number);
        if (type == ANYDNN_PLUGIN_INT32)
            memcpy((char *)operand + at * 4, &word, sizeof(word));
        else
            ((int8_t *)operand)[at] = (int8_t)word;
    }
}

static void blend(const struct anydnn_plugin_operands *operands, int slot,
                  const struct anydnn_plugin_tensor *tensor, const int64_t *index, double result)
{
    int64_t at = place(tensor, index);
    double value = operands->scale[0] * result;

    if (operands->scale[1] != 0)
        value += operands->scale[1] * load(operands->data[slot], tensor->type, at);
    store(operands->data[slot], tensor->type, at, value);
}

/* ------------------------------------------------------------------ operations */

static double add_up(double sum, double product, int32_t type)
{
#ifdef WRONG_SHORT_SUMS
    if (is_short_float(type)) {
        uint16_t bits = type == ANYDNN_PLUGIN_HALF ? narrow(sum + product, 10, -14)
                                                   : narrow(sum + product, 7, -126);

        return type == ANYDNN_PLUGIN_HALF ? widen(bits, 10, -14) : widen(bits, 7, -126);
    }
#endif
    (void)type;
    return sum + product;
}

/* What 32 bits make of a sum of integers. */
static double in_32_bits(double sum)
{
#ifdef WRONG_SUMS_STOP
    return sum > INT32_MAX ? INT32_MAX : sum;
#else
    return (double)(int32_t)(uint32_t)(int64_t)sum;
#endif
}

static double sum_at(const struct anydnn_plugin_plan *plan,
                     const struct anydnn_plugin_operands *operands, const int64_t *y_index)
{
    const struct anydnn_plugin_tensor *x = &plan->tensor[0];
    const struct anydnn_plugin_tensor *w = &plan->tensor[1];
    int64_t group = y_index[1] / (w->dims[0] / plan->convolution.groups);
    int64_t w_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[1]};
    double sum = 0;

    do {
        int64_t x_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[0]};

        if (w_index[0] != y_index[1])
            break;
        x_index[1] = group * w->dims[1] + w_index[1];
        if (place_of(&plan->convolution, x, w, y_index, w_index, x_index))
            sum = add_up(sum,
                         load(operands->data[0], x->type, place(x, x_index)) *
                             load(operands->data[1], w->type, place(w, w_index)),
                         x->type);
    } while (step(w, w_index));
    return is_short_float(x->type) ? sum : in_32_bits(sum);
}

static double normalized_at(const struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, const int64_t *index)
{
    int64_t at[ANYDNN_PLUGIN_DIM_MAX] = {0, index[1]};
    int32_t type = ANYDNN_PLUGIN_FLOAT;
    double parameter[4];

#ifdef WRONG_PARAMETER_TYPE
    type = plan->tensor[0].type;
#endif
    for (int d = 2; d < plan->tensor[1].ndims; d++)
        at[d] = plan->tensor[1].dims[d] > 1 ? index[d] : 0;
    for (int i = 0; i < 4; i++)
        parameter[i] = load(operands->data[i + 1], type, offset(&plan->tensor[i + 1], at));
    return (load(operands->data[0], plan->tensor[0].type, offset(&plan->tensor[0], index)) -
            parameter[2]) *
               parameter[0] / sqrt(parameter[3] + plan->epsilon) +
           parameter[1];
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int convolution = plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD;
    int norm = plan->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE;
    int out = convolution ? 2 : norm ? 5 : plan->operation == ANYDNN_PLUGIN_SCALE_TENSOR ? 0 : 1;
    const struct anydnn_plugin_tensor *x = &plan->tensor[0];
    const struct anydnn_plugin_tensor *y = &plan->tensor[out];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    (void)effect;
    do
        blend(operands, out, y, index,
              convolution ? sum_at(plan, operands, index)
              : norm      ? normalized_at(plan, operands, index)
                          : load(operands->data[0], x->type, place(x, index)));
    while (step(y, index));
    return SUCCESS;
}

/* ------------------------------------------------------------------ candidates and plans */

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .algorithm = -1, .engine = 1};
    uint32_t taken =
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF) |
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16) |
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8) |
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT32) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X4) |
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8X4) |
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X32);

    (void)context;
    if (!(taken >> problem->tensor[0]->type & 1)) {
        candidate.reason = ANYDNN_PLUGIN_REASON_TYPE;
        candidate.sentence = "this backend takes types of 16 and 8 bits, and int32";
    }
    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next)
        if (node->must_understand) {
            candidate.reason = ANYDNN_PLUGIN_REASON_EXTENSION;
            candidate.sentence = "this backend knows no extensions";
        }
    offer(cookie, &candidate);
    return SUCCESS;
}

static const struct anydnn_plugin_host *host;

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_plan *made = calloc(1, sizeof(*made));

    (void)context;
    (void)engine;
    if (!made) {
        host->set_error(host, "there is no memory for a plan");
        return NO_MEMORY;
    }
    made->operation = problem->operation;
    for (int i = 0; i < 6; i++)
        if (problem->tensor[i])
            made->tensor[i] = *problem->tensor[i];
    if (problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        made->convolution = *(const struct anydnn_plugin_convolution *)problem->params;
    if (problem->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE)
        made->epsilon =
            ((const struct anydnn_plugin_batch_normalization *)problem->params)->epsilon;
    *plan = made;
    return SUCCESS;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    free(plan);
}

/* ------------------------------------------------------------------ description */

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

#define FLOATS                                                                                     \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16))
#define VECTORS                                                                                    \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X4) |                                                \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8X4) |                                               \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X32))
#define INTEGERS                                                                                   \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8))

#define OPERATION(number, taken)                                                                   \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_operation), .operation = (number),              \
        .types = (taken), .layouts = 0xf, .maths = 1, .candidates = candidates,                    \
        .plan_create = plan_create, .plan_execute = plan_execute, .plan_destroy = plan_destroy     \
    }

static const struct anydnn_plugin_operation operations[] = {
    OPERATION(ANYDNN_PLUGIN_CONVOLUTION_FORWARD, FLOATS | INTEGERS | VECTORS),
    OPERATION(ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, FLOATS),
    OPERATION(ANYDNN_PLUGIN_TRANSFORM_TENSOR,
              FLOATS | INTEGERS | VECTORS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT32)),
    OPERATION(ANYDNN_PLUGIN_SCALE_TENSOR,
              FLOATS | INTEGERS | VECTORS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT32))};

static const struct anydnn_plugin_operation *const operation_list[] = {
    &operations[0], &operations[1], &operations[2], &operations[3]};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = WRONG_NAME,
    .vendor = "anydnn tests",
    .version = "1",
    .build_id = "",
    .space = "host",
    .operation_count = 4,
    .operations = operation_list,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *given,
                                                const struct anydnn_plugin **plugin)
{
    host = given;
    *plugin = &description;
    return SUCCESS;
}
