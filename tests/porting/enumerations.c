/* SPDX-License-Identifier: Apache-2.0 */
/* Checks cuDNN 7.6.5's enumerations with a switch over each: it has all members and no default, and
 * is compiled with -Wswitch as C and as C++. Then checks that a missing settings file gives a
 * status of cuDNN 7. The environment names such a file. */
#include <cudnn.h>
#include <stddef.h>
#include <stdio.h>

static int of_Status(cudnnStatus_t value)
{
    switch (value) {
    case CUDNN_STATUS_SUCCESS:
    case CUDNN_STATUS_NOT_INITIALIZED:
    case CUDNN_STATUS_ALLOC_FAILED:
    case CUDNN_STATUS_BAD_PARAM:
    case CUDNN_STATUS_INTERNAL_ERROR:
    case CUDNN_STATUS_INVALID_VALUE:
    case CUDNN_STATUS_ARCH_MISMATCH:
    case CUDNN_STATUS_MAPPING_ERROR:
    case CUDNN_STATUS_EXECUTION_FAILED:
    case CUDNN_STATUS_NOT_SUPPORTED:
    case CUDNN_STATUS_LICENSE_ERROR:
    case CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING:
    case CUDNN_STATUS_RUNTIME_IN_PROGRESS:
    case CUDNN_STATUS_RUNTIME_FP_OVERFLOW:
        return 1;
    }
    return 0;
}

static int of_ErrQueryMode(cudnnErrQueryMode_t value)
{
    switch (value) {
    case CUDNN_ERRQUERY_RAWCODE:
    case CUDNN_ERRQUERY_NONBLOCKING:
    case CUDNN_ERRQUERY_BLOCKING:
        return 1;
    }
    return 0;
}

static int of_DataType(cudnnDataType_t value)
{
    switch (value) {
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_INT8x4:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_UINT8x4:
    case CUDNN_DATA_INT8x32:
        return 1;
    }
    return 0;
}

static int of_MathType(cudnnMathType_t value)
{
    switch (value) {
    case CUDNN_DEFAULT_MATH:
    case CUDNN_TENSOR_OP_MATH:
    case CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION:
        return 1;
    }
    return 0;
}

static int of_NanPropagation(cudnnNanPropagation_t value)
{
    switch (value) {
    case CUDNN_NOT_PROPAGATE_NAN:
    case CUDNN_PROPAGATE_NAN:
        return 1;
    }
    return 0;
}

static int of_Determinism(cudnnDeterminism_t value)
{
    switch (value) {
    case CUDNN_NON_DETERMINISTIC:
    case CUDNN_DETERMINISTIC:
        return 1;
    }
    return 0;
}

static int of_ReorderType(cudnnReorderType_t value)
{
    switch (value) {
    case CUDNN_DEFAULT_REORDER:
    case CUDNN_NO_REORDER:
        return 1;
    }
    return 0;
}

static int of_TensorFormat(cudnnTensorFormat_t value)
{
    switch (value) {
    case CUDNN_TENSOR_NCHW:
    case CUDNN_TENSOR_NHWC:
    case CUDNN_TENSOR_NCHW_VECT_C:
        return 1;
    }
    return 0;
}

static int of_FoldingDirection(cudnnFoldingDirection_t value)
{
    switch (value) {
    case CUDNN_TRANSFORM_FOLD:
    case CUDNN_TRANSFORM_UNFOLD:
        return 1;
    }
    return 0;
}

static int of_OpTensorOp(cudnnOpTensorOp_t value)
{
    switch (value) {
    case CUDNN_OP_TENSOR_ADD:
    case CUDNN_OP_TENSOR_MUL:
    case CUDNN_OP_TENSOR_MIN:
    case CUDNN_OP_TENSOR_MAX:
    case CUDNN_OP_TENSOR_SQRT:
    case CUDNN_OP_TENSOR_NOT:
        return 1;
    }
    return 0;
}

static int of_ReduceTensorOp(cudnnReduceTensorOp_t value)
{
    switch (value) {
    case CUDNN_REDUCE_TENSOR_ADD:
    case CUDNN_REDUCE_TENSOR_MUL:
    case CUDNN_REDUCE_TENSOR_MIN:
    case CUDNN_REDUCE_TENSOR_MAX:
    case CUDNN_REDUCE_TENSOR_AMAX:
    case CUDNN_REDUCE_TENSOR_AVG:
    case CUDNN_REDUCE_TENSOR_NORM1:
    case CUDNN_REDUCE_TENSOR_NORM2:
    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
        return 1;
    }
    return 0;
}

static int of_ReduceTensorIndices(cudnnReduceTensorIndices_t value)
{
    switch (value) {
    case CUDNN_REDUCE_TENSOR_NO_INDICES:
    case CUDNN_REDUCE_TENSOR_FLATTENED_INDICES:
        return 1;
    }
    return 0;
}

static int of_IndicesType(cudnnIndicesType_t value)
{
    switch (value) {
    case CUDNN_32BIT_INDICES:
    case CUDNN_64BIT_INDICES:
    case CUDNN_16BIT_INDICES:
    case CUDNN_8BIT_INDICES:
        return 1;
    }
    return 0;
}

static int of_ConvolutionMode(cudnnConvolutionMode_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION:
    case CUDNN_CROSS_CORRELATION:
        return 1;
    }
    return 0;
}

static int of_ConvolutionFwdPreference(cudnnConvolutionFwdPreference_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION_FWD_NO_WORKSPACE:
    case CUDNN_CONVOLUTION_FWD_PREFER_FASTEST:
    case CUDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT:
        return 1;
    }
    return 0;
}

static int of_ConvolutionFwdAlgo(cudnnConvolutionFwdAlgo_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_DIRECT:
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT:
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING:
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD:
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED:
    case CUDNN_CONVOLUTION_FWD_ALGO_COUNT:
        return 1;
    }
    return 0;
}

static int of_ConvolutionBwdFilterPreference(cudnnConvolutionBwdFilterPreference_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION_BWD_FILTER_NO_WORKSPACE:
    case CUDNN_CONVOLUTION_BWD_FILTER_PREFER_FASTEST:
    case CUDNN_CONVOLUTION_BWD_FILTER_SPECIFY_WORKSPACE_LIMIT:
        return 1;
    }
    return 0;
}

static int of_ConvolutionBwdFilterAlgo(cudnnConvolutionBwdFilterAlgo_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT:
        return 1;
    }
    return 0;
}

static int of_ConvolutionBwdDataPreference(cudnnConvolutionBwdDataPreference_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION_BWD_DATA_NO_WORKSPACE:
    case CUDNN_CONVOLUTION_BWD_DATA_PREFER_FASTEST:
    case CUDNN_CONVOLUTION_BWD_DATA_SPECIFY_WORKSPACE_LIMIT:
        return 1;
    }
    return 0;
}

static int of_ConvolutionBwdDataAlgo(cudnnConvolutionBwdDataAlgo_t value)
{
    switch (value) {
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_0:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_1:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT:
        return 1;
    }
    return 0;
}

static int of_SoftmaxAlgorithm(cudnnSoftmaxAlgorithm_t value)
{
    switch (value) {
    case CUDNN_SOFTMAX_FAST:
    case CUDNN_SOFTMAX_ACCURATE:
    case CUDNN_SOFTMAX_LOG:
        return 1;
    }
    return 0;
}

static int of_SoftmaxMode(cudnnSoftmaxMode_t value)
{
    switch (value) {
    case CUDNN_SOFTMAX_MODE_INSTANCE:
    case CUDNN_SOFTMAX_MODE_CHANNEL:
        return 1;
    }
    return 0;
}

static int of_PoolingMode(cudnnPoolingMode_t value)
{
    switch (value) {
    case CUDNN_POOLING_MAX:
    case CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING:
    case CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING:
    case CUDNN_POOLING_MAX_DETERMINISTIC:
        return 1;
    }
    return 0;
}

static int of_ActivationMode(cudnnActivationMode_t value)
{
    switch (value) {
    case CUDNN_ACTIVATION_SIGMOID:
    case CUDNN_ACTIVATION_RELU:
    case CUDNN_ACTIVATION_TANH:
    case CUDNN_ACTIVATION_CLIPPED_RELU:
    case CUDNN_ACTIVATION_ELU:
    case CUDNN_ACTIVATION_IDENTITY:
        return 1;
    }
    return 0;
}

static int of_LRNMode(cudnnLRNMode_t value)
{
    switch (value) {
    case CUDNN_LRN_CROSS_CHANNEL_DIM1:
        return 1;
    }
    return 0;
}

static int of_DivNormMode(cudnnDivNormMode_t value)
{
    switch (value) {
    case CUDNN_DIVNORM_PRECOMPUTED_MEANS:
        return 1;
    }
    return 0;
}

static int of_BatchNormMode(cudnnBatchNormMode_t value)
{
    switch (value) {
    case CUDNN_BATCHNORM_PER_ACTIVATION:
    case CUDNN_BATCHNORM_SPATIAL:
    case CUDNN_BATCHNORM_SPATIAL_PERSISTENT:
        return 1;
    }
    return 0;
}

static int of_BatchNormOps(cudnnBatchNormOps_t value)
{
    switch (value) {
    case CUDNN_BATCHNORM_OPS_BN:
    case CUDNN_BATCHNORM_OPS_BN_ACTIVATION:
    case CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION:
        return 1;
    }
    return 0;
}

static int of_Severity(cudnnSeverity_t value)
{
    switch (value) {
    case CUDNN_SEV_FATAL:
    case CUDNN_SEV_ERROR:
    case CUDNN_SEV_WARNING:
    case CUDNN_SEV_INFO:
        return 1;
    }
    return 0;
}

/* Evaluates to 1 if the struct has cuDNN's members in its order, then anydnn's, as in anydnn.h. */
#define SAME_LAYOUT(name)                                                                          \
    (sizeof(cudnn##name) == sizeof(anydnn##name) &&                                                \
     offsetof(cudnn##name, algo) == offsetof(anydnn##name, algo) &&                                \
     offsetof(cudnn##name, status) == offsetof(anydnn##name, status) &&                            \
     offsetof(cudnn##name, time) == offsetof(anydnn##name, time) &&                                \
     offsetof(cudnn##name, memory) == offsetof(anydnn##name, memory) &&                            \
     offsetof(cudnn##name, determinism) == offsetof(anydnn##name, determinism) &&                  \
     offsetof(cudnn##name, mathType) == offsetof(anydnn##name, mathType) &&                        \
     offsetof(cudnn##name, reserved) == offsetof(anydnn##name, reserved))

static int all_known(void)
{
    return of_Status((cudnnStatus_t)0) && of_ErrQueryMode((cudnnErrQueryMode_t)0) &&
           of_DataType((cudnnDataType_t)0) && of_MathType((cudnnMathType_t)0) &&
           of_NanPropagation((cudnnNanPropagation_t)0) && of_Determinism((cudnnDeterminism_t)0) &&
           of_ReorderType((cudnnReorderType_t)0) && of_TensorFormat((cudnnTensorFormat_t)0) &&
           of_FoldingDirection((cudnnFoldingDirection_t)0) && of_OpTensorOp((cudnnOpTensorOp_t)0) &&
           of_ReduceTensorOp((cudnnReduceTensorOp_t)0) &&
           of_ReduceTensorIndices((cudnnReduceTensorIndices_t)0) &&
           of_IndicesType((cudnnIndicesType_t)0) && of_ConvolutionMode((cudnnConvolutionMode_t)0) &&
           of_ConvolutionFwdPreference((cudnnConvolutionFwdPreference_t)0) &&
           of_ConvolutionFwdAlgo((cudnnConvolutionFwdAlgo_t)0) &&
           of_ConvolutionBwdFilterPreference((cudnnConvolutionBwdFilterPreference_t)0) &&
           of_ConvolutionBwdFilterAlgo((cudnnConvolutionBwdFilterAlgo_t)0) &&
           of_ConvolutionBwdDataPreference((cudnnConvolutionBwdDataPreference_t)0) &&
           of_ConvolutionBwdDataAlgo((cudnnConvolutionBwdDataAlgo_t)0) &&
           of_SoftmaxAlgorithm((cudnnSoftmaxAlgorithm_t)0) &&
           of_SoftmaxMode((cudnnSoftmaxMode_t)0) && of_PoolingMode((cudnnPoolingMode_t)0) &&
           of_ActivationMode((cudnnActivationMode_t)0) && of_LRNMode((cudnnLRNMode_t)0) &&
           of_DivNormMode((cudnnDivNormMode_t)0) && of_BatchNormMode((cudnnBatchNormMode_t)0) &&
           of_BatchNormOps((cudnnBatchNormOps_t)0) && of_Severity((cudnnSeverity_t)0);
}

/* Mixes both APIs as docs/porting-from-cudnn.md describes. */
static anydnnStatus_t own(cudnnHandle_t handle)
{
    cudnnStatus_t status = (cudnnStatus_t)anydnnSetDeterministic(handle, 1);

    return (anydnnStatus_t)status;
}

int main(void)
{
    cudnnHandle_t handle = NULL;
    cudnnStatus_t status;

    if (!all_known() || !SAME_LAYOUT(ConvolutionFwdAlgoPerf_t) ||
        !SAME_LAYOUT(ConvolutionBwdDataAlgoPerf_t) ||
        !SAME_LAYOUT(ConvolutionBwdFilterAlgoPerf_t)) {
        fprintf(stderr, "an enumeration or a struct differs\n");
        return 1;
    }
    if (own(NULL) == ANYDNN_STATUS_SUCCESS)
        return 1;
    status = cudnnCreate(&handle);
    if (status != CUDNN_STATUS_NOT_INITIALIZED) {
        fprintf(stderr, "cudnnCreate: %d, not CUDNN_STATUS_NOT_INITIALIZED\n", (int)status);
        return 1;
    }
    return 0;
}
