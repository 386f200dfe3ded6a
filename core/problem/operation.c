/* SPDX-License-Identifier: Apache-2.0 */
/* The operations as data: operands in slot order, scaling factors, numbers, algorithm names. */
#include "problem/problem.h"

#include <string.h>

#define IN  ADN_SLOT_IN
#define OUT ADN_SLOT_OUT
#define OPT ADN_SLOT_OPTIONAL

#define ALPHA_BETA                                                                                 \
    {                                                                                              \
        {"alpha", 1},                                                                              \
        {                                                                                          \
            "beta", 0                                                                              \
        }                                                                                          \
    }

/* cuDNN's algorithm numbers per direction. */
static const char *const forward_algorithms[] = {
    "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
    "winograd",      "winograd_nonfused",     NULL};
static const char *const backward_data_algorithms[] = {
    "0", "1", "fft", "fft_tiling", "winograd", "winograd_nonfused", NULL};
static const char *const backward_filter_algorithms[] = {
    "0", "1", "fft", "3", "winograd", "winograd_nonfused", "fft_tiling", NULL};

static const struct adn_operation operations[ANYDNN_PLUGIN_OPERATION_END] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = {ADN_FAMILY_CONVOLUTION,
                                           3,
                                           {{"x", IN}, {"w", IN}, {"y", OUT}},
                                           ALPHA_BETA,
                                           NULL,
                                           forward_algorithms},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA] = {ADN_FAMILY_CONVOLUTION,
                                                 3,
                                                 {{"w", IN}, {"dy", IN}, {"dx", OUT}},
                                                 ALPHA_BETA,
                                                 NULL,
                                                 backward_data_algorithms},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER] = {ADN_FAMILY_CONVOLUTION,
                                                   3,
                                                   {{"x", IN}, {"dy", IN}, {"dw", OUT}},
                                                   ALPHA_BETA,
                                                   NULL,
                                                   backward_filter_algorithms},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS] = {ADN_FAMILY_NONE,
                                                 2,
                                                 {{"dy", IN}, {"db", OUT}},
                                                 ALPHA_BETA},
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] =
        {ADN_FAMILY_FUSED,
         5,
         {{"x", IN}, {"w", IN}, {"z", IN | OPT}, {"bias", IN}, {"y", OUT}},
         {{"alpha1", 1}, {"alpha2", 0}},
         NULL,
         forward_algorithms},
    [ANYDNN_PLUGIN_POOLING_FORWARD] = {ADN_FAMILY_POOLING, 2, {{"x", IN}, {"y", OUT}}, ALPHA_BETA},
    [ANYDNN_PLUGIN_POOLING_BACKWARD] = {ADN_FAMILY_POOLING,
                                        4,
                                        {{"y", IN}, {"dy", IN}, {"x", IN}, {"dx", OUT}},
                                        ALPHA_BETA},
    [ANYDNN_PLUGIN_ACTIVATION_FORWARD] = {ADN_FAMILY_ACTIVATION,
                                          2,
                                          {{"x", IN}, {"y", OUT}},
                                          ALPHA_BETA},
    [ANYDNN_PLUGIN_ACTIVATION_BACKWARD] = {ADN_FAMILY_ACTIVATION,
                                           4,
                                           {{"y", IN}, {"dy", IN}, {"x", IN}, {"dx", OUT}},
                                           ALPHA_BETA},
    [ANYDNN_PLUGIN_LRN_FORWARD] = {ADN_FAMILY_LRN, 2, {{"x", IN}, {"y", OUT}}, ALPHA_BETA},
    [ANYDNN_PLUGIN_LRN_BACKWARD] = {ADN_FAMILY_LRN,
                                    4,
                                    {{"y", IN}, {"dy", IN}, {"x", IN}, {"dx", OUT}},
                                    ALPHA_BETA},
    [ANYDNN_PLUGIN_SOFTMAX_FORWARD] = {ADN_FAMILY_SOFTMAX, 2, {{"x", IN}, {"y", OUT}}, ALPHA_BETA},
    [ANYDNN_PLUGIN_SOFTMAX_BACKWARD] = {ADN_FAMILY_SOFTMAX,
                                        3,
                                        {{"y", IN}, {"dy", IN}, {"dx", OUT}},
                                        ALPHA_BETA},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD] =
        {ADN_FAMILY_LRN,
         5,
         {{"x", IN}, {"means", IN | OPT}, {"temp", IN | OUT}, {"temp2", IN | OUT}, {"y", OUT}},
         ALPHA_BETA},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD] = {ADN_FAMILY_LRN,
                                                       7,
                                                       {{"x", IN},
                                                        {"means", IN | OPT},
                                                        {"dy", IN},
                                                        {"temp", IN | OUT},
                                                        {"temp2", IN | OUT},
                                                        {"dx", OUT},
                                                        {"dmeans", OUT | OPT}},
                                                       ALPHA_BETA},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] =
        {ADN_FAMILY_BATCH_NORMALIZATION,
         6,
         {{"x", IN}, {"scale", IN}, {"bias", IN}, {"mean", IN}, {"var", IN}, {"y", OUT}},
         ALPHA_BETA},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING] = {ADN_FAMILY_BATCH_NORMALIZATION,
                                                    10,
                                                    {{"x", IN},
                                                     {"scale", IN},
                                                     {"bias", IN},
                                                     {"z", IN | OPT},
                                                     {"running_mean", IN | OUT | OPT},
                                                     {"running_var", IN | OUT | OPT},
                                                     {"y", OUT},
                                                     {"save_mean", OUT | OPT},
                                                     {"save_inv_var", OUT | OPT},
                                                     {"reserve", OUT | OPT}},
                                                    ALPHA_BETA,
                                                    "average_factor"},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD] =
        {ADN_FAMILY_BATCH_NORMALIZATION,
         12,
         {{"x", IN},
          {"dy", IN},
          {"y", IN | OPT},
          {"scale", IN},
          {"bias", IN | OPT},
          {"save_mean", IN | OPT},
          {"save_inv_var", IN | OPT},
          {"reserve", IN | OPT},
          {"dx", OUT},
          {"dz", OUT | OPT},
          {"dscale", OUT},
          {"dbias", OUT}},
         {{"alpha_data", 1}, {"beta_data", 0}, {"alpha_param", 1}, {"beta_param", 0}}},
    [ANYDNN_PLUGIN_DROPOUT_FORWARD] =
        {ADN_FAMILY_DROPOUT, 4, {{"x", IN}, {"states", IN | OUT}, {"y", OUT}, {"reserve", OUT}}},
    [ANYDNN_PLUGIN_DROPOUT_BACKWARD] = {ADN_FAMILY_DROPOUT,
                                        3,
                                        {{"dy", IN}, {"reserve", IN}, {"dx", OUT}}},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR] = {ADN_FAMILY_NONE, 2, {{"x", IN}, {"y", OUT}}, ALPHA_BETA},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX] = {ADN_FAMILY_TRANSFORM,
                                           2,
                                           {{"x", IN}, {"y", OUT}},
                                           ALPHA_BETA},
    [ANYDNN_PLUGIN_TRANSFORM_FILTER] = {ADN_FAMILY_TRANSFORM,
                                        2,
                                        {{"x", IN}, {"y", OUT}},
                                        ALPHA_BETA},
    [ANYDNN_PLUGIN_ADD_TENSOR] = {ADN_FAMILY_NONE, 2, {{"x", IN}, {"y", OUT}}, ALPHA_BETA},
    [ANYDNN_PLUGIN_OP_TENSOR] =
        {ADN_FAMILY_OP_TENSOR,
         3,
         {{"a", IN}, {"b", IN}, {"c", OUT}},
         {{"alpha1", 1}, {"alpha2", 1}, {"beta", 0}}},
    [ANYDNN_PLUGIN_REDUCE_TENSOR] = {ADN_FAMILY_REDUCE,
                                     3,
                                     {{"a", IN}, {"c", OUT}, {"indices", OUT | OPT}},
                                     ALPHA_BETA},
    [ANYDNN_PLUGIN_SET_TENSOR] = {ADN_FAMILY_NONE, 1, {{"y", OUT}}},
    [ANYDNN_PLUGIN_SCALE_TENSOR] = {ADN_FAMILY_NONE, 1, {{"y", IN | OUT}}, {{"alpha", 1}}},
    [ANYDNN_PLUGIN_IM2COL] = {ADN_FAMILY_IM2COL, 2, {{"x", IN}, {"col", OUT}}},
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
