/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of element-wise operations on tensors: transform, add, op, set, scale. */
#include "api/call.h"

#include "sys/error.h"

static void transform_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnTensorTransformStruct *desc = call->descriptor[0];

    params->transform = desc->x;
}

static void op_tensor_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnOpTensorStruct *desc = call->descriptor[0];

    params->op_tensor = desc->o;
}

anydnnStatus_t anydnnTransformTensor(anydnnHandle_t handle, const void *alpha,
                                     anydnnTensorDescriptor_t xDesc, const void *x,
                                     const void *beta, anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnTransformTensor", ANYDNN_PLUGIN_TRANSFORM_TENSOR);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    return adn_call_run(handle, &entry);
}

/* Runs a transform. Padding or folding writes elements without a source element, so blending with
 * beta has no meaning there. */
static anydnnStatus_t run_transform(anydnnHandle_t handle, struct adn_entry *entry)
{
    const struct anydnnTensorTransformStruct *desc = entry->call->descriptor[0];
    int32_t ndims = entry->call->tensor[0]->ndims;
    int plain = 1;

    if (!adn_call_accepted(entry))
        return adn_call_report(entry);
    if (desc->ndims != ndims)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: transDesc has %d dims and the source %d; they must agree",
                        entry->call->entry, (int)desc->ndims, (int)ndims);
    for (int32_t i = 0; i < ndims; i++)
        plain &= desc->x.pad_before[i] == 0 && desc->x.pad_after[i] == 0 &&
                 (i < 2 || desc->x.fold[i - 2] == 1);
    if (!plain && (entry->call->operands.scale[0] != 1 || entry->call->operands.scale[1] != 0))
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "%s: alpha is %g and beta is %g; with padding or folding they must be 1 and 0",
            entry->call->entry, entry->call->operands.scale[0], entry->call->operands.scale[1]);
    entry->call->params = transform_params;
    return adn_call_run(handle, entry);
}

anydnnStatus_t anydnnTransformTensorEx(anydnnHandle_t handle,
                                       anydnnTensorTransformDescriptor_t transDesc,
                                       const void *alpha, anydnnTensorDescriptor_t srcDesc,
                                       const void *srcData, const void *beta,
                                       anydnnTensorDescriptor_t destDesc, void *destData)
{
    ADN_ENTRY_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnTransformTensorEx", ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX);
    adn_call_descriptor(&entry, ADN_DESC_TENSOR_TRANSFORM, "transDesc", transDesc, 0);
    adn_call_tensor(&entry, 0, srcDesc, srcData);
    adn_call_tensor(&entry, 1, destDesc, destData);
    adn_call_blend(&entry, alpha, beta);
    return run_transform(handle, &entry);
}

anydnnStatus_t anydnnTransformFilter(anydnnHandle_t handle,
                                     anydnnTensorTransformDescriptor_t transDesc, const void *alpha,
                                     anydnnFilterDescriptor_t srcDesc, const void *srcData,
                                     const void *beta, anydnnFilterDescriptor_t destDesc,
                                     void *destData)
{
    ADN_ENTRY_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnTransformFilter", ANYDNN_PLUGIN_TRANSFORM_FILTER);
    adn_call_descriptor(&entry, ADN_DESC_TENSOR_TRANSFORM, "transDesc", transDesc, 0);
    adn_call_filter(&entry, 0, srcDesc, srcData);
    adn_call_filter(&entry, 1, destDesc, destData);
    adn_call_blend(&entry, alpha, beta);
    return run_transform(handle, &entry);
}

anydnnStatus_t anydnnAddTensor(anydnnHandle_t handle, const void *alpha,
                               anydnnTensorDescriptor_t aDesc, const void *A, const void *beta,
                               anydnnTensorDescriptor_t cDesc, void *C)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnAddTensor", ANYDNN_PLUGIN_ADD_TENSOR);
    adn_call_tensor(&entry, 0, aDesc, A);
    adn_call_tensor(&entry, 1, cDesc, C);
    adn_call_blend(&entry, alpha, beta);
    return adn_call_run(handle, &entry);
}

/* Returns 1 if the operation reads b. sqrt and not have one input, and programs written for cuDNN
 * may pass anything for b then. */
static int takes_b(const struct anydnnOpTensorStruct *desc)
{
    return desc->o.op != ANYDNN_OP_TENSOR_SQRT && desc->o.op != ANYDNN_OP_TENSOR_NOT;
}

anydnnStatus_t anydnnOpTensor(anydnnHandle_t handle, anydnnOpTensorDescriptor_t opTensorDesc,
                              const void *alpha1, anydnnTensorDescriptor_t aDesc, const void *A,
                              const void *alpha2, anydnnTensorDescriptor_t bDesc, const void *B,
                              const void *beta, anydnnTensorDescriptor_t cDesc, void *C)
{
    ADN_FLOAT_SCOPE;
    const struct anydnnOpTensorStruct *desc;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnOpTensor", ANYDNN_PLUGIN_OP_TENSOR);
    desc = adn_call_descriptor(&entry, ADN_DESC_OP_TENSOR, "opTensorDesc", opTensorDesc, 0);
    adn_call_tensor(&entry, 0, aDesc, A);
    if (takes_b(desc)) {
        adn_call_tensor(&entry, 1, bDesc, B);
        adn_call_scale(&entry, 1, alpha2);
    } else {
        adn_call_substitute(&entry, 1, 0);
    }
    adn_call_tensor(&entry, 2, cDesc, C);
    adn_call_scale(&entry, 0, alpha1);
    adn_call_scale(&entry, 2, beta);
    call.params = op_tensor_params;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnSetTensor(anydnnHandle_t handle, anydnnTensorDescriptor_t yDesc, void *y,
                               const void *valuePtr)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnSetTensor", ANYDNN_PLUGIN_SET_TENSOR);
    adn_call_tensor(&entry, 0, yDesc, y);
    if (!valuePtr && adn_call_accepted(&entry))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnSetTensor: valuePtr is NULL; it must point "
                                                 "to one element of y's type in host memory");
    call.operands.value = valuePtr;
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnScaleTensor(anydnnHandle_t handle, anydnnTensorDescriptor_t yDesc, void *y,
                                 const void *alpha)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnScaleTensor", ANYDNN_PLUGIN_SCALE_TENSOR);
    adn_call_tensor(&entry, 0, yDesc, y);
    adn_call_scale(&entry, 0, alpha);
    return adn_call_run(handle, &entry);
}
