/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the parameters of each family as data: key in the text form, kind, offset, default. */
#include "problem/params.h"

#include <anydnn/plugin.h>

#define AT(family, member) offsetof(struct anydnn_plugin_##family, member)

static const char *const convolution_modes[] = {"convolution", "cross", NULL};
static const char *const activation_modes[] = {"sigmoid", "relu",     "tanh",  "clipped_relu",
                                               "elu",     "identity", "swish", NULL};
/* The activations of the families that also have GELU. */
static const char *const gelu_modes[] = {"sigmoid", "relu",      "tanh",  "clipped_relu",
                                         "elu",     "identity",  "swish", "",
                                         "gelu",    "gelu_tanh", NULL};
static const char *const nan_options[] = {"ignore", "propagate", NULL};
static const char *const pooling_modes[] = {"max", "average_include", "average_exclude",
                                            "max_deterministic", NULL};
static const char *const softmax_algorithms[] = {"fast", "accurate", "log", NULL};
static const char *const softmax_modes[] = {"instance", "channel", NULL};
static const char *const norm_modes[] = {"per_activation", "spatial", "spatial_persistent", NULL};
static const char *const norm_ops[] = {"bn", "bn_activation", "bn_add_activation", NULL};
static const char *const fold_directions[] = {"fold", "unfold", NULL};
static const char *const op_names[] = {"add", "mul", "min", "max", "sqrt", "not", NULL};
static const char *const reduce_names[] = {"add", "mul",   "min",   "max",          "amax",
                                           "avg", "norm1", "norm2", "mul_no_zeros", NULL};
static const char *const samplers[] = {"bilinear", NULL};
static const char *const loss_normalizations[] = {"none", "softmax", NULL};
static const char *const normalization_kinds[] = {"layer", "group", "instance", "rms", NULL};
static const char *const scalings[] = {"plain", "zero_centered", NULL};
static const char *const epilogues[] = {"forward", NULL};

#define WINDOWS                                                                                    \
    {"pad", ADN_PARAM_SPATIAL, AT(convolution, pad), 0, NULL, 1},                                  \
        {"stride", ADN_PARAM_SPATIAL, AT(convolution, stride), 1, NULL, 1},                        \
    {                                                                                              \
        "dilation", ADN_PARAM_SPATIAL, AT(convolution, dilation), 1, NULL, 1                       \
    }

/* -1 for the compute type stands for the default of the operands' type, until that is known. */
#define GROUPS_MODE_COMPUTE                                                                        \
    {"groups", ADN_PARAM_INT64, AT(convolution, groups), 1, NULL, 1},                              \
        {"mode", ADN_PARAM_NAMES, AT(convolution, mode), 1, convolution_modes, 1},                 \
    {                                                                                              \
        "compute", ADN_PARAM_TYPE, AT(convolution, compute_type), -1, NULL, 1                      \
    }

static const struct adn_param none_params[] = {{NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param convolution_params[] = {
    WINDOWS, GROUPS_MODE_COMPUTE, {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param fused_params[] = {
    WINDOWS,
    GROUPS_MODE_COMPUTE,
    {"activation", ADN_PARAM_NAMES, AT(convolution, activation), 1, activation_modes, 1},
    {"nan", ADN_PARAM_NAMES, AT(convolution, nan_propagate), 0, nan_options, 0},
    {"coef", ADN_PARAM_DOUBLE, AT(convolution, coef), 0, NULL, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param im2col_params[] = {
    WINDOWS,
    {"window", ADN_PARAM_SPATIAL, AT(convolution, window), 1, NULL, 1},
    {"mode", ADN_PARAM_NAMES, AT(convolution, mode), 1, convolution_modes, 0},
    {"compute", ADN_PARAM_TYPE, AT(convolution, compute_type), -1, NULL, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param pooling_params[] = {
    {"mode", ADN_PARAM_NAMES, AT(pooling, mode), 0, pooling_modes, 1},
    {"window", ADN_PARAM_SPATIAL, AT(pooling, window), 1, NULL, 1},
    {"pad", ADN_PARAM_SPATIAL, AT(pooling, pad), 0, NULL, 1},
    {"stride", ADN_PARAM_SPATIAL, AT(pooling, stride), 1, NULL, 1},
    {"nan", ADN_PARAM_NAMES, AT(pooling, nan_propagate), 0, nan_options, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param activation_params[] = {
    {"activation", ADN_PARAM_NAMES, AT(activation, mode), 1, activation_modes, 1},
    {"nan", ADN_PARAM_NAMES, AT(activation, nan_propagate), 0, nan_options, 0},
    {"coef", ADN_PARAM_DOUBLE, AT(activation, coef), 0, NULL, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param softmax_params[] = {
    {"softmax", ADN_PARAM_NAMES, AT(softmax, algorithm), 1, softmax_algorithms, 1},
    {"mode", ADN_PARAM_NAMES, AT(softmax, mode), 1, softmax_modes, 1},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param lrn_params[] = {
    {"n", ADN_PARAM_INT32, AT(lrn, n), 5, NULL, 1},
    {"lrn_alpha", ADN_PARAM_DOUBLE, AT(lrn, alpha), 1e-4, NULL, 1},
    {"lrn_beta", ADN_PARAM_DOUBLE, AT(lrn, beta), 0.75, NULL, 1},
    {"k", ADN_PARAM_DOUBLE, AT(lrn, k), 2, NULL, 1},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param batch_normalization_params[] = {
    {"mode", ADN_PARAM_NAMES, AT(batch_normalization, mode), 1, norm_modes, 1},
    {"ops", ADN_PARAM_NAMES, AT(batch_normalization, ops), 0, norm_ops, 0},
    {"epsilon", ADN_PARAM_DOUBLE, AT(batch_normalization, epsilon), 1e-5, NULL, 1},
    {"activation", ADN_PARAM_NAMES, AT(batch_normalization, activation), 1, activation_modes, 0},
    {"nan", ADN_PARAM_NAMES, AT(batch_normalization, nan_propagate), 0, nan_options, 0},
    {"coef", ADN_PARAM_DOUBLE, AT(batch_normalization, coef), 0, NULL, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param dropout_params[] = {
    {"p", ADN_PARAM_DOUBLE, AT(dropout, probability), 0.5, NULL, 1}, {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param transform_params[] = {
    {"pad_before", ADN_PARAM_DIMS, AT(transform, pad_before), 0, NULL, 1},
    {"pad_after", ADN_PARAM_DIMS, AT(transform, pad_after), 0, NULL, 1},
    {"fold", ADN_PARAM_SPATIAL, AT(transform, fold), 1, NULL, 1},
    {"direction", ADN_PARAM_NAMES, AT(transform, direction), 0, fold_directions, 1},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param op_tensor_params[] = {
    {"op", ADN_PARAM_NAMES, AT(op_tensor, op), 0, op_names, 1},
    {"compute", ADN_PARAM_TYPE, AT(op_tensor, compute_type), -1, NULL, 1},
    {"nan", ADN_PARAM_NAMES, AT(op_tensor, nan_propagate), 0, nan_options, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param reduce_params[] = {
    {"op", ADN_PARAM_NAMES, AT(reduce, op), 0, reduce_names, 1},
    {"compute", ADN_PARAM_TYPE, AT(reduce, compute_type), -1, NULL, 1},
    {"nan", ADN_PARAM_NAMES, AT(reduce, nan_propagate), 0, nan_options, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param spatial_params[] = {
    {"sampler", ADN_PARAM_NAMES, AT(spatial, sampler), 0, samplers, 0}, {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param ctc_params[] = {
    {"normalization", ADN_PARAM_NAMES, AT(ctc, normalization), 1, loss_normalizations, 1},
    {"nan", ADN_PARAM_NAMES, AT(ctc, nan_propagate), 0, nan_options, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param normalization_params[] = {
    {"kind", ADN_PARAM_NAMES, AT(normalization, kind), 0, normalization_kinds, 1},
    {"axes", ADN_PARAM_AXES, AT(normalization, axes), 0, NULL, 0},
    {"channel_axis", ADN_PARAM_INT32, AT(normalization, channel_axis), 1, NULL, 0},
    {"groups", ADN_PARAM_INT64, AT(normalization, groups), 1, NULL, 0},
    {"scaling", ADN_PARAM_NAMES, AT(normalization, flags), 0, scalings, 0},
    {"epsilon", ADN_PARAM_DOUBLE, AT(normalization, epsilon), 1e-5, NULL, 1},
    {"activation", ADN_PARAM_NAMES, AT(normalization, activation), 5, gelu_modes, 0},
    {"nan", ADN_PARAM_NAMES, AT(normalization, nan_propagate), 0, nan_options, 0},
    {"coef", ADN_PARAM_DOUBLE, AT(normalization, coef), 0, NULL, 0},
    {"compute", ADN_PARAM_TYPE, AT(normalization, compute_type), -1, NULL, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param matmul_params[] = {
    {"compute", ADN_PARAM_TYPE, AT(matmul, compute_type), -1, NULL, 1},
    {"activation", ADN_PARAM_NAMES, AT(matmul, activation), 5, gelu_modes, 0},
    {"nan", ADN_PARAM_NAMES, AT(matmul, nan_propagate), 0, nan_options, 0},
    {"coef", ADN_PARAM_DOUBLE, AT(matmul, coef), 0, NULL, 0},
    {"epilogue", ADN_PARAM_NAMES, AT(matmul, epilogue), 0, epilogues, 0},
    {NULL, 0, 0, 0, NULL, 0}};

static const struct adn_param *const params[] = {
    [ADN_FAMILY_NONE] = none_params,
    [ADN_FAMILY_CONVOLUTION] = convolution_params,
    [ADN_FAMILY_FUSED] = fused_params,
    [ADN_FAMILY_IM2COL] = im2col_params,
    [ADN_FAMILY_POOLING] = pooling_params,
    [ADN_FAMILY_ACTIVATION] = activation_params,
    [ADN_FAMILY_SOFTMAX] = softmax_params,
    [ADN_FAMILY_LRN] = lrn_params,
    [ADN_FAMILY_BATCH_NORMALIZATION] = batch_normalization_params,
    [ADN_FAMILY_DROPOUT] = dropout_params,
    [ADN_FAMILY_TRANSFORM] = transform_params,
    [ADN_FAMILY_OP_TENSOR] = op_tensor_params,
    [ADN_FAMILY_REDUCE] = reduce_params,
    [ADN_FAMILY_SPATIAL] = spatial_params,
    [ADN_FAMILY_CTC] = ctc_params,
    [ADN_FAMILY_NORMALIZATION] = normalization_params,
    [ADN_FAMILY_MATMUL] = matmul_params,
};

const struct adn_param *adn_problem_params(enum adn_family family)
{
    return params[family];
}

int32_t adn_param_number(const struct adn_param *param, int32_t index)
{
    int32_t number = 0;

    for (int32_t i = 0; param->names[i]; i++) {
        if (param->names[i][0] == '\0')
            number = ADN_PARAM_OURS;
        else if (index-- == 0)
            return number;
        else
            number++;
    }
    return -1;
}

const char *adn_param_name(const struct adn_param *param, int32_t number)
{
    int32_t next = 0;

    for (int32_t i = 0; param->names[i]; i++) {
        if (param->names[i][0] == '\0')
            next = ADN_PARAM_OURS;
        else if (next++ == number)
            return param->names[i];
    }
    return NULL;
}

int adn_problem_is_integer(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8 || type == ANYDNN_PLUGIN_UINT8 ||
           type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_UINT8X4 ||
           type == ANYDNN_PLUGIN_INT8X32 || type == ANYDNN_PLUGIN_INT32;
}

int32_t adn_problem_compute_default(enum adn_family family, int32_t type)
{
    if (type == ANYDNN_PLUGIN_DOUBLE)
        return ANYDNN_PLUGIN_DOUBLE;
    /* cuDNN's OpTensor and ReduceTensor compute in float or double only. */
    return adn_problem_is_integer(type) && family != ADN_FAMILY_OP_TENSOR &&
                   family != ADN_FAMILY_REDUCE
               ? ANYDNN_PLUGIN_INT32
               : ANYDNN_PLUGIN_FLOAT;
}

int32_t adn_problem_bias_type(int32_t type)
{
    return adn_problem_is_integer(type) ? ANYDNN_PLUGIN_FLOAT : type;
}
