/* SPDX-License-Identifier: Apache-2.0 */
/* The size queries of the Ex forms of batch normalization. The reserve is anydnn's own format, one
 * bit per element; the workspace is the plan's. */
#include "api/call.h"

#include "desc/shape.h"
#include "sys/error.h"

static anydnnStatus_t check_query(anydnnHandle_t handle, const char *name,
                                  const size_t *sizeInBytes, int mode, int ops)
{
    anydnnStatus_t status = adn_handle_check(handle, name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!sizeInBytes)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: sizeInBytes is NULL", name);
    if (mode < 0 || mode > 2)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: mode is %d; it must be an anydnnBatchNormMode_t, 0 to 2", name, mode);
    if (ops < 0 || ops > 2)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: bnOps is %d; it must be an anydnnBatchNormOps_t, 0 to 2", name, ops);
    return ANYDNN_STATUS_SUCCESS;
}

static void query_params(const struct adn_call *call, union kit_params *params)
{
    params->batch_normalization = *(const struct anydnn_plugin_batch_normalization *)call->extra;
}

static void fill_params(struct adn_entry *entry, struct anydnn_plugin_batch_normalization *params,
                        int mode, int ops, const struct anydnnActivationStruct *activation)
{
    entry->call->extra = params;
    entry->call->params = query_params;
    memset(params, 0, sizeof(*params));
    params->mode = mode;
    params->ops = ops;
    params->epsilon = 1e-5;
    params->activation = ANYDNN_ACTIVATION_RELU;
    if (ops != ANYDNN_BATCHNORM_OPS_BN) {
        activation =
            adn_call_descriptor(entry, ADN_DESC_ACTIVATION, "activationDesc", activation, 0);
        params->activation = activation->a.mode;
        params->nan_propagate = activation->a.nan_propagate;
        params->coef = activation->a.coef;
    }
}

static void put_reserve(struct adn_entry *entry, int slot, struct anydnn_plugin_tensor *reserve,
                        const struct anydnn_plugin_tensor *x)
{
    adn_shape_of_bytes(reserve, adn_shape_bit_bytes(x));
    adn_call_put(entry, slot, reserve, NULL);
}

anydnnStatus_t anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t zDesc, anydnnTensorDescriptor_t yDesc,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, anydnnActivationDescriptor_t activationDesc,
    size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize";
    struct anydnn_plugin_batch_normalization params;
    struct anydnn_plugin_tensor reserve;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = check_query(handle, name, sizeInBytes, (int)mode, (int)bnOps);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(&entry, &call, name, ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING);
    adn_call_shape(&entry, 0, xDesc);
    adn_call_shape(&entry, 6, yDesc);
    adn_call_shape(&entry, 1, bnScaleBiasMeanVarDesc);
    /* Usual training keeps both running and saved statistics. */
    for (int slot = 2; slot <= 8; slot++)
        if (slot != 3 && slot != 6)
            adn_call_put(&entry, slot, call.tensor[1], NULL);
    if (bnOps == ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
        adn_call_shape(&entry, 3, zDesc);
    if (bnOps != ANYDNN_BATCHNORM_OPS_BN)
        put_reserve(&entry, 9, &reserve, call.tensor[0]);
    fill_params(&entry, &params, (int)mode, (int)bnOps, activationDesc);
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnGetBatchNormalizationBackwardExWorkspaceSize(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t yDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnTensorDescriptor_t dzDesc, anydnnTensorDescriptor_t dxDesc,
    anydnnTensorDescriptor_t dBnScaleBiasDesc, anydnnActivationDescriptor_t activationDesc,
    size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetBatchNormalizationBackwardExWorkspaceSize";
    struct anydnn_plugin_batch_normalization params;
    struct anydnn_plugin_tensor reserve;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = check_query(handle, name, sizeInBytes, (int)mode, (int)bnOps);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(&entry, &call, name, ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD);
    adn_call_shape(&entry, 0, xDesc);
    adn_call_shape(&entry, 1, dyDesc);
    adn_call_shape(&entry, 8, dxDesc);
    adn_call_shape(&entry, 3, dBnScaleBiasDesc);
    for (int slot = 4; slot <= 11; slot++)
        if (slot == 5 || slot == 6 || slot >= 10 || (slot == 4 && bnOps != ANYDNN_BATCHNORM_OPS_BN))
            adn_call_put(&entry, slot, call.tensor[3], NULL);
    if (bnOps != ANYDNN_BATCHNORM_OPS_BN) {
        adn_call_shape(&entry, 2, yDesc);
        put_reserve(&entry, 7, &reserve, call.tensor[0]);
    }
    if (bnOps == ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
        adn_call_shape(&entry, 9, dzDesc);
    fill_params(&entry, &params, (int)mode, (int)bnOps, activationDesc);
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnGetBatchNormalizationTrainingExReserveSpaceSize(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
    size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetBatchNormalizationTrainingExReserveSpaceSize";
    anydnnStatus_t status = check_query(handle, name, sizeInBytes, (int)mode, (int)bnOps);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!adn_desc_usable(xDesc, ADN_DESC_TENSOR))
        return adn_desc_complain(name, "xDesc", xDesc, ADN_DESC_TENSOR);
    if (bnOps != ANYDNN_BATCHNORM_OPS_BN && !adn_desc_usable(activationDesc, ADN_DESC_ACTIVATION))
        return adn_desc_complain(name, "activationDesc", activationDesc, ADN_DESC_ACTIVATION);
    *sizeInBytes = bnOps == ANYDNN_BATCHNORM_OPS_BN ? 0 : (size_t)adn_shape_bit_bytes(&xDesc->t);
    return ANYDNN_STATUS_SUCCESS;
}
