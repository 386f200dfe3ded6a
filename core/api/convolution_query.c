/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about convolutions: workspace sizes, how many algorithms there are, and which to
 * take. */
#include "api/search.h"

#include "problem/params.h"
#include "sys/error.h"

/* Modes that a result of Get or Find may carry: default, tensor_op, allow_conversion, split. */
#define MATH_TYPES 4

/* Begins the call of a query for the workspace of one algorithm. */
static anydnnStatus_t begin_size(anydnnHandle_t handle, const struct adn_question *question,
                                 int algorithm, const size_t *sizeInBytes, struct adn_entry *entry,
                                 struct adn_call *call)
{
    anydnnStatus_t status = adn_handle_check(handle, question->name);

    if (status == ANYDNN_STATUS_SUCCESS && !sizeInBytes)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: sizeInBytes is NULL", question->name);
    if (status == ANYDNN_STATUS_SUCCESS)
        adn_question_call(entry, call, question, &algorithm);
    return status;
}

static anydnnStatus_t query_size(anydnnHandle_t handle, const struct adn_question *question,
                                 int algorithm, size_t *sizeInBytes)
{
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = begin_size(handle, question, algorithm, sizeInBytes, &entry, &call);

    return status == ANYDNN_STATUS_SUCCESS ? adn_call_query_workspace(handle, &entry, sizeInBytes)
                                           : status;
}

/* The need of the fused convolution on these operands, with or without z. */
static anydnnStatus_t fused_need(anydnnHandle_t handle, const struct adn_call *plain, int with_z,
                                 size_t *need)
{
    struct anydnnActivationStruct relu = {
        .a = {.struct_size = sizeof(relu.a), .mode = ANYDNN_ACTIVATION_RELU}};
    struct anydnn_plugin_tensor bias = *plain->tensor[2];
    int32_t type = adn_problem_bias_type(bias.type);
    struct adn_call call = *plain;

    bias.type = type;
    for (int32_t i = 0; i < bias.ndims; i++) {
        if (i != 1)
            bias.dims[i] = 1;
        bias.strides[i] = i == 0 ? bias.dims[1] : 1;
    }
    call.operation = ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;
    call.params = adn_convolution_fused_params;
    call.descriptor[1] = &relu;
    call.present = with_z ? 0x1f : 0x1b;
    call.tensor[3] = &bias;
    call.tensor[4] = plain->tensor[2];
    return adn_dispatch_workspace(handle, &call, need);
}

/* As in cuDNN one query serves the plain and the fused convolution, so it answers the larger need.
 */
anydnnStatus_t anydnnGetConvolutionForwardWorkspaceSize(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc,
    anydnnConvolutionFwdAlgo_t algo, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_FORWARD, xDesc, wDesc, yDesc, convDesc);
    struct adn_refusal refusal, fused;
    struct adn_call call;
    struct adn_entry entry;
    size_t need[3] = {0, 0, 0};
    int able;
    anydnnStatus_t status = begin_size(handle, &question, (int)algo, sizeInBytes, &entry, &call);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!adn_call_accepted(&entry))
        return adn_call_report(&entry);
    adn_call_operands_end(&entry);
    /* What is answered is why the plain convolution does not run, if none runs. */
    adn_refusal_begin(&refusal);
    status = adn_dispatch_workspace(handle, &call, &need[0]);
    adn_refusal_end(&refusal);
    if (status == ANYDNN_STATUS_BAD_PARAM)
        return adn_refusal_publish(&refusal);
    able = status == ANYDNN_STATUS_SUCCESS;
    adn_refusal_begin(&fused);
    for (int i = 1; i < 3; i++) {
        able |= fused_need(handle, &call, i - 1, &need[i]) == ANYDNN_STATUS_SUCCESS;
        need[0] = need[i] > need[0] ? need[i] : need[0];
    }
    adn_refusal_end(&fused);
    if (!able)
        return adn_refusal_publish(&refusal);
    *sizeInBytes = need[0];
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetConvolutionBackwardDataWorkspaceSize(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc,
    anydnnConvolutionBwdDataAlgo_t algo, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_DATA, wDesc, dyDesc, dxDesc, convDesc);

    return query_size(handle, &question, (int)algo, sizeInBytes);
}

anydnnStatus_t anydnnGetConvolutionBackwardFilterWorkspaceSize(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc,
    anydnnConvolutionBwdFilterAlgo_t algo, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_FILTER, xDesc, dyDesc, dwDesc, convDesc);

    return query_size(handle, &question, (int)algo, sizeInBytes);
}

static anydnnStatus_t max_count(anydnnHandle_t handle, const char *name, int direction, int *count)
{
    anydnnStatus_t status = adn_handle_check(handle, name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!count)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: count is NULL", name);
    *count = adn_directions[direction].algorithms * MATH_TYPES;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetConvolutionForwardAlgorithmMaxCount(anydnnHandle_t handle, int *count)
{
    ADN_ENTRY_SCOPE;

    return max_count(handle, __func__, ADN_FORWARD, count);
}

anydnnStatus_t anydnnGetConvolutionBackwardDataAlgorithmMaxCount(anydnnHandle_t handle, int *count)
{
    ADN_ENTRY_SCOPE;

    return max_count(handle, __func__, ADN_BACKWARD_DATA, count);
}

anydnnStatus_t anydnnGetConvolutionBackwardFilterAlgorithmMaxCount(anydnnHandle_t handle,
                                                                   int *count)
{
    ADN_ENTRY_SCOPE;

    return max_count(handle, __func__, ADN_BACKWARD_FILTER, count);
}
