/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of batch normalization. The plain forms are the Ex forms with the plain operation. */
#include "api/call.h"

#include "desc/shape.h"
#include "sys/error.h"

/* The parameters of the operation, from arguments and from the activation's descriptor. */
struct settings {
    int32_t mode;
    int32_t ops;
    double epsilon;
    const struct anydnnActivationStruct *activation; /* NULL: none */
};

static void norm_params(const struct adn_call *call, union kit_params *params)
{
    const struct settings *settings = call->extra;

    params->batch_normalization.mode = settings->mode;
    params->batch_normalization.ops = settings->ops;
    params->batch_normalization.epsilon = settings->epsilon;
    params->batch_normalization.activation = ANYDNN_ACTIVATION_RELU;
    if (settings->activation) {
        params->batch_normalization.activation = settings->activation->a.mode;
        params->batch_normalization.nan_propagate = settings->activation->a.nan_propagate;
        params->batch_normalization.coef = settings->activation->a.coef;
    }
}

/* Adds the settings to the call. The activation descriptor is used only if the operation has an
 * activation. */
static void take_settings(struct adn_entry *entry, struct settings *settings,
                          anydnnActivationDescriptor_t activation)
{
    entry->call->extra = settings;
    entry->call->params = norm_params;
    adn_call_key(entry, (uint64_t)(uint32_t)settings->mode << 32 | (uint32_t)settings->ops);
    adn_call_key_double(entry, settings->epsilon);
    settings->activation = NULL;
    if (settings->ops != ANYDNN_BATCHNORM_OPS_BN)
        settings->activation =
            adn_call_descriptor(entry, ADN_DESC_ACTIVATION, "activationDesc", activation, 0);
}

static void take_reserve(struct adn_entry *entry, int slot, struct anydnn_plugin_tensor *reserve,
                         void *data, size_t bytes)
{
    adn_shape_of_bytes(reserve, (int64_t)bytes);
    adn_call_key(entry, bytes);
    if (bytes > 0)
        adn_call_optional(entry, slot, reserve, data);
}

static anydnnStatus_t
run_training(anydnnHandle_t handle, struct adn_entry *entry, struct settings *settings,
             const void *alpha, const void *beta, anydnnTensorDescriptor_t xDesc, const void *x,
             anydnnTensorDescriptor_t zDesc, const void *z, anydnnTensorDescriptor_t yDesc, void *y,
             anydnnTensorDescriptor_t paramDesc, const void *scale, const void *bias, double factor,
             void *running_mean, void *running_var, void *save_mean, void *save_inv_var,
             anydnnActivationDescriptor_t activation, void *reserve, size_t reserve_bytes)
{
    struct anydnn_plugin_tensor reserve_tensor;
    const struct anydnn_plugin_tensor *param;

    adn_call_tensor(entry, 0, xDesc, x);
    adn_call_tensor(entry, 1, paramDesc, scale);
    param = entry->call->tensor[1];
    adn_call_data(entry, 2, param, bias);
    adn_call_tensor(entry, 6, yDesc, y);
    adn_call_optional(entry, 4, param, running_mean);
    adn_call_optional(entry, 5, param, running_var);
    adn_call_optional(entry, 7, param, save_mean);
    adn_call_optional(entry, 8, param, save_inv_var);
    adn_call_blend(entry, alpha, beta);
    if (settings->ops == ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
        adn_call_tensor(entry, 3, zDesc, z);
    take_settings(entry, settings, activation);
    if (settings->ops != ANYDNN_BATCHNORM_OPS_BN)
        take_reserve(entry, 9, &reserve_tensor, reserve, reserve_bytes);
    if (!(factor >= 0 && factor <= 1) && adn_call_accepted(entry))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: exponentialAverageFactor is %g; it must be 0 to 1", entry->call->entry,
                        factor);
    entry->call->operands.number[0] = factor;
    return adn_call_run(handle, entry);
}

anydnnStatus_t anydnnBatchNormalizationForwardTraining(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, const void *alpha, const void *beta,
    anydnnTensorDescriptor_t xDesc, const void *x, anydnnTensorDescriptor_t yDesc, void *y,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    double exponentialAverageFactor, void *resultRunningMean, void *resultRunningVariance,
    double epsilon, void *resultSaveMean, void *resultSaveInvVariance)
{
    ADN_ENTRY_SCOPE;
    struct settings settings = {(int32_t)mode, ANYDNN_BATCHNORM_OPS_BN, epsilon, NULL};
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnBatchNormalizationForwardTraining",
                   ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING);
    return run_training(handle, &entry, &settings, alpha, beta, xDesc, x, NULL, NULL, yDesc, y,
                        bnScaleBiasMeanVarDesc, bnScale, bnBias, exponentialAverageFactor,
                        resultRunningMean, resultRunningVariance, resultSaveMean,
                        resultSaveInvVariance, NULL, NULL, 0);
}

anydnnStatus_t anydnnBatchNormalizationForwardTrainingEx(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    const void *alpha, const void *beta, anydnnTensorDescriptor_t xDesc, const void *xData,
    anydnnTensorDescriptor_t zDesc, const void *zData, anydnnTensorDescriptor_t yDesc, void *yData,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    double exponentialAverageFactor, void *resultRunningMean, void *resultRunningVariance,
    double epsilon, void *resultSaveMean, void *resultSaveInvVariance,
    anydnnActivationDescriptor_t activationDesc, void *workspace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct settings settings = {(int32_t)mode, (int32_t)bnOps, epsilon, NULL};
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnBatchNormalizationForwardTrainingEx",
                   ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING);
    adn_call_workspace(&entry, workspace, workSpaceSizeInBytes);
    return run_training(handle, &entry, &settings, alpha, beta, xDesc, xData, zDesc, zData, yDesc,
                        yData, bnScaleBiasMeanVarDesc, bnScale, bnBias, exponentialAverageFactor,
                        resultRunningMean, resultRunningVariance, resultSaveMean,
                        resultSaveInvVariance, activationDesc, reserveSpace,
                        reserveSpaceSizeInBytes);
}

anydnnStatus_t anydnnBatchNormalizationForwardInference(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, const void *alpha, const void *beta,
    anydnnTensorDescriptor_t xDesc, const void *x, anydnnTensorDescriptor_t yDesc, void *y,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    const void *estimatedMean, const void *estimatedVariance, double epsilon)
{
    ADN_FLOAT_SCOPE;
    struct settings settings = {(int32_t)mode, ANYDNN_BATCHNORM_OPS_BN, epsilon, NULL};
    const struct anydnn_plugin_tensor *param;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnBatchNormalizationForwardInference",
                   ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, bnScaleBiasMeanVarDesc, bnScale);
    param = call.tensor[1];
    adn_call_data(&entry, 2, param, bnBias);
    adn_call_data(&entry, 3, param, estimatedMean);
    adn_call_data(&entry, 4, param, estimatedVariance);
    adn_call_tensor(&entry, 5, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    take_settings(&entry, &settings, NULL);
    return adn_call_run(handle, &entry);
}

/* The operands of the backward forms. y, dz, bias and the reserve are used only with an activation.
 */
struct backward {
    anydnnTensorDescriptor_t xDesc;
    const void *x;
    anydnnTensorDescriptor_t yDesc;
    const void *y;
    anydnnTensorDescriptor_t dyDesc;
    const void *dy;
    anydnnTensorDescriptor_t dzDesc;
    void *dz;
    anydnnTensorDescriptor_t dxDesc;
    void *dx;
    anydnnTensorDescriptor_t paramDesc;
    const void *scale;
    const void *bias;
    void *dscale;
    void *dbias;
    const void *save_mean;
    const void *save_inv_var;
    void *reserve;
    size_t reserve_bytes;
};

/* Returns 1 if the reserve holds everything that the gradient needs of y. */
static int is_kept(const struct anydnnActivationStruct *activation)
{
    return activation->a.mode == ANYDNN_ACTIVATION_RELU ||
           activation->a.mode == ANYDNN_ACTIVATION_CLIPPED_RELU;
}

static anydnnStatus_t run_backward(anydnnHandle_t handle, struct adn_entry *entry,
                                   struct settings *settings, const struct backward *with,
                                   anydnnActivationDescriptor_t activation,
                                   const void *const scales[4])
{
    struct anydnn_plugin_tensor reserve;
    const struct anydnn_plugin_tensor *param;

    adn_call_tensor(entry, 0, with->xDesc, with->x);
    adn_call_tensor(entry, 1, with->dyDesc, with->dy);
    adn_call_tensor(entry, 3, with->paramDesc, with->scale);
    param = entry->call->tensor[3];
    adn_call_optional(entry, 5, param, with->save_mean);
    adn_call_optional(entry, 6, param, with->save_inv_var);
    adn_call_tensor(entry, 8, with->dxDesc, with->dx);
    adn_call_data(entry, 10, param, with->dscale);
    adn_call_data(entry, 11, param, with->dbias);
    for (int i = 0; i < 4; i++)
        adn_call_scale(entry, i, scales[i]);
    take_settings(entry, settings, activation);
    if (settings->ops != ANYDNN_BATCHNORM_OPS_BN) {
        if (with->y || !is_kept(settings->activation))
            adn_call_tensor(entry, 2, with->yDesc, with->y);
        else
            adn_call_key(entry, 0);
        adn_call_data(entry, 4, param, with->bias);
        take_reserve(entry, 7, &reserve, with->reserve, with->reserve_bytes);
    }
    if (settings->ops == ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
        adn_call_tensor(entry, 9, with->dzDesc, with->dz);
    return adn_call_run(handle, entry);
}

anydnnStatus_t anydnnBatchNormalizationBackward(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, const void *alphaDataDiff,
    const void *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff,
    anydnnTensorDescriptor_t xDesc, const void *x, anydnnTensorDescriptor_t dyDesc, const void *dy,
    anydnnTensorDescriptor_t dxDesc, void *dx, anydnnTensorDescriptor_t dBnScaleBiasDesc,
    const void *bnScale, void *dBnScaleResult, void *dBnBiasResult, double epsilon,
    const void *savedMean, const void *savedInvVariance)
{
    ADN_ENTRY_SCOPE;
    const void *const scales[4] = {alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff};
    struct settings settings = {(int32_t)mode, ANYDNN_BATCHNORM_OPS_BN, epsilon, NULL};
    struct backward with = {.xDesc = xDesc,
                            .x = x,
                            .dyDesc = dyDesc,
                            .dy = dy,
                            .dxDesc = dxDesc,
                            .dx = dx,
                            .paramDesc = dBnScaleBiasDesc,
                            .scale = bnScale,
                            .dscale = dBnScaleResult,
                            .dbias = dBnBiasResult,
                            .save_mean = savedMean,
                            .save_inv_var = savedInvVariance};
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnBatchNormalizationBackward",
                   ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD);
    return run_backward(handle, &entry, &settings, &with, NULL, scales);
}

anydnnStatus_t anydnnBatchNormalizationBackwardEx(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, anydnnTensorDescriptor_t xDesc, const void *xData,
    anydnnTensorDescriptor_t yDesc, const void *yData, anydnnTensorDescriptor_t dyDesc,
    const void *dyData, anydnnTensorDescriptor_t dzDesc, void *dzData,
    anydnnTensorDescriptor_t dxDesc, void *dxData, anydnnTensorDescriptor_t dBnScaleBiasDesc,
    const void *bnScaleData, const void *bnBiasData, void *dBnScaleData, void *dBnBiasData,
    double epsilon, const void *savedMean, const void *savedInvVariance,
    anydnnActivationDescriptor_t activationDesc, void *workSpace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    const void *const scales[4] = {alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff};
    struct settings settings = {(int32_t)mode, (int32_t)bnOps, epsilon, NULL};
    struct backward with = {xDesc,
                            xData,
                            yDesc,
                            yData,
                            dyDesc,
                            dyData,
                            dzDesc,
                            dzData,
                            dxDesc,
                            dxData,
                            dBnScaleBiasDesc,
                            bnScaleData,
                            bnBiasData,
                            dBnScaleData,
                            dBnBiasData,
                            savedMean,
                            savedInvVariance,
                            reserveSpace,
                            reserveSpaceSizeInBytes};
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnBatchNormalizationBackwardEx",
                   ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD);
    adn_call_workspace(&entry, workSpace, workSpaceSizeInBytes);
    return run_backward(handle, &entry, &settings, &with, activationDesc, scales);
}
