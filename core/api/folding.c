/* SPDX-License-Identifier: Apache-2.0 */
/* The entry that prepares a folded backward-data convolution. */
#include "api/call.h"

#include "sys/error.h"

/* cuDNN folds a strided backward-data convolution into one of unit stride, because its fast kernels
 * lack strides. Backends of anydnn support strides themselves, so folding gains nothing. */
anydnnStatus_t anydnnGetFoldedConvBackwardDataDescriptors(
    anydnnHandle_t handle, anydnnFilterDescriptor_t filterDesc, anydnnTensorDescriptor_t diffDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t gradDesc,
    anydnnTensorFormat_t transformFormat, anydnnFilterDescriptor_t foldedFilterDesc,
    anydnnTensorDescriptor_t paddedDiffDesc, anydnnConvolutionDescriptor_t foldedConvDesc,
    anydnnTensorDescriptor_t foldedGradDesc, anydnnTensorTransformDescriptor_t filterFoldTransDesc,
    anydnnTensorTransformDescriptor_t diffPadTransDesc,
    anydnnTensorTransformDescriptor_t gradFoldTransDesc,
    anydnnTensorTransformDescriptor_t gradUnfoldTransDesc)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetFoldedConvBackwardDataDescriptors";
    const struct {
        const char *argument;
        const void *desc;
        enum adn_desc_kind kind;
        int output; /* 1 if it need not be set */
    } arguments[] = {
        {"filterDesc", filterDesc, ADN_DESC_FILTER, 0},
        {"diffDesc", diffDesc, ADN_DESC_TENSOR, 0},
        {"convDesc", convDesc, ADN_DESC_CONVOLUTION, 0},
        {"gradDesc", gradDesc, ADN_DESC_TENSOR, 0},
        {"foldedFilterDesc", foldedFilterDesc, ADN_DESC_FILTER, 1},
        {"paddedDiffDesc", paddedDiffDesc, ADN_DESC_TENSOR, 1},
        {"foldedConvDesc", foldedConvDesc, ADN_DESC_CONVOLUTION, 1},
        {"foldedGradDesc", foldedGradDesc, ADN_DESC_TENSOR, 1},
        {"filterFoldTransDesc", filterFoldTransDesc, ADN_DESC_TENSOR_TRANSFORM, 1},
        {"diffPadTransDesc", diffPadTransDesc, ADN_DESC_TENSOR_TRANSFORM, 1},
        {"gradFoldTransDesc", gradFoldTransDesc, ADN_DESC_TENSOR_TRANSFORM, 1},
        {"gradUnfoldTransDesc", gradUnfoldTransDesc, ADN_DESC_TENSOR_TRANSFORM, 1},
    };
    anydnnStatus_t status = adn_handle_check(handle, name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
        if (!(arguments[i].output ? adn_desc_is(arguments[i].desc, arguments[i].kind)
                                  : adn_desc_usable(arguments[i].desc, arguments[i].kind)))
            return adn_desc_complain(name, arguments[i].argument, arguments[i].desc,
                                     arguments[i].kind);
    if (transformFormat != ANYDNN_TENSOR_NCHW && transformFormat != ANYDNN_TENSOR_NHWC)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: transformFormat is %d; it must be NCHW or NHWC", name,
                        (int)transformFormat);
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "%s: folding of convolutions is not supported; anydnnConvolutionBackwardData "
                    "accepts all strides",
                    name);
}
