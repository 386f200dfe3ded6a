/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates the work of a problem, and so chooses the number of threads in which oneDNN runs it. */
#include "plan.h"

/*
 * The limits below which one thread suffices: it takes at most some 100 us. More threads save
 * little on idle processors. On busy ones they cost milliseconds, since OpenMP's threads spin at a
 * barrier while the awaited thread is not scheduled.
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

/* Returns the products of an element of a matrix product. */
static int64_t inner_size(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_tensor *a = problem->tensor[slot_matmul_a];
    return a->dims[a->ndims - 1];
}

/* Returns 1 if the problem has few products. Each result of a convolution is the sum of one product
 * per tap of the filter, over the channels of a group. */
static int has_few_products(const struct anydnn_plugin_problem *problem)
{
    if (problem->operation == ANYDNN_PLUGIN_MATMUL)
        return tensor_count(problem->tensor[slot_matmul_d]) * inner_size(problem) < FEW_PRODUCTS;
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
