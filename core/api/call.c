/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about arguments that cannot become a call. */
#include "api/call.h"

#include <stdio.h>

#include "problem/operation.h"
#include "sys/error.h"

/* The arguments whose names in anydnn.h differ from the usual ones, which are made from the
 * operand's role: "xDesc", "x". */
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
    {ANYDNN_PLUGIN_NORMALIZATION_FORWARD, NULL, "save_inv_dev", "statDesc", "saveInvDev"},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, NULL, "save_inv_dev", "statDesc", "saveInvDev"},
    {ANYDNN_PLUGIN_NORMALIZATION_FORWARD, NULL, "save_mean", "statDesc", "saveMean"},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, NULL, "save_mean", "statDesc", "saveMean"},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, NULL, "dscale", "scaleDesc", "dscale"},
    {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD, NULL, "dbias", "biasDesc", "dbias"},
    {ANYDNN_PLUGIN_CTC_LOSS, NULL, "label_lengths", NULL, "labelLengths"},
    {ANYDNN_PLUGIN_CTC_LOSS, NULL, "input_lengths", NULL, "inputLengths"},
};

const union adn_call_blank adn_call_blank;

static const char *const backward_factors[] = {"alphaDataDiff", "betaDataDiff", "alphaParamDiff",
                                               "betaParamDiff"};
static const char *const sampler_factors[] = {"alpha", "beta", "alphaDgrid", "betaDgrid"};

/* Returns the name of the argument that holds the operand's pointer, or its descriptor. */
static const char *argument_of(const struct adn_call *call, int slot, int desc, char *made,
                               size_t size)
{
    const char *role = adn_problem_operation(call->operation)->slot[slot].role;

    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
        if (arguments[i].operation == call->operation && strcmp(arguments[i].role, role) == 0 &&
            (!arguments[i].form || strstr(call->entry, arguments[i].form)))
            return desc ? arguments[i].desc : arguments[i].data;
    snprintf(made, size, "%s%s", role, desc ? "Desc" : "");
    return made;
}

static const char *factor_of(const struct adn_call *call, int index)
{
    if (call->operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD)
        return backward_factors[index];
    if (call->operation == ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD)
        return sampler_factors[index];
    return adn_problem_operation(call->operation)->scale[index].name;
}

anydnnStatus_t adn_call_report_refused(const struct adn_call *call, struct adn_refused refused)
{
    const char *name = call->entry;
    char made[40];

    switch (refused.rule) {
    case ADN_REFUSED_DATA:
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: %s is NULL; it must point to the operand's first element", name,
                        argument_of(call, refused.number, 0, made, sizeof(made)));
    case ADN_REFUSED_SCALE:
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: %s is NULL; it must point to a factor in host memory", name,
                        factor_of(call, refused.number));
    case ADN_REFUSED_ALGORITHM:
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: algo is %d; this direction does not have that algorithm", name,
                        refused.number);
    case ADN_REFUSED_OPERAND:
        return adn_desc_complain(name, argument_of(call, refused.number, 1, made, sizeof(made)),
                                 refused.desc, refused.kind);
    case ADN_REFUSED_DESCRIPTOR:
    case ADN_REFUSED_NOTHING:
        break;
    }
    return adn_desc_complain(name, refused.argument, refused.desc, refused.kind);
}

anydnnStatus_t adn_call_run_closely(anydnnHandle_t handle, struct adn_call *call)
{
    ADN_MESSAGES_SCOPE;
    anydnnStatus_t status = adn_handle_complain_call(handle, call->entry);

    return status == ANYDNN_STATUS_SUCCESS ? adn_dispatch_run(handle, call) : status;
}
