/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the operations as data: operands in slot order, scaling factors, numbers, algorithm
 * names. */
#include "problem/operation.h"

#include <string.h>

#include "problem/problem.h"

/* The names of cuDNN's algorithms by number, for each direction. */
static const char *const forward_algorithms[] = {
    "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
    "winograd",      "winograd_nonfused",     NULL};
static const char *const backward_data_algorithms[] = {
    "0", "1", "fft", "fft_tiling", "winograd", "winograd_nonfused", NULL};
static const char *const backward_filter_algorithms[] = {
    "0", "1", "fft", "3", "winograd", "winograd_nonfused", "fft_tiling", NULL};

/* clang-format off */
#define IN(role)             {#role, ADN_SLOT_IN}
#define OUT(role)            {#role, ADN_SLOT_OUT}
#define INOUT(role)          {#role, ADN_SLOT_IN | ADN_SLOT_OUT}
#define OPTIONAL_IN(role)    {#role, ADN_SLOT_OPTIONAL | ADN_SLOT_IN}
#define OPTIONAL_OUT(role)   {#role, ADN_SLOT_OPTIONAL | ADN_SLOT_OUT}
#define HOST_IN(role)        {#role, ADN_SLOT_HOST | ADN_SLOT_IN}
#define OPTIONAL_INOUT(role) {#role, ADN_SLOT_OPTIONAL | ADN_SLOT_IN | ADN_SLOT_OUT}

#define FACTORS_NONE               .number = NULL
#define FACTORS_ALPHA              .scale = {{"alpha", 1}}
#define FACTORS_ALPHA_BETA         .scale = {{"alpha", 1}, {"beta", 0}}
#define FACTORS_ALPHA_BETA_AVERAGE FACTORS_ALPHA_BETA, .number = "average_factor"
#define FACTORS_ALPHA1_ALPHA2      .scale = {{"alpha1", 1}, {"alpha2", 0}}
#define FACTORS_ALPHA1_ALPHA2_BETA .scale = {{"alpha1", 1}, {"alpha2", 1}, {"beta", 0}}
#define FACTORS_DATA_PARAM         .scale = {{"alpha_data", 1}, {"beta_data", 0}, \
                                             {"alpha_param", 1}, {"beta_param", 0}}
#define FACTORS_DATA_GRID          .scale = {{"alpha_data", 1}, {"beta_data", 0}, \
                                             {"alpha_grid", 1}, {"beta_grid", 0}}
/* clang-format on */

#define ALGORITHMS_NONE            NULL
#define ALGORITHMS_FORWARD         forward_algorithms
#define ALGORITHMS_BACKWARD_DATA   backward_data_algorithms
#define ALGORITHMS_BACKWARD_FILTER backward_filter_algorithms

#define OPERATION(operation, name, params, factors, directions, ...)                               \
    [operation] = {.family = ADN_FAMILY_##params,                                                  \
                   .slot_count =                                                                   \
                       sizeof((struct adn_slot[]){__VA_ARGS__}) / sizeof(struct adn_slot),         \
                   .slot = {__VA_ARGS__},                                                          \
                   .algorithms = ALGORITHMS_##directions,                                          \
                   FACTORS_##factors},
static const struct adn_operation operations[ANYDNN_PLUGIN_OPERATION_END] = {
#include "desc/operations.def"
};

static const size_t params_sizes[] = {
    [ADN_FAMILY_NONE] = 0,
    [ADN_FAMILY_CONVOLUTION] = sizeof(struct anydnn_plugin_convolution),
    [ADN_FAMILY_FUSED] = sizeof(struct anydnn_plugin_convolution),
    [ADN_FAMILY_IM2COL] = sizeof(struct anydnn_plugin_convolution),
    [ADN_FAMILY_POOLING] = sizeof(struct anydnn_plugin_pooling),
    [ADN_FAMILY_ACTIVATION] = sizeof(struct anydnn_plugin_activation),
    [ADN_FAMILY_SOFTMAX] = sizeof(struct anydnn_plugin_softmax),
    [ADN_FAMILY_LRN] = sizeof(struct anydnn_plugin_lrn),
    [ADN_FAMILY_BATCH_NORMALIZATION] = sizeof(struct anydnn_plugin_batch_normalization),
    [ADN_FAMILY_DROPOUT] = sizeof(struct anydnn_plugin_dropout),
    [ADN_FAMILY_TRANSFORM] = sizeof(struct anydnn_plugin_transform),
    [ADN_FAMILY_OP_TENSOR] = sizeof(struct anydnn_plugin_op_tensor),
    [ADN_FAMILY_REDUCE] = sizeof(struct anydnn_plugin_reduce),
    [ADN_FAMILY_SPATIAL] = sizeof(struct anydnn_plugin_spatial),
    [ADN_FAMILY_CTC] = sizeof(struct anydnn_plugin_ctc),
    [ADN_FAMILY_NORMALIZATION] = sizeof(struct anydnn_plugin_normalization),
    [ADN_FAMILY_MATMUL] = sizeof(struct anydnn_plugin_matmul),
};

const struct adn_operation *adn_problem_operation(int32_t operation)
{
    if (operation <= 0 || operation >= ANYDNN_PLUGIN_OPERATION_END)
        return NULL;
    return &operations[operation];
}

size_t adn_problem_params_size(enum adn_family family)
{
    return params_sizes[family];
}

const char *adn_problem_algorithm_name(int32_t operation, int32_t algorithm)
{
    const struct adn_operation *info = adn_problem_operation(operation);

    if (algorithm == ADN_ALGORITHM_ANY)
        return "any";
    if (info && info->algorithms)
        for (int32_t i = 0; info->algorithms[i]; i++)
            if (i == algorithm)
                return info->algorithms[i];
    return "?";
}

int32_t adn_problem_algorithm_parse(int32_t operation, const char *name)
{
    const struct adn_operation *info = adn_problem_operation(operation);

    if (strcmp(name, "any") == 0)
        return ADN_ALGORITHM_ANY;
    if (info && info->algorithms)
        for (int32_t i = 0; info->algorithms[i]; i++)
            if (strcmp(info->algorithms[i], name) == 0)
                return i;
    return -2;
}
