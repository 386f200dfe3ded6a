/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in float for convolution with bias and activation, for the tests of `anydnn
 * verify`: each result that an exponential is behind is ULPS units in the last place too large.
 * Swish is a product in float, as kernels have it. WRONG_NAME is its name.
 */
#include <anydnn/plugin.h>

#include <math.h>
#include <stdlib.h>

#include "tensor.h"

#define SUCCESS   0
#define NO_MEMORY 2

enum { X, W, Z, BIAS, Y, SLOTS };

struct anydnn_plugin_context {
    int unused;
};

struct anydnn_plugin_plan {
    struct anydnn_plugin_tensor tensor[SLOTS];
    struct anydnn_plugin_convolution params;
};

static double sum_at(const struct anydnn_plugin_plan *plan, const float *x, const float *w,
                     const int64_t *y_index)
{
    const struct anydnn_plugin_tensor *filter = &plan->tensor[W];
    int64_t group = y_index[1] / (filter->dims[0] / plan->params.groups);
    int64_t w_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[1]};
    double sum = 0;

    do {
        int64_t x_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[0], group * filter->dims[1] + w_index[1]};

        if (place_of(&plan->params, &plan->tensor[X], filter, y_index, w_index, x_index))
            sum +=
                (double)x[offset(&plan->tensor[X], x_index)] * (double)w[offset(filter, w_index)];
    } while (step(filter, w_index) && w_index[0] == y_index[1]);
    return sum;
}

static float off(double value)
{
    float result = (float)value;

    for (int i = 0; i < ULPS; i++)
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
    const float *z = operands->data[Z];
    const float *bias = operands->data[BIAS];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    (void)effect;
    do {
        int64_t channel[ANYDNN_PLUGIN_DIM_MAX] = {0, index[1]};
        double v = operands->scale[0] * sum_at(plan, operands->data[X], operands->data[W], index);

        if (z && operands->scale[1] != 0)
            v += operands->scale[1] * (double)z[offset(&plan->tensor[Z], index)];
        v += (double)bias[offset(&plan->tensor[BIAS], channel)];
        ((float *)operands->data[Y])[offset(&plan->tensor[Y], index)] = activate(&plan->params, v);
    } while (step(&plan->tensor[Y], index));
    return SUCCESS;
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .algorithm = -1, .engine = 1};

    (void)context;
    for (int i = 0; i < SLOTS; i++)
        if (problem->tensor[i] && problem->tensor[i]->type != ANYDNN_PLUGIN_FLOAT) {
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
    for (int i = 0; i < SLOTS; i++)
        if (problem->tensor[i])
            made->tensor[i] = *problem->tensor[i];
    made->params = *(const struct anydnn_plugin_convolution *)problem->params;
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

static const struct anydnn_plugin_operation fused = {
    .struct_size = sizeof(fused),
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD,
    .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .maths = 0x1,
    .candidates = candidates,
    .plan_create = plan_create,
    .plan_execute = plan_execute,
    .plan_destroy = plan_destroy,
};

static const struct anydnn_plugin_operation *const operations[] = {&fused};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = WRONG_NAME,
    .vendor = "anydnn tests",
    .version = "1",
    .build_id = "",
    .space = "host",
    .operation_count = 1,
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
