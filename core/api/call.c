/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of arguments that cannot become a call. */
#include "api/call.h"

#include <stdio.h>

#include "sys/error.h"

/* Arguments whose names in anydnn.h are not made of the operand's role: "xDesc", "x". */
static const struct {
    int32_t operation;
    const char *form; /* part of the entry's name, or NULL: every entry of the operation */
    const char *role;
    const char *desc;
    const char *data;
} arguments[] = {
    {ANYDNN_PLUGIN_IM2COL, NULL, "col", NULL, "colBuffer"},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD, NULL, "dx", "dXdMeansDesc", "dx"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, NULL, "scale", "bnScaleBiasMeanVarDesc",
     "bnScale"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, NULL, "bias", NULL, "bnBias"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, NULL, "mean", NULL, "estimatedMean"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, NULL, "var", NULL, "estimatedVariance"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, NULL, "scale", "bnScaleBiasMeanVarDesc",
     "bnScale"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, NULL, "bias", NULL, "bnBias"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "Ex", "x", "xDesc", "xData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "Ex", "y", "yDesc", "yData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, "Ex", "z", "zDesc", "zData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "x", "xDesc", "xData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "y", "yDesc", "yData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "dy", "dyDesc", "dyData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "dz", "dzDesc", "dzData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "dx", "dxDesc", "dxData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "scale", "dBnScaleBiasDesc", "bnScaleData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "bias", NULL, "bnBiasData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "dscale", NULL, "dBnScaleData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, "Ex", "dbias", NULL, "dBnBiasData"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, NULL, "scale", "dBnScaleBiasDesc", "bnScale"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, NULL, "dscale", NULL, "dBnScaleResult"},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, NULL, "dbias", NULL, "dBnBiasResult"},
    {ANYDNN_PLUGIN_DROPOUT_FORWARD, NULL, "reserve", NULL, "reserveSpace"},
    {ANYDNN_PLUGIN_DROPOUT_BACKWARD, NULL, "reserve", NULL, "reserveSpace"},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX, NULL, "x", "srcDesc", "srcData"},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX, NULL, "y", "destDesc", "destData"},
    {ANYDNN_PLUGIN_TRANSFORM_FILTER, NULL, "x", "srcDesc", "srcData"},
    {ANYDNN_PLUGIN_TRANSFORM_FILTER, NULL, "y", "destDesc", "destData"},
    {ANYDNN_PLUGIN_ADD_TENSOR, NULL, "x", "aDesc", "A"},
    {ANYDNN_PLUGIN_ADD_TENSOR, NULL, "y", "cDesc", "C"},
    {ANYDNN_PLUGIN_OP_TENSOR, NULL, "a", "aDesc", "A"},
    {ANYDNN_PLUGIN_OP_TENSOR, NULL, "b", "bDesc", "B"},
    {ANYDNN_PLUGIN_OP_TENSOR, NULL, "c", "cDesc", "C"},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, NULL, "a", "aDesc", "A"},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, NULL, "c", "cDesc", "C"},
    {ANYDNN_PLUGIN_CTC_LOSS, NULL, "x", "probsDesc", "probs"},
    {ANYDNN_PLUGIN_CTC_LOSS, NULL, "label_lengths", NULL, "labelLengths"},
    {ANYDNN_PLUGIN_CTC_LOSS, NULL, "input_lengths", NULL, "inputLengths"},
};

static const char *const backward_factors[] = {"alphaDataDiff", "betaDataDiff", "alphaParamDiff",
                                               "betaParamDiff"};
static const char *const sampler_factors[] = {"alpha", "beta", "alphaDgrid", "betaDgrid"};

/* The argument that brings the operand's pointer, or its descriptor. */
static const char *argument_of(const struct adn_entry *entry, int slot, int desc, char *made,
                               size_t size)
{
    const char *role = adn_problem_operation(entry->call.operation)->slot[slot].role;

    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
        if (arguments[i].operation == entry->call.operation &&
            strcmp(arguments[i].role, role) == 0 &&
            (!arguments[i].form || strstr(entry->call.entry, arguments[i].form)))
            return desc ? arguments[i].desc : arguments[i].data;
    snprintf(made, size, "%s%s", role, desc ? "Desc" : "");
    return made;
}

anydnnStatus_t adn_call_refuse(const struct adn_entry *entry, int slot, const void *desc,
                               enum adn_desc_kind kind)
{
    char made[40];

    return adn_desc_complain(entry->call.entry, argument_of(entry, slot, 1, made, sizeof(made)),
                             desc, kind);
}

anydnnStatus_t adn_call_refuse_data(const struct adn_entry *entry, int slot)
{
    char made[40];

    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "%s: %s is NULL; it must point to the operand's first element",
                    entry->call.entry, argument_of(entry, slot, 0, made, sizeof(made)));
}

anydnnStatus_t adn_call_refuse_scale(const struct adn_entry *entry, int index)
{
    const char *name = adn_problem_operation(entry->call.operation)->scale[index].name;

    if (entry->call.operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD)
        name = backward_factors[index];
    if (entry->call.operation == ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD)
        name = sampler_factors[index];
    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "%s: %s is NULL; it must point to a factor in host memory", entry->call.entry,
                    name);
}

anydnnStatus_t adn_call_refuse_algorithm(const struct adn_entry *entry, int algorithm)
{
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: algo is %d; this direction has no such algorithm",
                    entry->call.entry, algorithm);
}
