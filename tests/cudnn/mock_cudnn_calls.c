/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's older calls, which succeed and compute nothing. cuDNN's header is not included: what
 * the arguments are does not matter to a function that leaves them alone. */
#include <stdlib.h>

#pragma GCC visibility push(default)

void mock_cudnn_count(int live, int adds, int fused);

#define CREATES(name)                                                                              \
    int name(void **made);                                                                         \
    int name(void **made)                                                                          \
    {                                                                                              \
        *made = malloc(1);                                                                         \
        mock_cudnn_count(1, 0, 0);                                                                 \
        return 0;                                                                                  \
    }
#define DESTROYS(name)                                                                             \
    int name(void *made);                                                                          \
    int name(void *made)                                                                           \
    {                                                                                              \
        free(made);                                                                                \
        mock_cudnn_count(-1, 0, 0);                                                                \
        return 0;                                                                                  \
    }
#define COUNTS(name, adds, fused)                                                                  \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        mock_cudnn_count(0, adds, fused);                                                          \
        return 0;                                                                                  \
    }

CREATES(cudnnCreateTensorDescriptor)
COUNTS(cudnnSetTensorNdDescriptor, 0, 0)
COUNTS(cudnnSetTensorNdDescriptorEx, 0, 0)
DESTROYS(cudnnDestroyTensorDescriptor)
CREATES(cudnnCreateFilterDescriptor)
COUNTS(cudnnSetFilterNdDescriptor, 0, 0)
DESTROYS(cudnnDestroyFilterDescriptor)
CREATES(cudnnCreateConvolutionDescriptor)
COUNTS(cudnnSetConvolutionNdDescriptor, 0, 0)
COUNTS(cudnnSetConvolutionGroupCount, 0, 0)
COUNTS(cudnnSetConvolutionMathType, 0, 0)
DESTROYS(cudnnDestroyConvolutionDescriptor)
COUNTS(cudnnGetConvolutionForwardWorkspaceSize, 0, 0)
COUNTS(cudnnConvolutionForward, 0, 0)
COUNTS(cudnnConvolutionBiasActivationForward, 0, 1)
COUNTS(cudnnConvolutionBackwardBias, 0, 0)
#ifndef MOCK_LACKS_IM2COL
COUNTS(cudnnIm2Col, 0, 0)
#endif
CREATES(cudnnCreatePoolingDescriptor)
COUNTS(cudnnSetPoolingNdDescriptor, 0, 0)
DESTROYS(cudnnDestroyPoolingDescriptor)
COUNTS(cudnnPoolingForward, 0, 0)
COUNTS(cudnnPoolingBackward, 0, 0)
CREATES(cudnnCreateActivationDescriptor)
COUNTS(cudnnSetActivationDescriptor, 0, 0)
COUNTS(cudnnSetActivationDescriptorSwishBeta, 0, 0)
DESTROYS(cudnnDestroyActivationDescriptor)
COUNTS(cudnnActivationForward, 0, 0)
COUNTS(cudnnActivationBackward, 0, 0)
CREATES(cudnnCreateLRNDescriptor)
COUNTS(cudnnSetLRNDescriptor, 0, 0)
DESTROYS(cudnnDestroyLRNDescriptor)
COUNTS(cudnnLRNCrossChannelForward, 0, 0)
COUNTS(cudnnDivisiveNormalizationForward, 0, 0)
COUNTS(cudnnDivisiveNormalizationBackward, 0, 0)
COUNTS(cudnnSoftmaxBackward, 0, 0)
COUNTS(cudnnBatchNormalizationForwardInference, 0, 0)
COUNTS(cudnnBatchNormalizationForwardTraining, 0, 0)
COUNTS(cudnnBatchNormalizationBackward, 0, 0)
CREATES(cudnnCreateTensorTransformDescriptor)
COUNTS(cudnnSetTensorTransformDescriptor, 0, 0)
DESTROYS(cudnnDestroyTensorTransformDescriptor)
COUNTS(cudnnTransformTensor, 0, 0)
COUNTS(cudnnTransformTensorEx, 0, 0)
COUNTS(cudnnTransformFilter, 0, 0)
COUNTS(cudnnAddTensor, 1, 0)
CREATES(cudnnCreateOpTensorDescriptor)
COUNTS(cudnnSetOpTensorDescriptor, 0, 0)
DESTROYS(cudnnDestroyOpTensorDescriptor)
COUNTS(cudnnOpTensor, 0, 0)
CREATES(cudnnCreateReduceTensorDescriptor)
COUNTS(cudnnSetReduceTensorDescriptor, 0, 0)
DESTROYS(cudnnDestroyReduceTensorDescriptor)
COUNTS(cudnnGetReductionIndicesSize, 0, 0)
COUNTS(cudnnGetReductionWorkspaceSize, 0, 0)
COUNTS(cudnnReduceTensor, 0, 0)
COUNTS(cudnnSetTensor, 0, 0)
COUNTS(cudnnScaleTensor, 0, 0)

#pragma GCC visibility pop
