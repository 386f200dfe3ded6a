/* SPDX-License-Identifier: Apache-2.0 */
/* How much work a problem is, and so in how many threads oneDNN runs it. */
#include "plan.h"

/*
 * With fewer products and fewer elements one thread takes some 100 us at most. To share that out
 * saves little where processors are idle, and where they have other work it costs milliseconds:
 * OpenMP's threads spin at a barrier for as long as the one that they wait for is not run.
 */
#define FEW_PRODUCTS ((int64_t)1 << 22)
#define FEW_ELEMENTS ((int64_t)1 << 16)

static const struct {
    int32_t operation, filter, result; /* slots of w or dw, and of y or dy */
} convolutions[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 1, 2},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 0, 1},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, 2, 1},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 1, 4},
};

static int64_t tensor_count(const struct anydnn_plugin_tensor *tensor)
{
    return kit_count(tensor->dims, tensor->ndims);
}

/* Each result is the sum of as many products as the filter of one channel of results has taps. */
static int has_few_products(const struct anydnn_plugin_problem *problem)
{
    for (size_t i = 0; i < sizeof convolutions / sizeof convolutions[0]; i++) {
        const struct anydnn_plugin_tensor *filter;

        if (convolutions[i].operation != problem->operation)
            continue;
        filter = problem->tensor[convolutions[i].filter];
        return tensor_count(problem->tensor[convolutions[i].result]) *
                   kit_count(&filter->dims[1], filter->ndims - 1) <
               FEW_PRODUCTS;
    }
    return 1;
}

int onednn_threads_for(const struct anydnn_plugin_problem *problem)
{
    int64_t elements = 0;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (problem->tensor[slot])
            elements += tensor_count(problem->tensor[slot]);
    return elements < FEW_ELEMENTS && has_few_products(problem) ? 1 : onednn_threads();
}
