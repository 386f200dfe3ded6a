/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's older calls, which succeed and compute nothing. cuDNN's header is not included: these
 * functions ignore their arguments, so the argument types do not matter. */
#include <stdlib.h>

#pragma GCC visibility push(default)

void mock_cudnn_count(int live, int adds, int fused);
void mock_cudnn_call(const char *name);

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
        mock_cudnn_call(#name);                                                                    \
        return 0;                                                                                  \
    }
/* Defines a call that sets or queries something and runs nothing. */
#define SUCCEEDS(name)                                                                             \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return 0;                                                                                  \
    }

CREATES(cudnnCreateFilterDescriptor)
SUCCEEDS(cudnnSetFilterNdDescriptor)
DESTROYS(cudnnDestroyFilterDescriptor)
CREATES(cudnnCreateConvolutionDescriptor)
SUCCEEDS(cudnnSetConvolutionNdDescriptor)
SUCCEEDS(cudnnSetConvolutionGroupCount)
SUCCEEDS(cudnnSetConvolutionMathType)
DESTROYS(cudnnDestroyConvolutionDescriptor)
COUNTS(cudnnConvolutionForward, 0, 0)
COUNTS(cudnnConvolutionBiasActivationForward, 0, 1)
#ifndef MOCK_LACKS_IM2COL
COUNTS(cudnnIm2Col, 0, 0)
#endif
CREATES(cudnnCreateActivationDescriptor)
SUCCEEDS(cudnnSetActivationDescriptorSwishBeta)
DESTROYS(cudnnDestroyActivationDescriptor)
COUNTS(cudnnActivationForward, 0, 0)
CREATES(cudnnCreateLRNDescriptor)
SUCCEEDS(cudnnSetLRNDescriptor)
DESTROYS(cudnnDestroyLRNDescriptor)
COUNTS(cudnnLRNCrossChannelForward, 0, 0)
CREATES(cudnnCreateTensorTransformDescriptor)
SUCCEEDS(cudnnSetTensorTransformDescriptor)
DESTROYS(cudnnDestroyTensorTransformDescriptor)
COUNTS(cudnnTransformTensorEx, 0, 0)
COUNTS(cudnnTransformFilter, 0, 0)
COUNTS(cudnnAddTensor, 1, 0)
CREATES(cudnnCreateOpTensorDescriptor)
SUCCEEDS(cudnnSetOpTensorDescriptor)
DESTROYS(cudnnDestroyOpTensorDescriptor)
CREATES(cudnnCreateReduceTensorDescriptor)
SUCCEEDS(cudnnSetReduceTensorDescriptor)
DESTROYS(cudnnDestroyReduceTensorDescriptor)
SUCCEEDS(cudnnGetReductionIndicesSize)
SUCCEEDS(cudnnGetReductionWorkspaceSize)
COUNTS(cudnnReduceTensor, 0, 0)
COUNTS(cudnnSetTensor, 0, 0)
COUNTS(cudnnScaleTensor, 0, 0)

#pragma GCC visibility pop
