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
    uint64_t limit = question->given ? usable_workspace(question) : UINT64_MAX;

    return adn_question_list(handle, question, adn_search_find, limit, requested, returned,
                             results);
}

anydnnStatus_t anydnnFindConvolutionForwardAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionFwdAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_FORWARD, xDesc, wDesc, yDesc, convDesc);

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionForwardAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnFilterDescriptor_t wDesc, const void *w, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t yDesc, void *y, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_FORWARD, xDesc, wDesc, yDesc, convDesc);

    adn_question_give(&question, x, w, y, workSpace, workSpaceSizeInBytes);
    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithm(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_DATA, wDesc, dyDesc, dxDesc, convDesc);

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithmEx(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, const void *w,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t dxDesc, void *dx, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_DATA, wDesc, dyDesc, dxDesc, convDesc);

    adn_question_give(&question, w, dy, dx, workSpace, workSpaceSizeInBytes);
    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_FILTER, xDesc, dyDesc, dwDesc, convDesc);

    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}

anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnFilterDescriptor_t dwDesc, void *dw, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdFilterAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_question question =
        adn_question_of(__func__, ADN_BACKWARD_FILTER, xDesc, dyDesc, dwDesc, convDesc);

    adn_question_give(&question, x, dy, dw, workSpace, workSpaceSizeInBytes);
    return find(handle, &question, requestedAlgoCount, returnedAlgoCount, perfResults);
}
