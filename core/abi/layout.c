/* SPDX-License-Identifier: Apache-2.0 */
/* Checks at compile time that the public structs of anydnn.h keep their sizes and member order. */
#include <anydnn/anydnn.h>

#define AT(type, member, place)                                                                    \
    _Static_assert(offsetof(type, member) == (place), #type " keeps its members where they are")

/* cuDNN's six members in its order, then anydnn's own */
#define PERF(type)                                                                                 \
    AT(type, algo, 0);                                                                             \
    AT(type, status, 4);                                                                           \
    AT(type, time, 8);                                                                             \
    AT(type, memory, 16);                                                                          \
    AT(type, determinism, 24);                                                                     \
    AT(type, mathType, 28);                                                                        \
    AT(type, backend, 32);                                                                         \
    AT(type, reason, 36);                                                                          \
    AT(type, reserved, 40);                                                                        \
    _Static_assert(sizeof(type) == 80, #type " has 80 bytes");                                     \
    _Static_assert(_Alignof(type) == 8, #type " is aligned as size_t is")

_Static_assert(sizeof(anydnnAlgorithm_t) == sizeof(int), "algorithms are passed as int is");

PERF(anydnnConvolutionFwdAlgoPerf_t);
PERF(anydnnConvolutionBwdDataAlgoPerf_t);
PERF(anydnnConvolutionBwdFilterAlgoPerf_t);

/* Enumerations are passed and stored as int, whatever the compiler options are. */
#define AS_INT(type) _Static_assert(sizeof(type) == sizeof(int), #type " is as wide as int")

AS_INT(anydnnStatus_t);
AS_INT(anydnnDataType_t);
AS_INT(anydnnMathType_t);
AS_INT(anydnnNanPropagation_t);
AS_INT(anydnnDeterminism_t);
AS_INT(anydnnTensorFormat_t);
AS_INT(anydnnFoldingDirection_t);
AS_INT(anydnnOpTensorOp_t);
AS_INT(anydnnReduceTensorOp_t);
AS_INT(anydnnReduceTensorIndices_t);
AS_INT(anydnnIndicesType_t);
AS_INT(anydnnConvolutionMode_t);
AS_INT(anydnnReorderType_t);
AS_INT(anydnnConvolutionFwdPreference_t);
AS_INT(anydnnConvolutionBwdDataPreference_t);
AS_INT(anydnnConvolutionBwdFilterPreference_t);
AS_INT(anydnnConvolutionFwdAlgo_t);
AS_INT(anydnnConvolutionBwdDataAlgo_t);
AS_INT(anydnnConvolutionBwdFilterAlgo_t);
AS_INT(anydnnSoftmaxAlgorithm_t);
AS_INT(anydnnSoftmaxMode_t);
AS_INT(anydnnPoolingMode_t);
AS_INT(anydnnActivationMode_t);
AS_INT(anydnnLRNMode_t);
AS_INT(anydnnDivNormMode_t);
AS_INT(anydnnBatchNormMode_t);
AS_INT(anydnnBatchNormOps_t);
AS_INT(anydnnLibraryPropertyType_t);
AS_INT(anydnnErrQueryMode_t);
AS_INT(anydnnSeverity_t);
AS_INT(anydnnMemCopyKind_t);
AS_INT(anydnnDirection_t);
AS_INT(anydnnSamplerType_t);
AS_INT(anydnnCTCLossAlgo_t);
AS_INT(anydnnLossNormalizationMode_t);
AS_INT(anydnnNormalizationKind_t);
AS_INT(anydnnReason_t);
