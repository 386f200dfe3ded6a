/* SPDX-License-Identifier: Apache-2.0 */
/* Find: the ways to run a convolution, timed, of the three directions. */
#include "api/search.h"

/* As a call counts it: what does not lie at 256 bytes is none. */
static uint64_t usable_workspace(const struct adn_question *question)
{
    return question->workspace && (uintptr_t)question->workspace % ADN_ASSUMED_ALIGNMENT == 0
               ? question->bytes
               : 0;
}

static anydnnStatus_t find(anydnnHandle_t handle, const struct adn_question *question,
                           int requested, int *returned, void *results)
{
    struct adn_found found[ADN_SEARCH_MAX];
    struct adn_call call;
    struct adn_search search = {.handle = handle, .call = &call, .given = question->given};
    anydnnStatus_t status = adn_question_begin(handle, question, &call);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_question_check_results(question, requested, returned, results);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    search.workspace_limit = question->given ? usable_workspace(question) : UINT64_MAX;
    status = adn_search_find(&search, requested, found, returned);
    if (status == ANYDNN_STATUS_SUCCESS)
        adn_question_answer(found, *returned, results);
    return status;
}

anydnnStatus_t anydnnFindConvolutionForwardAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionFwdAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question = {.name = "anydnnFindConvolutionForwardAlgorithm",
                                    .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                                    .tensor = {xDesc, NULL, yDesc},
                                    .filter = wDesc,
                                    .filter_slot = 1,
                                    .convDesc = convDesc};

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionForwardAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnFilterDescriptor_t wDesc, const void *w, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t yDesc, void *y, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question = {.name = "anydnnFindConvolutionForwardAlgorithmEx",
                                    .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                                    .tensor = {xDesc, NULL, yDesc},
                                    .filter = wDesc,
                                    .filter_slot = 1,
                                    .convDesc = convDesc,
                                    .given = 1,
                                    .data = {x, w, y},
                                    .workspace = workSpace,
                                    .bytes = workSpaceSizeInBytes};

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithm(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question = {.name = "anydnnFindConvolutionBackwardDataAlgorithm",
                                    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                                    .tensor = {NULL, dyDesc, dxDesc},
                                    .filter = wDesc,
                                    .filter_slot = 0,
                                    .convDesc = convDesc};

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithmEx(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, const void *w,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t dxDesc, void *dx, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question = {.name = "anydnnFindConvolutionBackwardDataAlgorithmEx",
                                    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                                    .tensor = {NULL, dyDesc, dxDesc},
                                    .filter = wDesc,
                                    .filter_slot = 0,
                                    .convDesc = convDesc,
                                    .given = 1,
                                    .data = {w, dy, dx},
                                    .workspace = workSpace,
                                    .bytes = workSpaceSizeInBytes};

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question = {.name = "anydnnFindConvolutionBackwardFilterAlgorithm",
                                    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
                                    .tensor = {xDesc, dyDesc, NULL},
                                    .filter = dwDesc,
                                    .filter_slot = 2,
                                    .convDesc = convDesc};

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnFilterDescriptor_t dwDesc, void *dw, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdFilterAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question = {.name = "anydnnFindConvolutionBackwardFilterAlgorithmEx",
                                    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
                                    .tensor = {xDesc, dyDesc, NULL},
                                    .filter = dwDesc,
                                    .filter_slot = 2,
                                    .convDesc = convDesc,
                                    .given = 1,
                                    .data = {x, dy, dw},
                                    .workspace = workSpace,
                                    .bytes = workSpaceSizeInBytes};

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}
