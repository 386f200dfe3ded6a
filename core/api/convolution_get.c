/* SPDX-License-Identifier: Apache-2.0 */
/* Get: ranks the algorithms of a convolution by the backends' own data, for the three directions.
 * API level 1 returns one algorithm by preference, level 2 the list. */
#include "api/search.h"

#include "abi/alias.h"
#include "sys/error.h"

_Static_assert(sizeof(anydnnConvolutionFwdAlgo_t) == sizeof(int) &&
                   sizeof(anydnnConvolutionBwdDataAlgo_t) == sizeof(int) &&
                   sizeof(anydnnConvolutionBwdFilterAlgo_t) == sizeof(int),
               "numbers of algorithms are ints");

/* Writes one algorithm to `algo`, which has the enumeration type of the direction. The three
 * preferences have the same numbers for each direction. */
static anydnnStatus_t get_one(anydnnHandle_t handle, const struct adn_question *question,
                              int preference, size_t limit, void *algo)
{
    struct adn_found found[ADN_SEARCH_MAX];
    struct adn_call call;
    struct adn_search search = {.handle = handle, .call = &call, .one_math = 1};
    int count = 0;
    anydnnStatus_t status = adn_question_begin(handle, question, &call);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!algo)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: algo is NULL", question->name);
    if (preference == ANYDNN_CONVOLUTION_FWD_NO_WORKSPACE)
        limit = 0;
    else if (preference == ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST)
        limit = SIZE_MAX;
    else if (preference != ANYDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: preference is %d; it must be 0 to 2",
                        question->name, preference);
    search.workspace_limit = limit;
    status = adn_search_get(&search, 1, found, &count);
    if (status == ANYDNN_STATUS_SUCCESS)
        memcpy(algo, &(int){found[0].algorithm}, sizeof(int));
    return status;
}

anydnnStatus_t anydnnGetConvolutionForwardAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc,
    anydnnConvolutionFwdPreference_t preference, size_t memoryLimitInBytes,
    anydnnConvolutionFwdAlgo_t *algo)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_FORWARD, xDesc, wDesc, yDesc, convDesc);

    return get_one(handle, &question, (int)preference, memoryLimitInBytes, algo);
}

ADN_FIRST_FORM(anydnnGetConvolutionForwardAlgorithm_v1, anydnnGetConvolutionForwardAlgorithm);

anydnnStatus_t anydnnGetConvolutionForwardAlgorithm_v2(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc, size_t workspaceLimit,
    int requestedAlgoCount, int *returnedAlgoCount, anydnnConvolutionFwdAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_FORWARD, xDesc, wDesc, yDesc, convDesc);

    return adn_question_list(handle, &question, adn_search_get, workspaceLimit, requestedAlgoCount,
                             returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnGetConvolutionBackwardDataAlgorithm(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc,
    anydnnConvolutionBwdDataPreference_t preference, size_t memoryLimitInBytes,
    anydnnConvolutionBwdDataAlgo_t *algo)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_DATA, wDesc, dyDesc, dxDesc, convDesc);

    return get_one(handle, &question, (int)preference, memoryLimitInBytes, algo);
}

ADN_FIRST_FORM(anydnnGetConvolutionBackwardDataAlgorithm_v1,
               anydnnGetConvolutionBackwardDataAlgorithm);

anydnnStatus_t anydnnGetConvolutionBackwardDataAlgorithm_v2(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc, size_t workspaceLimit,
    int requestedAlgoCount, int *returnedAlgoCount, anydnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_DATA, wDesc, dyDesc, dxDesc, convDesc);

    return adn_question_list(handle, &question, adn_search_get, workspaceLimit, requestedAlgoCount,
                             returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnGetConvolutionBackwardFilterAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc,
    anydnnConvolutionBwdFilterPreference_t preference, size_t memoryLimitInBytes,
    anydnnConvolutionBwdFilterAlgo_t *algo)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_FILTER, xDesc, dyDesc, dwDesc, convDesc);

    return get_one(handle, &question, (int)preference, memoryLimitInBytes, algo);
}

ADN_FIRST_FORM(anydnnGetConvolutionBackwardFilterAlgorithm_v1,
               anydnnGetConvolutionBackwardFilterAlgorithm);

anydnnStatus_t anydnnGetConvolutionBackwardFilterAlgorithm_v2(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc, size_t workspaceLimit,
    int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_FILTER, xDesc, dyDesc, dwDesc, convDesc);

    return adn_question_list(handle, &question, adn_search_get, workspaceLimit, requestedAlgoCount,
                             returnedAlgoCount, perfResults);
}
