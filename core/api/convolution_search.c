/* SPDX-License-Identifier: Apache-2.0 */
/* The searches over algorithms, Get and Find, of the three directions. */
#include "api/convolution.h"

#include "sys/error.h"

/* The shapes that Get and Find take, in the order of the operation's slots, and where results go.
 */
struct search {
    const char *name;
    int32_t operation;
    const struct anydnnTensorStruct *tensor[3];
    const struct anydnnFilterStruct *filter;
    int filter_slot;
    anydnnConvolutionDescriptor_t convDesc;
    const void *results[2]; /* must not be NULL */
    int requested;          /* room for results */
};

/*
 * Algorithms cannot be compared before candidates of all backends are ranked and pinned, which is
 * not built; handle, descriptors, and where results go are checked all the same.
 */
static anydnnStatus_t search_algorithms(anydnnHandle_t handle, const struct search *search)
{
    anydnnStatus_t status = adn_handle_check(handle, search->name);
    struct adn_entry entry;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(&entry, search->name, search->operation);
    for (int slot = 0; slot < 3; slot++)
        if (slot != search->filter_slot)
            ADN_SHAPE(&entry, slot, (anydnnTensorDescriptor_t)search->tensor[slot]);
        else
            ADN_FILTER_SHAPE(&entry, slot, (anydnnFilterDescriptor_t)search->filter);
    ADN_CONVOLUTION(&entry, search->convDesc);
    if (!search->results[0] || !search->results[1])
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: an output pointer is NULL", search->name);
    if (search->requested < 1)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: requestedAlgoCount is %d; it must be at least 1", search->name,
                        search->requested);
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "%s: this version has no search over algorithms; pass any algorithm number: it "
                    "is a wish, and "
                    "the workspace query of the same number tells what it needs",
                    search->name);
}

anydnnStatus_t anydnnFindConvolutionForwardAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionFwdAlgoPerf_t *perfResults)
{
    struct search search = {"anydnnFindConvolutionForwardAlgorithm",
                            ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                            {xDesc, NULL, yDesc},
                            wDesc,
                            1,
                            convDesc,
                            {returnedAlgoCount, perfResults},
                            requestedAlgoCount};

    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnFindConvolutionForwardAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnFilterDescriptor_t wDesc, const void *w, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t yDesc, void *y, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    struct search search = {"anydnnFindConvolutionForwardAlgorithmEx",
                            ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                            {xDesc, NULL, yDesc},
                            wDesc,
                            1,
                            convDesc,
                            {returnedAlgoCount, perfResults},
                            requestedAlgoCount};

    (void)x;
    (void)w;
    (void)y;
    (void)workSpace;
    (void)workSpaceSizeInBytes;
    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnGetConvolutionForwardAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc,
    anydnnConvolutionFwdPreference_t preference, size_t memoryLimitInBytes,
    anydnnConvolutionFwdAlgo_t *algo)
{
    struct search search = {"anydnnGetConvolutionForwardAlgorithm",
                            ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                            {xDesc, NULL, yDesc},
                            wDesc,
                            1,
                            convDesc,
                            {algo, algo},
                            1};

    (void)preference;
    (void)memoryLimitInBytes;
    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithm(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    struct search search = {"anydnnFindConvolutionBackwardDataAlgorithm",
                            ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                            {NULL, dyDesc, dxDesc},
                            wDesc,
                            0,
                            convDesc,
                            {returnedAlgoCount, perfResults},
                            requestedAlgoCount};

    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithmEx(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, const void *w,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t dxDesc, void *dx, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    struct search search = {"anydnnFindConvolutionBackwardDataAlgorithmEx",
                            ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                            {NULL, dyDesc, dxDesc},
                            wDesc,
                            0,
                            convDesc,
                            {returnedAlgoCount, perfResults},
                            requestedAlgoCount};

    (void)w;
    (void)dy;
    (void)dx;
    (void)workSpace;
    (void)workSpaceSizeInBytes;
    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnGetConvolutionBackwardDataAlgorithm(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc,
    anydnnConvolutionBwdDataPreference_t preference, size_t memoryLimitInBytes,
    anydnnConvolutionBwdDataAlgo_t *algo)
{
    struct search search = {"anydnnGetConvolutionBackwardDataAlgorithm",
                            ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                            {NULL, dyDesc, dxDesc},
                            wDesc,
                            0,
                            convDesc,
                            {algo, algo},
                            1};

    (void)preference;
    (void)memoryLimitInBytes;
    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    struct search search = {"anydnnFindConvolutionBackwardFilterAlgorithm",
                            ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
                            {xDesc, dyDesc, NULL},
                            dwDesc,
                            2,
                            convDesc,
                            {returnedAlgoCount, perfResults},
                            requestedAlgoCount};

    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnFilterDescriptor_t dwDesc, void *dw, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdFilterAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    struct search search = {"anydnnFindConvolutionBackwardFilterAlgorithmEx",
                            ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
                            {xDesc, dyDesc, NULL},
                            dwDesc,
                            2,
                            convDesc,
                            {returnedAlgoCount, perfResults},
                            requestedAlgoCount};

    (void)x;
    (void)dy;
    (void)dw;
    (void)workSpace;
    (void)workSpaceSizeInBytes;
    return search_algorithms(handle, &search);
}

anydnnStatus_t anydnnGetConvolutionBackwardFilterAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc,
    anydnnConvolutionBwdFilterPreference_t preference, size_t memoryLimitInBytes,
    anydnnConvolutionBwdFilterAlgo_t *algo)
{
    struct search search = {"anydnnGetConvolutionBackwardFilterAlgorithm",
                            ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
                            {xDesc, dyDesc, NULL},
                            dwDesc,
                            2,
                            convDesc,
                            {algo, algo},
                            1};

    (void)preference;
    (void)memoryLimitInBytes;
    return search_algorithms(handle, &search);
}
