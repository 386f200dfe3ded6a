/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of layer, group, instance and RMS normalization. Their queries state with descriptors
 * which operands a call has. */
#include "api/call.h"

#include "problem/kinds.h"
#include "sys/error.h"

#define FORWARD(name)  slot_normalization_forward_##name
#define BACKWARD(name) slot_normalization_backward_##name

static void norm_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnNormalizationStruct *desc = call->descriptor[0];
    const struct anydnnActivationStruct *activation = call->descriptor[1];
    struct anydnn_plugin_normalization *norm = &params->normalization;

    *norm = desc->n;
    norm->compute_type = call->tensor[FORWARD(x)]->type == ANYDNN_PLUGIN_DOUBLE
                             ? ANYDNN_PLUGIN_DOUBLE
                             : ANYDNN_PLUGIN_FLOAT;
    norm->activation = ANYDNN_PLUGIN_ACTIVATION_IDENTITY;
    if (activation) {
        norm->activation = activation->a.mode;
        norm->nan_propagate = activation->a.nan_propagate;
        norm->coef = activation->a.coef;
    }
    adn_normalization_settle_kind(norm, call->tensor[FORWARD(x)]);
}

/* Puts the two descriptors of the operation. NULL means no activation. */
static inline void take_settings(struct adn_entry *entry, anydnnNormalizationDescriptor_t desc,
                                 anydnnActivationDescriptor_t activation)
{
    entry->call->params = norm_params;
    entry->call->descriptor[1] = NULL;
    adn_call_descriptor(entry, ADN_DESC_NORMALIZATION, "normDesc", desc, 0);
    if (activation)
        adn_call_descriptor(entry, ADN_DESC_ACTIVATION, "activationDesc", activation, 1);
    else
        adn_call_key(entry, 0);
}

/* Puts two operands that share a descriptor, each of which may be NULL. */
static inline void take_pair(struct adn_entry *entry, int slot, int other,
                             anydnnTensorDescriptor_t desc, const void *pointer,
                             const void *other_pointer)
{
    const struct anydnn_plugin_tensor *tensor;

    if (!pointer && !other_pointer) {
        adn_call_key(entry, 0);
        return;
    }
    tensor = adn_call_take_tensor(entry, pointer ? slot : other, desc);
    adn_call_optional(entry, slot, tensor, pointer);
    adn_call_optional(entry, other, tensor, other_pointer);
}

/* Puts a parameter of a backward query if `is_read`, and its gradient if `has_gradient`. They share
 * a descriptor, which adds one word to the key: with two, a query of all operands would exceed it.
 */
static void shape_parameter(struct adn_entry *entry, int slot, int gradient,
                            anydnnTensorDescriptor_t desc, int is_read, int has_gradient)
{
    const struct anydnn_plugin_tensor *tensor;

    if (!is_read && !has_gradient)
        return;
    tensor = adn_call_take_tensor(entry, gradient, desc);
    if (is_read)
        adn_call_put(entry, slot, tensor, NULL);
    if (has_gradient)
        adn_call_put(entry, gradient, tensor, NULL);
}

static void shape_saved(struct adn_entry *entry, int mean, int deviation,
                        anydnnNormalizationDescriptor_t norm, anydnnTensorDescriptor_t desc)
{
    if (!desc)
        return;
    adn_call_shape(entry, deviation, desc);
    if (adn_call_accepted(entry) && norm->n.kind != ANYDNN_NORMALIZATION_RMS)
        adn_call_put(entry, mean, &desc->t, NULL);
}

static anydnnStatus_t check_query(anydnnHandle_t handle, const char *name,
                                  const size_t *sizeInBytes)
{
    anydnnStatus_t status = adn_handle_check(handle, name);

    if (status == ANYDNN_STATUS_SUCCESS && !sizeInBytes)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: sizeInBytes is NULL", name);
    return status;
}

anydnnStatus_t anydnnGetNormalizationForwardWorkspaceSize(
    anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
    anydnnTensorDescriptor_t scaleDesc, anydnnTensorDescriptor_t biasDesc,
    anydnnTensorDescriptor_t zDesc, anydnnTensorDescriptor_t yDesc,
    anydnnTensorDescriptor_t sumDesc, anydnnTensorDescriptor_t statDesc, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetNormalizationForwardWorkspaceSize";
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = check_query(handle, name, sizeInBytes);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(&entry, &call, name, ANYDNN_PLUGIN_NORMALIZATION_FORWARD);
    take_settings(&entry, normDesc, activationDesc);
    adn_call_shape(&entry, FORWARD(x), xDesc);
    adn_call_shape_optional(&entry, FORWARD(scale), scaleDesc);
    adn_call_shape_optional(&entry, FORWARD(bias), biasDesc);
    adn_call_shape_optional(&entry, FORWARD(z), zDesc);
    adn_call_shape(&entry, FORWARD(y), yDesc);
    adn_call_shape_optional(&entry, FORWARD(sum), sumDesc);
    shape_saved(&entry, FORWARD(save_mean), FORWARD(save_inv_dev), normDesc, statDesc);
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnNormalizationForward(
    anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t scaleDesc, const void *scale, anydnnTensorDescriptor_t biasDesc,
    const void *bias, anydnnTensorDescriptor_t zDesc, const void *z, anydnnTensorDescriptor_t yDesc,
    void *y, anydnnTensorDescriptor_t sumDesc, void *sum, anydnnTensorDescriptor_t statDesc,
    void *saveMean, void *saveInvDev, void *workspace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnNormalizationForward",
                   ANYDNN_PLUGIN_NORMALIZATION_FORWARD);
    take_settings(&entry, normDesc, activationDesc);
    adn_call_tensor(&entry, FORWARD(x), xDesc, x);
    adn_call_take_optional(&entry, FORWARD(scale), scaleDesc, scale);
    adn_call_take_optional(&entry, FORWARD(bias), biasDesc, bias);
    adn_call_take_optional(&entry, FORWARD(z), zDesc, z);
    adn_call_tensor(&entry, FORWARD(y), yDesc, y);
    adn_call_take_optional(&entry, FORWARD(sum), sumDesc, sum);
    take_pair(&entry, FORWARD(save_inv_dev), FORWARD(save_mean), statDesc, saveInvDev, saveMean);
    adn_call_workspace(&entry, workspace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnGetNormalizationBackwardWorkspaceSize(
    anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
    anydnnTensorDescriptor_t dyDesc, anydnnTensorDescriptor_t scaleDesc,
    anydnnTensorDescriptor_t biasDesc, anydnnTensorDescriptor_t statDesc,
    anydnnTensorDescriptor_t dsumDesc, anydnnTensorDescriptor_t dxDesc, int withScale, int withBias,
    size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetNormalizationBackwardWorkspaceSize";
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = check_query(handle, name, sizeInBytes);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(&entry, &call, name, ANYDNN_PLUGIN_NORMALIZATION_BACKWARD);
    take_settings(&entry, normDesc, activationDesc);
    adn_call_shape(&entry, BACKWARD(x), xDesc);
    adn_call_shape(&entry, BACKWARD(dy), dyDesc);
    shape_parameter(&entry, BACKWARD(scale), BACKWARD(dscale), scaleDesc, scaleDesc != NULL,
                    withScale);
    shape_parameter(&entry, BACKWARD(bias), BACKWARD(dbias), biasDesc,
                    biasDesc != NULL && activationDesc != NULL, withBias);
    shape_saved(&entry, BACKWARD(save_mean), BACKWARD(save_inv_dev), normDesc, statDesc);
    adn_call_shape_optional(&entry, BACKWARD(dsum), dsumDesc);
    adn_call_shape(&entry, BACKWARD(dx), dxDesc);
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnNormalizationBackward(
    anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnTensorDescriptor_t scaleDesc,
    const void *scale, anydnnTensorDescriptor_t biasDesc, const void *bias,
    anydnnTensorDescriptor_t statDesc, const void *saveMean, const void *saveInvDev,
    anydnnTensorDescriptor_t dsumDesc, const void *dsum, anydnnTensorDescriptor_t dxDesc, void *dx,
    void *dscale, void *dbias, void *workspace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnNormalizationBackward",
                   ANYDNN_PLUGIN_NORMALIZATION_BACKWARD);
    take_settings(&entry, normDesc, activationDesc);
    adn_call_tensor(&entry, BACKWARD(x), xDesc, x);
    adn_call_tensor(&entry, BACKWARD(dy), dyDesc, dy);
    take_pair(&entry, BACKWARD(scale), BACKWARD(dscale), scaleDesc, scale, dscale);
    take_pair(&entry, BACKWARD(bias), BACKWARD(dbias), biasDesc, activationDesc ? bias : NULL,
              dbias);
    take_pair(&entry, BACKWARD(save_inv_dev), BACKWARD(save_mean), statDesc, saveInvDev, saveMean);
    adn_call_take_optional(&entry, BACKWARD(dsum), dsumDesc, dsum);
    adn_call_tensor(&entry, BACKWARD(dx), dxDesc, dx);
    adn_call_workspace(&entry, workspace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}
