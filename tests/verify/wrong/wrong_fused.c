/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in float for convolution with bias and activation. Each result that depends on
 * an exponential is too large by N units in the last place; the file name anydnn_ulps_N.so sets
 * N. Swish is a product in float, as in real kernels. As anydnn_reads_z.so, it reads z even if
 * alpha2 is 0.
 */
#include <math.h>
#include <stdlib.h>

#include "fault.h"
#include "tensor.h"

#define FUSED(name) slot_convolution_bias_activation_forward_##name

static int ulps, reads_z;

static double sum_at(const struct anydnn_plugin_plan *plan, const float *x, const float *w,
                     const int64_t *y_index)
{
    const struct anydnn_plugin_tensor *filter = plan->problem.tensor[FUSED(w)];
    int64_t group = y_index[1] / (filter->dims[0] / plan->copies.params.convolution.groups);
    int64_t w_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[1]};
    double sum = 0;

    do {
        int64_t x_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[0], group * filter->dims[1] + w_index[1]};

        if (place_of(&plan->copies.params.convolution, plan->problem.tensor[FUSED(x)], filter,
                     y_index, w_index, x_index))
            sum += (double)x[offset(plan->problem.tensor[FUSED(x)], x_index)] *
                   (double)w[offset(filter, w_index)];
    } while (step(filter, w_index) && w_index[0] == y_index[1]);
    return sum;
}

static float off(double value)
{
    float result = (float)value;

    for (int i = 0; i < ulps; i++)
        result = nextafterf(result, INFINITY);
    return result;
}

static float activate(const struct anydnn_plugin_convolution *params, double v)
{
    switch (params->activation) {
    case 0:
        return off(1 / (1 + exp(-v)));
    case 2:
        return off(tanh(v));
    case 4:
        return v > 0 ? (float)v : off(params->coef * expm1(v));
    case 5:
        return (float)v;
    case 6:
        return off((float)v * (float)(1 / (1 + exp(-params->coef * v))));
    default:
        return v > 0 ? (float)v : 0;
    }
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    const float *z = operands->data[FUSED(z)];
    const float *bias = operands->data[FUSED(bias)];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    (void)effect;
    do {
        int64_t channel[ANYDNN_PLUGIN_DIM_MAX] = {0, index[1]};
        double v = operands->scale[0] *
                   sum_at(plan, operands->data[FUSED(x)], operands->data[FUSED(w)], index);

        if (z && (reads_z || operands->scale[1] != 0))
            v += operands->scale[1] * (double)z[offset(plan->problem.tensor[FUSED(z)], index)];
        v += (double)bias[offset(plan->problem.tensor[FUSED(bias)], channel)];
        ((float *)operands->data[FUSED(y)])[offset(plan->problem.tensor[FUSED(y)], index)] =
            activate(&plan->copies.params.convolution, v);
    } while (step(plan->problem.tensor[FUSED(y)], index));
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t refuse(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    return fake_check_types(problem, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT), why);
}

static void begin(const char *function)
{
    if (strcmp(function, "main") != 0)
        return;
    reads_z = strcmp(fake_file_name(), "reads_z") == 0;
    ulps = reads_z ? 0 : atoi(fake_file_name() + strlen("ulps_"));
}

static const struct fake_operation operations[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD,
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)}};

struct fake fake = {
    .layouts = KIT_LAYOUTS,
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .operations = operations,
    .operation_count = 1,
    .enter = begin,
    .refuse = refuse,
    .execute = plan_execute,
};
