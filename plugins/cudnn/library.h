/* SPDX-License-Identifier: Apache-2.0 */
/* Declares cuDNN's shared library, opened when it is first needed, and the table of its
 * functions. */
#ifndef CDN_LIBRARY_H
#define CDN_LIBRARY_H

#include <stdint.h>

#include <cudnn.h>

#define CDN_LIBRARY_FUNCTIONS(X)                                                                   \
    X(cudnnGetVersion)                                                                             \
    X(cudnnGetErrorString)                                                                         \
    X(cudnnGetLastErrorString)                                                                     \
    X(cudnnCreate)                                                                                 \
    X(cudnnDestroy)                                                                                \
    X(cudnnSetStream)                                                                              \
    X(cudnnBackendCreateDescriptor)                                                                \
    X(cudnnBackendDestroyDescriptor)                                                               \
    X(cudnnBackendFinalize)                                                                        \
    X(cudnnBackendSetAttribute)                                                                    \
    X(cudnnBackendGetAttribute)                                                                    \
    X(cudnnBackendExecute)                                                                         \
    X(cudnnCreateTensorDescriptor)                                                                 \
    X(cudnnSetTensorNdDescriptor)                                                                  \
    X(cudnnSetTensorNdDescriptorEx)                                                                \
    X(cudnnDestroyTensorDescriptor)                                                                \
    X(cudnnCreateFilterDescriptor)                                                                 \
    X(cudnnSetFilterNdDescriptor)                                                                  \
    X(cudnnDestroyFilterDescriptor)                                                                \
    X(cudnnCreateConvolutionDescriptor)                                                            \
    X(cudnnSetConvolutionNdDescriptor)                                                             \
    X(cudnnSetConvolutionGroupCount)                                                               \
    X(cudnnSetConvolutionMathType)                                                                 \
    X(cudnnDestroyConvolutionDescriptor)                                                           \
    X(cudnnGetConvolutionForwardWorkspaceSize)                                                     \
    X(cudnnConvolutionForward)                                                                     \
    X(cudnnConvolutionBiasActivationForward)                                                       \
    X(cudnnConvolutionBackwardBias)                                                                \
    X(cudnnIm2Col)                                                                                 \
    X(cudnnCreatePoolingDescriptor)                                                                \
    X(cudnnSetPoolingNdDescriptor)                                                                 \
    X(cudnnDestroyPoolingDescriptor)                                                               \
    X(cudnnPoolingForward)                                                                         \
    X(cudnnPoolingBackward)                                                                        \
    X(cudnnCreateActivationDescriptor)                                                             \
    X(cudnnSetActivationDescriptor)                                                                \
    X(cudnnSetActivationDescriptorSwishBeta)                                                       \
    X(cudnnDestroyActivationDescriptor)                                                            \
    X(cudnnActivationForward)                                                                      \
    X(cudnnActivationBackward)                                                                     \
    X(cudnnCreateLRNDescriptor)                                                                    \
    X(cudnnSetLRNDescriptor)                                                                       \
    X(cudnnDestroyLRNDescriptor)                                                                   \
    X(cudnnLRNCrossChannelForward)                                                                 \
    X(cudnnDivisiveNormalizationForward)                                                           \
    X(cudnnDivisiveNormalizationBackward)                                                          \
    X(cudnnSoftmaxForward)                                                                         \
    X(cudnnSoftmaxBackward)                                                                        \
    X(cudnnBatchNormalizationForwardInference)                                                     \
    X(cudnnBatchNormalizationForwardTraining)                                                      \
    X(cudnnBatchNormalizationBackward)                                                             \
    X(cudnnCreateTensorTransformDescriptor)                                                        \
    X(cudnnSetTensorTransformDescriptor)                                                           \
    X(cudnnDestroyTensorTransformDescriptor)                                                       \
    X(cudnnTransformTensor)                                                                        \
    X(cudnnTransformTensorEx)                                                                      \
    X(cudnnTransformFilter)                                                                        \
    X(cudnnAddTensor)                                                                              \
    X(cudnnCreateOpTensorDescriptor)                                                               \
    X(cudnnSetOpTensorDescriptor)                                                                  \
    X(cudnnDestroyOpTensorDescriptor)                                                              \
    X(cudnnOpTensor)                                                                               \
    X(cudnnCreateReduceTensorDescriptor)                                                           \
    X(cudnnSetReduceTensorDescriptor)                                                              \
    X(cudnnDestroyReduceTensorDescriptor)                                                          \
    X(cudnnGetReductionIndicesSize)                                                                \
    X(cudnnGetReductionWorkspaceSize)                                                              \
    X(cudnnReduceTensor)                                                                           \
    X(cudnnSetTensor)                                                                              \
    X(cudnnScaleTensor)

struct cdn_functions {
#define CDN_MEMBER(name) __typeof__(name) *name;
    CDN_LIBRARY_FUNCTIONS(CDN_MEMBER)
#undef CDN_MEMBER
};

/* The functions; they are usable once cdn_library_open has returned 0. */
extern struct cdn_functions cudnn;

/* Opens the library, once per process. Returns 0, or NOT_SUPPORTED with a sentence that lives
 * forever. The first failure is logged as a warning. */
int32_t cdn_library_open(const char **sentence);

/* Checks the libraries that cuDNN itself opens as needed, by their bare names. Returns 0 while all
 * of them lie in one folder. Otherwise, returns NOT_SUPPORTED with a sentence, from then on. */
int32_t cdn_library_check(const char **sentence);

/* Returns cudnnGetVersion of the open library, such as 91900. */
int64_t cdn_library_version(void);
/* Returns it as text, such as "9.19.0", or NULL before the library is open. */
const char *cdn_library_version_text(void);

#endif
