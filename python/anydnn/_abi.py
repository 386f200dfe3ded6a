# SPDX-License-Identifier: Apache-2.0
"""The types, numbers and prototypes of anydnn.h. python/generate.py makes this file; do not edit it."""
from ctypes import (Structure, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint,
                    c_ulonglong, c_void_p)
from enum import IntEnum
from typing import Any, Dict, Tuple

ANYDNN_MAJOR = 0
ANYDNN_MINOR = 9
ANYDNN_PATCHLEVEL = 0
ANYDNN_DIM_MAX = 8
ANYDNN_LRN_MIN_N = 1
ANYDNN_LRN_MAX_N = 16
ANYDNN_LRN_MIN_K = 1e-5
ANYDNN_LRN_MIN_BETA = 0.01
ANYDNN_BN_MIN_EPSILON = 0.0
ANYDNN_DROPOUT_MAGIC = 0x706f7264796e61
ANYDNN_DROPOUT_VERSION = 1
ANYDNN_NORMALIZATION_ZERO_CENTERED = 0x1


class Status(IntEnum):
    SUCCESS = 0
    NOT_INITIALIZED = 1
    ALLOC_FAILED = 2
    BAD_PARAM = 3
    INTERNAL_ERROR = 4
    INVALID_VALUE = 5
    ARCH_MISMATCH = 6
    MAPPING_ERROR = 7
    EXECUTION_FAILED = 8
    NOT_SUPPORTED = 9
    LICENSE_ERROR = 10
    RUNTIME_PREREQUISITE_MISSING = 11
    RUNTIME_IN_PROGRESS = 12
    RUNTIME_FP_OVERFLOW = 13
    CONFIG_ERROR = 100
    SHUTTING_DOWN = 101
    SPACE_POISONED = 102


class DataType(IntEnum):
    FLOAT = 0
    DOUBLE = 1
    HALF = 2
    INT8 = 3
    INT32 = 4
    INT8x4 = 5
    UINT8 = 6
    UINT8x4 = 7
    INT8x32 = 8
    BFLOAT16 = 9
    INT64 = 10


class MathType(IntEnum):
    DEFAULT_MATH = 0
    TENSOR_OP_MATH = 1
    TENSOR_OP_MATH_ALLOW_CONVERSION = 2
    FMA_MATH = 3
    TENSOR_OP_MATH_SPLIT = 1000


class NanPropagation(IntEnum):
    NOT_PROPAGATE_NAN = 0
    PROPAGATE_NAN = 1


class Determinism(IntEnum):
    NON_DETERMINISTIC = 0
    DETERMINISTIC = 1


class TensorFormat(IntEnum):
    NCHW = 0
    NHWC = 1
    NCHW_VECT_C = 2


class FoldingDirection(IntEnum):
    FOLD = 0
    UNFOLD = 1


class OpTensorOp(IntEnum):
    ADD = 0
    MUL = 1
    MIN = 2
    MAX = 3
    SQRT = 4
    NOT = 5


class ReduceTensorOp(IntEnum):
    ADD = 0
    MUL = 1
    MIN = 2
    MAX = 3
    AMAX = 4
    AVG = 5
    NORM1 = 6
    NORM2 = 7
    MUL_NO_ZEROS = 8


class ReduceTensorIndices(IntEnum):
    NO_INDICES = 0
    FLATTENED_INDICES = 1


class IndicesType(IntEnum):
    ALGO_32BIT_INDICES = 0
    ALGO_64BIT_INDICES = 1
    ALGO_16BIT_INDICES = 2
    ALGO_8BIT_INDICES = 3


class ConvolutionMode(IntEnum):
    CONVOLUTION = 0
    CROSS_CORRELATION = 1


class ReorderType(IntEnum):
    DEFAULT_REORDER = 0
    NO_REORDER = 1


class ConvolutionFwdPreference(IntEnum):
    NO_WORKSPACE = 0
    PREFER_FASTEST = 1
    SPECIFY_WORKSPACE_LIMIT = 2


class ConvolutionBwdDataPreference(IntEnum):
    NO_WORKSPACE = 0
    PREFER_FASTEST = 1
    SPECIFY_WORKSPACE_LIMIT = 2


class ConvolutionBwdFilterPreference(IntEnum):
    NO_WORKSPACE = 0
    PREFER_FASTEST = 1
    SPECIFY_WORKSPACE_LIMIT = 2


class ConvolutionFwdAlgo(IntEnum):
    IMPLICIT_GEMM = 0
    IMPLICIT_PRECOMP_GEMM = 1
    GEMM = 2
    DIRECT = 3
    FFT = 4
    FFT_TILING = 5
    WINOGRAD = 6
    WINOGRAD_NONFUSED = 7
    COUNT = 8


class ConvolutionBwdDataAlgo(IntEnum):
    ALGO_0 = 0
    ALGO_1 = 1
    FFT = 2
    FFT_TILING = 3
    WINOGRAD = 4
    WINOGRAD_NONFUSED = 5
    COUNT = 6


class ConvolutionBwdFilterAlgo(IntEnum):
    ALGO_0 = 0
    ALGO_1 = 1
    FFT = 2
    ALGO_3 = 3
    WINOGRAD = 4
    WINOGRAD_NONFUSED = 5
    FFT_TILING = 6
    COUNT = 7


class SoftmaxAlgorithm(IntEnum):
    FAST = 0
    ACCURATE = 1
    LOG = 2


class SoftmaxMode(IntEnum):
    INSTANCE = 0
    CHANNEL = 1


class PoolingMode(IntEnum):
    MAX = 0
    AVERAGE_COUNT_INCLUDE_PADDING = 1
    AVERAGE_COUNT_EXCLUDE_PADDING = 2
    MAX_DETERMINISTIC = 3


class ActivationMode(IntEnum):
    SIGMOID = 0
    RELU = 1
    TANH = 2
    CLIPPED_RELU = 3
    ELU = 4
    IDENTITY = 5
    SWISH = 6
    GELU = 1000
    GELU_TANH = 1001


class LRNMode(IntEnum):
    DIM1 = 0


class DivNormMode(IntEnum):
    MEANS = 0


class BatchNormMode(IntEnum):
    PER_ACTIVATION = 0
    SPATIAL = 1
    SPATIAL_PERSISTENT = 2


class BatchNormOps(IntEnum):
    BN = 0
    BN_ACTIVATION = 1
    BN_ADD_ACTIVATION = 2


class LibraryPropertyType(IntEnum):
    MAJOR_VERSION = 0
    MINOR_VERSION = 1
    PATCH_LEVEL = 2


class ErrQueryMode(IntEnum):
    RAWCODE = 0
    NONBLOCKING = 1
    BLOCKING = 2


class Severity(IntEnum):
    FATAL = 0
    ERROR = 1
    WARNING = 2
    INFO = 3


class MemCopyKind(IntEnum):
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3


class Direction(IntEnum):
    INPUT = 1
    OUTPUT = 2
    INPUT_OUTPUT = 3


class SamplerType(IntEnum):
    BILINEAR = 0


class CTCLossAlgo(IntEnum):
    DETERMINISTIC = 0
    NON_DETERMINISTIC = 1


class LossNormalizationMode(IntEnum):
    NONE = 0
    SOFTMAX = 1


class NormalizationKind(IntEnum):
    LAYER = 0
    GROUP = 1
    INSTANCE = 2
    RMS = 3


class RNNAlgo(IntEnum):
    STANDARD = 0
    PERSIST_STATIC = 1
    PERSIST_DYNAMIC = 2
    COUNT = 3


class Reason(IntEnum):
    NONE = 0
    OPERATION = 1
    TYPE = 2
    LAYOUT = 3
    SHAPE = 4
    GROUPS = 5
    MATH = 6
    PARAMETER = 7
    ALIAS = 8
    DEVICE = 9
    LIBRARY = 10
    EXTENSION = 11
    MEMORY = 12
    OTHER = 13


class Native(IntEnum):
    CONTEXT = 1
    DEVICE = 2
    STREAM = 3


class ConvolutionFwdAlgoPerf(Structure):
    _fields_ = [
        ("algo", c_int),
        ("status", c_int),
        ("time", c_float),
        ("memory", c_size_t),
        ("determinism", c_int),
        ("mathType", c_int),
        ("backend", c_int),
        ("reason", c_int),
        ("reserved", c_int * 10),
    ]


class ConvolutionBwdDataAlgoPerf(Structure):
    _fields_ = [
        ("algo", c_int),
        ("status", c_int),
        ("time", c_float),
        ("memory", c_size_t),
        ("determinism", c_int),
        ("mathType", c_int),
        ("backend", c_int),
        ("reason", c_int),
        ("reserved", c_int * 10),
    ]


class ConvolutionBwdFilterAlgoPerf(Structure):
    _fields_ = [
        ("algo", c_int),
        ("status", c_int),
        ("time", c_float),
        ("memory", c_size_t),
        ("determinism", c_int),
        ("mathType", c_int),
        ("backend", c_int),
        ("reason", c_int),
        ("reserved", c_int * 10),
    ]


# The result and argument types of each symbol, in the form of the level that introduced it.
PROTOTYPES: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "anydnnGetVersion": (c_size_t, ()),
    "anydnnGetApiLevel": (c_int, ()),
    "anydnnGetProperty": (c_int, (c_int, c_void_p)),
    "anydnnGetErrorString": (c_char_p, (c_int,)),
    "anydnnGetLastErrorString": (None, (c_void_p, c_size_t)),
    "anydnnNotImplemented": (c_int, (c_char_p,)),
    "anydnnRefuse": (c_int, (c_int, c_char_p)),
    "anydnnQueryRuntimeError": (c_int, (c_void_p, c_void_p, c_int, c_void_p)),
    "anydnnSetCallback": (c_int, (c_uint, c_void_p, c_void_p)),
    "anydnnGetCallback": (c_int, (c_void_p, c_void_p, c_void_p)),
    "anydnnCreate": (c_int, (c_void_p,)),
    "anydnnCreateOnDevice": (c_int, (c_void_p, c_char_p)),
    "anydnnCreateOnNative": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "anydnnGetNative": (c_int, (c_void_p, c_int, c_void_p)),
    "anydnnDestroy": (c_int, (c_void_p,)),
    "anydnnGetDevice": (c_int, (c_void_p, c_void_p, c_size_t)),
    "anydnnSetStream": (c_int, (c_void_p, c_void_p)),
    "anydnnGetStream": (c_int, (c_void_p, c_void_p)),
    "anydnnSetDeterministic": (c_int, (c_void_p, c_int)),
    "anydnnGetDeterministic": (c_int, (c_void_p, c_void_p)),
    "anydnnSetBatchInvariant": (c_int, (c_void_p, c_int)),
    "anydnnGetBatchInvariant": (c_int, (c_void_p, c_void_p)),
    "anydnnSetRoute": (c_int, (c_void_p, c_char_p, c_char_p, c_char_p)),
    "anydnnMemAlloc": (c_int, (c_void_p, c_size_t, c_void_p)),
    "anydnnMemFree": (c_int, (c_void_p, c_void_p)),
    "anydnnMemImport": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "anydnnMemCopy": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_int)),
    "anydnnMemSet": (c_int, (c_void_p, c_void_p, c_int, c_size_t)),
    "anydnnSynchronize": (c_int, (c_void_p,)),
    "anydnnMark": (c_int, (c_void_p, c_void_p)),
    "anydnnMarkElapsed": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnMarkDestroy": (c_int, (c_void_p, c_void_p)),
    "anydnnRecordBegin": (c_int, (c_void_p,)),
    "anydnnRecordEnd": (c_int, (c_void_p, c_void_p)),
    "anydnnReplay": (c_int, (c_void_p, c_void_p)),
    "anydnnRecordingDestroy": (c_int, (c_void_p, c_void_p)),
    "anydnnGetDispatchInfo": (c_int, (c_void_p, c_char_p, c_void_p, c_size_t)),
    "anydnnGetDispatchInfoInt": (c_int, (c_void_p, c_char_p, c_void_p)),
    "anydnnSetTrace": (c_int, (c_void_p, c_char_p)),
    "anydnnSetShadow": (c_int, (c_void_p, c_char_p)),
    "anydnnSetCheck": (c_int, (c_void_p, c_char_p)),
    "anydnnGetShadowInfo": (c_int, (c_void_p, c_char_p, c_void_p, c_size_t)),
    "anydnnGetShadowInfoInt": (c_int, (c_void_p, c_char_p, c_void_p)),
    "anydnnGetBackendCount": (c_int, (c_void_p,)),
    "anydnnGetBackendInfo": (c_int, (c_int, c_char_p, c_void_p, c_size_t)),
    "anydnnGetDeviceCount": (c_int, (c_void_p,)),
    "anydnnGetDeviceInfo": (c_int, (c_int, c_char_p, c_void_p, c_size_t)),
    "anydnnGetSettingCount": (c_int, (c_void_p,)),
    "anydnnGetSettingInfo": (c_int, (c_int, c_char_p, c_void_p, c_size_t)),
    "anydnnProblemParse": (c_int, (c_char_p, c_void_p)),
    "anydnnProblemPrint": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "anydnnProblemGetOperandCount": (c_int, (c_void_p, c_void_p)),
    "anydnnProblemGetOperand": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "anydnnProblemGetOperandHost": (c_int, (c_void_p, c_int, c_void_p)),
    "anydnnProblemGetWorkspaceSize": (c_int, (c_void_p, c_void_p, c_void_p)),
    "anydnnProblemExplain": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "anydnnProblemExecute": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_size_t)),
    "anydnnProblemDestroy": (c_int, (c_void_p,)),
    "anydnnCreateTensorDescriptor": (c_int, (c_void_p,)),
    "anydnnSetTensor4dDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_int, c_int, c_int)),
    "anydnnSetTensor4dDescriptorEx": (c_int, (c_void_p, c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_int)),
    "anydnnGetTensor4dDescriptor": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnSetTensorNdDescriptor": (c_int, (c_void_p, c_int, c_int, c_void_p, c_void_p)),
    "anydnnSetTensorNdDescriptorEx": (c_int, (c_void_p, c_int, c_int, c_int, c_void_p)),
    "anydnnGetTensorNdDescriptor": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnGetTensorSizeInBytes": (c_int, (c_void_p, c_void_p)),
    "anydnnDestroyTensorDescriptor": (c_int, (c_void_p,)),
    "anydnnCreateTensorTransformDescriptor": (c_int, (c_void_p,)),
    "anydnnSetTensorTransformDescriptor": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int)),
    "anydnnGetTensorTransformDescriptor": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnInitTransformDest": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyTensorTransformDescriptor": (c_int, (c_void_p,)),
    "anydnnTransformTensor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnTransformTensorEx": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnTransformFilter": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnAddTensor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnCreateOpTensorDescriptor": (c_int, (c_void_p,)),
    "anydnnSetOpTensorDescriptor": (c_int, (c_void_p, c_int, c_int, c_int)),
    "anydnnGetOpTensorDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyOpTensorDescriptor": (c_int, (c_void_p,)),
    "anydnnOpTensor": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnCreateReduceTensorDescriptor": (c_int, (c_void_p,)),
    "anydnnSetReduceTensorDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_int, c_int)),
    "anydnnGetReduceTensorDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyReduceTensorDescriptor": (c_int, (c_void_p,)),
    "anydnnGetReductionIndicesSize": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnGetReductionWorkspaceSize": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnReduceTensor": (c_int, (
        c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p,
    )),
    "anydnnSetTensor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnScaleTensor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnCreateFilterDescriptor": (c_int, (c_void_p,)),
    "anydnnSetFilter4dDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_int, c_int, c_int)),
    "anydnnGetFilter4dDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnSetFilterNdDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_void_p)),
    "anydnnGetFilterNdDescriptor": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnGetFilterSizeInBytes": (c_int, (c_void_p, c_void_p)),
    "anydnnDestroyFilterDescriptor": (c_int, (c_void_p,)),
    "anydnnCreateConvolutionDescriptor": (c_int, (c_void_p,)),
    "anydnnDestroyConvolutionDescriptor": (c_int, (c_void_p,)),
    "anydnnSetConvolutionMathType": (c_int, (c_void_p, c_int)),
    "anydnnGetConvolutionMathType": (c_int, (c_void_p, c_void_p)),
    "anydnnSetConvolutionGroupCount": (c_int, (c_void_p, c_int)),
    "anydnnGetConvolutionGroupCount": (c_int, (c_void_p, c_void_p)),
    "anydnnSetConvolutionReorderType": (c_int, (c_void_p, c_int)),
    "anydnnGetConvolutionReorderType": (c_int, (c_void_p, c_void_p)),
    "anydnnSetConvolution2dDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_int)),
    "anydnnGetConvolution2dDescriptor": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnSetConvolutionNdDescriptor": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int, c_int)),
    "anydnnGetConvolutionNdDescriptor": (c_int, (
        c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnGetConvolution2dForwardOutputDim": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnGetConvolutionNdForwardOutputDim": (c_int, (c_void_p, c_void_p, c_void_p, c_int, c_void_p)),
    "anydnnGetFoldedConvBackwardDataDescriptors": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p,
    )),
    "anydnnGetConvolutionForwardAlgorithmMaxCount": (c_int, (c_void_p, c_void_p)),
    "anydnnFindConvolutionForwardAlgorithm": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
    )),
    "anydnnFindConvolutionForwardAlgorithmEx": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
        c_void_p, c_size_t,
    )),
    "anydnnGetConvolutionForwardAlgorithm": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_size_t, c_void_p,
    )),
    "anydnnGetConvolutionForwardAlgorithm_v2": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p, c_void_p,
    )),
    "anydnnGetConvolutionForwardWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p,
    )),
    "anydnnConvolutionForward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_size_t, c_void_p,
        c_void_p, c_void_p,
    )),
    "anydnnConvolutionBiasActivationForward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_size_t, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnConvolutionBackwardBias": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnGetConvolutionBackwardFilterAlgorithmMaxCount": (c_int, (c_void_p, c_void_p)),
    "anydnnFindConvolutionBackwardFilterAlgorithm": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
    )),
    "anydnnFindConvolutionBackwardFilterAlgorithmEx": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
        c_void_p, c_size_t,
    )),
    "anydnnGetConvolutionBackwardFilterAlgorithm": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_size_t, c_void_p,
    )),
    "anydnnGetConvolutionBackwardFilterAlgorithm_v2": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p, c_void_p,
    )),
    "anydnnGetConvolutionBackwardFilterWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p,
    )),
    "anydnnConvolutionBackwardFilter": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_size_t, c_void_p,
        c_void_p, c_void_p,
    )),
    "anydnnGetConvolutionBackwardDataAlgorithmMaxCount": (c_int, (c_void_p, c_void_p)),
    "anydnnFindConvolutionBackwardDataAlgorithm": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
    )),
    "anydnnFindConvolutionBackwardDataAlgorithmEx": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
        c_void_p, c_size_t,
    )),
    "anydnnGetConvolutionBackwardDataAlgorithm": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_size_t, c_void_p,
    )),
    "anydnnGetConvolutionBackwardDataAlgorithm_v2": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p, c_void_p,
    )),
    "anydnnGetConvolutionBackwardDataWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p,
    )),
    "anydnnConvolutionBackwardData": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_size_t, c_void_p,
        c_void_p, c_void_p,
    )),
    "anydnnIm2Col": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnReorderFilterAndBias": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "anydnnCreateAlgorithmDescriptor": (c_int, (c_void_p,)),
    "anydnnSetAlgorithmDescriptor": (c_int, (c_void_p, c_int)),
    "anydnnGetAlgorithmDescriptor": (c_int, (c_void_p, c_void_p)),
    "anydnnCopyAlgorithmDescriptor": (c_int, (c_void_p, c_void_p)),
    "anydnnDestroyAlgorithmDescriptor": (c_int, (c_void_p,)),
    "anydnnCreateAlgorithmPerformance": (c_int, (c_void_p, c_int)),
    "anydnnSetAlgorithmPerformance": (c_int, (c_void_p, c_void_p, c_int, c_float, c_size_t)),
    "anydnnGetAlgorithmPerformance": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyAlgorithmPerformance": (c_int, (c_void_p, c_int)),
    "anydnnGetAlgorithmSpaceSize": (c_int, (c_void_p, c_void_p, c_void_p)),
    "anydnnSaveAlgorithm": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t)),
    "anydnnRestoreAlgorithm": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "anydnnSoftmaxForward": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnSoftmaxBackward": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnCreatePoolingDescriptor": (c_int, (c_void_p,)),
    "anydnnSetPooling2dDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_int)),
    "anydnnGetPooling2dDescriptor": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnSetPoolingNdDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_void_p, c_void_p, c_void_p)),
    "anydnnGetPoolingNdDescriptor": (c_int, (
        c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnGetPoolingNdForwardOutputDim": (c_int, (c_void_p, c_void_p, c_int, c_void_p)),
    "anydnnGetPooling2dForwardOutputDim": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyPoolingDescriptor": (c_int, (c_void_p,)),
    "anydnnPoolingForward": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnPoolingBackward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p,
    )),
    "anydnnCreateActivationDescriptor": (c_int, (c_void_p,)),
    "anydnnSetActivationDescriptor": (c_int, (c_void_p, c_int, c_int, c_double)),
    "anydnnGetActivationDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnSetActivationDescriptorSwishBeta": (c_int, (c_void_p, c_double)),
    "anydnnGetActivationDescriptorSwishBeta": (c_int, (c_void_p, c_void_p)),
    "anydnnDestroyActivationDescriptor": (c_int, (c_void_p,)),
    "anydnnActivationForward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnActivationBackward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p,
    )),
    "anydnnCreateLRNDescriptor": (c_int, (c_void_p,)),
    "anydnnSetLRNDescriptor": (c_int, (c_void_p, c_uint, c_double, c_double, c_double)),
    "anydnnGetLRNDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyLRNDescriptor": (c_int, (c_void_p,)),
    "anydnnLRNCrossChannelForward": (c_int, (
        c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnLRNCrossChannelBackward": (c_int, (
        c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p,
    )),
    "anydnnDivisiveNormalizationForward": (c_int, (
        c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p,
    )),
    "anydnnDivisiveNormalizationBackward": (c_int, (
        c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p,
    )),
    "anydnnDeriveBNTensorDescriptor": (c_int, (c_void_p, c_void_p, c_int)),
    "anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnGetBatchNormalizationBackwardExWorkspaceSize": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnGetBatchNormalizationTrainingExReserveSpaceSize": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnBatchNormalizationForwardTraining": (c_int, (
        c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_double, c_void_p, c_void_p, c_double, c_void_p, c_void_p,
    )),
    "anydnnBatchNormalizationForwardTrainingEx": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_void_p, c_void_p,
        c_size_t, c_void_p, c_size_t,
    )),
    "anydnnBatchNormalizationForwardInference": (c_int, (
        c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_double,
    )),
    "anydnnBatchNormalizationBackward": (c_int, (
        c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p,
    )),
    "anydnnBatchNormalizationBackwardEx": (c_int, (
        c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_double, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t,
    )),
    "anydnnCreateDropoutDescriptor": (c_int, (c_void_p,)),
    "anydnnDestroyDropoutDescriptor": (c_int, (c_void_p,)),
    "anydnnDropoutGetStatesSize": (c_int, (c_void_p, c_void_p)),
    "anydnnDropoutGetReserveSpaceSize": (c_int, (c_void_p, c_void_p)),
    "anydnnSetDropoutDescriptor": (c_int, (c_void_p, c_void_p, c_float, c_void_p, c_size_t, c_ulonglong)),
    "anydnnRestoreDropoutDescriptor": (c_int, (c_void_p, c_void_p, c_float, c_void_p, c_size_t, c_ulonglong)),
    "anydnnGetDropoutDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDropoutForward": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t)),
    "anydnnDropoutBackward": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t)),
    "anydnnCreateSpatialTransformerDescriptor": (c_int, (c_void_p,)),
    "anydnnSetSpatialTransformerNdDescriptor": (c_int, (c_void_p, c_int, c_int, c_int, c_void_p)),
    "anydnnDestroySpatialTransformerDescriptor": (c_int, (c_void_p,)),
    "anydnnSpatialTfGridGeneratorForward": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnSpatialTfGridGeneratorBackward": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnSpatialTfSamplerForward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnSpatialTfSamplerBackward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p,
    )),
    "anydnnCreateCTCLossDescriptor": (c_int, (c_void_p,)),
    "anydnnSetCTCLossDescriptor": (c_int, (c_void_p, c_int)),
    "anydnnSetCTCLossDescriptorEx": (c_int, (c_void_p, c_int, c_int, c_int)),
    "anydnnGetCTCLossDescriptor": (c_int, (c_void_p, c_void_p)),
    "anydnnGetCTCLossDescriptorEx": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyCTCLossDescriptor": (c_int, (c_void_p,)),
    "anydnnGetCTCLossWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
    )),
    "anydnnCTCLoss": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p,
        c_void_p, c_size_t,
    )),
    "anydnnCreateNormalizationDescriptor": (c_int, (c_void_p,)),
    "anydnnSetNormalizationDescriptor": (c_int, (c_void_p, c_int, c_uint, c_int, c_int, c_uint, c_double)),
    "anydnnGetNormalizationDescriptor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyNormalizationDescriptor": (c_int, (c_void_p,)),
    "anydnnDeriveNormalizationStatisticsDescriptor": (c_int, (c_void_p, c_void_p, c_void_p)),
    "anydnnGetNormalizationForwardWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnNormalizationForward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t,
    )),
    "anydnnGetNormalizationBackwardWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int,
        c_int, c_void_p,
    )),
    "anydnnNormalizationBackward": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t,
    )),
    "anydnnCreateMatMulDescriptor": (c_int, (c_void_p,)),
    "anydnnSetMatMulDescriptor": (c_int, (c_void_p, c_int, c_int)),
    "anydnnGetMatMulDescriptor": (c_int, (c_void_p, c_void_p, c_void_p)),
    "anydnnDestroyMatMulDescriptor": (c_int, (c_void_p,)),
    "anydnnGetMatMulWorkspaceSize": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
    )),
    "anydnnMatMul": (c_int, (
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t,
    )),
}
