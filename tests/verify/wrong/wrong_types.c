/* SPDX-License-Identifier: Apache-2.0 */
/* A small backend in the short types: half, bfloat16, integers and vectors of integers. */
#include <math.h>
#include <stdlib.h>

#include "fault.h"
#include "kit/limits.h"
#include "tensor.h"

enum {
    RIGHT,
    TIES_AWAY,
    TRUNCATES,
    FLUSHES,
    HALF_MAX,
    READS_PAIRS,
    EXPONENT,
    SIGNED,
    WRAPS,
    PLAIN_CHANNELS,
    SHORT_SUMS,
    SUMS_STOP,
    PARAMETER_TYPE,
    FLOAT_PARAMETERS,
    ONE_PARAMETER_TYPE,
};

static const struct fault faults[] = {
    [TIES_AWAY] = {"wrong_ties_away", 0},           /* rounds ties away from zero */
    [TRUNCATES] = {"wrong_truncates", 0},           /* truncates results */
    [FLUSHES] = {"wrong_flushes", 0},               /* flushes subnormal results to 0 */
    [HALF_MAX] = {"wrong_half_max", 0},             /* overflows to the largest number */
    [READS_PAIRS] = {"wrong_reads_pairs", 0},       /* reads the following element, too */
    [EXPONENT] = {"wrong_exponent", 0},             /* uses another exponent for half */
    [SIGNED] = {"wrong_signed", 0},                 /* reads uint8 as int8 */
    [WRAPS] = {"wrong_wraps", 0},                   /* wraps integers */
    [PLAIN_CHANNELS] = {"wrong_plain_channels", 0}, /* treats vectors as plain channels */
    [SHORT_SUMS] = {"wrong_short_sums",
                    ANYDNN_PLUGIN_CONVOLUTION_FORWARD}, /* accumulates in 16 bits */
    [SUMS_STOP] = {"wrong_sums_stop",
                   ANYDNN_PLUGIN_CONVOLUTION_FORWARD}, /* saturates sums at 32 bits */
    [PARAMETER_TYPE] = {"wrong_parameter_type",
                        /* Reads float parameters as the type of x. */
                        ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE},
    [FLOAT_PARAMETERS] = {"wrong_float_parameters",
                          /* Reads short parameters as float. */
                          ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE},
    [ONE_PARAMETER_TYPE] = {"wrong_one_parameter_type",
                            /* Reads all parameters as the type of scale. */
                            ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE},
};

static int fault;

/* ------------------------------------------------------------------ elements */

static int is_short_float(int32_t type)
{
    return type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;
}

static int is_unsigned(int32_t type)
{
    return type == ANYDNN_PLUGIN_UINT8 || type == ANYDNN_PLUGIN_UINT8X4;
}

/* Returns the scalars between the operand's beginning and the element of that index. */
static int64_t place(const struct anydnn_plugin_tensor *tensor, const int64_t *index)
{
    int64_t lanes = fault == PLAIN_CHANNELS ? 1 : kit_lanes(tensor->type);
    int64_t of_vector[ANYDNN_PLUGIN_DIM_MAX];

    memcpy(of_vector, index, sizeof(of_vector));
    of_vector[1] /= lanes;
    return offset(tensor, of_vector) * lanes + index[1] % lanes;
}

static double whole(double value)
{
    return fault == TIES_AWAY ? round(value) : fault == TRUNCATES ? trunc(value) : rint(value);
}

/* Returns the pattern of a 16-bit number: sign, exponent and fraction; the least normal number
 * is 2^least. */
static uint16_t narrow(double value, int fraction, int least)
{
    int infinity = 0x7fff >> fraction << fraction;
    int bits = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent = size > 0 && isfinite(size) ? ilogb(size) : least;
    double sum;

    if (isnan(value))
        return (uint16_t)(infinity | 1 << (fraction - 1));
    if (fault == FLUSHES && size < ldexp(1, least))
        size = 0;
    exponent = exponent < least ? least : exponent;
    sum = isinf(size) ? infinity
                      : whole(ldexp(size, fraction - exponent)) + ldexp(exponent - least, fraction);
    infinity -= fault == HALF_MAX && !isinf(size);
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
        if (fault == READS_PAIRS)
            (void)((const volatile uint16_t *)operand)[at + 1];
        return type == ANYDNN_PLUGIN_HALF ? widen(bits, 10, fault == EXPONENT ? -15 : -14)
                                          : widen(bits, 7, -126);
    default:
        if (is_unsigned(type) && fault != SIGNED)
            return ((const uint8_t *)operand)[at];
        return ((const int8_t *)operand)[at];
    }
}

static double saturate(int32_t type, double value)
{
    double low = type == ANYDNN_PLUGIN_INT32 ? INT32_MIN : is_unsigned(type) ? 0 : -128;
    double high = type == ANYDNN_PLUGIN_INT32 ? INT32_MAX : is_unsigned(type) ? 255 : 127;

    value = isnan(value) ? 0 : whole(value);
    if (fault == WRAPS)
        return value - (high - low + 1) * floor((value - low) / (high - low + 1));
    return value < low ? low : value > high ? high : value;
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
    if (fault == SHORT_SUMS && is_short_float(type)) {
        uint16_t bits = type == ANYDNN_PLUGIN_HALF ? narrow(sum + product, 10, -14)
                                                   : narrow(sum + product, 7, -126);

        return type == ANYDNN_PLUGIN_HALF ? widen(bits, 10, -14) : widen(bits, 7, -126);
    }
    return sum + product;
}

/* Returns a sum of integers, reduced to 32 bits. */
static double in_32_bits(double sum)
{
    if (fault == SUMS_STOP)
        return sum > INT32_MAX ? INT32_MAX : sum;
    return (double)(int32_t)(uint32_t)(int64_t)sum;
}

static double sum_at(const struct anydnn_plugin_plan *plan,
                     const struct anydnn_plugin_operands *operands, const int64_t *y_index)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[0];
    const struct anydnn_plugin_tensor *w = plan->problem.tensor[1];
    int64_t group = y_index[1] / (w->dims[0] / plan->copies.params.convolution.groups);
    int64_t w_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[1]};
    double sum = 0;

    do {
        int64_t x_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[0]};

        if (w_index[0] != y_index[1])
            break;
        x_index[1] = group * w->dims[1] + w_index[1];
        if (place_of(&plan->copies.params.convolution, x, w, y_index, w_index, x_index))
            sum = add_up(sum,
                         load(operands->data[0], x->type, place(x, x_index)) *
                             load(operands->data[1], w->type, place(w, w_index)),
                         x->type);
    } while (step(w, w_index));
    return is_short_float(x->type) ? sum : in_32_bits(sum);
}

static int32_t parameter_type(const struct anydnn_plugin_plan *plan, int slot)
{
    return fault == PARAMETER_TYPE       ? plan->problem.tensor[0]->type
           : fault == FLOAT_PARAMETERS   ? (int32_t)ANYDNN_PLUGIN_FLOAT
           : fault == ONE_PARAMETER_TYPE ? plan->problem.tensor[1]->type
                                         : plan->problem.tensor[slot]->type;
}

static double normalized_at(const struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, const int64_t *index)
{
    int64_t at[ANYDNN_PLUGIN_DIM_MAX] = {0, index[1]};
    double parameter[4];

    for (int d = 2; d < plan->problem.tensor[1]->ndims; d++)
        at[d] = plan->problem.tensor[1]->dims[d] > 1 ? index[d] : 0;
    for (int i = 0; i < 4; i++)
        parameter[i] = load(operands->data[i + 1], parameter_type(plan, i + 1),
                            offset(plan->problem.tensor[i + 1], at));
    return (load(operands->data[0], plan->problem.tensor[0]->type,
                 offset(plan->problem.tensor[0], index)) -
            parameter[2]) *
               parameter[0] / sqrt(parameter[3] + plan->copies.params.batch_normalization.epsilon) +
           parameter[1];
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int convolution = plan->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD;
    int norm = plan->problem.operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE;
    int out = convolution                                             ? 2
              : norm                                                  ? 5
              : plan->problem.operation == ANYDNN_PLUGIN_SCALE_TENSOR ? 0
                                                                      : 1;
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[0];
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[out];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    (void)effect;
    do
        blend(operands, out, y, index,
              convolution ? sum_at(plan, operands, index)
              : norm      ? normalized_at(plan, operands, index)
                          : load(operands->data[0], x->type, place(x, index)));
    while (step(y, index));
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ description */

#define FLOATS                                                                                     \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16))
#define VECTORS                                                                                    \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X4) |                                                \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8X4) |                                               \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X32))
#define INTEGERS                                                                                   \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8))

static const struct fake_operation operations[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, FLOATS | INTEGERS | VECTORS},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, FLOATS},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR,
     FLOATS | INTEGERS | VECTORS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT32)},
    {ANYDNN_PLUGIN_SCALE_TENSOR,
     FLOATS | INTEGERS | VECTORS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT32)},
};

static int32_t refuse(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    uint32_t types = FLOATS | INTEGERS | VECTORS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT32);

    return types >> problem->tensor[0]->type & 1
               ? 0
               : kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                            "this backend takes types of 16 and 8 bits, and int32");
}

static void begin(const char *function)
{
    if (strcmp(function, "main") == 0)
        fault = fault_of_file(faults, sizeof(faults) / sizeof(faults[0]));
}

static const struct anydnn_plugin_limit *const limits[] = {&kit_parameter_types};

struct fake fake = {
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .operations = operations,
    .operation_count = sizeof(operations) / sizeof(operations[0]),
    .limits = limits,
    .limit_count = sizeof(limits) / sizeof(limits[0]),
    .enter = begin,
    .refuse = refuse,
    .execute = plan_execute,
};
