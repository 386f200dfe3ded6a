/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's contract with libanydnn. It provides deep-learning primitives through one
 * stable C ABI in the shape of cuDNN 7. Settings choose the backend of each operation: a CPU
 * reference, CUDA kernels, oneDNN, cuDNN, or a vendor's own. This header is the manual.
 *
 * Code for cuDNN 7 ports by renaming: anydnnFoo for cudnnFoo, ANYDNN_FOO for CUDNN_FOO, with the
 * same argument order and the same numeric values. An entry documented as "as cuDNN 7" has the
 * meaning of cuDNN 7's entry of that name. The text after these words states facts worth knowing,
 * and the choices where cuDNN leaves something open. Entries without these words exist only in
 * anydnn.
 *
 * CONTENTS
 *
 *   rules for all entries; API levels
 *   types                       limits, enumerations, handles, perf structs
 *   version, errors, messages
 *   handles                     device, stream, determinism, routes
 *   memory, time, recordings    a program without a line of CUDA
 *   dispatch record, backends, devices, settings
 *   problems as objects         an operation as text
 *   tensor descriptors
 *   tensor transform
 *   tensor arithmetic           add, op, reduce, set, scale
 *   filter descriptors
 *   convolution descriptors
 *   convolution                 shapes, types, algorithms; the three directions, bias, im2col
 *   algorithm objects
 *   softmax
 *   pooling
 *   activation
 *   LRN and divisive normalization
 *   batch normalization
 *   dropout
 *   spatial transformer
 *   CTC loss
 *   layer, group, instance and RMS normalization
 *   matrix products
 *
 * RULES FOR ALL ENTRIES
 *
 * Results. Every entry returns an anydnnStatus_t unless its comment says otherwise. After a
 * failure, anydnnGetLastErrorString returns one message that names the entry, the argument, its
 * value and the rule that it breaks. A call that fails before its backend has begun changes no
 * output. If it fails later, the dispatch key `effect` reports whether work was enqueued on the
 * device. The following statuses are common to all entries and are not repeated below:
 *
 *   NOT_INITIALIZED   the handle is NULL or was destroyed, or it was made before a fork() that
 *                     its backend does not survive
 *   BAD_PARAM         an argument is NULL where it must not be, has an unknown value, or breaks
 *                     a rule of shapes; no other backend is tried
 *   NOT_SUPPORTED     no backend of the effective route runs this problem; the message gives
 *                     the reason of each
 *   EXECUTION_FAILED, INTERNAL_ERROR, ALLOC_FAILED   the backend failed
 *   CONFIG_ERROR      a settings file named explicitly is bad, or a backend that the settings
 *                     demand cannot be used (only from entries that read the settings: those that
 *                     make a handle, and those about backends, devices and settings)
 *   SPACE_POISONED    the device failed; only a new process can use it again
 *   SHUTTING_DOWN     called while the process exits
 *
 * Pointers. Data pointers (x, y, w, workspace, states, reserve, ...) point to memory of the
 * handle's device: host memory for "cpu", device memory for "cuda". Scaling factors, parameters,
 * outputs of queries and text are always in host memory. Labels and lengths of the CTC loss are in
 * host memory too, and are read before the call returns. Data pointers need only the alignment of
 * one element. The library keeps none of them after a call, except dropout states, which their
 * descriptor keeps, and those in recordings.
 *
 * Order. On a device with streams, a compute entry enqueues its work on the handle's stream and
 * returns. The arrays must exist until the work is done. On the host the work is done when the
 * entry returns. A later call of the same handle sees the results of the earlier ones without
 * further synchronization.
 *
 * Blend. Where an entry takes alpha and beta: out = alpha[0] * result + beta[0] * out. With beta 0,
 * out is never read, so it may hold anything, including NaN. With alpha 0 the result is still
 * computed, so NaN and Inf in the inputs propagate. Both point to one double if the operands are
 * ANYDNN_DATA_DOUBLE, else to one float, also for half and integer operands. They are read before
 * the call returns.
 *
 * Tensors. Element (i0, i1, ...) of a tensor lies at base + i0 * stride0 + i1 * stride1 + ...
 * elements. Any positive strides without overlap are allowed. A sub-region of a larger tensor is
 * therefore the pointer to its first element with the strides of the larger one. Nothing outside
 * the described elements is read or written. Unless an entry says otherwise, its tensors have the
 * same type and number of dims. Dim 0 is n, dim 1 is c, the rest are spatial, outermost first (h w,
 * or d h w). Sizes and strides are 64-bit inside the library; a tensor may have more than 2^31
 * elements.
 *
 * In place. An output may have the same pointer as an input only where the entry permits this for
 * every input at that address that it reads. The descriptors must be equal then. Buffers that
 * overlap in part are not detected and give unspecified results.
 *
 * Types. Every operation supports float, double, half and bfloat16; double is mixed with no other
 * type. The forward operations convolution, pooling, activation, softmax, LRN and batch
 * normalization in inference also support int8, and the first two its vector types as well.
 * Transform, add, scale and set support all of these, uint8, its vector type and int32. The entries
 * state which types may be mixed; another type or mix is NOT_SUPPORTED.
 *
 * Integers. alpha * result + beta * out is rounded once, to nearest even, and saturates; NaN
 * becomes 0. 32-bit sums wrap. The result of Inf or NaN in a filter at padded positions is
 * unspecified.
 *
 * Where cuDNN's documents leave something open (ties, NaN, Inf, empty windows, orders, the above),
 * anydnn follows what cuDNN 9.19 computed on an H200. The programs and their output are in
 * tests/probes in the sources.
 *
 * Descriptors. Create makes a descriptor, Set gives it values (any number of times), and Destroy
 * frees it (NULL is allowed). Descriptors belong to no handle. A compute entry returns BAD_PARAM
 * for a descriptor that was never set. A setter that fails leaves the descriptor unchanged. Getters
 * of a descriptor that was never set return zeros, as in cuDNN.
 *
 * Threads. A handle is for one thread at a time; several handles may run at once. Many threads may
 * read a descriptor while none sets it. Everything else is thread-safe. A calling thread needs at
 * least 128 KiB of stack, or more if the library behind a backend needs more. cpu_ref runs in 64
 * KiB, oneDNN's kernels in 70.
 *
 * Floating point. Results are those of IEEE arithmetic, rounded to nearest, without flushing to
 * zero, whatever the calling thread's modes are. When an entry returns, the thread's modes
 * (rounding, flushing to zero, precision, traps) and its sticky flags are as before the call. This
 * also holds if the call opened a backend. Callbacks of the application run in anydnn's modes.
 *
 * Text. Entries that fill `text` write at most `size` bytes, always end with NUL and truncate what
 * does not fit. A text of length size - 1 may have been truncated. An unknown key returns BAD_PARAM
 * with the nearest known key in the message. Later versions may add keys, but never change the
 * meaning of one. The order of keys is unspecified.
 *
 * API LEVELS
 *
 * The level increases when the signature or meaning of an entry must change. The new form of `foo`
 * at level n is then `foo_v<n>`. The meaning of the plain name depends on the level that a source
 * file requests, its view:
 *
 *   #define ANYDNN_API_LEVEL 1
 *   #include <anydnn/anydnn.h>
 *
 *   view of level    foo means          also declared
 *   before n         old form           -
 *   n                old, deprecated    foo_v<n>
 *   n + 1            new form           foo_v<n>; foo_v<old> with the old form, deprecated
 *   after            new form           -
 *
 * Without the define the view is the newest. Programs linked at any level run with every later
 * library. This header has the levels 1 and 2. docs/levels.md has the rules, and the changes that a
 * program needs from level to level.
 *
 * Bindings that look symbols up by name (dlsym, ctypes, an FFI) have no view: the symbol `foo` has
 * the form of the level that introduced it, and never changes. The symbol
 * anydnnGetConvolutionForwardAlgorithm is level 1's, though C sees level 2's under that name; the
 * latter is the symbol with _v2. `anydnn abi --json` lists every symbol with its level and
 * prototype.
 */
#ifndef ANYDNN_ANYDNN_H
#define ANYDNN_ANYDNN_H

#include <stddef.h>
#include <stdint.h>

/*
 * The version of this header; anydnnGetVersion returns the library's. Compare ANYDNN_VERSION as a
 * whole; do not divide it into its parts.
 */
#define ANYDNN_MAJOR      0
#define ANYDNN_MINOR      9
#define ANYDNN_PATCHLEVEL 0
#define ANYDNN_VERSION    (ANYDNN_MAJOR * 10000 + ANYDNN_MINOR * 100 + ANYDNN_PATCHLEVEL)

#if defined(__GNUC__)
#define ANYDNN_API __attribute__((visibility("default")))
#else
#define ANYDNN_API
#endif

/*
 * The view of this header. Define ANYDNN_API_LEVEL before the include to keep an older view. For an
 * entry with several forms, ANYDNN_FORM below declares one of them.
 */
#include <anydnn/views.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ types */

/*
 * The limits: dims of a tensor (spatial dims: two fewer); LRN's n, k and beta; the least epsilon of
 * batch normalization (as from cuDNN 7.6 on; it was 1e-5 before).
 */
#define ANYDNN_DIM_MAX        8
#define ANYDNN_LRN_MIN_N      1
#define ANYDNN_LRN_MAX_N      16
#define ANYDNN_LRN_MIN_K      1e-5
#define ANYDNN_LRN_MIN_BETA   0.01
#define ANYDNN_BN_MIN_EPSILON 0.0

/*
 * The dropout states: 32 bytes in the handle's memory, the same for every backend. They are four
 * 64-bit words in the machine's byte order {magic, version, seed, offset}.
 * anydnnSetDropoutDescriptor writes them with offset 0. Each anydnnDropoutForward then advances
 * offset, in stream order, by the number of elements of x rounded up to a multiple of 4.
 *
 * Let e = offset + i, where i is the index of an element in row-major order of the dims, whatever
 * the strides are. The element is dropped if r < probability * 2^32, where r is word e mod 4 of
 * Philox4x32-10 with the counter (e / 4 low word, e / 4 high word, 0, 0) and the key (seed low
 * word, seed high word).
 */
#define ANYDNN_DROPOUT_MAGIC   0x706f7264796e61ULL
#define ANYDNN_DROPOUT_VERSION 1

/* The statuses. 0 to 13 have cuDNN 7's numbers (cuDNN 9 has others); anydnn's own begin at 100. */
typedef enum {
    ANYDNN_STATUS_SUCCESS = 0,
    ANYDNN_STATUS_NOT_INITIALIZED = 1,               /* no handle, or a destroyed one */
    ANYDNN_STATUS_ALLOC_FAILED = 2,                  /* out of host or device memory */
    ANYDNN_STATUS_BAD_PARAM = 3,                     /* an argument breaks a rule */
    ANYDNN_STATUS_INTERNAL_ERROR = 4,                /* a bug here or in a backend */
    ANYDNN_STATUS_INVALID_VALUE = 5,                 /* like BAD_PARAM, where cuDNN 7 returns it */
    ANYDNN_STATUS_ARCH_MISMATCH = 6,                 /* the device lacks a feature */
    ANYDNN_STATUS_MAPPING_ERROR = 7,                 /* a stream of another device */
    ANYDNN_STATUS_EXECUTION_FAILED = 8,              /* the device or backend failed */
    ANYDNN_STATUS_NOT_SUPPORTED = 9,                 /* no backend of the route does this */
    ANYDNN_STATUS_LICENSE_ERROR = 10,                /* never returned */
    ANYDNN_STATUS_RUNTIME_PREREQUISITE_MISSING = 11, /* a vendor's library is missing */
    ANYDNN_STATUS_RUNTIME_IN_PROGRESS = 12,          /* never returned */
    ANYDNN_STATUS_RUNTIME_FP_OVERFLOW = 13,          /* never returned */
    ANYDNN_STATUS_CONFIG_ERROR = 100,                /* settings named explicitly are bad */
    ANYDNN_STATUS_SHUTTING_DOWN = 101,               /* the process is exiting */
    ANYDNN_STATUS_SPACE_POISONED = 102,              /* only a new process can use the device */
    ANYDNN_STATUS_FORCE_32 = 0x7fffffff
} anydnnStatus_t;

/*
 * The element types. In the three vector types one element is 4 or 32 adjacent channels. Dims count
 * channels, strides count vectors, and c must be a multiple of the vector's length.
 */
typedef enum {
    ANYDNN_DATA_FLOAT = 0,
    ANYDNN_DATA_DOUBLE = 1,
    ANYDNN_DATA_HALF = 2,
    ANYDNN_DATA_INT8 = 3,
    ANYDNN_DATA_INT32 = 4,
    ANYDNN_DATA_INT8x4 = 5,
    ANYDNN_DATA_UINT8 = 6,
    ANYDNN_DATA_UINT8x4 = 7,
    ANYDNN_DATA_INT8x32 = 8,
    ANYDNN_DATA_BFLOAT16 = 9,
    ANYDNN_DATA_INT64 = 10,
    ANYDNN_DATA_FORCE_32 = 0x7fffffff
} anydnnDataType_t;

/*
 * The math that a convolution may use. A mode is a permission, not a demand. If no backend can use
 * it, the call runs in default math, and the dispatch record shows this (keys math_requested,
 * math). Nothing ever runs at less precision than the mode permits. Default and FMA math are the
 * same here: plain multiply-add in float or wider, without TF32 on any backend. cuDNN 7 calls it
 * default, and cuDNN 9 FMA.
 */
typedef enum {
    ANYDNN_DEFAULT_MATH = 0,   /* no matrix units, no operand rounding */
    ANYDNN_TENSOR_OP_MATH = 1, /* matrix units for half, bfloat16, int8; float sums */
    ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2, /* also float operands, rounded to TF32 */
    ANYDNN_FMA_MATH = 3,                        /* another name for default */
    ANYDNN_TENSOR_OP_MATH_SPLIT = 1000, /* float as sums of shorter terms: float's error, faster */
    ANYDNN_MATH_FORCE_32 = 0x7fffffff
} anydnnMathType_t;

/*
 * The treatment of NaN by an operation that compares values: ignore it (ReLU gives 0, a maximum
 * skips it) or propagate it.
 */
typedef enum {
    ANYDNN_NOT_PROPAGATE_NAN = 0,
    ANYDNN_PROPAGATE_NAN = 1,
    ANYDNN_NAN_FORCE_32 = 0x7fffffff
} anydnnNanPropagation_t;

typedef enum {
    ANYDNN_NON_DETERMINISTIC = 0,
    ANYDNN_DETERMINISTIC = 1,
    ANYDNN_DETERMINISM_FORCE_32 = 0x7fffffff
} anydnnDeterminism_t;

/*
 * The packed layouts: last dim fastest; channels fastest; or vectors of channels (only with the
 * vector types).
 */
typedef enum {
    ANYDNN_TENSOR_NCHW = 0,
    ANYDNN_TENSOR_NHWC = 1,
    ANYDNN_TENSOR_NCHW_VECT_C = 2,
    ANYDNN_TENSOR_FORMAT_FORCE_32 = 0x7fffffff
} anydnnTensorFormat_t;

typedef enum {
    ANYDNN_TRANSFORM_FOLD = 0,   /* pad, then blocks of space into channels */
    ANYDNN_TRANSFORM_UNFOLD = 1, /* blocks of channels into space, then pad */
    ANYDNN_TRANSFORM_FORCE_32 = 0x7fffffff
} anydnnFoldingDirection_t;

typedef enum {
    ANYDNN_OP_TENSOR_ADD = 0,  /* a + b */
    ANYDNN_OP_TENSOR_MUL = 1,  /* a * b */
    ANYDNN_OP_TENSOR_MIN = 2,  /* min(a, b) */
    ANYDNN_OP_TENSOR_MAX = 3,  /* max(a, b) */
    ANYDNN_OP_TENSOR_SQRT = 4, /* sqrt(a) */
    ANYDNN_OP_TENSOR_NOT = 5,  /* 1 - a */
    ANYDNN_OP_TENSOR_FORCE_32 = 0x7fffffff
} anydnnOpTensorOp_t;

typedef enum {
    ANYDNN_REDUCE_TENSOR_ADD = 0,
    ANYDNN_REDUCE_TENSOR_MUL = 1,
    ANYDNN_REDUCE_TENSOR_MIN = 2,
    ANYDNN_REDUCE_TENSOR_MAX = 3,
    ANYDNN_REDUCE_TENSOR_AMAX = 4,         /* largest absolute value */
    ANYDNN_REDUCE_TENSOR_AVG = 5,          /* mean */
    ANYDNN_REDUCE_TENSOR_NORM1 = 6,        /* sum of absolute values */
    ANYDNN_REDUCE_TENSOR_NORM2 = 7,        /* root of the sum of squares */
    ANYDNN_REDUCE_TENSOR_MUL_NO_ZEROS = 8, /* product of nonzero elements */
    ANYDNN_REDUCE_TENSOR_FORCE_32 = 0x7fffffff
} anydnnReduceTensorOp_t;

typedef enum {
    ANYDNN_REDUCE_TENSOR_NO_INDICES = 0,
    ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES = 1,
    ANYDNN_REDUCE_TENSOR_INDICES_FORCE_32 = 0x7fffffff
} anydnnReduceTensorIndices_t;

typedef enum {
    ANYDNN_32BIT_INDICES = 0,
    ANYDNN_64BIT_INDICES = 1,
    ANYDNN_16BIT_INDICES = 2,
    ANYDNN_8BIT_INDICES = 3,
    ANYDNN_INDICES_FORCE_32 = 0x7fffffff
} anydnnIndicesType_t;

typedef enum {
    ANYDNN_CONVOLUTION = 0,       /* the filter is flipped in every spatial dim */
    ANYDNN_CROSS_CORRELATION = 1, /* the filter is not flipped */
    ANYDNN_CONVOLUTION_MODE_FORCE_32 = 0x7fffffff
} anydnnConvolutionMode_t;

/* These exist only for porting: anydnn never reorders filters or biases. */
typedef enum {
    ANYDNN_DEFAULT_REORDER = 0,
    ANYDNN_NO_REORDER = 1,
    ANYDNN_REORDER_FORCE_32 = 0x7fffffff
} anydnnReorderType_t;

typedef enum {
    ANYDNN_CONVOLUTION_FWD_NO_WORKSPACE = 0,
    ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST = 1,
    ANYDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT = 2,
    ANYDNN_CONVOLUTION_FWD_PREFERENCE_FORCE_32 = 0x7fffffff
} anydnnConvolutionFwdPreference_t;

typedef enum {
    ANYDNN_CONVOLUTION_BWD_DATA_NO_WORKSPACE = 0,
    ANYDNN_CONVOLUTION_BWD_DATA_PREFER_FASTEST = 1,
    ANYDNN_CONVOLUTION_BWD_DATA_SPECIFY_WORKSPACE_LIMIT = 2,
    ANYDNN_CONVOLUTION_BWD_DATA_PREFERENCE_FORCE_32 = 0x7fffffff
} anydnnConvolutionBwdDataPreference_t;

typedef enum {
    ANYDNN_CONVOLUTION_BWD_FILTER_NO_WORKSPACE = 0,
    ANYDNN_CONVOLUTION_BWD_FILTER_PREFER_FASTEST = 1,
    ANYDNN_CONVOLUTION_BWD_FILTER_SPECIFY_WORKSPACE_LIMIT = 2,
    ANYDNN_CONVOLUTION_BWD_FILTER_PREFERENCE_FORCE_32 = 0x7fffffff
} anydnnConvolutionBwdFilterPreference_t;

/* The algorithms of cuDNN, which are hints: see "Algorithms and workspace" below. COUNT is not an
 * algorithm. */
typedef enum {
    ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
    ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
    ANYDNN_CONVOLUTION_FWD_ALGO_GEMM = 2,
    ANYDNN_CONVOLUTION_FWD_ALGO_DIRECT = 3,
    ANYDNN_CONVOLUTION_FWD_ALGO_FFT = 4,
    ANYDNN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5,
    ANYDNN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
    ANYDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7,
    ANYDNN_CONVOLUTION_FWD_ALGO_COUNT = 8,
    ANYDNN_CONVOLUTION_FWD_ALGO_FORCE_32 = 0x7fffffff
} anydnnConvolutionFwdAlgo_t;

typedef enum {
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING = 3,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD = 4,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT = 6,
    ANYDNN_CONVOLUTION_BWD_DATA_ALGO_FORCE_32 = 0x7fffffff
} anydnnConvolutionBwdDataAlgo_t;

typedef enum {
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_3 = 3,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD = 4,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING = 6,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT = 7,
    ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_FORCE_32 = 0x7fffffff
} anydnnConvolutionBwdFilterAlgo_t;

typedef enum {
    ANYDNN_SOFTMAX_FAST = 0,     /* exp(x) / sum exp(x) */
    ANYDNN_SOFTMAX_ACCURATE = 1, /* the same after the maximum is subtracted */
    ANYDNN_SOFTMAX_LOG = 2,      /* x - max - log(sum exp(x - max)) */
    ANYDNN_SOFTMAX_ALGORITHM_FORCE_32 = 0x7fffffff
} anydnnSoftmaxAlgorithm_t;

typedef enum {
    ANYDNN_SOFTMAX_MODE_INSTANCE = 0, /* over c and all spatial dims, for each n */
    ANYDNN_SOFTMAX_MODE_CHANNEL = 1,  /* over c, for each n and position */
    ANYDNN_SOFTMAX_MODE_FORCE_32 = 0x7fffffff
} anydnnSoftmaxMode_t;

typedef enum {
    ANYDNN_POOLING_MAX = 0,
    ANYDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1, /* sum / positions in the padded input */
    ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2, /* sum / elements inside */
    ANYDNN_POOLING_MAX_DETERMINISTIC = 3, /* same as MAX, which is deterministic here too */
    ANYDNN_POOLING_FORCE_32 = 0x7fffffff
} anydnnPoolingMode_t;

typedef enum {
    ANYDNN_ACTIVATION_SIGMOID = 0,      /* 1 / (1 + exp(-x)) */
    ANYDNN_ACTIVATION_RELU = 1,         /* max(x, 0) */
    ANYDNN_ACTIVATION_TANH = 2,         /* tanh(x) */
    ANYDNN_ACTIVATION_CLIPPED_RELU = 3, /* min(max(x, 0), coef) */
    ANYDNN_ACTIVATION_ELU = 4,          /* x > 0 ? x : coef * (exp(x) - 1) */
    ANYDNN_ACTIVATION_IDENTITY = 5,     /* only in operations that fuse an activation */
    ANYDNN_ACTIVATION_SWISH = 6,        /* x / (1 + exp(-beta * x)) */
    /* These two only in normalizations and matrix products. */
    ANYDNN_ACTIVATION_GELU = 1000,      /* x Phi(x), Phi(x) = erfc(-x / sqrt(2)) / 2 */
    ANYDNN_ACTIVATION_GELU_TANH = 1001, /* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
    ANYDNN_ACTIVATION_FORCE_32 = 0x7fffffff
} anydnnActivationMode_t;

typedef enum {
    ANYDNN_LRN_CROSS_CHANNEL_DIM1 = 0,
    ANYDNN_LRN_FORCE_32 = 0x7fffffff
} anydnnLRNMode_t;

typedef enum {
    ANYDNN_DIVNORM_PRECOMPUTED_MEANS = 0,
    ANYDNN_DIVNORM_FORCE_32 = 0x7fffffff
} anydnnDivNormMode_t;

/* The elements that share one mean: all n at one channel and position, or one whole channel. */
typedef enum {
    ANYDNN_BATCHNORM_PER_ACTIVATION = 0,     /* parameters 1,C,H,W */
    ANYDNN_BATCHNORM_SPATIAL = 1,            /* parameters 1,C,1,1 */
    ANYDNN_BATCHNORM_SPATIAL_PERSISTENT = 2, /* as spatial; may be faster, may overflow */
    ANYDNN_BATCHNORM_FORCE_32 = 0x7fffffff
} anydnnBatchNormMode_t;

typedef enum {
    ANYDNN_BATCHNORM_OPS_BN = 0,                /* only normalization */
    ANYDNN_BATCHNORM_OPS_BN_ACTIVATION = 1,     /* act(normalized) */
    ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION = 2, /* act(normalized + z) */
    ANYDNN_BATCHNORM_OPS_FORCE_32 = 0x7fffffff
} anydnnBatchNormOps_t;

typedef enum {
    ANYDNN_MAJOR_VERSION = 0,
    ANYDNN_MINOR_VERSION = 1,
    ANYDNN_PATCH_LEVEL = 2,
    ANYDNN_PROPERTY_FORCE_32 = 0x7fffffff
} anydnnLibraryPropertyType_t;

typedef enum {
    ANYDNN_ERRQUERY_RAWCODE = 0,
    ANYDNN_ERRQUERY_NONBLOCKING = 1,
    ANYDNN_ERRQUERY_BLOCKING = 2,
    ANYDNN_ERRQUERY_FORCE_32 = 0x7fffffff
} anydnnErrQueryMode_t;

/* The severity of a message; a mask for anydnnSetCallback is an OR of the _EN bits. */
typedef enum {
    ANYDNN_SEV_FATAL = 0,
    ANYDNN_SEV_ERROR = 1,
    ANYDNN_SEV_WARNING = 2,
    ANYDNN_SEV_INFO = 3,
    ANYDNN_SEV_FORCE_32 = 0x7fffffff
} anydnnSeverity_t;

#define ANYDNN_SEV_ERROR_EN   (1U << ANYDNN_SEV_ERROR)
#define ANYDNN_SEV_WARNING_EN (1U << ANYDNN_SEV_WARNING)
#define ANYDNN_SEV_INFO_EN    (1U << ANYDNN_SEV_INFO)

typedef enum {
    ANYDNN_MEMCPY_HOST_TO_DEVICE = 1,
    ANYDNN_MEMCPY_DEVICE_TO_HOST = 2,
    ANYDNN_MEMCPY_DEVICE_TO_DEVICE = 3,
    ANYDNN_MEMCPY_FORCE_32 = 0x7fffffff
} anydnnMemCopyKind_t;

/* The ways in which a problem uses an operand. */
typedef enum {
    ANYDNN_DIRECTION_INPUT = 1,
    ANYDNN_DIRECTION_OUTPUT = 2,
    ANYDNN_DIRECTION_INPUT_OUTPUT = 3,
    ANYDNN_DIRECTION_FORCE_32 = 0x7fffffff
} anydnnDirection_t;

/* The only sampler of the spatial transformer; pixels outside the image are zero. */
typedef enum {
    ANYDNN_SAMPLER_BILINEAR = 0,
    ANYDNN_SAMPLER_FORCE_32 = 0x7fffffff
} anydnnSamplerType_t;

/* A hint: every backend of this library gives the same bits each time. */
typedef enum {
    ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC = 0,
    ANYDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC = 1,
    ANYDNN_CTC_LOSS_ALGO_FORCE_32 = 0x7fffffff
} anydnnCTCLossAlgo_t;

/* The content of the CTC loss's probs: probabilities, or the inputs of a softmax. */
typedef enum {
    ANYDNN_LOSS_NORMALIZATION_NONE = 0,
    ANYDNN_LOSS_NORMALIZATION_SOFTMAX = 1,
    ANYDNN_LOSS_NORMALIZATION_FORCE_32 = 0x7fffffff
} anydnnLossNormalizationMode_t;

/* The elements that share a mean and a deviation in a normalization. */
typedef enum {
    ANYDNN_NORMALIZATION_LAYER = 0,    /* those along the dims in `axes` */
    ANYDNN_NORMALIZATION_GROUP = 1,    /* those of one n in a group of channels */
    ANYDNN_NORMALIZATION_INSTANCE = 2, /* those of one n in one channel */
    ANYDNN_NORMALIZATION_RMS = 3,      /* as LAYER, with a mean of 0 */
    ANYDNN_NORMALIZATION_FORCE_32 = 0x7fffffff
} anydnnNormalizationKind_t;

/* The flags of a normalization: the factor is 1 + scale. */
#define ANYDNN_NORMALIZATION_ZERO_CENTERED 0x1U

/* These are for algorithm objects only: there are no recurrent layers. */
typedef enum {
    ANYDNN_RNN_ALGO_STANDARD = 0,
    ANYDNN_RNN_ALGO_PERSIST_STATIC = 1,
    ANYDNN_RNN_ALGO_PERSIST_DYNAMIC = 2,
    ANYDNN_RNN_ALGO_COUNT = 3,
    ANYDNN_RNN_ALGO_FORCE_32 = 0x7fffffff
} anydnnRNNAlgo_t;

/* The reasons why a backend does not run a problem (member `reason` of the perf structs). */
typedef enum {
    ANYDNN_REASON_NONE = 0,      /* it runs the problem */
    ANYDNN_REASON_OPERATION = 1, /* it lacks the operation */
    ANYDNN_REASON_TYPE = 2,      /* element or compute type */
    ANYDNN_REASON_LAYOUT = 3,    /* strides, vectors */
    ANYDNN_REASON_SHAPE = 4,     /* sizes, dims, pads, strides, dilation */
    ANYDNN_REASON_GROUPS = 5,
    ANYDNN_REASON_MATH = 6,       /* math mode */
    ANYDNN_REASON_PARAMETER = 7,  /* a mode, option or coefficient */
    ANYDNN_REASON_ALIAS = 8,      /* in-place use */
    ANYDNN_REASON_DEVICE = 9,     /* missing, too old, or failed */
    ANYDNN_REASON_LIBRARY = 10,   /* its vendor's library is missing or failed */
    ANYDNN_REASON_EXTENSION = 11, /* a newer kind of problem */
    ANYDNN_REASON_MEMORY = 12,    /* needs more than is available */
    ANYDNN_REASON_OTHER = 13,
    ANYDNN_REASON_FORCE_32 = 0x7fffffff
} anydnnReason_t;

/* The native objects of a handle, for anydnnGetNative. */
typedef enum {
    ANYDNN_NATIVE_CONTEXT = 1, /* such as OpenCL's cl_context */
    ANYDNN_NATIVE_DEVICE = 2,  /* such as OpenCL's cl_device_id */
    ANYDNN_NATIVE_STREAM = 3,  /* such as CUDA's cudaStream_t or OpenCL's cl_command_queue */
    ANYDNN_NATIVE_FORCE_32 = 0x7fffffff
} anydnnNative_t;

/* Opaque objects. anydnnStream_t is an opaque pointer to a stream of the handle's memory space: in
 * the space `cuda` it is CUDA's cudaStream_t, without its headers; in `opencl` it is a
 * cl_command_queue, to be cast. */
typedef struct anydnnContext *anydnnHandle_t;
typedef struct anydnnTensorStruct *anydnnTensorDescriptor_t;
typedef struct anydnnFilterStruct *anydnnFilterDescriptor_t;
typedef struct anydnnConvolutionStruct *anydnnConvolutionDescriptor_t;
typedef struct anydnnPoolingStruct *anydnnPoolingDescriptor_t;
typedef struct anydnnActivationStruct *anydnnActivationDescriptor_t;
typedef struct anydnnLRNStruct *anydnnLRNDescriptor_t;
typedef struct anydnnOpTensorStruct *anydnnOpTensorDescriptor_t;
typedef struct anydnnReduceTensorStruct *anydnnReduceTensorDescriptor_t;
typedef struct anydnnTensorTransformStruct *anydnnTensorTransformDescriptor_t;
typedef struct anydnnDropoutStruct *anydnnDropoutDescriptor_t;
typedef struct anydnnSpatialTransformerStruct *anydnnSpatialTransformerDescriptor_t;
typedef struct anydnnCTCLossStruct *anydnnCTCLossDescriptor_t;
typedef struct anydnnNormalizationStruct *anydnnNormalizationDescriptor_t;
typedef struct anydnnMatMulStruct *anydnnMatMulDescriptor_t;
typedef struct anydnnAlgorithmStruct *anydnnAlgorithmDescriptor_t;
typedef struct anydnnAlgorithmPerformanceStruct *anydnnAlgorithmPerformance_t;
typedef struct anydnnProblemStruct *anydnnProblem_t;
typedef struct anydnnMarkStruct *anydnnMark_t;
typedef struct anydnnRecordingStruct *anydnnRecording_t;
typedef struct CUstream_st *anydnnStream_t;

/*
 * The callback for messages. `msg` is one line, ended by two NUL bytes, and is valid during the
 * call; `dbg` is NULL in this version.
 *
 * An entry that sends messages calls the callback when its work is done, just before it returns, in
 * the calling thread. A backend may log a line on a thread of its own, or while it runs a plan that
 * was made before. Such a line is delivered when the next entry returns, in any thread. The
 * callback runs at once for a bad argument of a descriptor's entry, and while the process exits.
 *
 * The callback may wait for another thread that uses anydnn, since no lock is held. It may call
 * every entry, also on the handle of the call that sent the message: run operations, record, change
 * routes, set another callback, make handles. It may destroy that handle and the descriptors,
 * problems and recordings of that call, which does not use them any more. The caller must not use
 * them then either. Messages of the callback's own calls go only to the log. Failures of these
 * calls do not change the caller's anydnnGetLastErrorString.
 */
typedef struct anydnnDebugStruct anydnnDebug_t;
typedef void (*anydnnCallback_t)(anydnnSeverity_t sev, void *udata, const anydnnDebug_t *dbg,
                                 const char *msg);

/* The value of an algorithm object. It is always as wide as int, and has no member for recurrent
 * layers. */
typedef struct {
    union {
        anydnnConvolutionFwdAlgo_t convFwdAlgo;
        anydnnConvolutionBwdFilterAlgo_t convBwdFilterAlgo;
        anydnnConvolutionBwdDataAlgo_t convBwdDataAlgo;
        anydnnRNNAlgo_t RNNAlgo;
        anydnnCTCLossAlgo_t CTCLossAlgo;
    } algo;
} anydnnAlgorithm_t;

/*
 * One way to run a convolution, as Get and Find return it. The size of 80 bytes of these structs
 * never changes. cuDNN's six members come first. Use `algo` and `mathType` together: pass the
 * latter to anydnnSetConvolutionMathType before the workspace query or the run, otherwise another
 * algorithm may run.
 *
 *   status       SUCCESS, or why it does not run: such entries come last
 *   time         milliseconds; -1 if not measured
 *   memory       workspace in bytes
 *   determinism  DETERMINISTIC if two runs give the same bits
 *   backend      index for anydnnGetBackendInfo
 *   reason       0; if status is not SUCCESS, an anydnnReason_t
 */
typedef struct {
    anydnnConvolutionFwdAlgo_t algo;
    anydnnStatus_t status;
    float time;
    size_t memory;
    anydnnDeterminism_t determinism;
    anydnnMathType_t mathType;
    int backend;
    int reason;
    int reserved[10];
} anydnnConvolutionFwdAlgoPerf_t;

typedef struct {
    anydnnConvolutionBwdDataAlgo_t algo;
    anydnnStatus_t status;
    float time;
    size_t memory;
    anydnnDeterminism_t determinism;
    anydnnMathType_t mathType;
    int backend;
    int reason;
    int reserved[10];
} anydnnConvolutionBwdDataAlgoPerf_t;

typedef struct {
    anydnnConvolutionBwdFilterAlgo_t algo;
    anydnnStatus_t status;
    float time;
    size_t memory;
    anydnnDeterminism_t determinism;
    anydnnMathType_t mathType;
    int backend;
    int reason;
    int reserved[10];
} anydnnConvolutionBwdFilterAlgoPerf_t;

#if defined(__cplusplus) && __cplusplus >= 201103L
#define ANYDNN_STATIC_ASSERT(condition, text) static_assert(condition, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define ANYDNN_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#ifdef ANYDNN_STATIC_ASSERT
ANYDNN_STATIC_ASSERT(sizeof(anydnnConvolutionFwdAlgoPerf_t) == 80, "perf structs have 80 bytes");
ANYDNN_STATIC_ASSERT(sizeof(anydnnConvolutionBwdDataAlgoPerf_t) == 80,
                     "perf structs have 80 bytes");
ANYDNN_STATIC_ASSERT(sizeof(anydnnConvolutionBwdFilterAlgoPerf_t) == 80,
                     "perf structs have 80 bytes");
#undef ANYDNN_STATIC_ASSERT
#endif

/* ------------------------------------------------------------------ version, errors, messages */

/* Returns the library's version, major * 10000 + minor * 100 + patch. As cuDNN 7 except for the
 * numbers. */
ANYDNN_API size_t anydnnGetVersion(void);

/* Returns the newest API level of the library. */
ANYDNN_API int anydnnGetApiLevel(void);

/* As cuDNN 7: returns the major, minor or patch level. INVALID_VALUE for another type. */
ANYDNN_API anydnnStatus_t anydnnGetProperty(anydnnLibraryPropertyType_t type, int *value);

/* As cuDNN 7: returns the name of a status, "ANYDNN_STATUS_BAD_PARAM"; never NULL, never freed. */
ANYDNN_API const char *anydnnGetErrorString(anydnnStatus_t status);

/*
 * Writes the message of the last failed call in this thread, or "" if there was none. A call that
 * succeeds does not clear it, so check the status first. If text is NULL or size is 0, nothing is
 * written. The log has the message too: at level warn the first time that an entry fails for that
 * reason, at level info each time. There is no warning for NOT_SUPPORTED from Get, Find and
 * Explain, and for text that anydnnProblemParse cannot read.
 */
ANYDNN_API void anydnnGetLastErrorString(char *text, size_t size);

/*
 * Returns NOT_SUPPORTED on behalf of a header that renames anydnn's entries. The last error's
 * message says that the entry `name` is not implemented. BAD_PARAM if name is NULL or empty.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnNotImplemented, 2, (const char *name));

/*
 * Returns `status` on behalf of a library that renames anydnn's entries and itself refuses a call.
 * The sentence, which begins with the entry's name and a colon, becomes the last error's message
 * and goes to the log. BAD_PARAM if status is SUCCESS, or sentence is NULL or empty.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnRefuse, 2, (anydnnStatus_t status, const char *sentence));

/*
 * As cuDNN 7: *rstatus receives the state of the device, SUCCESS or SPACE_POISONED. BLOCKING waits
 * for the stream first; tag is NULL. RUNTIME_FP_OVERFLOW and RUNTIME_IN_PROGRESS, which belong to
 * cuDNN's persistent batch normalization, are never returned.
 */
ANYDNN_API anydnnStatus_t anydnnQueryRuntimeError(anydnnHandle_t handle, anydnnStatus_t *rstatus,
                                                  anydnnErrQueryMode_t mode, void *tag);

/*
 * As cuDNN 7: messages whose severity is in `mask` (ANYDNN_SEV_xxx_EN) also go to fptr with udata,
 * in addition to the log's own file. The callback is process-wide. Mask 0 or fptr NULL removes it.
 * With INFO, info lines are delivered even if the setting `log` is lower. A callback that is
 * replaced may still be running in another thread when this returns.
 */
ANYDNN_API anydnnStatus_t anydnnSetCallback(unsigned mask, void *udata, anydnnCallback_t fptr);

/* As cuDNN 7: returns what anydnnSetCallback set; before that, 0, NULL and NULL. */
ANYDNN_API anydnnStatus_t anydnnGetCallback(unsigned *mask, void **udata, anydnnCallback_t *fptr);

/* ------------------------------------------------------------------ handles */

/*
 * A handle holds a device, a stream, and what its calls determined for them: plans, choices of
 * algorithms, and the record of the last call. The first handle of a process reads the settings and
 * finds the backends. A backend is opened when it is first needed. Making the first handle takes
 * milliseconds, further ones microseconds.
 */

/*
 * As cuDNN 7: makes a handle on the device of the setting `device`. By default this is the CUDA
 * device that is current in this thread, or the host if there is none. A program that passes host
 * pointers calls anydnnCreateOnDevice(&handle, "cpu"). CONFIG_ERROR if a settings file that was
 * named explicitly is bad, or a backend with `enable = yes` cannot be used. NOT_INITIALIZED if the
 * device that the setting names does not exist (`cuda` without a driver), as in cuDNN without a
 * device.
 */
ANYDNN_API anydnnStatus_t anydnnCreate(anydnnHandle_t *handle);

/*
 * Makes a handle on a named device: "cpu", "cuda" (the current device), "cuda:1", or another
 * space's name that anydnnGetDeviceInfo lists; "auto" as in anydnnCreate. BAD_PARAM if the device
 * does not exist.
 */
ANYDNN_API anydnnStatus_t anydnnCreateOnDevice(anydnnHandle_t *handle, const char *device);

/*
 * Makes a handle on the application's own native objects. space: a name such as "opencl". context:
 * the native context (cl_context), which has one device. stream: a native in-order queue of it
 * (cl_command_queue), which the handle's calls then use, or NULL for the default stream. The
 * application keeps its references, and the handle has its own. The process has one native context
 * for a device: make this handle before any other of the device, else BAD_PARAM for another
 * context. NOT_SUPPORTED in a space that takes over none, as `cuda`: there, call
 * anydnnCreateOnDevice and anydnnSetStream.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateOnNative, 2,
            (anydnnHandle_t * handle, const char *space, void *context, void *stream));

/*
 * Returns a native object of the handle's device, or of its current stream. It belongs to anydnn,
 * and lives as long as the handle uses it. NOT_SUPPORTED where the space has no such object, as on
 * the host.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetNative, 2,
            (anydnnHandle_t handle, anydnnNative_t kind, void **object));

/*
 * As cuDNN 7: waits for the work that the handle's calls enqueued, then frees the handle. Memory,
 * marks and recordings that were not destroyed stay. The stream may be destroyed before the handle.
 * A recording that was not ended is dropped. If it was on a stream of the application, that stream
 * stays in capture until the application ends the capture or destroys the stream.
 */
ANYDNN_API anydnnStatus_t anydnnDestroy(anydnnHandle_t handle);

/* Writes the device's name, "cpu" or "cuda:0". */
ANYDNN_API anydnnStatus_t anydnnGetDevice(anydnnHandle_t handle, char *text, size_t size);

/*
 * As cuDNN 7: later calls use this stream, which must belong to the handle's device (else
 * MAPPING_ERROR). The caller still owns it. NULL selects the stream of a new handle: the default
 * stream, or that of anydnnCreateOnNative. On the host only NULL is allowed.
 */
ANYDNN_API anydnnStatus_t anydnnSetStream(anydnnHandle_t handle, anydnnStream_t streamId);

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnGetStream(anydnnHandle_t handle, anydnnStream_t *streamId);

/*
 * Sets determinism. 1 (the default, by the setting `deterministic`): only kernels that give the
 * same bits in every run are chosen. 0 permits others. A change makes the handle forget its plans.
 */
ANYDNN_API anydnnStatus_t anydnnSetDeterministic(anydnnHandle_t handle, int deterministic);

/* Returns the current value, 0 or 1. */
ANYDNN_API anydnnStatus_t anydnnGetDeterministic(anydnnHandle_t handle, int *deterministic);

/*
 * Sets batch invariance. 0 is the default, by the setting `batch_invariant`. With 1, each sample of
 * a batch gets the same bits, whatever the other samples and their number are. This holds for
 * forward convolution, its fused form and its gradient of the data, and for the forward operations
 * of pooling, softmax, activation, LRN, divisive normalization, inference batch normalization and
 * tensor transform. Only kernels that state this are chosen. The choice does not depend on the
 * batch, and if the chosen kernel cannot run a call, the call fails with NOT_SUPPORTED. Other
 * operations run unchanged. A change makes the handle forget its plans.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnSetBatchInvariant, 2,
            (anydnnHandle_t handle, int batchInvariant));

/* Returns the current value, 0 or 1. */
ANYDNN_FORM(anydnnStatus_t, anydnnGetBatchInvariant, 2,
            (anydnnHandle_t handle, int *batchInvariant));

/*
 * Sets a routing rule for this handle, which takes precedence over every file and variable.
 * operation: a name ("convolution_forward"), a prefix and `*` ("pooling_*") or "*". mode: NULL for
 * every math mode, or "default", "tensor_op", "allow_conversion", "split". list: backends in order,
 * "cudnn, cuda_simt". The first word may be "fastest": then the backends are timed at the first
 * call of a problem. The last word may be "fallback:on", "fallback:warn" or "fallback:off". A
 * second call for the same operation and mode replaces the first. The handle forgets its plans. A
 * backend that is not installed is skipped. If its name resembles that of another backend, one
 * warning suggests the latter.
 */
ANYDNN_API anydnnStatus_t anydnnSetRoute(anydnnHandle_t handle, const char *operation,
                                         const char *mode, const char *list);

/* ------------------------------------------------------------------ memory, time, recordings */

/*
 * These entries provide memory, time and repetition on the handle's device, so that a program needs
 * no line of CUDA. All of them run in the order of the handle's stream.
 */

/*
 * Allocates memory of the handle's device, aligned to 256 bytes, with unspecified contents; bytes
 * is at least 1. It exists until anydnnMemFree, even after the handle is destroyed. Another handle
 * of the same device may use and free it.
 */
ANYDNN_API anydnnStatus_t anydnnMemAlloc(anydnnHandle_t handle, size_t bytes, void **ptr);

/*
 * Frees memory. The work that uses it must be done: call anydnnSynchronize first if in doubt. NULL
 * is allowed.
 */
ANYDNN_API anydnnStatus_t anydnnMemFree(anydnnHandle_t handle, void *ptr);

/*
 * Returns a pointer to `bytes` of native memory that the application allocated in the device's
 * native context, such as an address from OpenCL's clSVMAlloc. anydnnMemFree ends the pointer, and
 * the application then frees the memory. In a space that accepts the application's pointers as they
 * are, such as `cuda` or the host, it returns `native`, and anydnnMemFree must not be called.
 * BAD_PARAM if the device cannot use the memory.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnMemImport, 2,
            (anydnnHandle_t handle, void *native, size_t bytes, void **ptr));

/*
 * Copies bytes to, from or within the device, after all work enqueued earlier. Returns when host
 * memory may be read or used again; within the device it may return before the copy is done. On the
 * host all three kinds are a plain copy, and the ranges may overlap. In a recording the source is
 * read at each replay.
 */
ANYDNN_API anydnnStatus_t anydnnMemCopy(anydnnHandle_t handle, void *dst, const void *src,
                                        size_t bytes, anydnnMemCopyKind_t kind);

/* Sets bytes to `byte`, 0 to 255. */
ANYDNN_API anydnnStatus_t anydnnMemSet(anydnnHandle_t handle, void *ptr, int byte, size_t bytes);

/* Waits until all work of the handle's stream is done, and returns its failure if there was one. */
ANYDNN_API anydnnStatus_t anydnnSynchronize(anydnnHandle_t handle);

/*
 * Creates a mark: a point in the stream that is reached when all earlier work is done. Takes a few
 * microseconds.
 */
ANYDNN_API anydnnStatus_t anydnnMark(anydnnHandle_t handle, anydnnMark_t *mark);

/*
 * Returns the microseconds between two marks of the same handle, and waits for `to`. Negative if
 * `to` comes first.
 */
ANYDNN_API anydnnStatus_t anydnnMarkElapsed(anydnnHandle_t handle, anydnnMark_t from,
                                            anydnnMark_t to, double *microseconds);

/* Destroys a mark. NULL is allowed. */
ANYDNN_API anydnnStatus_t anydnnMarkDestroy(anydnnHandle_t handle, anydnnMark_t mark);

/*
 * Begins a recording: until anydnnRecordEnd, compute calls, copies within the device and
 * anydnnMemSet on this handle are recorded instead of run. A recording is a CUDA graph on CUDA, and
 * a list on the host. It holds the calls' arguments: scaling factors and set values as they are
 * now, arrays by pointer. Not allowed in a recording: Find, allocation, copies to and from the
 * host, marks, synchronization, setting dropout descriptors. A plan that a call needs is made at
 * once. On CUDA, run every call once before recording, since making a plan may not be possible
 * during capture. While a device records, a call that would be staged to another memory space
 * returns NOT_SUPPORTED; on the host it is recorded.
 */
ANYDNN_API anydnnStatus_t anydnnRecordBegin(anydnnHandle_t handle);

/* Ends a recording, which belongs to the caller and to this handle. */
ANYDNN_API anydnnStatus_t anydnnRecordEnd(anydnnHandle_t handle, anydnnRecording_t *recording);

/*
 * Runs a recording again, in stream order, on the present contents of its arrays. The arrays and
 * the workspaces must still exist.
 */
ANYDNN_API anydnnStatus_t anydnnReplay(anydnnHandle_t handle, anydnnRecording_t recording);

/* Destroys a recording; call it before the handle is destroyed. NULL is allowed. */
ANYDNN_API anydnnStatus_t anydnnRecordingDestroy(anydnnHandle_t handle,
                                                 anydnnRecording_t recording);

/* --------------------------------------- dispatch record, backends, devices, settings */

/*
 * Reports what the handle's last compute call did, as text:
 *
 *   operation, problem        its name; the whole problem in text form
 *   backend, backend_index    the backend that ran it; its index for anydnnGetBackendInfo
 *   engine                    the backend's own number for the kernel that ran
 *   math, math_requested      mode really used; mode permitted
 *   algorithm, algorithm_requested    as the text form of problems names it, "none", "any"
 *   workspace                 bytes of the caller's workspace that the plan uses
 *   deterministic             1 if two runs give the same bits
 *   batch_invariant           1 if the kernel gives a sample the same bits in every batch
 *   notes                     nondeterministic, transform, reduced_precision,
 *                             flushes_subnormals, with commas; or "";
 *                             timed: timing chose it, and may choose otherwise another time
 *   plan                      hit (same descriptors), equal (same values), miss (made now)
 *   effect                    of a failed call: none, enqueued, unknown
 *   rule, rule_origin         the routing rule that matched; file and line, variable or call
 *   passed_over               one line for each earlier candidate, "backend: reason"
 *   errata                    known faults that selection avoided for this problem, one line each,
 *                             "backend engine N: erratum ID (verdict)"
 *   unaligned                 1: pointers were not aligned as the plan needs; a second plan ran
 *   workspace_short           1: less workspace than the plan needs; a second plan ran
 *   staged                    1: ran in another memory space, on copies of the operands
 *   staged_on                 the device that it then ran on, "cuda:0"; else ""
 *   staged_bytes              bytes that were copied between the two, in both directions
 *   config_dropped            number of files of settings and errata ignored because of an error
 *   fallback                  1: not the rule's first backend
 *
 * Further keys count since the handle was made: calls, plan_hits, plan_equal_hits, plan_misses,
 * plans (kept now), evictions, fallbacks (plans other than the first choice that neither Find nor
 * Get chose), pins (choices of Find, Get and workspace queries, kept now), pins_dropped (choices
 * forgotten because `plan_cache` bounds their number), staged_calls (including replays), arena
 * (bytes of memory that the handle holds for staged calls now). BAD_PARAM for the first group
 * before any call. A call refused for its arguments leaves that group unchanged.
 */
ANYDNN_API anydnnStatus_t anydnnGetDispatchInfo(anydnnHandle_t handle, const char *key, char *text,
                                                size_t size);

/*
 * Reports the same as a number, for keys that are numbers, and for math, math_requested
 * (anydnnMathType_t), algorithm, algorithm_requested (cuDNN's number or -1), notes (bits 0, 1, 2 in
 * the order above; timed has none), effect (0, 1, 2). BAD_PARAM for a key that has only a text.
 */
ANYDNN_API anydnnStatus_t anydnnGetDispatchInfoInt(anydnnHandle_t handle, const char *key,
                                                   int64_t *value);

/*
 * Change how this handle's calls are traced, shadowed and checked. The text holds lines of the
 * section [trace], [shadow] or [check] of a settings file. They are joined by `;`, as in "sample =
 * every:10; on_mismatch = error". Keys that the text does not name keep their values on the handle.
 * The handle makes its plans anew and keeps its pins. BAD_PARAM, with the key and the rule, for an
 * invalid text; then nothing changes.
 *
 * anydnnSetTrace: writes a line to a file for each call, for `anydnn replay`.
 * anydnnSetShadow: some calls run once more on a trusted backend, on copies, and their outputs are
 * checked against the error bound that rounding permits. With on_mismatch = error, the handle's
 * next compute call, replay or anydnnSynchronize then fails once with EXECUTION_FAILED. The message
 * describes the mismatch.
 * anydnnSetCheck: outputs that hold NaN or infinities, or only zeros, are counted.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnSetTrace, 2, (anydnnHandle_t handle, const char *text));
ANYDNN_FORM(anydnnStatus_t, anydnnSetShadow, 2, (anydnnHandle_t handle, const char *text));
ANYDNN_FORM(anydnnStatus_t, anydnnSetCheck, 2, (anydnnHandle_t handle, const char *text));

/*
 * Reports what shadow and checks found on this handle, as text:
 *
 *   calls                     calls of the operations that are shadowed
 *   sampled                   number of those that were chosen
 *   compared                  chosen calls that were compared with the reference
 *   mismatches                compared calls with an output beyond its bound
 *   over_budget, over_memory  chosen and skipped: for the time budget, for memory
 *   recorded                  chosen and skipped, because a device was capturing
 *   declined, failed          chosen and skipped: the reference declined; something failed
 *   passed_over               the reason of the last skipped call
 *   pending                   chosen on a device and without a verdict yet
 *   spent_us                  microseconds that copies, reference and comparison took
 *   worst_ratio               the largest error, in parts of its bound
 *   worst_problem             the problem of that error
 *   last_mismatch             the last mismatch in words
 *   reference                 the trusted backend, once it was needed
 *   checked                   calls whose outputs were checked
 *   nan, inf, zero            checked calls with NaN, infinities, nothing but zeros
 *   first_special             the first of them in words
 *
 * All keys but `pending` first complete the verdicts of the handle's calls on a device, and wait
 * for it. anydnnGetShadowInfoInt returns the keys that are numbers, except worst_ratio.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetShadowInfo, 2,
            (anydnnHandle_t handle, const char *key, char *text, size_t size));
ANYDNN_FORM(anydnnStatus_t, anydnnGetShadowInfoInt, 2,
            (anydnnHandle_t handle, const char *key, int64_t *value));

/*
 * Returns the number of known backends: every anydnn_NAME.so in the plugin folders and every one
 * that settings name, sorted by name, failures included. Needs no handle; the first query reads the
 * settings.
 */
ANYDNN_API anydnnStatus_t anydnnGetBackendCount(int *count);

/*
 * Describes backend 0 .. count-1 as text:
 *
 *   name, path          its name; the file
 *   stage               live (in use); or where it stopped: known (not opened yet), missing,
 *                       disabled, untrusted, unopened, abi, main, invalid
 *   reason              why it is not live, or which setting it refuses, a sentence; else ""
 *   vendor, version, build_id, space, plugin_abi    as the backend reports them; "" unless live
 *   operations          one line per operation, "NAME: TYPES; LAYOUTS; MATH MODES"
 *   limits              one line per limit
 *   settings            its `set.KEY = VALUE` lines
 *   setting_keys        one line per setting that it has, "set.KEY: HELP"
 *   errata              its known faults, in the form of a file of errata.d; a comment before each
 *                       names the origin
 *   library_version     the version of the library below it; "" if there is none or it is not
 *                       known before a handle used the backend
 *
 * A query for a key that only a live backend knows opens the backend.
 */
ANYDNN_API anydnnStatus_t anydnnGetBackendInfo(int index, const char *key, char *text, size_t size);

/* Returns the number of devices on which handles can be made, including the host. Opens the
 * backends that know them. */
ANYDNN_API anydnnStatus_t anydnnGetDeviceCount(int *count);

/* Describes device 0 .. count-1: name ("cpu", "cuda:0"), space ("host", "cuda"), description. */
ANYDNN_API anydnnStatus_t anydnnGetDeviceInfo(int index, const char *key, char *text, size_t size);

/* Returns the number of effective settings. Opens no backend. */
ANYDNN_API anydnnStatus_t anydnnGetSettingCount(int *count);

/*
 * Describes setting 0 .. count-1: section ("anydnn", "plugin cudnn", "route", "route split"), key,
 * value, origin ("FILE:LINE", "environment ANYDNN_LOG", "built-in"), withheld. The last is "" or,
 * for root, a sentence on a value that is ignored because another user's file sets it. The sentence
 * begins with that value's origin. If value has the same origin, the backend gets it only if it
 * permits that.
 */
ANYDNN_API anydnnStatus_t anydnnGetSettingInfo(int index, const char *key, char *text, size_t size);

/* ------------------------------------------------------------------ problems as objects */

/*
 * A problem is one operation with its operands' shapes and its parameters, as an object. Its text
 * form is the same in log lines, suites and tools:
 *
 *   convolution_forward x=f32:1,3,8,8 w=f32:4,3,3,3 pad=1,1
 *
 * OPERATION KEY=VALUE ..., separated by single blanks; the operation's name first, then in any
 * order:
 *
 *   ROLE=TYPE:DIMS[:LAYOUT]  an operand: type f64 f32 f16 bf16 s8 u8 s32 s64 s8x4 u8x4 s8x32 u16
 *                            u32 u64; dims with commas; layout nchw (default: last dim fastest),
 *                            nhwc, nchw_vect_c, or strides with commas
 *   alpha= beta= ...         scaling factors, default 1 and 0
 *   pad= stride= ...         parameters of the operation, one value for each spatial dim
 *   alias=y:x                output y is input x in place; alias=dx:y,dx:dy for two at one address
 *   without=z                an optional operand that is absent, or an input that is not read with
 *                            these parameters and not given
 *   math= algo=              math mode; algorithm or any
 *   deterministic=1 batch_invariant=0 align=2
 *
 * Defaults may be omitted, and so may operands that the others determine. `anydnn explain PROBLEM`
 * in a shell does what anydnnProblemExplain does. docs/using.md lists operations, roles and keys.
 */

/*
 * Parses a text form. The message of a failure names the word and, if one is similar, the known
 * word.
 */
ANYDNN_API anydnnStatus_t anydnnProblemParse(const char *text, anydnnProblem_t *problem);

/*
 * Writes the text form, which parses to an equal problem. *needed (may be NULL) receives the bytes
 * of the whole text, including its NUL; size 0 with text NULL queries only that number.
 */
ANYDNN_API anydnnStatus_t anydnnProblemPrint(anydnnProblem_t problem, char *text, size_t size,
                                             size_t *needed);

/* Returns the number of operands present, including outputs. */
ANYDNN_API anydnnStatus_t anydnnProblemGetOperandCount(anydnnProblem_t problem, int *count);

/*
 * Describes operand 0 .. count-1, inputs first. The role ("x") is valid as long as the library.
 * desc receives the shape; filters and byte buffers too become tensors. The direction is read,
 * written or both. role, desc and direction may be NULL.
 */
ANYDNN_API anydnnStatus_t anydnnProblemGetOperand(anydnnProblem_t problem, int index,
                                                  const char **role, anydnnTensorDescriptor_t desc,
                                                  anydnnDirection_t *direction);

/*
 * Sets *host to 1 if an operand lies in host memory whatever the handle's device is (labels and
 * lengths of ctc_loss), else to 0. index is as in anydnnProblemGetOperand.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnProblemGetOperandHost, 2,
            (anydnnProblem_t problem, int index, int *host));

/* Returns the bytes of workspace for the problem's best plan on this handle; pins that choice. */
ANYDNN_API anydnnStatus_t anydnnProblemGetWorkspaceSize(anydnnHandle_t handle,
                                                        anydnnProblem_t problem,
                                                        size_t *sizeInBytes);

/*
 * Writes a readable explanation of what would happen to the problem on this handle: the rule, the
 * answer of each backend, the choice. Runs nothing. *needed is as in anydnnProblemPrint.
 */
ANYDNN_API anydnnStatus_t anydnnProblemExplain(anydnnHandle_t handle, anydnnProblem_t problem,
                                               char *text, size_t size, size_t *needed);

/*
 * Runs the problem once. pointers[i] is operand i of anydnnProblemGetOperand, in the handle's
 * memory, or in host memory if anydnnProblemGetOperandHost says so. Operands that the text names as
 * aliases must have the same pointer; others must not. Scaling factors, `value` and the like are
 * those of the text.
 */
ANYDNN_API anydnnStatus_t anydnnProblemExecute(anydnnHandle_t handle, anydnnProblem_t problem,
                                               void *const pointers[], void *workspace,
                                               size_t workspaceSizeInBytes);

/* Destroys a problem. NULL is allowed. */
ANYDNN_API anydnnStatus_t anydnnProblemDestroy(anydnnProblem_t problem);

/* ------------------------------------------------------------------ tensor descriptors */

/* As cuDNN 7. The descriptor belongs to the caller; anydnnDestroyTensorDescriptor frees it. */
ANYDNN_API anydnnStatus_t anydnnCreateTensorDescriptor(anydnnTensorDescriptor_t *tensorDesc);

/*
 * As cuDNN 7: packed n,c,h,w of a format. Dims are at least 1. NCHW_VECT_C needs a vector type and
 * c a multiple of its length; strides then count vectors (INT8x4 with 2,8,4,5: 40,20,5,1) while
 * dims keep c = 8. A vector type in another format allocates one vector for each channel.
 */
ANYDNN_API anydnnStatus_t anydnnSetTensor4dDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                                      anydnnTensorFormat_t format,
                                                      anydnnDataType_t dataType, int n, int c,
                                                      int h, int w);

/*
 * As cuDNN 7: any strides, in elements (vectors for vector types). A stride of 0 is BAD_PARAM:
 * strides do not broadcast. Negative and overlapping strides are accepted here and refused by
 * operations.
 */
ANYDNN_API anydnnStatus_t anydnnSetTensor4dDescriptorEx(anydnnTensorDescriptor_t tensorDesc,
                                                        anydnnDataType_t dataType, int n, int c,
                                                        int h, int w, int nStride, int cStride,
                                                        int hStride, int wStride);

/* As cuDNN 7; BAD_PARAM unless it has 4 dims, NOT_SUPPORTED when a stride does not fit int. */
ANYDNN_API anydnnStatus_t anydnnGetTensor4dDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                                      anydnnDataType_t *dataType, int *n, int *c,
                                                      int *h, int *w, int *nStride, int *cStride,
                                                      int *hStride, int *wStride);

/* As cuDNN 7: 2 to ANYDNN_DIM_MAX dims (more: NOT_SUPPORTED). */
ANYDNN_API anydnnStatus_t anydnnSetTensorNdDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                                      anydnnDataType_t dataType, int nbDims,
                                                      const int dimA[], const int strideA[]);

/* As cuDNN 7: packed, any number of dims; NHWC has the channels fastest for all of them. */
ANYDNN_API anydnnStatus_t anydnnSetTensorNdDescriptorEx(anydnnTensorDescriptor_t tensorDesc,
                                                        anydnnTensorFormat_t format,
                                                        anydnnDataType_t dataType, int nbDims,
                                                        const int dimA[]);

/*
 * As cuDNN 7: *nbDims receives the number of dims; the arrays receive that many values, at most
 * nbDimsRequested.
 */
ANYDNN_API anydnnStatus_t anydnnGetTensorNdDescriptor(anydnnTensorDescriptor_t tensorDesc,
                                                      int nbDimsRequested,
                                                      anydnnDataType_t *dataType, int *nbDims,
                                                      int dimA[], int strideA[]);

/* As cuDNN 7: returns the bytes from the first element to the last, including the gaps between
 * them. */
ANYDNN_API anydnnStatus_t anydnnGetTensorSizeInBytes(anydnnTensorDescriptor_t tensorDesc,
                                                     size_t *size);
ANYDNN_API anydnnStatus_t anydnnDestroyTensorDescriptor(anydnnTensorDescriptor_t tensorDesc);

/* ------------------------------------------------------------------ tensor transform */

ANYDNN_API anydnnStatus_t
anydnnCreateTensorTransformDescriptor(anydnnTensorTransformDescriptor_t *transformDesc);

/*
 * As cuDNN 7. FOLD first pads each dim by padBefore + padAfter (nbDims values; NULL: none; negative
 * values crop). It then moves blocks of fold[i] positions along spatial dim i (nbDims - 2 values;
 * NULL: 1) into channels. Sizes are divided, rounded up, and channels are multiplied. Position (i,
 * j) of a block becomes channel (i * fold[1] + j) * C + c. UNFOLD does the reverse, then pads.
 */
ANYDNN_API anydnnStatus_t anydnnSetTensorTransformDescriptor(
    anydnnTensorTransformDescriptor_t transformDesc, uint32_t nbDims,
    anydnnTensorFormat_t destFormat, const int32_t padBeforeA[], const int32_t padAfterA[],
    const uint32_t foldA[], anydnnFoldingDirection_t direction);

/* As cuDNN 7, at most nbDimsRequested values; an array may be NULL. */
ANYDNN_API anydnnStatus_t anydnnGetTensorTransformDescriptor(
    anydnnTensorTransformDescriptor_t transformDesc, uint32_t nbDimsRequested,
    anydnnTensorFormat_t *destFormat, int32_t padBeforeA[], int32_t padAfterA[], uint32_t foldA[],
    anydnnFoldingDirection_t *direction);

/*
 * As cuDNN 7: sets destDesc to the packed result of the transform of srcDesc, in the descriptor's
 * format and srcDesc's type. *destSizeInBytes receives its bytes.
 */
ANYDNN_API anydnnStatus_t anydnnInitTransformDest(anydnnTensorTransformDescriptor_t transformDesc,
                                                  anydnnTensorDescriptor_t srcDesc,
                                                  anydnnTensorDescriptor_t destDesc,
                                                  size_t *destSizeInBytes);
ANYDNN_API anydnnStatus_t
anydnnDestroyTensorTransformDescriptor(anydnnTensorTransformDescriptor_t transformDesc);

/*
 * As cuDNN 7: y = alpha * x + beta * y between layouts: same dims, any strides. As in cuDNN 9, also
 * between types: float, half, bfloat16, int8, int8x4 and int8x32 in any mix; uint8 and uint8x4 in
 * any mix; the others only to the same type. Not in place.
 */
ANYDNN_API anydnnStatus_t anydnnTransformTensor(anydnnHandle_t handle, const void *alpha,
                                                anydnnTensorDescriptor_t xDesc, const void *x,
                                                const void *beta, anydnnTensorDescriptor_t yDesc,
                                                void *y);

/*
 * As cuDNN 7: the same with padding (by zeros) and folding; both need alpha 1 and beta 0, 4 dims
 * and a destination format other than NCHW_VECT_C.
 */
ANYDNN_API anydnnStatus_t
anydnnTransformTensorEx(anydnnHandle_t handle, anydnnTensorTransformDescriptor_t transDesc,
                        const void *alpha, anydnnTensorDescriptor_t srcDesc, const void *srcData,
                        const void *beta, anydnnTensorDescriptor_t destDesc, void *destData);

/* As anydnnTransformTensorEx, on filters; no vector types. */
ANYDNN_API anydnnStatus_t anydnnTransformFilter(anydnnHandle_t handle,
                                                anydnnTensorTransformDescriptor_t transDesc,
                                                const void *alpha, anydnnFilterDescriptor_t srcDesc,
                                                const void *srcData, const void *beta,
                                                anydnnFilterDescriptor_t destDesc, void *destData);

/* ------------------------------------------------------------------ tensor arithmetic */

/*
 * As cuDNN 7: C = alpha * A + beta * C. Each dim of A is that of C or 1; along a dim of 1, A
 * repeats. A bias is 1,C,1,1. C may be A in place. Note: to add A to C, beta is 1.
 */
ANYDNN_API anydnnStatus_t anydnnAddTensor(anydnnHandle_t handle, const void *alpha,
                                          anydnnTensorDescriptor_t aDesc, const void *A,
                                          const void *beta, anydnnTensorDescriptor_t cDesc,
                                          void *C);
ANYDNN_API anydnnStatus_t anydnnCreateOpTensorDescriptor(anydnnOpTensorDescriptor_t *opTensorDesc);

/*
 * As cuDNN 7. The compute type is double for double tensors, else float. The NaN option applies to
 * MIN and MAX: NOT_PROPAGATE returns the operand that is not NaN.
 */
ANYDNN_API anydnnStatus_t anydnnSetOpTensorDescriptor(anydnnOpTensorDescriptor_t opTensorDesc,
                                                      anydnnOpTensorOp_t opTensorOp,
                                                      anydnnDataType_t opTensorCompType,
                                                      anydnnNanPropagation_t opTensorNanOpt);
ANYDNN_API anydnnStatus_t anydnnGetOpTensorDescriptor(anydnnOpTensorDescriptor_t opTensorDesc,
                                                      anydnnOpTensorOp_t *opTensorOp,
                                                      anydnnDataType_t *opTensorCompType,
                                                      anydnnNanPropagation_t *opTensorNanOpt);
ANYDNN_API anydnnStatus_t anydnnDestroyOpTensorDescriptor(anydnnOpTensorDescriptor_t opTensorDesc);

/*
 * As cuDNN 7: C = op(alpha1 * A, alpha2 * B) + beta * C. A has C's dims; each dim of B is C's or 1.
 * SQRT and NOT (1 - alpha1 * a) use only A. C may be A in place, and B only if it is also A. A and
 * B have one type. C has that type too; or it is float and they are half, bfloat16 or int8; or they
 * are float and it is one of these.
 */
ANYDNN_API anydnnStatus_t anydnnOpTensor(anydnnHandle_t handle,
                                         anydnnOpTensorDescriptor_t opTensorDesc,
                                         const void *alpha1, anydnnTensorDescriptor_t aDesc,
                                         const void *A, const void *alpha2,
                                         anydnnTensorDescriptor_t bDesc, const void *B,
                                         const void *beta, anydnnTensorDescriptor_t cDesc, void *C);
ANYDNN_API anydnnStatus_t
anydnnCreateReduceTensorDescriptor(anydnnReduceTensorDescriptor_t *reduceTensorDesc);

/*
 * As cuDNN 7. MIN, MAX and AMAX return indices: the row-major index over the reduced dims, the
 * smallest at a tie, unsigned, of the width of reduceTensorIndicesType. The NaN option applies to
 * these three: NOT_PROPAGATE skips NaN, PROPAGATE returns NaN and the index of the first one. The
 * others always propagate NaN.
 */
ANYDNN_API anydnnStatus_t anydnnSetReduceTensorDescriptor(
    anydnnReduceTensorDescriptor_t reduceTensorDesc, anydnnReduceTensorOp_t reduceTensorOp,
    anydnnDataType_t reduceTensorCompType, anydnnNanPropagation_t reduceTensorNanOpt,
    anydnnReduceTensorIndices_t reduceTensorIndices, anydnnIndicesType_t reduceTensorIndicesType);
ANYDNN_API anydnnStatus_t anydnnGetReduceTensorDescriptor(
    anydnnReduceTensorDescriptor_t reduceTensorDesc, anydnnReduceTensorOp_t *reduceTensorOp,
    anydnnDataType_t *reduceTensorCompType, anydnnNanPropagation_t *reduceTensorNanOpt,
    anydnnReduceTensorIndices_t *reduceTensorIndices, anydnnIndicesType_t *reduceTensorIndicesType);
ANYDNN_API anydnnStatus_t
anydnnDestroyReduceTensorDescriptor(anydnnReduceTensorDescriptor_t reduceTensorDesc);

/* As cuDNN 7: returns the bytes of indices, one for each element of C; 0 without indices. */
ANYDNN_API anydnnStatus_t anydnnGetReductionIndicesSize(
    anydnnHandle_t handle, anydnnReduceTensorDescriptor_t reduceTensorDesc,
    anydnnTensorDescriptor_t aDesc, anydnnTensorDescriptor_t cDesc, size_t *sizeInBytes);

/* As cuDNN 7: returns enough workspace for the chosen plan, which is pinned. */
ANYDNN_API anydnnStatus_t anydnnGetReductionWorkspaceSize(
    anydnnHandle_t handle, anydnnReduceTensorDescriptor_t reduceTensorDesc,
    anydnnTensorDescriptor_t aDesc, anydnnTensorDescriptor_t cDesc, size_t *sizeInBytes);

/*
 * As cuDNN 7: C = alpha * reduce(A) + beta * C over each dim in which C has 1 and A more. indices
 * may be NULL if the descriptor requests none; they are in C's row-major order and not blended. A
 * and C may mix types as in anydnnOpTensor.
 */
ANYDNN_API anydnnStatus_t anydnnReduceTensor(anydnnHandle_t handle,
                                             anydnnReduceTensorDescriptor_t reduceTensorDesc,
                                             void *indices, size_t indicesSizeInBytes,
                                             void *workspace, size_t workspaceSizeInBytes,
                                             const void *alpha, anydnnTensorDescriptor_t aDesc,
                                             const void *A, const void *beta,
                                             anydnnTensorDescriptor_t cDesc, void *C);

/*
 * As cuDNN 7's guide: every element = *valuePtr. Note: *valuePtr is in host memory and of y's
 * element type (a half for half, 4 or 32 bytes for a vector), not of the type of scaling factors.
 * cuDNN 9 itself reads a float for half, bfloat16 and int8.
 */
ANYDNN_API anydnnStatus_t anydnnSetTensor(anydnnHandle_t handle, anydnnTensorDescriptor_t yDesc,
                                          void *y, const void *valuePtr);

/* As cuDNN 7: multiplies every element by alpha, in place. */
ANYDNN_API anydnnStatus_t anydnnScaleTensor(anydnnHandle_t handle, anydnnTensorDescriptor_t yDesc,
                                            void *y, const void *alpha);

/* ------------------------------------------------------------------ filter descriptors */

/*
 * A filter is the packed tensor [K, C / groups, spatial...]: K output channels, C input channels.
 * Format NCHW is stored as KCRS, NHWC as KRSC, NCHW_VECT_C as KCRS in vectors of channels. Note:
 * here the data type precedes the format; in tensor setters it follows the format.
 */

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnCreateFilterDescriptor(anydnnFilterDescriptor_t *filterDesc);

/* As cuDNN 7: K,C/groups,R,S, each at least 1. */
ANYDNN_API anydnnStatus_t anydnnSetFilter4dDescriptor(anydnnFilterDescriptor_t filterDesc,
                                                      anydnnDataType_t dataType,
                                                      anydnnTensorFormat_t format, int k, int c,
                                                      int h, int w);

/* As cuDNN 7; BAD_PARAM unless it has 4 dims. */
ANYDNN_API anydnnStatus_t anydnnGetFilter4dDescriptor(anydnnFilterDescriptor_t filterDesc,
                                                      anydnnDataType_t *dataType,
                                                      anydnnTensorFormat_t *format, int *k, int *c,
                                                      int *h, int *w);

/* As cuDNN 7: 3 to ANYDNN_DIM_MAX dims (more: NOT_SUPPORTED). */
ANYDNN_API anydnnStatus_t anydnnSetFilterNdDescriptor(anydnnFilterDescriptor_t filterDesc,
                                                      anydnnDataType_t dataType,
                                                      anydnnTensorFormat_t format, int nbDims,
                                                      const int filterDimA[]);

/* As cuDNN 7; counts as in anydnnGetTensorNdDescriptor. */
ANYDNN_API anydnnStatus_t anydnnGetFilterNdDescriptor(anydnnFilterDescriptor_t filterDesc,
                                                      int nbDimsRequested,
                                                      anydnnDataType_t *dataType,
                                                      anydnnTensorFormat_t *format, int *nbDims,
                                                      int filterDimA[]);

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnGetFilterSizeInBytes(anydnnFilterDescriptor_t filterDesc,
                                                     size_t *size);
ANYDNN_API anydnnStatus_t anydnnDestroyFilterDescriptor(anydnnFilterDescriptor_t filterDesc);

/* ------------------------------------------------------------------ convolution descriptors */

/*
 * A convolution descriptor holds pads, strides, dilations, mode, compute type, math type and
 * groups. The compute type, in which sums are accumulated, is float, double, half or int32.
 */

/* As cuDNN 7: groups 1, default math, no shape yet. */
ANYDNN_API anydnnStatus_t
anydnnCreateConvolutionDescriptor(anydnnConvolutionDescriptor_t *convDesc);
ANYDNN_API anydnnStatus_t
anydnnDestroyConvolutionDescriptor(anydnnConvolutionDescriptor_t convDesc);

/*
 * As cuDNN 7, for every call with this descriptor. It must be the same for Find, the workspace
 * query and the run.
 */
ANYDNN_API anydnnStatus_t anydnnSetConvolutionMathType(anydnnConvolutionDescriptor_t convDesc,
                                                       anydnnMathType_t mathType);
ANYDNN_API anydnnStatus_t anydnnGetConvolutionMathType(anydnnConvolutionDescriptor_t convDesc,
                                                       anydnnMathType_t *mathType);

/*
 * As cuDNN 7. Note: like math type and reorder type, a later anydnnSetConvolution2dDescriptor keeps
 * it.
 */
ANYDNN_API anydnnStatus_t anydnnSetConvolutionGroupCount(anydnnConvolutionDescriptor_t convDesc,
                                                         int groupCount);
ANYDNN_API anydnnStatus_t anydnnGetConvolutionGroupCount(anydnnConvolutionDescriptor_t convDesc,
                                                         int *groupCount);

/* As cuDNN 7.6; stored, without effect. */
ANYDNN_API anydnnStatus_t anydnnSetConvolutionReorderType(anydnnConvolutionDescriptor_t convDesc,
                                                          anydnnReorderType_t reorderType);
ANYDNN_API anydnnStatus_t anydnnGetConvolutionReorderType(anydnnConvolutionDescriptor_t convDesc,
                                                          anydnnReorderType_t *reorderType);

/* As cuDNN 7: pads at least 0, strides (u down, v across) and dilations at least 1 (1: none). */
ANYDNN_API anydnnStatus_t anydnnSetConvolution2dDescriptor(anydnnConvolutionDescriptor_t convDesc,
                                                           int pad_h, int pad_w, int u, int v,
                                                           int dilation_h, int dilation_w,
                                                           anydnnConvolutionMode_t mode,
                                                           anydnnDataType_t computeType);

/* As cuDNN 7; BAD_PARAM unless it has 2 spatial dims. */
ANYDNN_API anydnnStatus_t anydnnGetConvolution2dDescriptor(anydnnConvolutionDescriptor_t convDesc,
                                                           int *pad_h, int *pad_w, int *u, int *v,
                                                           int *dilation_h, int *dilation_w,
                                                           anydnnConvolutionMode_t *mode,
                                                           anydnnDataType_t *computeType);

/* As cuDNN 7: arrayLength spatial dims, 1 to 6 (more: NOT_SUPPORTED). */
ANYDNN_API anydnnStatus_t anydnnSetConvolutionNdDescriptor(anydnnConvolutionDescriptor_t convDesc,
                                                           int arrayLength, const int padA[],
                                                           const int filterStrideA[],
                                                           const int dilationA[],
                                                           anydnnConvolutionMode_t mode,
                                                           anydnnDataType_t computeType);

/* As cuDNN 7; counts as in anydnnGetTensorNdDescriptor. */
ANYDNN_API anydnnStatus_t anydnnGetConvolutionNdDescriptor(
    anydnnConvolutionDescriptor_t convDesc, int arrayLengthRequested, int *arrayLength, int padA[],
    int strideA[], int dilationA[], anydnnConvolutionMode_t *mode, anydnnDataType_t *computeType);

/*
 * As cuDNN 7: returns the dims of y. BAD_PARAM if the dilated filter does not fit the padded input,
 * or the filter's channels times groups are not the input's. The compute call checks whether groups
 * divide K.
 */
ANYDNN_API anydnnStatus_t anydnnGetConvolution2dForwardOutputDim(
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t inputTensorDesc,
    anydnnFilterDescriptor_t filterDesc, int *n, int *c, int *h, int *w);

/* As cuDNN 7: returns the first nbDims dims of y. */
ANYDNN_API anydnnStatus_t anydnnGetConvolutionNdForwardOutputDim(
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t inputTensorDesc,
    anydnnFilterDescriptor_t filterDesc, int nbDims, int tensorOutputDimA[]);

/*
 * As cuDNN 7: fills the descriptors of a strided backward data convolution as one of stride 1 on
 * folded tensors. Backends run strided convolutions directly, so this is not needed: returns
 * NOT_SUPPORTED.
 */
ANYDNN_API anydnnStatus_t anydnnGetFoldedConvBackwardDataDescriptors(
    anydnnHandle_t handle, anydnnFilterDescriptor_t filterDesc, anydnnTensorDescriptor_t diffDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t gradDesc,
    anydnnTensorFormat_t transformFormat, anydnnFilterDescriptor_t foldedFilterDesc,
    anydnnTensorDescriptor_t paddedDiffDesc, anydnnConvolutionDescriptor_t foldedConvDesc,
    anydnnTensorDescriptor_t foldedGradDesc, anydnnTensorTransformDescriptor_t filterFoldTransDesc,
    anydnnTensorTransformDescriptor_t diffPadTransDesc,
    anydnnTensorTransformDescriptor_t gradFoldTransDesc,
    anydnnTensorTransformDescriptor_t gradUnfoldTransDesc);

/* ------------------------------------------------------------------ convolution */

/*
 * Shapes, with x N,C,spatial and w K,C/groups,R,S: y is N,K,P,Q with
 *   P = 1 + floor((H + 2 pad - ((R - 1) dilation + 1)) / stride)
 * and likewise per dim, exactly (no larger, no smaller). Tensors hold all channels of all groups;
 * groups divide C and K; depthwise is groups = C. There are 1 to 6 spatial dims; docs/backends.md
 * states which ones a backend runs. A fully connected layer is a convolution whose filter covers
 * its input.
 *
 * Types (x and w, sums, y): half half half; half float half; bfloat16 float bfloat16; float float
 * float; double double double. Forward only, with int32 sums: int8, or uint8 x and int8 w, to int8
 * or float; int8x4 to int8x4 or float; uint8x4 x, with int8x4 w to int8x4, uint8x4 or float, with
 * uint8x4 w to uint8x4 or float; int8x32 to int8x32.
 *
 * Algorithms and workspace. The algorithm argument names one of cuDNN's algorithms and is a hint.
 * The algorithm runs if a backend of the route has it within the given workspace. Otherwise the
 * best algorithm of the route's first backend that can run the problem is used, and the dispatch
 * record shows this (keys algorithm_requested, algorithm). Transform algorithms (FFT, Winograd)
 * round intermediate values; they run only if named.
 *
 * A choice that Find or Get returned, or that a workspace query made, is pinned in the handle. A
 * later call with the same problem, algorithm and math type runs exactly that. The pin ends with
 * another search of the problem, anydnnSetRoute or anydnnSetDeterministic, or when `plan_cache`
 * cannot hold it (key pins_dropped). Nothing else pins. The fused call is an operation of its own,
 * with its own route. The forward workspace query pins its choice, too, for every activation; Find
 * and Get do not.
 *
 * Workspace need not be kept between calls. Any size is allowed, including NULL and 0: if it is too
 * small for the plan, another plan runs that needs no more (key workspace_short).
 *
 * Queries. Forward, BackwardData and BackwardFilter (DIRECTION below) have six each, of the same
 * meaning:
 *
 *   anydnnGetConvolutionDIRECTIONAlgorithmMaxCount   as cuDNN 7: the largest number of entries that
 *       a query of this direction returns
 *   anydnnFindConvolutionDIRECTIONAlgorithm          as cuDNN 7: runs every candidate that the
 *       backends offer, on buffers of its own, with workspaces up to the setting `workspace_limit`,
 *       and returns at most requestedAlgoCount entries, fastest first, each pinned. A time is the
 *       median of five runs after a first one, of fewer once they have taken 100 ms; alpha is 1,
 *       beta 0. A backend that declares itself a reference is not run: its entries, with time -1,
 *       come after those that ran. Waits for the stream. ALLOC_FAILED if there is no memory for the
 *       operands; NOT_SUPPORTED during a recording
 *   anydnnFindConvolutionDIRECTIONAlgorithmEx        as cuDNN 7: the same on the caller's buffers
 *       and workspace. Note: it overwrites the output. A workspace that is not aligned to 256 bytes
 *       is not used; a candidate that needs more workspace, or better aligned operands, is not run
 *   anydnnGetConvolutionDIRECTIONAlgorithm, level 1  deprecated from level 2. As cuDNN 7: one
 *       algorithm, without running any, by preference: without workspace, the fastest, or the
 *       fastest within memoryLimitInBytes; always within the setting `workspace_limit`. Nothing is
 *       measured: between backends that are adjacent in the route and both state an expected time,
 *       the time decides; else the order of the route. Pins it. Returns no math type: it is that of
 *       convDesc. NOT_SUPPORTED if nothing runs within the limit
 *   anydnnGetConvolutionDIRECTIONAlgorithm, level 2  as cuDNN 7's _v7 with a limit: the entries
 *       that Find would return, without running any, in the order of the form of level 1 and with
 *       time -1: at most requestedAlgoCount, within workspaceLimit bytes (0: without workspace;
 *       SIZE_MAX: any) and the setting `workspace_limit`. Pins each
 *   anydnnGetConvolutionDIRECTIONWorkspaceSize       as cuDNN 7: bytes with which the call of this
 *       problem, algorithm and math type runs its best plan; pins the choice. Forward: the larger
 *       of the plain and the fused call. Query it after setting the math type
 *
 * Get and Find search the backends of the handle's own memory space, each math type by its own
 * route. They search default math and, in the same list as in cuDNN 7, the math types that
 * convDesc's permits. tensor_op permits itself; split also tensor_op; allow_conversion all. Nothing
 * of less precision appears, and nothing nondeterministic unless anydnnSetDeterministic permits it.
 * For each pair (algorithm, math type) only the best candidate of all backends is an entry. Its
 * math type is the one it computes in, even if convDesc's permits more. If only the route of a
 * stronger type names that backend, the entry has that stronger type. A candidate without one of
 * cuDNN's numbers has number 0.
 *
 * Entries with a failure status come last, one for each pair that no backend runs. The status is
 * ALLOC_FAILED with reason MEMORY if more workspace is needed than allowed (`memory` is the need),
 * else the status of the failure. If nothing runs at all, the search itself fails, with the reason
 * of every backend, and writes nothing.
 */

/* Forward. Queries: see above. */
ANYDNN_API anydnnStatus_t anydnnGetConvolutionForwardAlgorithmMaxCount(anydnnHandle_t handle,
                                                                       int *count);
ANYDNN_API anydnnStatus_t anydnnFindConvolutionForwardAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionFwdAlgoPerf_t *perfResults);
ANYDNN_API anydnnStatus_t anydnnFindConvolutionForwardAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnFilterDescriptor_t wDesc, const void *w, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t yDesc, void *y, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes);
ANYDNN_FORM(anydnnStatus_t, anydnnGetConvolutionForwardAlgorithm, 1,
            (anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
             anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc,
             anydnnConvolutionFwdPreference_t preference, size_t memoryLimitInBytes,
             anydnnConvolutionFwdAlgo_t *algo));
ANYDNN_FORM(anydnnStatus_t, anydnnGetConvolutionForwardAlgorithm, 2,
            (anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
             anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc,
             size_t workspaceLimit, int requestedAlgoCount, int *returnedAlgoCount,
             anydnnConvolutionFwdAlgoPerf_t *perfResults));
ANYDNN_API anydnnStatus_t anydnnGetConvolutionForwardWorkspaceSize(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnFilterDescriptor_t wDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc,
    anydnnConvolutionFwdAlgo_t algo, size_t *sizeInBytes);

/* As cuDNN 7: y = alpha * conv(x, w) + beta * y. Not in place. */
ANYDNN_API anydnnStatus_t anydnnConvolutionForward(anydnnHandle_t handle, const void *alpha,
                                                   anydnnTensorDescriptor_t xDesc, const void *x,
                                                   anydnnFilterDescriptor_t wDesc, const void *w,
                                                   anydnnConvolutionDescriptor_t convDesc,
                                                   anydnnConvolutionFwdAlgo_t algo, void *workSpace,
                                                   size_t workSpaceSizeInBytes, const void *beta,
                                                   anydnnTensorDescriptor_t yDesc, void *y);

/*
 * As cuDNN 7: y = act(alpha1 * conv(x, w) + alpha2 * z + bias). z has y's shape and may be y in
 * place; with alpha2 0 it is not read and may be NULL. bias is 1,K,1,1, of y's type or float. The
 * activation is RELU or IDENTITY, without NaN propagation; others run if a backend supports them.
 */
ANYDNN_API anydnnStatus_t anydnnConvolutionBiasActivationForward(
    anydnnHandle_t handle, const void *alpha1, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnFilterDescriptor_t wDesc, const void *w, anydnnConvolutionDescriptor_t convDesc,
    anydnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *alpha2, anydnnTensorDescriptor_t zDesc, const void *z,
    anydnnTensorDescriptor_t biasDesc, const void *bias,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t yDesc, void *y);

/* As cuDNN 7: db = alpha * (sum of dy over all but channels) + beta * db; db is 1,K,1,1. */
ANYDNN_API anydnnStatus_t anydnnConvolutionBackwardBias(anydnnHandle_t handle, const void *alpha,
                                                        anydnnTensorDescriptor_t dyDesc,
                                                        const void *dy, const void *beta,
                                                        anydnnTensorDescriptor_t dbDesc, void *db);

/* Backward filter. Queries: see above. */
ANYDNN_API anydnnStatus_t anydnnGetConvolutionBackwardFilterAlgorithmMaxCount(anydnnHandle_t handle,
                                                                              int *count);
ANYDNN_API anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithm(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdFilterAlgoPerf_t *perfResults);
ANYDNN_API anydnnStatus_t anydnnFindConvolutionBackwardFilterAlgorithmEx(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnFilterDescriptor_t dwDesc, void *dw, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdFilterAlgoPerf_t *perfResults, void *workSpace,
    size_t workSpaceSizeInBytes);
ANYDNN_FORM(anydnnStatus_t, anydnnGetConvolutionBackwardFilterAlgorithm, 1,
            (anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
             anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc,
             anydnnConvolutionBwdFilterPreference_t preference, size_t memoryLimitInBytes,
             anydnnConvolutionBwdFilterAlgo_t *algo));
ANYDNN_FORM(anydnnStatus_t, anydnnGetConvolutionBackwardFilterAlgorithm, 2,
            (anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
             anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc,
             size_t workspaceLimit, int requestedAlgoCount, int *returnedAlgoCount,
             anydnnConvolutionBwdFilterAlgoPerf_t *perfResults));
ANYDNN_API anydnnStatus_t anydnnGetConvolutionBackwardFilterWorkspaceSize(
    anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnFilterDescriptor_t dwDesc,
    anydnnConvolutionBwdFilterAlgo_t algo, size_t *sizeInBytes);

/* As cuDNN 7: dw = alpha * (gradient of w) + beta * dw. With beta 1, gradients accumulate over
 * calls. */
ANYDNN_API anydnnStatus_t anydnnConvolutionBackwardFilter(
    anydnnHandle_t handle, const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnConvolutionBwdFilterAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *beta, anydnnFilterDescriptor_t dwDesc, void *dw);

/* Backward data. Queries: see above. */
ANYDNN_API anydnnStatus_t anydnnGetConvolutionBackwardDataAlgorithmMaxCount(anydnnHandle_t handle,
                                                                            int *count);
ANYDNN_API anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithm(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc, int requestedAlgoCount,
    int *returnedAlgoCount, anydnnConvolutionBwdDataAlgoPerf_t *perfResults);
ANYDNN_API anydnnStatus_t anydnnFindConvolutionBackwardDataAlgorithmEx(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, const void *w,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnTensorDescriptor_t dxDesc, void *dx, int requestedAlgoCount, int *returnedAlgoCount,
    anydnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes);
ANYDNN_FORM(anydnnStatus_t, anydnnGetConvolutionBackwardDataAlgorithm, 1,
            (anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
             anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc,
             anydnnConvolutionBwdDataPreference_t preference, size_t memoryLimitInBytes,
             anydnnConvolutionBwdDataAlgo_t *algo));
ANYDNN_FORM(anydnnStatus_t, anydnnGetConvolutionBackwardDataAlgorithm, 2,
            (anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
             anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc,
             size_t workspaceLimit, int requestedAlgoCount, int *returnedAlgoCount,
             anydnnConvolutionBwdDataAlgoPerf_t *perfResults));
ANYDNN_API anydnnStatus_t anydnnGetConvolutionBackwardDataWorkspaceSize(
    anydnnHandle_t handle, anydnnFilterDescriptor_t wDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t dxDesc,
    anydnnConvolutionBwdDataAlgo_t algo, size_t *sizeInBytes);

/* As cuDNN 7: dx = alpha * (gradient of x) + beta * dx; this is a transposed convolution of dy. */
ANYDNN_API anydnnStatus_t anydnnConvolutionBackwardData(
    anydnnHandle_t handle, const void *alpha, anydnnFilterDescriptor_t wDesc, const void *w,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnConvolutionBwdDataAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx);

/*
 * As cuDNN 7: writes the windows of x as columns. colBuffer is a packed matrix of x's type, with a
 * row for each c, r, s and a column for each n, p, q (C*R*S, N*P*Q). The convolution is the matrix
 * w (K, C*R*S) times it. Padding gives 0; a true convolution flips r and s. No groups, no int8.
 */
ANYDNN_API anydnnStatus_t anydnnIm2Col(anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc,
                                       const void *x, anydnnFilterDescriptor_t wDesc,
                                       anydnnConvolutionDescriptor_t convDesc, void *colBuffer);

/*
 * As cuDNN 7: reorders a filter of int8x32, and with reorderBias its K float biases, for a
 * convolution with ANYDNN_NO_REORDER. In anydnn the reordered form equals the plain one. The entry
 * therefore copies, in stream order; each copy may be in place. NOT_SUPPORTED for other types. A
 * filter that cuDNN itself reordered cannot be used here.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnReorderFilterAndBias, 2,
            (anydnnHandle_t handle, anydnnFilterDescriptor_t filterDesc,
             anydnnReorderType_t reorderType, const void *filterData, void *reorderedFilterData,
             int reorderBias, const void *biasData, void *reorderedBiasData));

/* ------------------------------------------------------------------ algorithm objects */

/*
 * Algorithm objects hold the number of an algorithm and what was measured with it, and can be saved
 * as bytes. cuDNN 7's searches of recurrent layers fill them in. Any number is accepted; an object
 * changes no choice of a kernel.
 */

/* As cuDNN 7. */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateAlgorithmDescriptor, 2,
            (anydnnAlgorithmDescriptor_t * algoDesc));
ANYDNN_FORM(anydnnStatus_t, anydnnSetAlgorithmDescriptor, 2,
            (anydnnAlgorithmDescriptor_t algoDesc, anydnnAlgorithm_t algorithm));
ANYDNN_FORM(anydnnStatus_t, anydnnGetAlgorithmDescriptor, 2,
            (anydnnAlgorithmDescriptor_t algoDesc, anydnnAlgorithm_t *algorithm));
ANYDNN_FORM(anydnnStatus_t, anydnnCopyAlgorithmDescriptor, 2,
            (anydnnAlgorithmDescriptor_t src, anydnnAlgorithmDescriptor_t dest));
ANYDNN_FORM(anydnnStatus_t, anydnnDestroyAlgorithmDescriptor, 2,
            (anydnnAlgorithmDescriptor_t algoDesc));

/*
 * As cuDNN 7: makes and destroys an array of them at once. Set stores the descriptor itself and Get
 * returns it, so the descriptor must outlive the object. An object that was never set has NULL and
 * zeros.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateAlgorithmPerformance, 2,
            (anydnnAlgorithmPerformance_t * algoPerf, int numberToCreate));
ANYDNN_FORM(anydnnStatus_t, anydnnSetAlgorithmPerformance, 2,
            (anydnnAlgorithmPerformance_t algoPerf, anydnnAlgorithmDescriptor_t algoDesc,
             anydnnStatus_t status, float time, size_t memory));
ANYDNN_FORM(anydnnStatus_t, anydnnGetAlgorithmPerformance, 2,
            (anydnnAlgorithmPerformance_t algoPerf, anydnnAlgorithmDescriptor_t *algoDesc,
             anydnnStatus_t *status, float *time, size_t *memory));
ANYDNN_FORM(anydnnStatus_t, anydnnDestroyAlgorithmPerformance, 2,
            (anydnnAlgorithmPerformance_t * algoPerf, int numberToDestroy));

/*
 * As cuDNN 7: the bytes, in host memory, are in this library's own format. Restore returns
 * NOT_SUPPORTED for others.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetAlgorithmSpaceSize, 2,
            (anydnnHandle_t handle, anydnnAlgorithmDescriptor_t algoDesc,
             size_t *algoSpaceSizeInBytes));
ANYDNN_FORM(anydnnStatus_t, anydnnSaveAlgorithm, 2,
            (anydnnHandle_t handle, anydnnAlgorithmDescriptor_t algoDesc, void *algoSpace,
             size_t algoSpaceSizeInBytes));
ANYDNN_FORM(anydnnStatus_t, anydnnRestoreAlgorithm, 2,
            (anydnnHandle_t handle, void *algoSpace, size_t algoSpaceSizeInBytes,
             anydnnAlgorithmDescriptor_t algoDesc));

/* ------------------------------------------------------------------ softmax */

/*
 * As cuDNN 7. A row that holds only -Inf gives 0 for ACCURATE, -Inf for LOG and NaN for FAST; a row
 * with +Inf gives NaN for ACCURATE and LOG. y may be x in place. Tensors have 2 dims or more.
 */
ANYDNN_API anydnnStatus_t anydnnSoftmaxForward(anydnnHandle_t handle, anydnnSoftmaxAlgorithm_t algo,
                                               anydnnSoftmaxMode_t mode, const void *alpha,
                                               anydnnTensorDescriptor_t xDesc, const void *x,
                                               const void *beta, anydnnTensorDescriptor_t yDesc,
                                               void *y);

/*
 * As cuDNN 7, computed only from y and dy: dx = alpha * y * (dy - sum dy y) + beta * dx; for LOG dy
 * - exp(y) * sum dy. dx may be y or dy, or both, in place.
 */
ANYDNN_API anydnnStatus_t anydnnSoftmaxBackward(anydnnHandle_t handle,
                                                anydnnSoftmaxAlgorithm_t algo,
                                                anydnnSoftmaxMode_t mode, const void *alpha,
                                                anydnnTensorDescriptor_t yDesc, const void *y,
                                                anydnnTensorDescriptor_t dyDesc, const void *dy,
                                                const void *beta, anydnnTensorDescriptor_t dxDesc,
                                                void *dx);

/* ------------------------------------------------------------------ pooling */

/*
 * There are 1 to 6 spatial dims; docs/backends.md states which ones a backend runs. The usual
 * output along a dim is 1 + floor((in + 2 pad - window) / stride). The output descriptor is used as
 * given and may have more or fewer elements. Padding may be negative or wider than the window. A
 * window begins at output * stride - pad and ends at its own end or at that of the padded input (in
 * + pad), whichever is first.
 *
 * A maximum is over the window's elements inside the input and starts at the lowest finite value.
 * That value is the maximum of no elements, of only -Inf and, unless NaN propagates, of only NaN.
 *
 * An average divides the sum of the elements inside by the product over the spatial dims of (end -
 * begin), for EXCLUDE_PADDING with both cut to the input. A window without an element inside gives
 * 0, or NaN if a factor is 0.
 */

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnCreatePoolingDescriptor(anydnnPoolingDescriptor_t *poolingDesc);

/*
 * As cuDNN 7: windows and strides at least 1, any padding. The NaN option applies to maxima:
 * NOT_PROPAGATE skips NaN.
 */
ANYDNN_API anydnnStatus_t anydnnSetPooling2dDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                                       anydnnPoolingMode_t mode,
                                                       anydnnNanPropagation_t maxpoolingNanOpt,
                                                       int windowHeight, int windowWidth,
                                                       int verticalPadding, int horizontalPadding,
                                                       int verticalStride, int horizontalStride);

/* As cuDNN 7; BAD_PARAM unless it has 2 spatial dims. */
ANYDNN_API anydnnStatus_t anydnnGetPooling2dDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                                       anydnnPoolingMode_t *mode,
                                                       anydnnNanPropagation_t *maxpoolingNanOpt,
                                                       int *windowHeight, int *windowWidth,
                                                       int *verticalPadding, int *horizontalPadding,
                                                       int *verticalStride, int *horizontalStride);

/* As cuDNN 7: nbDims spatial dims, 1 to 6 (more: NOT_SUPPORTED). */
ANYDNN_API anydnnStatus_t anydnnSetPoolingNdDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                                       anydnnPoolingMode_t mode,
                                                       anydnnNanPropagation_t maxpoolingNanOpt,
                                                       int nbDims, const int windowDimA[],
                                                       const int paddingA[], const int strideA[]);

/* As cuDNN 7; counts as in anydnnGetTensorNdDescriptor. */
ANYDNN_API anydnnStatus_t anydnnGetPoolingNdDescriptor(anydnnPoolingDescriptor_t poolingDesc,
                                                       int nbDimsRequested,
                                                       anydnnPoolingMode_t *mode,
                                                       anydnnNanPropagation_t *maxpoolingNanOpt,
                                                       int *nbDims, int windowDimA[],
                                                       int paddingA[], int strideA[]);

/* As cuDNN 7: returns the first nbDims of the usual output; BAD_PARAM if the window does not fit.
 */
ANYDNN_API anydnnStatus_t anydnnGetPoolingNdForwardOutputDim(
    anydnnPoolingDescriptor_t poolingDesc, anydnnTensorDescriptor_t inputTensorDesc, int nbDims,
    int outputTensorDimA[]);
ANYDNN_API anydnnStatus_t anydnnGetPooling2dForwardOutputDim(
    anydnnPoolingDescriptor_t poolingDesc, anydnnTensorDescriptor_t inputTensorDesc, int *n, int *c,
    int *h, int *w);
ANYDNN_API anydnnStatus_t anydnnDestroyPoolingDescriptor(anydnnPoolingDescriptor_t poolingDesc);

/* As cuDNN 7. Not in place. */
ANYDNN_API anydnnStatus_t anydnnPoolingForward(anydnnHandle_t handle,
                                               anydnnPoolingDescriptor_t poolingDesc,
                                               const void *alpha, anydnnTensorDescriptor_t xDesc,
                                               const void *x, const void *beta,
                                               anydnnTensorDescriptor_t yDesc, void *y);

/*
 * As cuDNN 7. Max passes the gradient to the first element of the window, in d, h, w order, that
 * equals y (NaN equals NaN), or to none if no element does. Note: x and y must therefore be what
 * forward read and wrote. A layer that changes y in place between the two calls breaks this. The dy
 * of a window without an element inside is dropped. Unspecified: a maximum over only -Inf, windows
 * that a negative pad cuts.
 *
 * The averages read only dy: y and x and their descriptors may be NULL, and dx may have their
 * addresses.
 */
ANYDNN_API anydnnStatus_t anydnnPoolingBackward(anydnnHandle_t handle,
                                                anydnnPoolingDescriptor_t poolingDesc,
                                                const void *alpha, anydnnTensorDescriptor_t yDesc,
                                                const void *y, anydnnTensorDescriptor_t dyDesc,
                                                const void *dy, anydnnTensorDescriptor_t xDesc,
                                                const void *x, const void *beta,
                                                anydnnTensorDescriptor_t dxDesc, void *dx);

/* ------------------------------------------------------------------ activation */

/* As cuDNN 7; SWISH's beta is 1 until set. */
ANYDNN_API anydnnStatus_t
anydnnCreateActivationDescriptor(anydnnActivationDescriptor_t *activationDesc);

/*
 * As cuDNN 7: coef is the ceiling of CLIPPED_RELU and the alpha of ELU, else unused (SWISH has its
 * own beta). The NaN option applies to the forward direction of RELU and CLIPPED_RELU:
 * NOT_PROPAGATE gives 0 for NaN; the other activations always propagate NaN.
 */
ANYDNN_API anydnnStatus_t anydnnSetActivationDescriptor(anydnnActivationDescriptor_t activationDesc,
                                                        anydnnActivationMode_t mode,
                                                        anydnnNanPropagation_t reluNanOpt,
                                                        double coef);
ANYDNN_API anydnnStatus_t anydnnGetActivationDescriptor(anydnnActivationDescriptor_t activationDesc,
                                                        anydnnActivationMode_t *mode,
                                                        anydnnNanPropagation_t *reluNanOpt,
                                                        double *coef);

/* As cuDNN 8: beta of SWISH, which is separate from coef. */
ANYDNN_API anydnnStatus_t anydnnSetActivationDescriptorSwishBeta(
    anydnnActivationDescriptor_t activationDesc, double swish_beta);
ANYDNN_API anydnnStatus_t anydnnGetActivationDescriptorSwishBeta(
    anydnnActivationDescriptor_t activationDesc, double *swish_beta);
ANYDNN_API anydnnStatus_t
anydnnDestroyActivationDescriptor(anydnnActivationDescriptor_t activationDesc);

/* As cuDNN 7. IDENTITY is refused here. y may be x in place with equal descriptors. */
ANYDNN_API anydnnStatus_t anydnnActivationForward(anydnnHandle_t handle,
                                                  anydnnActivationDescriptor_t activationDesc,
                                                  const void *alpha, anydnnTensorDescriptor_t xDesc,
                                                  const void *x, const void *beta,
                                                  anydnnTensorDescriptor_t yDesc, void *y);

/*
 * As cuDNN 7. The gradient is a function of y and dy only; for SWISH, which y does not determine,
 * of x and dy. RELU and CLIPPED_RELU give dy where 0 < y (and y < coef). Elsewhere, also where y is
 * NaN, they give 0, whatever dy is. ELU's slope is 1 where y >= 0, else y + coef. dx may be any of
 * the inputs, or all of them, in place.
 *
 * The operand that is not read (x; for SWISH y) may be NULL with its descriptor, and dx may have
 * its address. For RELU and CLIPPED_RELU, if y is NULL, x is read instead.
 */
ANYDNN_API anydnnStatus_t anydnnActivationBackward(
    anydnnHandle_t handle, anydnnActivationDescriptor_t activationDesc, const void *alpha,
    anydnnTensorDescriptor_t yDesc, const void *y, anydnnTensorDescriptor_t dyDesc, const void *dy,
    anydnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    anydnnTensorDescriptor_t dxDesc, void *dx);

/* ------------------------------------------------------------ LRN and divisive normalization */

/*
 * Both use an LRN descriptor: window n (1 to 16, also even), alpha, beta (at least 0.01), k (at
 * least 1e-5). Parameters are cast to the type of the tensors.
 */

/* As cuDNN 7: n 5, alpha 1e-4, beta 0.75, k 2 until set. */
ANYDNN_API anydnnStatus_t anydnnCreateLRNDescriptor(anydnnLRNDescriptor_t *normDesc);

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnSetLRNDescriptor(anydnnLRNDescriptor_t normDesc, unsigned lrnN,
                                                 double lrnAlpha, double lrnBeta, double lrnK);

/* As cuDNN 7; unwanted outputs may be NULL. */
ANYDNN_API anydnnStatus_t anydnnGetLRNDescriptor(anydnnLRNDescriptor_t normDesc, unsigned *lrnN,
                                                 double *lrnAlpha, double *lrnBeta, double *lrnK);
ANYDNN_API anydnnStatus_t anydnnDestroyLRNDescriptor(anydnnLRNDescriptor_t lrnDesc);

/*
 * As cuDNN 7: y = x * (k + alpha / n * sum x^2)^-beta, the sum over channels c - floor((n - 1) / 2)
 * .. c + n - 1 - floor((n - 1) / 2) that exist. Note: alpha is divided by n. y may be x in place,
 * but the backward call needs x.
 */
ANYDNN_API anydnnStatus_t anydnnLRNCrossChannelForward(anydnnHandle_t handle,
                                                       anydnnLRNDescriptor_t normDesc,
                                                       anydnnLRNMode_t lrnMode, const void *alpha,
                                                       anydnnTensorDescriptor_t xDesc,
                                                       const void *x, const void *beta,
                                                       anydnnTensorDescriptor_t yDesc, void *y);

/*
 * As cuDNN 7. The gradient is a function of x and dy: y may be NULL with its descriptor, and dx may
 * have its address. dx may be dy in place.
 */
ANYDNN_API anydnnStatus_t anydnnLRNCrossChannelBackward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnLRNMode_t lrnMode,
    const void *alpha, anydnnTensorDescriptor_t yDesc, const void *y,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnTensorDescriptor_t xDesc, const void *x,
    const void *beta, anydnnTensorDescriptor_t dxDesc, void *dx);

/*
 * As cuDNN 7: y = x * (k + alpha / n^d * sum (x - means)^2)^-beta. The sum is over the window of n
 * in each of the d spatial dims, which begins floor((n - 1) / 2) before the element and is clipped
 * at the borders. A window uses the mean of its centre element. means (NULL: 0), temp and temp2
 * have x's shape and strides; temp and temp2 are scratch memory. x itself is divided, not x -
 * means: for full local contrast normalization subtract the means first.
 */
ANYDNN_API anydnnStatus_t anydnnDivisiveNormalizationForward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnDivNormMode_t mode,
    const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x, const void *means, void *temp,
    void *temp2, const void *beta, anydnnTensorDescriptor_t yDesc, void *y);

/*
 * As cuDNN 7: computes dx, and the gradient of means if dMeans is not NULL; dy, dx and dMeans have
 * x's shape.
 */
ANYDNN_API anydnnStatus_t anydnnDivisiveNormalizationBackward(
    anydnnHandle_t handle, anydnnLRNDescriptor_t normDesc, anydnnDivNormMode_t mode,
    const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x, const void *means,
    const void *dy, void *temp, void *temp2, const void *beta,
    anydnnTensorDescriptor_t dXdMeansDesc, void *dx, void *dMeans);

/* ------------------------------------------------------------------ batch normalization */

/*
 * x is N,C,spatial. Parameters (scale, bias, means, variances, their gradients) have the shape of
 * the mode and the type of anydnnDeriveBNTensorDescriptor: double for double, float for all others.
 * For an x of half or bfloat16 they may also have x's type, which cuDNN lacks. Such parameters are
 * converted to float or wider when they are read, and results are rounded once when they are
 * stored. A problem may combine the types: scale, bias and their gradients have one type, the given
 * or running statistics one, and the saved statistics one. epsilon is at least
 * ANYDNN_BN_MIN_EPSILON, the same forward and backward.
 *
 *   y = scale * (x - mean) / sqrt(var + epsilon) + bias
 *
 * with the biased variance (divided by m, the number of elements that share it). The Ex forms then
 * apply act(...).
 */

/*
 * As cuDNN 7: the packed shape 1,C,1,1 (per activation 1,C,H,W), double for double x and float for
 * every other type.
 */
ANYDNN_API anydnnStatus_t anydnnDeriveBNTensorDescriptor(anydnnTensorDescriptor_t derivedBnDesc,
                                                         anydnnTensorDescriptor_t xDesc,
                                                         anydnnBatchNormMode_t mode);

/* As cuDNN 7.6. Descriptors of operands that bnOps does not use may be NULL. */
ANYDNN_API anydnnStatus_t anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t zDesc, anydnnTensorDescriptor_t yDesc,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, anydnnActivationDescriptor_t activationDesc,
    size_t *sizeInBytes);
ANYDNN_API anydnnStatus_t anydnnGetBatchNormalizationBackwardExWorkspaceSize(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    anydnnTensorDescriptor_t xDesc, anydnnTensorDescriptor_t yDesc, anydnnTensorDescriptor_t dyDesc,
    anydnnTensorDescriptor_t dzDesc, anydnnTensorDescriptor_t dxDesc,
    anydnnTensorDescriptor_t dBnScaleBiasDesc, anydnnActivationDescriptor_t activationDesc,
    size_t *sizeInBytes);

/*
 * As cuDNN 7.6: returns 0 for OPS_BN, else one bit per element of x: ceil(elements / 8) bytes. A
 * bit is 1 where the activation passes its gradient. Bits are in row-major order of the dims,
 * lowest bit first; bits after the last element are 0. The format is the same on every backend.
 */
ANYDNN_API anydnnStatus_t anydnnGetBatchNormalizationTrainingExReserveSpaceSize(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
    size_t *sizeInBytes);

/*
 * As cuDNN 7. running = new * factor + running * (1 - factor). The running variance uses the sample
 * variance (divided by m - 1; so NaN if m is 1). The saved pair is the mean and 1 / sqrt(var +
 * epsilon). Note: both pointers of the running pair are given or both are NULL; the same holds for
 * the saved pair. In the first call factor must be 1 or the running arrays initialised. y may be x
 * in place, but the backward call needs x.
 */
ANYDNN_API anydnnStatus_t anydnnBatchNormalizationForwardTraining(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, const void *alpha, const void *beta,
    anydnnTensorDescriptor_t xDesc, const void *x, anydnnTensorDescriptor_t yDesc, void *y,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    double exponentialAverageFactor, void *resultRunningMean, void *resultRunningVariance,
    double epsilon, void *resultSaveMean, void *resultSaveInvVariance);

/*
 * As cuDNN 7.6: with z, activation, workspace and reserve; the backward call needs the reserve. y
 * may be x or z, or both, in place.
 */
ANYDNN_API anydnnStatus_t anydnnBatchNormalizationForwardTrainingEx(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    const void *alpha, const void *beta, anydnnTensorDescriptor_t xDesc, const void *xData,
    anydnnTensorDescriptor_t zDesc, const void *zData, anydnnTensorDescriptor_t yDesc, void *yData,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    double exponentialAverageFactor, void *resultRunningMean, void *resultRunningVariance,
    double epsilon, void *resultSaveMean, void *resultSaveInvVariance,
    anydnnActivationDescriptor_t activationDesc, void *workspace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes);

/* As cuDNN 7: with the estimated mean and variance. y may be x in place. */
ANYDNN_API anydnnStatus_t anydnnBatchNormalizationForwardInference(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, const void *alpha, const void *beta,
    anydnnTensorDescriptor_t xDesc, const void *x, anydnnTensorDescriptor_t yDesc, void *y,
    anydnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    const void *estimatedMean, const void *estimatedVariance, double epsilon);

/*
 * As cuDNN 7. The data pair of factors blends dx, the parameter pair dScale and dBias. Both saved
 * pointers may be NULL: then mean and variance are computed again. dx may be x or dy, or both, in
 * place.
 */
ANYDNN_API anydnnStatus_t anydnnBatchNormalizationBackward(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, const void *alphaDataDiff,
    const void *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff,
    anydnnTensorDescriptor_t xDesc, const void *x, anydnnTensorDescriptor_t dyDesc, const void *dy,
    anydnnTensorDescriptor_t dxDesc, void *dx, anydnnTensorDescriptor_t dBnScaleBiasDesc,
    const void *bnScale, void *dBnScaleResult, void *dBnBiasResult, double epsilon,
    const void *savedMean, const void *savedInvVariance);

/*
 * As cuDNN 7.6: also computes dz, the gradient of z. y and bias are read only if the activation
 * needs them. For RELU and CLIPPED_RELU y may be NULL. dx and dz may each be x, dy or y in place.
 */
ANYDNN_API anydnnStatus_t anydnnBatchNormalizationBackwardEx(
    anydnnHandle_t handle, anydnnBatchNormMode_t mode, anydnnBatchNormOps_t bnOps,
    const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, anydnnTensorDescriptor_t xDesc, const void *xData,
    anydnnTensorDescriptor_t yDesc, const void *yData, anydnnTensorDescriptor_t dyDesc,
    const void *dyData, anydnnTensorDescriptor_t dzDesc, void *dzData,
    anydnnTensorDescriptor_t dxDesc, void *dxData, anydnnTensorDescriptor_t dBnScaleBiasDesc,
    const void *bnScaleData, const void *bnBiasData, void *dBnScaleData, void *dBnBiasData,
    double epsilon, const void *savedMean, const void *savedInvVariance,
    anydnnActivationDescriptor_t activationDesc, void *workSpace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes);

/* ------------------------------------------------------------------ dropout */

/*
 * y = x / (1 - p) where kept, 0 where dropped; 0 <= p <= 1. The mask depends only on states (see
 * ANYDNN_DROPOUT_MAGIC above), so it is the same on every backend and device. There are no alpha
 * and beta.
 *
 * reserve: one bit per element, 1 where kept, in row-major order of the dims whatever the strides
 * are, lowest bit of each byte first; ceil(elements / 8) bytes, bits after the last element 0.
 * Forward writes it, backward reads it, on the same or another backend.
 */

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnCreateDropoutDescriptor(anydnnDropoutDescriptor_t *dropoutDesc);
ANYDNN_API anydnnStatus_t anydnnDestroyDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc);

/* As cuDNN 7: returns 32 bytes. */
ANYDNN_API anydnnStatus_t anydnnDropoutGetStatesSize(anydnnHandle_t handle, size_t *sizeInBytes);

/* As cuDNN 7: returns the bytes of reserve for a tensor of this shape. */
ANYDNN_API anydnnStatus_t anydnnDropoutGetReserveSpaceSize(anydnnTensorDescriptor_t xDesc,
                                                           size_t *sizeInBytes);

/*
 * As cuDNN 7: drops with probability `dropout` (0 to 1) and initialises states, which is memory of
 * the handle's device. The caller must keep it while the descriptor is used. With NULL the earlier
 * states stay unchanged. INVALID_VALUE if stateSizeInBytes is too small.
 */
ANYDNN_API anydnnStatus_t anydnnSetDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc,
                                                     anydnnHandle_t handle, float dropout,
                                                     void *states, size_t stateSizeInBytes,
                                                     unsigned long long seed);

/*
 * As cuDNN 7: uses saved states without initialising them; BAD_PARAM if they are not states. The
 * seed is only for the getter: the one in the states is used.
 */
ANYDNN_API anydnnStatus_t anydnnRestoreDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc,
                                                         anydnnHandle_t handle, float dropout,
                                                         void *states, size_t stateSizeInBytes,
                                                         unsigned long long seed);

/* As cuDNN 7. */
ANYDNN_API anydnnStatus_t anydnnGetDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc,
                                                     anydnnHandle_t handle, float *dropout,
                                                     void **states, unsigned long long *seed);

/* As cuDNN 7. y may be x in place. */
ANYDNN_API anydnnStatus_t anydnnDropoutForward(anydnnHandle_t handle,
                                               anydnnDropoutDescriptor_t dropoutDesc,
                                               anydnnTensorDescriptor_t xDesc, const void *x,
                                               anydnnTensorDescriptor_t yDesc, void *y,
                                               void *reserveSpace, size_t reserveSpaceSizeInBytes);

/* As cuDNN 7. dx may be dy in place. */
ANYDNN_API anydnnStatus_t anydnnDropoutBackward(anydnnHandle_t handle,
                                                anydnnDropoutDescriptor_t dropoutDesc,
                                                anydnnTensorDescriptor_t dyDesc, const void *dy,
                                                anydnnTensorDescriptor_t dxDesc, void *dx,
                                                void *reserveSpace, size_t reserveSpaceSizeInBytes);

/* ------------------------------------------------------------------ spatial transformer */

/*
 * A spatial transformer makes images n,c,H,W from images n,c,h,w. For each n, H, W a grid holds the
 * point of the input that the output pixel shows. A generator makes such a grid from an affine
 * matrix for each n (Jaderberg et al. 2015).
 *
 *   grid       packed, n,H,W,2: first the coordinate along the width, then that along the height;
 *              -1 is the centre of the first pixel, 1 that of the last
 *   generator  grid[n][i][j] = theta[n] (u_j, v_i, 1), theta packed, n,2,3;
 *              u_j = -1 + 2 j / (W - 1), v_i = -1 + 2 i / (H - 1); 0 where W or H is 1
 *   sampler    px = (gx + 1) (w - 1) / 2, py likewise; y = sum of x at the up to four pixels around
 *              (px, py), each times (1 - |px - column|) (1 - |py - row|)
 *
 * Pixels outside the image are 0, also for the gradient. For a point that is NaN or infinite, y and
 * its gradients are 0. At whole px, the gradient along the width is that of the interval to the
 * right; along the height, that of the interval below.
 *
 * theta, grids and images have one type, the descriptor's: float, double, half or bfloat16. Nothing
 * runs in place.
 */

/* As cuDNN 7. */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateSpatialTransformerDescriptor, 2,
            (anydnnSpatialTransformerDescriptor_t * stDesc));

/*
 * As cuDNN 7: dimA is n, c, H, W of the output; c is not used. nbDims is 4; more (5 to
 * ANYDNN_DIM_MAX) is NOT_SUPPORTED, as in cuDNN.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnSetSpatialTransformerNdDescriptor, 2,
            (anydnnSpatialTransformerDescriptor_t stDesc, anydnnSamplerType_t samplerType,
             anydnnDataType_t dataType, int nbDims, const int dimA[]));
ANYDNN_FORM(anydnnStatus_t, anydnnDestroySpatialTransformerDescriptor, 2,
            (anydnnSpatialTransformerDescriptor_t stDesc));

/* As cuDNN 7: compute the grid from theta, and the gradient of theta from that of the grid. */
ANYDNN_FORM(anydnnStatus_t, anydnnSpatialTfGridGeneratorForward, 2,
            (anydnnHandle_t handle, anydnnSpatialTransformerDescriptor_t stDesc, const void *theta,
             void *grid));
ANYDNN_FORM(anydnnStatus_t, anydnnSpatialTfGridGeneratorBackward, 2,
            (anydnnHandle_t handle, anydnnSpatialTransformerDescriptor_t stDesc, const void *dgrid,
             void *dtheta));

/* As cuDNN 7: y = alpha * sampled x + beta * y. */
ANYDNN_FORM(anydnnStatus_t, anydnnSpatialTfSamplerForward, 2,
            (anydnnHandle_t handle, anydnnSpatialTransformerDescriptor_t stDesc, const void *alpha,
             anydnnTensorDescriptor_t xDesc, const void *x, const void *grid, const void *beta,
             anydnnTensorDescriptor_t yDesc, void *y));

/* As cuDNN 7: alpha and beta blend dx, alphaDgrid and betaDgrid blend dgrid. */
ANYDNN_FORM(anydnnStatus_t, anydnnSpatialTfSamplerBackward, 2,
            (anydnnHandle_t handle, anydnnSpatialTransformerDescriptor_t stDesc, const void *alpha,
             anydnnTensorDescriptor_t xDesc, const void *x, const void *beta,
             anydnnTensorDescriptor_t dxDesc, void *dx, const void *alphaDgrid,
             anydnnTensorDescriptor_t dyDesc, const void *dy, const void *grid,
             const void *betaDgrid, void *dgrid));

/* ------------------------------------------------------------------ CTC loss */

/*
 * The CTC loss is the loss of labelling sequences when the position of each label is unknown
 * (Graves et al. 2006). probs is t,n,a: for each step and each of n sequences, a number for each
 * letter of an alphabet. Letter 0 is the blank. Let p be these numbers themselves (normalization
 * NONE) or their softmax along a (SOFTMAX). The cost of sequence n is
 *
 *   -log(sum over all paths of the product of p[t][n][path[t]]),  t < inputLengths[n],
 *
 * where the paths are those that give the sequence's labels after equal neighbours are merged and
 * blanks are removed. In both modes the gradient is with respect to the input of the softmax:
 * p[t][n][k] minus the share of the paths that pass through letter k at step t.
 *
 *   labels        the labels of all sequences one after another, 1 to a - 1 each; NULL if there are
 *                 none
 *   labelLengths  the number of labels of each sequence, 0 or more, without an upper limit
 *   inputLengths  the number of steps of each sequence, 0 to t
 *   costs         one number for each sequence: float, double for probs of double
 *   gradients     of the shape and type of probs; NULL if not wanted. 0 after a sequence's steps
 *
 * Labels and lengths are in host memory. The sum is 0, for example, for labels that no path of the
 * sequence's length gives. The cost is then infinity, and the gradients are 0 or, with
 * PROPAGATE_NAN, NaN. A sequence without labels has one path, of blanks; without labels and steps
 * its cost is 0.
 *
 * probs is float, double, half or bfloat16.
 */

/* As cuDNN 7. */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateCTCLossDescriptor, 2,
            (anydnnCTCLossDescriptor_t * ctcLossDesc));

/*
 * As cuDNN 7: normalization NONE and NOT_PROPAGATE_NAN, or the arguments of the Ex form. compType
 * is float, or double with probs of double.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnSetCTCLossDescriptor, 2,
            (anydnnCTCLossDescriptor_t ctcLossDesc, anydnnDataType_t compType));
ANYDNN_FORM(anydnnStatus_t, anydnnSetCTCLossDescriptorEx, 2,
            (anydnnCTCLossDescriptor_t ctcLossDesc, anydnnDataType_t compType,
             anydnnLossNormalizationMode_t normMode, anydnnNanPropagation_t gradMode));
ANYDNN_FORM(anydnnStatus_t, anydnnGetCTCLossDescriptor, 2,
            (anydnnCTCLossDescriptor_t ctcLossDesc, anydnnDataType_t *compType));
ANYDNN_FORM(anydnnStatus_t, anydnnGetCTCLossDescriptorEx, 2,
            (anydnnCTCLossDescriptor_t ctcLossDesc, anydnnDataType_t *compType,
             anydnnLossNormalizationMode_t *normMode, anydnnNanPropagation_t *gradMode));
ANYDNN_FORM(anydnnStatus_t, anydnnDestroyCTCLossDescriptor, 2,
            (anydnnCTCLossDescriptor_t ctcLossDesc));

/*
 * As cuDNN 7: returns the bytes of workspace for the chosen plan, which is pinned. They depend on
 * the sum of labelLengths; labels and inputLengths are not read. gradientsDesc may be NULL: no
 * gradients.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetCTCLossWorkspaceSize, 2,
            (anydnnHandle_t handle, anydnnTensorDescriptor_t probsDesc,
             anydnnTensorDescriptor_t gradientsDesc, const int *labels, const int *labelLengths,
             const int *inputLengths, anydnnCTCLossAlgo_t algo,
             anydnnCTCLossDescriptor_t ctcLossDesc, size_t *sizeInBytes));

/* As cuDNN 7. A recording keeps the labels and lengths with which it was made. */
ANYDNN_FORM(anydnnStatus_t, anydnnCTCLoss, 2,
            (anydnnHandle_t handle, anydnnTensorDescriptor_t probsDesc, const void *probs,
             const int *labels, const int *labelLengths, const int *inputLengths, void *costs,
             anydnnTensorDescriptor_t gradientsDesc, void *gradients, anydnnCTCLossAlgo_t algo,
             anydnnCTCLossDescriptor_t ctcLossDesc, void *workspace, size_t workSpaceSizeInBytes));

/* ------------------------------------------------- layer, group, instance and RMS normalization */

/*
 * A normalization gives the elements that belong together mean 0 and variance 1 (Ba et al. 2016,
 * "Layer Normalization"; Wu and He 2018, "Group Normalization"; Ulyanov et al. 2016, "Instance
 * Normalization"; Zhang and Sennrich 2019, "Root Mean Square Layer Normalization"). With v = x + z
 * and the mean m and the variance var of the elements that belong together:
 *
 *   r = 1 / sqrt(var + epsilon), y = activation(factor * (v - m) * r + bias)
 *
 * var divides by the number of elements. An RMS normalization has m = 0, so that r is 1 / sqrt(mean
 * of v^2 + epsilon). factor is scale, or 1 + scale with ZERO_CENTERED. Without scale it is 1,
 * without bias nothing is added, and without z v is x.
 *
 *   kind      the elements that belong together
 *   LAYER     those along the dims whose bits are set in axes: 1 << i for dim i
 *   RMS       likewise
 *   GROUP     those of one index of dim 0 in one of `groups` groups of neighbouring channels, which
 *             are the indices of dim channelAxis; groups divides their number
 *   INSTANCE  as GROUP with a group for each channel
 *
 * y, z and sum have the dims of x. scale and bias have the number of its dims, and along each its
 * size, or 1 where they do not vary. The statistics saveMean (m, which RMS lacks) and saveInvDev
 * (r) have the dims that anydnnDeriveNormalizationStatisticsDescriptor gives. They are float, or
 * double if x is. The other operands may each be float, half or bfloat16; if x is double, all are.
 *
 * sum receives v, rounded to its type, and everything else is computed from what it holds. It is
 * the x of the backward operation. Let g be the gradient before the activation, w = factor * g and
 * n = (v - m) * r:
 *
 *   dx = r * (w - mean of w - n * mean of (w * n)) + dsum, without `mean of w` for RMS
 *   dscale = sum of g * n, dbias = sum of g, over all elements that scale and bias serve
 *
 * dx is the gradient of x and of z. dsum is a gradient that reaches sum on another way. dy, dsum
 * and dx have the dims of x, dscale and dbias those of scale and bias. Sums are added in a fixed
 * order unless anydnnSetDeterministic(handle, 0).
 *
 * Edge cases. A set of one element has n = 0 and dx = dsum, except for RMS. With epsilon 0, the
 * result is unspecified for a set of equal elements, or of zeros for RMS. A NaN makes n NaN in its
 * whole set. Squares that overflow give r = 0; they do so only in float.
 *
 * Errors. BAD_PARAM: axes or channelAxis is not a dim of x, groups does not divide its channels,
 * dims do not fit, or operands are given without those that they need. NOT_SUPPORTED: a type or mix
 * of types that is not listed here.
 */

/* The descriptor holds the kind, the dims and epsilon. */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateNormalizationDescriptor, 2,
            (anydnnNormalizationDescriptor_t * normDesc));

/*
 * LAYER and RMS: axes is not 0, channelAxis 1 and groups 1. GROUP: axes is 0, channelAxis 1 to
 * ANYDNN_DIM_MAX - 1. INSTANCE: the same, and groups is 1. flags is 0 or
 * ANYDNN_NORMALIZATION_ZERO_CENTERED, epsilon finite and at least 0.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnSetNormalizationDescriptor, 2,
            (anydnnNormalizationDescriptor_t normDesc, anydnnNormalizationKind_t kind,
             unsigned axes, int channelAxis, int groups, unsigned flags, double epsilon));
ANYDNN_FORM(anydnnStatus_t, anydnnGetNormalizationDescriptor, 2,
            (anydnnNormalizationDescriptor_t normDesc, anydnnNormalizationKind_t *kind,
             unsigned *axes, int *channelAxis, int *groups, unsigned *flags, double *epsilon));
ANYDNN_FORM(anydnnStatus_t, anydnnDestroyNormalizationDescriptor, 2,
            (anydnnNormalizationDescriptor_t normDesc));

/*
 * Describes packed statistics for x: x's dims with 1 along the dims that are summed over; for
 * groups, dim 0 of x, groups at channelAxis, and 1 elsewhere. BAD_PARAM if x lacks a dim that the
 * kind needs, or groups does not divide its channels.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnDeriveNormalizationStatisticsDescriptor, 2,
            (anydnnTensorDescriptor_t statDesc, anydnnTensorDescriptor_t xDesc,
             anydnnNormalizationDescriptor_t normDesc));

/*
 * Returns the bytes of workspace for the chosen plan, which is pinned. A descriptor that is NULL
 * states that the call has no such operand; activationDesc NULL means no activation. With statDesc,
 * the call saves statistics, both unless the kind is RMS.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetNormalizationForwardWorkspaceSize, 2,
            (anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
             anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
             anydnnTensorDescriptor_t scaleDesc, anydnnTensorDescriptor_t biasDesc,
             anydnnTensorDescriptor_t zDesc, anydnnTensorDescriptor_t yDesc,
             anydnnTensorDescriptor_t sumDesc, anydnnTensorDescriptor_t statDesc,
             size_t *sizeInBytes));

/*
 * Computes y, and where they are not NULL sum, saveMean and saveInvDev. scale, bias, z and the
 * three outputs may be NULL; their descriptors are not read then. saveMean and saveInvDev come
 * together, except that RMS has no saveMean. sum needs z. y and sum may each be x or z in place,
 * but not both the same.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnNormalizationForward, 2,
            (anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
             anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
             const void *x, anydnnTensorDescriptor_t scaleDesc, const void *scale,
             anydnnTensorDescriptor_t biasDesc, const void *bias, anydnnTensorDescriptor_t zDesc,
             const void *z, anydnnTensorDescriptor_t yDesc, void *y,
             anydnnTensorDescriptor_t sumDesc, void *sum, anydnnTensorDescriptor_t statDesc,
             void *saveMean, void *saveInvDev, void *workspace, size_t workSpaceSizeInBytes));

/*
 * The same for the backward operation. With statDesc, the call is given the saved statistics.
 * withScale and withBias (not 0) state that the call has dscale and dbias, which need scaleDesc and
 * biasDesc.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetNormalizationBackwardWorkspaceSize, 2,
            (anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
             anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
             anydnnTensorDescriptor_t dyDesc, anydnnTensorDescriptor_t scaleDesc,
             anydnnTensorDescriptor_t biasDesc, anydnnTensorDescriptor_t statDesc,
             anydnnTensorDescriptor_t dsumDesc, anydnnTensorDescriptor_t dxDesc, int withScale,
             int withBias, size_t *sizeInBytes));

/*
 * Computes dx, and dscale and dbias where they are not NULL. x is the sum where the forward call
 * added z. scale and bias are those of the forward call; bias counts only with an activation.
 * scaleDesc describes scale and dscale, biasDesc bias and dbias. saveMean and saveInvDev may be
 * NULL: they are computed again. One alone is BAD_PARAM, except that RMS has no saveMean. dsum may
 * be NULL. dx may be x, dy or dsum in place.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnNormalizationBackward, 2,
            (anydnnHandle_t handle, anydnnNormalizationDescriptor_t normDesc,
             anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t xDesc,
             const void *x, anydnnTensorDescriptor_t dyDesc, const void *dy,
             anydnnTensorDescriptor_t scaleDesc, const void *scale,
             anydnnTensorDescriptor_t biasDesc, const void *bias, anydnnTensorDescriptor_t statDesc,
             const void *saveMean, const void *saveInvDev, anydnnTensorDescriptor_t dsumDesc,
             const void *dsum, anydnnTensorDescriptor_t dxDesc, void *dx, void *dscale, void *dbias,
             void *workspace, size_t workSpaceSizeInBytes));

/* ------------------------------------------------------------------ matrix products */

/*
 * Products of matrices: d = activation(v), v = alpha * a b + beta * c + bias.
 *
 *   a      ...,M,K
 *   b      ...,K,N
 *   d      ...,M,N
 *   c      the dims of d; d may be c in place. NULL, or with beta 0: nothing is added, and c is not
 *          read
 *   bias   the number of dims of d, and along each dim its size or 1; NULL: nothing is added
 *   aux    receives v, rounded to its type, and has the dims of d; NULL: not wanted
 *
 * All have one number of dims, 2 to ANYDNN_DIM_MAX. The dims before the last two are a batch: along
 * each, d has the larger size of a and b, and these have that or 1, which serves every index.
 * Strides give every layout: a transposed matrix is described by its strides exchanged. d and aux
 * must not share memory with another operand, except d with c.
 *
 * a and b are float, double, half or bfloat16, and d has their type, or is float for half and
 * bfloat16. c, bias and aux have the type of d, or are float unless d is double. alpha and beta are
 * double for an a of double, else float.
 */

/* The descriptor holds the type of computation and the math mode. */
ANYDNN_FORM(anydnnStatus_t, anydnnCreateMatMulDescriptor, 2,
            (anydnnMatMulDescriptor_t * matmulDesc));

/*
 * computeType is float, or double for operands of double; a call whose operands do not fit it is
 * NOT_SUPPORTED. mathType is as for convolutions.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnSetMatMulDescriptor, 2,
            (anydnnMatMulDescriptor_t matmulDesc, anydnnDataType_t computeType,
             anydnnMathType_t mathType));
ANYDNN_FORM(anydnnStatus_t, anydnnGetMatMulDescriptor, 2,
            (anydnnMatMulDescriptor_t matmulDesc, anydnnDataType_t *computeType,
             anydnnMathType_t *mathType));
ANYDNN_FORM(anydnnStatus_t, anydnnDestroyMatMulDescriptor, 2,
            (anydnnMatMulDescriptor_t matmulDesc));

/*
 * Returns the bytes of workspace for the chosen plan, which is pinned. cDesc, biasDesc and auxDesc
 * NULL state that the call has no such operand; activationDesc NULL means no activation.
 */
ANYDNN_FORM(anydnnStatus_t, anydnnGetMatMulWorkspaceSize, 2,
            (anydnnHandle_t handle, anydnnMatMulDescriptor_t matmulDesc,
             anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t aDesc,
             anydnnTensorDescriptor_t bDesc, anydnnTensorDescriptor_t cDesc,
             anydnnTensorDescriptor_t biasDesc, anydnnTensorDescriptor_t dDesc,
             anydnnTensorDescriptor_t auxDesc, size_t *sizeInBytes));

/* Computes d. c, bias and aux may be NULL; their descriptors are not read then. */
ANYDNN_FORM(anydnnStatus_t, anydnnMatMul, 2,
            (anydnnHandle_t handle, anydnnMatMulDescriptor_t matmulDesc,
             anydnnActivationDescriptor_t activationDesc, const void *alpha,
             anydnnTensorDescriptor_t aDesc, const void *a, anydnnTensorDescriptor_t bDesc,
             const void *b, const void *beta, anydnnTensorDescriptor_t cDesc, const void *c,
             anydnnTensorDescriptor_t biasDesc, const void *bias, anydnnTensorDescriptor_t dDesc,
             void *d, anydnnTensorDescriptor_t auxDesc, void *aux, void *workspace,
             size_t workSpaceSizeInBytes));

#ifdef __cplusplus
}
#endif

#endif
