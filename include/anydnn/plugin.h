/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between libanydnn and a backend. A backend is a shared object that exports exactly
 * two symbols, `anydnn_plugin_abi` and `anydnn_plugin_main`. It includes only this file of anydnn
 * and does not link libanydnn; a table holds all functions of the host that it may use. This file
 * needs only <stddef.h> and <stdint.h>; a vendor may copy it.
 *
 * Life of a backend
 *   1. libanydnn opens the file by its absolute path (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) and
 *      never closes it. Constructors run here; they must not start threads or call the host.
 *   2. It reads the data object `anydnn_plugin_abi`. As long as the major number is 0, major and
 *      minor must be equal on both sides; no function of the backend is called before this check.
 *   3. It calls `anydnn_plugin_main(host, &plugin)` once. The returned description belongs to the
 *      backend and stays constant for the rest of the process.
 *   4. When a handle first needs the backend, it calls `context_create(device)`. There is one
 *      context per handle and backend.
 *   5. For each new problem it calls `candidates`, then `plan_create` for the chosen engine. It
 *      calls `plan_execute` as often as the application calls, and `plan_destroy` and
 *      `context_destroy` with the handle. Executes may still be queued then, and `context_destroy`
 *      waits for them. The application may have destroyed the streams of all earlier calls, so
 *      neither function uses one. Nothing is called from destructors or after exit() has begun.
 *
 * Rules (the host checks those marked *)
 *   - Structures are size-prefixed and grow only at their end. A reader uses min(struct_size, its
 *     own sizeof) and treats members beyond as zero. Arrays of structures are arrays of pointers.*
 *   - Names: [a-z0-9_]{1,31}; the file is called anydnn_NAME.so.*
 *   - Function pointers of the description lie in the backend's own object: hide all symbols but
 *     two.*
 *   - A plan holds shapes, never data: weights may change under the same pointer between two calls.
 *   - A backend must also accept each accepted problem at element alignment (a separate candidate
 *     may require more). It touches only the elements described by dims and strides.
 *   - Strings passed to the host must stay valid as long as the process, unless said otherwise.
 *   - No exception of C++ leaves a function.
 *
 * Growth: a later minor number may append parameters and optional slots to an operation. A backend
 * publishes those that it knows (struct anydnn_plugin_operation). The host declines on its behalf a
 * problem with a parameter beyond them that is not 0, or with a present slot beyond them.*
 *
 * Threads: one context is used by one thread at a time, different contexts at once. `candidates` of
 * different contexts may run at once, too. The functions of struct anydnn_plugin_host are
 * thread-safe.
 *
 * Floating point: every function is called in a thread that rounds to nearest, flushes nothing to
 * zero and traps nothing, and must leave those modes unchanged; flags may be left raised. Threads
 * of the backend's own have the modes of the thread that made them, or the modes that were set
 * since. A backend that borrows threads must therefore set the modes in each piece of work. The
 * host restores what opening the file changed (linking with -ffast-math changes modes).
 *
 * Functions return a status, ANYDNN_PLUGIN_STATUS_xxx. Before a function returns another value than
 * SUCCESS, it should pass a message to host->set_error.
 *
 * The host guarantees the following, so that a backend need not check it.
 *   For a problem, in `candidates` and `plan_create`:
 *   - The description offers its operation and lists the type of the operand in slot 0. Parameters
 *     of BATCH_NORMALIZATION_xxx are HALF or BFLOAT16 only if the limit `parameter_types` has the
 *     bit of that type. `candidates` must decline what layouts, maths and other limits exclude.
 *   - Each slot that the operation needs is present, and tensor[] of a present slot is not NULL.
 *     Optional operands that belong together come together (running_mean and running_var, save_mean
 *     and save_inv_var). A mode's own operands (z, reserve, bias ...) are present exactly where the
 *     mode has them.
 *   - params points to the complete structure of the operation's family. Modes, operations and
 *     flags hold values that are listed here; spatial_dims is that of the tensors. Windows, strides
 *     and dilations are at least 1, a convolution's paddings at least 0 (others may be negative),
 *     dropout's probability 0 to 1, LRN's n 1 to 16, epsilon finite and at least 0.
 *   - A tensor has 1 to 8 dims, dims and strides of at least 1, and no element beyond what 63 bits
 *     count in bytes. Elements of an output do not overlap. Channels of VECT_C types are whole
 *     vectors.
 *   - Types, compute types and shapes fit each other and the parameters as anydnn.h says for the
 *     operation: y of a convolution has the size that the formula gives, db has dy's channels, and
 *     so on. The application chooses the spatial sizes of pooling's y.
 *   - `alias` names only what the operation permits, for operands with equal tensors.
 *   For a run, in `plan_execute`:
 *   - data[] of every present slot is not NULL and aligned to its element (its vector, for VECT_C
 *     types), or more if the candidate requires it. Buffers that overlap in part are not detected.
 *   - The workspace has at least the candidate's bytes, at a multiple of 256. The members of scale
 *     and number that the operation uses are set, and value of SET_TENSOR is not NULL.
 *   - For MATMUL with beta 0: c may hold anything and must not be read.
 *   - For CTC_LOSS: label_lengths are at least 0 and their sum is at most labels' dims[0];
 *     input_lengths are 0 to x's dims[0]. The labels, as many as that sum, are 1 to
 *     x's dims[2] - 1.
 *   - No other thread uses the plan's context during the call.
 *   A backend must check its own limits, extensions that must be understood, and combinations of
 *   types that it lacks. It must also check an output in place that it, or another of its threads,
 *   would write before the input has been read.
 */
#ifndef ANYDNN_PLUGIN_H
#define ANYDNN_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANYDNN_PLUGIN_MAGIC     0x6e64796e61ULL /* "anydn", little endian */
#define ANYDNN_PLUGIN_ABI_MAJOR 0
#define ANYDNN_PLUGIN_ABI_MINOR 10

#define ANYDNN_PLUGIN_DIM_MAX     8
#define ANYDNN_PLUGIN_SPATIAL_MAX 6
#define ANYDNN_PLUGIN_OPERAND_MAX 32
#define ANYDNN_PLUGIN_NAME_MAX    31

/* Marks the two exported symbols. */
#if defined(__GNUC__)
#define ANYDNN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define ANYDNN_PLUGIN_EXPORT
#endif

/* ------------------------------------------------------------------ numbers shared with anydnn.h
 */

/* The statuses that functions return. */
enum {
    ANYDNN_PLUGIN_STATUS_SUCCESS = 0,
    ANYDNN_PLUGIN_STATUS_ALLOC_FAILED = 2,
    ANYDNN_PLUGIN_STATUS_BAD_PARAM = 3,
    ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR = 4,
    ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED = 8,
    ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED = 9
};

/* The element types, with the numbers of anydnnDataType_t. */
enum {
    ANYDNN_PLUGIN_FLOAT = 0,
    ANYDNN_PLUGIN_DOUBLE = 1,
    ANYDNN_PLUGIN_HALF = 2,
    ANYDNN_PLUGIN_INT8 = 3,
    ANYDNN_PLUGIN_INT32 = 4,
    ANYDNN_PLUGIN_INT8X4 = 5, /* VECT_C: dims count elements, strides count vectors of 4 */
    ANYDNN_PLUGIN_UINT8 = 6,
    ANYDNN_PLUGIN_UINT8X4 = 7,
    ANYDNN_PLUGIN_INT8X32 = 8,
    ANYDNN_PLUGIN_BFLOAT16 = 9,
    ANYDNN_PLUGIN_INT64 = 10,
    /* 11 to 31 are reserved with the numbers of cuDNN 9: 11 boolean, 12 and 13 FP8, and so on. No
     * problem of this version has them. */
    ANYDNN_PLUGIN_TYPE_RESERVED = 11,
    ANYDNN_PLUGIN_UINT16 = 1000, /* these three only as types of reduction indices */
    ANYDNN_PLUGIN_UINT32 = 1001,
    ANYDNN_PLUGIN_UINT64 = 1002
};
/* The bit of a type in a set of types; all types of a set are below 32. */
#define ANYDNN_PLUGIN_TYPE_BIT(type) (UINT32_C(1) << (type))

/* The math that a candidate uses; a problem's math is what is permitted. */
enum {
    ANYDNN_PLUGIN_MATH_DEFAULT = 0,   /* no matrix units, no operand rounding, float or wider */
    ANYDNN_PLUGIN_MATH_TENSOR_OP = 1, /* matrix units for operands that need no conversion */
    ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION = 2, /* float operands may be rounded to TF32 */
    ANYDNN_PLUGIN_MATH_SPLIT = 1000          /* float operands as sums of shorter terms */
};

/* The bits of math modes in a set, for the published tables. */
#define ANYDNN_PLUGIN_MATHS_DEFAULT          0x1u
#define ANYDNN_PLUGIN_MATHS_TENSOR_OP        0x2u
#define ANYDNN_PLUGIN_MATHS_ALLOW_CONVERSION 0x4u
#define ANYDNN_PLUGIN_MATHS_SPLIT            0x8u

/* The algorithms of the three directions of convolution, with the numbers of anydnn.h. NONE means
 * any, or none. */
enum { ANYDNN_PLUGIN_ALGORITHM_NONE = -1 };
enum {
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_GEMM = 2,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_DIRECT = 3,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_FFT = 4,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
    ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7
};
enum {
    ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING = 3,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD = 4,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5
};
enum {
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_3 = 3,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD = 4,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
    ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING = 6
};

/*
 * The operations and the slots of their operands. `tensor[]` and `data[]` are indexed by slot;
 * inputs come first. A slot marked ? may be absent (its bit in `present` is clear, its pointers are
 * NULL); a slot marked = is read and written. Numbers and slots never change; new operations get
 * new numbers.
 *
 * A slot marked @ is a host operand: its data are in host memory whatever the backend's space is,
 * also in a staged call. plan_execute reads them before it returns, since the application may
 * change them afterwards. A device's capture holds the values that they had when it was made.
 *
 * Some inputs are not read: y and x of POOLING_BACKWARD's averages, x of ACTIVATION_BACKWARD (for
 * swish y), y of LRN_BACKWARD, b of OP_TENSOR's sqrt and not. An application may omit them. A
 * backend then still finds a tensor and a pointer, those of another operand. The data there have no
 * meaning. It may be the address of an output, which `alias` does not show.
 */
enum {
    ANYDNN_PLUGIN_CONVOLUTION_FORWARD = 1,                 /* 0 x, 1 w | 2 y */
    ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA = 2,           /* 0 w, 1 dy | 2 dx */
    ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER = 3,         /* 0 x, 1 dy | 2 dw */
    ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS = 4,           /* 0 dy | 1 db */
    ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD = 5, /* 0 x, 1 w, 2 z?, 3 bias | 4 y */
    ANYDNN_PLUGIN_POOLING_FORWARD = 6,                     /* 0 x | 1 y */
    ANYDNN_PLUGIN_POOLING_BACKWARD = 7,                    /* 0 y, 1 dy, 2 x | 3 dx */
    ANYDNN_PLUGIN_ACTIVATION_FORWARD = 8,                  /* 0 x | 1 y */
    ANYDNN_PLUGIN_ACTIVATION_BACKWARD = 9,                 /* 0 y, 1 dy, 2 x | 3 dx */
    ANYDNN_PLUGIN_LRN_FORWARD = 10,                        /* 0 x | 1 y */
    ANYDNN_PLUGIN_LRN_BACKWARD = 11,                       /* 0 y, 1 dy, 2 x | 3 dx */
    ANYDNN_PLUGIN_SOFTMAX_FORWARD = 12,                    /* 0 x | 1 y */
    ANYDNN_PLUGIN_SOFTMAX_BACKWARD = 13,                   /* 0 y, 1 dy | 2 dx */
    ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD = 14,  /* 0 x, 1 means?, 2 temp=, 3 temp2= | 4 y */
    ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD = 15, /* 0 x, 1 means?, 2 dy, 3 temp=, 4 temp2= |
                                                           5 dx, 6 dmeans? */
    ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE =
        16,                                          /* 0 x, 1 scale, 2 bias, 3 mean, 4 var | 5 y */
    ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING = 17, /* 0 x, 1 scale, 2 bias, 3 z?, 4
                                                        running_mean?=, 5 running_var?= | 6 y, 7
                                                        save_mean?, 8 save_inv_var?, 9 reserve? */
    ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD = 18, /* 0 x, 1 dy, 2 y?, 3 scale, 4 bias?,
                                                        5 save_mean?, 6 save_inv_var?, 7 reserve? |
                                                        8 dx, 9 dz?, 10 dscale, 11 dbias */
    ANYDNN_PLUGIN_DROPOUT_FORWARD = 19,              /* 0 x, 1 states= | 2 y, 3 reserve */
    ANYDNN_PLUGIN_DROPOUT_BACKWARD = 20,             /* 0 dy, 1 reserve | 2 dx */
    ANYDNN_PLUGIN_TRANSFORM_TENSOR = 21,             /* 0 x | 1 y */
    ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX = 22,          /* 0 x | 1 y */
    ANYDNN_PLUGIN_TRANSFORM_FILTER = 23,             /* 0 x | 1 y */
    ANYDNN_PLUGIN_ADD_TENSOR = 24,                   /* 0 x | 1 y */
    ANYDNN_PLUGIN_OP_TENSOR = 25,                    /* 0 a, 1 b | 2 c */
    ANYDNN_PLUGIN_REDUCE_TENSOR = 26,                /* 0 a | 1 c, 2 indices? */
    ANYDNN_PLUGIN_SET_TENSOR = 27,                   /* | 0 y= */
    ANYDNN_PLUGIN_SCALE_TENSOR = 28,                 /* | 0 y= */
    ANYDNN_PLUGIN_IM2COL = 29,                       /* 0 x | 1 col */
    ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD = 30,         /* 0 theta | 1 grid */
    ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD = 31,        /* 0 dgrid | 1 dtheta */
    ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD = 32,      /* 0 x, 1 grid | 2 y */
    ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD = 33,     /* 0 x, 1 grid, 2 dy | 3 dx, 4 dgrid */
    ANYDNN_PLUGIN_CTC_LOSS = 34,                     /* 0 x, 1 labels@, 2 label_lengths@,
                                                        3 input_lengths@ | 4 costs, 5 gradients? */
    ANYDNN_PLUGIN_NORMALIZATION_FORWARD = 35,        /* 0 x, 1 scale?, 2 bias?, 3 z? | 4 y, 5 sum?,
                                                        6 save_mean?, 7 save_inv_dev? */
    ANYDNN_PLUGIN_NORMALIZATION_BACKWARD = 36,       /* 0 x, 1 dy, 2 scale?, 3 bias?, 4 save_mean?,
                                                        5 save_inv_dev?, 6 dsum? | 7 dx, 8 dscale?,
                                                        9 dbias? */
    ANYDNN_PLUGIN_MATMUL = 37,                       /* 0 a, 1 b, 2 c?, 3 bias?, 4 scale_a?,
                                                        5 scale_b?, 6 scale_d?, 7 zero_a?, 8 zero_b?
                                                        | 9 d, 10 aux?, 11 amax? */
    ANYDNN_PLUGIN_OPERATION_END = 38
};

/* ------------------------------------------------------------------ problems */

/* A tensor. Element i lies at sum(index[d] * strides[d]) elements (vectors, for VECT_C types). A
 * byte buffer (states, reserve) is a one-dimensional packed tensor of UINT8. */
struct anydnn_plugin_tensor {
    uint32_t struct_size;
    int32_t type;
    int32_t ndims;
    int32_t reserved;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX];
};

/* The parameters, one type per family; `struct anydnn_plugin_problem.params` points to it. Arrays
 * hold one value for each spatial dimension, in the order of the dims (d, h, w). */

enum {
    ANYDNN_PLUGIN_CONVOLUTION = 0,      /* the filter is flipped */
    ANYDNN_PLUGIN_CROSS_CORRELATION = 1 /* it is not flipped */
};
enum {
    ANYDNN_PLUGIN_POOLING_MAX = 0,
    ANYDNN_PLUGIN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1,
    ANYDNN_PLUGIN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2,
    ANYDNN_PLUGIN_POOLING_MAX_DETERMINISTIC = 3
};
enum {
    ANYDNN_PLUGIN_ACTIVATION_SIGMOID = 0,
    ANYDNN_PLUGIN_ACTIVATION_RELU = 1,
    ANYDNN_PLUGIN_ACTIVATION_TANH = 2,
    ANYDNN_PLUGIN_ACTIVATION_CLIPPED_RELU = 3,
    ANYDNN_PLUGIN_ACTIVATION_ELU = 4,
    ANYDNN_PLUGIN_ACTIVATION_IDENTITY = 5,
    ANYDNN_PLUGIN_ACTIVATION_SWISH = 6,
    /* These two only in NORMALIZATION_xxx and MATMUL: v erfc(-v / sqrt(2)) / 2, and
     * v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))) / 2. */
    ANYDNN_PLUGIN_ACTIVATION_GELU = 1000,
    ANYDNN_PLUGIN_ACTIVATION_GELU_TANH = 1001
};
enum {
    ANYDNN_PLUGIN_SOFTMAX_FAST = 0,
    ANYDNN_PLUGIN_SOFTMAX_ACCURATE = 1,
    ANYDNN_PLUGIN_SOFTMAX_LOG = 2
};
enum {
    ANYDNN_PLUGIN_SOFTMAX_MODE_INSTANCE = 0, /* over c, h, w */
    ANYDNN_PLUGIN_SOFTMAX_MODE_CHANNEL = 1   /* over c */
};
enum {
    ANYDNN_PLUGIN_BATCHNORM_PER_ACTIVATION = 0,
    ANYDNN_PLUGIN_BATCHNORM_SPATIAL = 1,
    ANYDNN_PLUGIN_BATCHNORM_SPATIAL_PERSISTENT = 2
};
enum {
    ANYDNN_PLUGIN_BATCHNORM_OPS_BN = 0,
    ANYDNN_PLUGIN_BATCHNORM_OPS_BN_ACTIVATION = 1,
    ANYDNN_PLUGIN_BATCHNORM_OPS_BN_ADD_ACTIVATION = 2
};
enum { ANYDNN_PLUGIN_TRANSFORM_FOLD = 0, ANYDNN_PLUGIN_TRANSFORM_UNFOLD = 1 };
enum {
    ANYDNN_PLUGIN_OP_TENSOR_ADD = 0,
    ANYDNN_PLUGIN_OP_TENSOR_MUL = 1,
    ANYDNN_PLUGIN_OP_TENSOR_MIN = 2,
    ANYDNN_PLUGIN_OP_TENSOR_MAX = 3,
    ANYDNN_PLUGIN_OP_TENSOR_SQRT = 4, /* of a */
    ANYDNN_PLUGIN_OP_TENSOR_NOT = 5   /* 1 - a */
};
enum {
    ANYDNN_PLUGIN_REDUCE_TENSOR_ADD = 0,
    ANYDNN_PLUGIN_REDUCE_TENSOR_MUL = 1,
    ANYDNN_PLUGIN_REDUCE_TENSOR_MIN = 2,
    ANYDNN_PLUGIN_REDUCE_TENSOR_MAX = 3,
    ANYDNN_PLUGIN_REDUCE_TENSOR_AMAX = 4, /* the largest absolute value */
    ANYDNN_PLUGIN_REDUCE_TENSOR_AVG = 5,
    ANYDNN_PLUGIN_REDUCE_TENSOR_NORM1 = 6,
    ANYDNN_PLUGIN_REDUCE_TENSOR_NORM2 = 7,
    ANYDNN_PLUGIN_REDUCE_TENSOR_MUL_NO_ZEROS = 8
};

enum { ANYDNN_PLUGIN_SAMPLER_BILINEAR = 0 };
enum {
    ANYDNN_PLUGIN_LOSS_NORMALIZATION_NONE = 0,   /* x holds probabilities */
    ANYDNN_PLUGIN_LOSS_NORMALIZATION_SOFTMAX = 1 /* x holds the inputs of a softmax */
};

/* The kinds of NORMALIZATION_xxx: the elements that share a mean and a deviation. A problem never
 * has INSTANCE, since the host makes it GROUP with a group for each channel. */
enum {
    ANYDNN_PLUGIN_NORMALIZATION_LAYER = 0, /* those along `axes` */
    ANYDNN_PLUGIN_NORMALIZATION_GROUP = 1, /* those of a sample in a group of channels */
    ANYDNN_PLUGIN_NORMALIZATION_INSTANCE = 2,
    ANYDNN_PLUGIN_NORMALIZATION_RMS = 3 /* as LAYER, with a mean of 0 */
};

/* The flags of NORMALIZATION_xxx. A backend declines flags that it does not know. */
#define ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED 0x1u /* the factor is 1 + scale */

/* The epilogues of MATMUL. */
enum { ANYDNN_PLUGIN_MATMUL_FORWARD = 0 };

/* The convolution family and im2col; activation members only for the fused operation.
 * CONVOLUTION_BACKWARD_BIAS has NULL params. */
struct anydnn_plugin_convolution {
    uint32_t struct_size;
    int32_t spatial_dims;
    int64_t pad[ANYDNN_PLUGIN_SPATIAL_MAX];
    int64_t stride[ANYDNN_PLUGIN_SPATIAL_MAX];
    int64_t dilation[ANYDNN_PLUGIN_SPATIAL_MAX];
    int64_t window[ANYDNN_PLUGIN_SPATIAL_MAX]; /* the filter's extent, for im2col, which has no
                                                  filter operand */
    int64_t groups;
    int32_t mode;          /* ANYDNN_PLUGIN_CONVOLUTION or _CROSS_CORRELATION */
    int32_t compute_type;  /* the accumulation's element type as the application requests it */
    int32_t activation;    /* ANYDNN_PLUGIN_ACTIVATION_xxx */
    int32_t nan_propagate; /* 0 or 1, here and below */
    double coef;
};

struct anydnn_plugin_pooling {
    uint32_t struct_size;
    int32_t spatial_dims;
    int32_t mode; /* ANYDNN_PLUGIN_POOLING_xxx */
    int32_t nan_propagate;
    int64_t window[ANYDNN_PLUGIN_SPATIAL_MAX];
    int64_t pad[ANYDNN_PLUGIN_SPATIAL_MAX];
    int64_t stride[ANYDNN_PLUGIN_SPATIAL_MAX];
};

struct anydnn_plugin_activation {
    uint32_t struct_size;
    int32_t mode; /* ANYDNN_PLUGIN_ACTIVATION_xxx */
    int32_t nan_propagate;
    int32_t reserved;
    double coef; /* ceiling of clipped relu, alpha of elu, beta of swish */
};

struct anydnn_plugin_softmax {
    uint32_t struct_size;
    int32_t algorithm; /* ANYDNN_PLUGIN_SOFTMAX_xxx */
    int32_t mode;      /* ANYDNN_PLUGIN_SOFTMAX_MODE_xxx */
    int32_t reserved;
};

/* LRN across channels and divisive normalization. The formula divides alpha by n (by n^spatial). */
struct anydnn_plugin_lrn {
    uint32_t struct_size;
    int32_t n;
    double alpha;
    double beta;
    double k;
};

struct anydnn_plugin_batch_normalization {
    uint32_t struct_size;
    int32_t mode;       /* ANYDNN_PLUGIN_BATCHNORM_xxx */
    int32_t ops;        /* ANYDNN_PLUGIN_BATCHNORM_OPS_xxx */
    int32_t activation; /* ANYDNN_PLUGIN_ACTIVATION_xxx */
    int32_t nan_propagate;
    int32_t reserved;
    double coef;
    double epsilon;
};

struct anydnn_plugin_dropout {
    uint32_t struct_size;
    int32_t reserved;
    double probability; /* of setting an element to 0 */
};

struct anydnn_plugin_transform {
    uint32_t struct_size;
    int32_t direction; /* ANYDNN_PLUGIN_TRANSFORM_xxx */
    int64_t pad_before[ANYDNN_PLUGIN_DIM_MAX];
    int64_t pad_after[ANYDNN_PLUGIN_DIM_MAX];
    int64_t fold[ANYDNN_PLUGIN_SPATIAL_MAX];
};

/* The spatial transformer; the operations of its grid do not read this. */
struct anydnn_plugin_spatial {
    uint32_t struct_size;
    int32_t sampler; /* ANYDNN_PLUGIN_SAMPLER_xxx */
};

/* The CTC loss. If no path of a sequence's length gives its labels, its gradients are NaN with
 * nan_propagate, else 0. */
struct anydnn_plugin_ctc {
    uint32_t struct_size;
    int32_t normalization; /* ANYDNN_PLUGIN_LOSS_NORMALIZATION_xxx */
    int32_t nan_propagate;
    int32_t reserved;
};

/*
 * Layer, group and RMS normalization. With v = x + z and the mean m and the variance var of the
 * elements that share them (m = 0 for RMS):
 *   r = 1 / sqrt(var + epsilon), y = activation(factor (v - m) r + bias)
 * var divides by the number of elements. With `sum`, v is rounded to sum's type and stored there
 * before anything is computed from it. save_mean is m, which RMS lacks, and save_inv_dev is r. In
 * the backward operation x is v. Saved statistics come together; without them they are computed
 * again. With g the gradient before the activation and w = factor g:
 *   dx = r (w - mean(w) - n mean(w n)) + dsum, n = (v - m) r, without mean(w) for RMS
 *   dscale = sum of g n, dbias = sum of g
 * scale and bias have x's dims, or 1 where they do not vary. The saved tensors have 1 along `axes`;
 * those of groups are N at dim 0, groups at channel_axis, and 1 elsewhere. Statistics are float, or
 * double for an x of double.
 */
struct anydnn_plugin_normalization {
    uint32_t struct_size;
    int32_t kind;         /* ANYDNN_PLUGIN_NORMALIZATION_xxx */
    uint32_t axes;        /* LAYER, RMS: a bit for each dim that is summed over; else 0 */
    int32_t channel_axis; /* GROUP: the dim of channels, at least 1; else 1 */
    int64_t groups;       /* GROUP: a divisor of the channels; else 1 */
    uint32_t flags;       /* ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED or 0 */
    int32_t activation;   /* ANYDNN_PLUGIN_ACTIVATION_xxx */
    int32_t nan_propagate;
    int32_t compute_type; /* FLOAT, or DOUBLE for an x of double */
    double epsilon;
    double coef;
    uint8_t reserved[16]; /* 0 */
};

/*
 * Matrix products: d = activation(v), v = alpha a b + beta c + bias, aux = v.
 * a is ...,M,K, b is ...,K,N, d is ...,M,N, all with one number of dims from 2 on. The dims before
 * are equal, or 1 in an input that does not vary. c and aux have d's dims; bias has them, or 1.
 * With beta 0 c is not read. Slots 4 to 8 and 11 are for later versions and absent.
 */
struct anydnn_plugin_matmul {
    uint32_t struct_size;
    int32_t compute_type; /* FLOAT, or DOUBLE for double */
    int32_t activation;   /* ANYDNN_PLUGIN_ACTIVATION_xxx */
    int32_t nan_propagate;
    double coef;
    int32_t epilogue;     /* ANYDNN_PLUGIN_MATMUL_FORWARD */
    uint32_t flags;       /* 0 */
    uint8_t reserved[16]; /* 0 */
};

struct anydnn_plugin_op_tensor {
    uint32_t struct_size;
    int32_t op; /* ANYDNN_PLUGIN_OP_TENSOR_xxx */
    int32_t compute_type;
    int32_t nan_propagate;
};

struct anydnn_plugin_reduce {
    uint32_t struct_size;
    int32_t op; /* ANYDNN_PLUGIN_REDUCE_TENSOR_xxx */
    int32_t compute_type;
    int32_t nan_propagate;
};

/* A node of a problem's extension chain. A backend that meets an unknown kind declines if
 * `must_understand` is set, else it ignores the node. This version defines no kind. */
struct anydnn_plugin_extension {
    uint32_t struct_size;
    int32_t kind;
    int32_t must_understand;
    int32_t reserved;
    const struct anydnn_plugin_extension *next;
};

/* A problem: everything that a plan depends on, and nothing else. It is valid during the call that
 * receives it. */
struct anydnn_plugin_problem {
    uint32_t struct_size;
    int32_t operation;
    int32_t math;          /* permission: ANYDNN_PLUGIN_MATH_xxx */
    int32_t algorithm;     /* of the direction; ANYDNN_PLUGIN_ALGORITHM_NONE: any */
    int32_t deterministic; /* 1: candidates noted nondeterministic will not be chosen */
    int32_t device;        /* number within the space */
    uint32_t present;      /* bit per slot */
    uint32_t guarantees;   /* what the caller demands: ANYDNN_PLUGIN_GUARANTEE_xxx */
    uint8_t
        alias[ANYDNN_PLUGIN_OPERAND_MAX]; /* of an output: 1 + slot of the first input at the
                                             same address; of a further input there: 1 + slot of
                                             the output; 0: none. Only inputs that are read count */
    const struct anydnn_plugin_tensor *tensor[ANYDNN_PLUGIN_OPERAND_MAX]; /* NULL where absent */
    const void *params; /* of the family, or NULL */
    const struct anydnn_plugin_extension *extension;
};

/* ------------------------------------------------------------------ candidates */

/* The notes on a candidate. */
#define ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC  0x1u /* two runs may differ in bits */
#define ANYDNN_PLUGIN_NOTE_TRANSFORM         0x2u /* Winograd, FFT: rounds intermediate transforms */
#define ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION 0x4u /* rounds operands, within the mode */
/* The bits of a sample's results depend only on that sample, the other operands without a batch,
 * the factors, and the problem without its batch. They do not depend on the size or the stride of
 * the batch, on the other samples, on the place among them, or on addresses. The note concerns the
 * operations below; it has no meaning for others, which may sum over samples. */
#define ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT 0x8u
/* The kernel, or what it runs on, may read a subnormal operand as 0, or give 0 for a subnormal
 * result. Every candidate may be chosen with this note; the dispatch record reports it. */
#define ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS 0x10u

/* The guarantees that a caller can demand, one bit each. With BATCH_INVARIANT, only candidates with
 * that note are chosen. The host picks the engine for one batch and uses it for every other, so a
 * backend offers the same engines for all batches then. */
#define ANYDNN_PLUGIN_GUARANTEE_BATCH_INVARIANT 0x1u

/* The operations that the batch-invariant mode covers, one bit each. */
#define ANYDNN_PLUGIN_BATCH_INVARIANT_OPERATIONS                                                   \
    (UINT64_C(1) << ANYDNN_PLUGIN_CONVOLUTION_FORWARD |                                            \
     UINT64_C(1) << ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA |                                      \
     UINT64_C(1) << ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD |                            \
     UINT64_C(1) << ANYDNN_PLUGIN_POOLING_FORWARD |                                                \
     UINT64_C(1) << ANYDNN_PLUGIN_ACTIVATION_FORWARD | UINT64_C(1) << ANYDNN_PLUGIN_LRN_FORWARD |  \
     UINT64_C(1) << ANYDNN_PLUGIN_SOFTMAX_FORWARD |                                                \
     UINT64_C(1) << ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD |                                 \
     UINT64_C(1) << ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE |                                  \
     UINT64_C(1) << ANYDNN_PLUGIN_TRANSFORM_TENSOR |                                               \
     UINT64_C(1) << ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX)

/* The reasons why a backend declines. 0 means that it can run the problem. The sentence gives the
 * details. */
enum {
    ANYDNN_PLUGIN_REASON_NONE = 0,
    ANYDNN_PLUGIN_REASON_OPERATION = 1, /* operation not offered */
    ANYDNN_PLUGIN_REASON_TYPE = 2,      /* element or compute type */
    ANYDNN_PLUGIN_REASON_LAYOUT = 3,    /* strides, vectorised layout */
    ANYDNN_PLUGIN_REASON_SHAPE = 4,     /* sizes, number of dims, pads, strides, dilation */
    ANYDNN_PLUGIN_REASON_GROUPS = 5,
    ANYDNN_PLUGIN_REASON_MATH = 6,
    ANYDNN_PLUGIN_REASON_PARAMETER = 7,  /* a mode, option or coefficient */
    ANYDNN_PLUGIN_REASON_ALIAS = 8,      /* in-place use */
    ANYDNN_PLUGIN_REASON_DEVICE = 9,     /* no device, too old, or not working */
    ANYDNN_PLUGIN_REASON_LIBRARY = 10,   /* the vendor's library is missing or of a wrong version */
    ANYDNN_PLUGIN_REASON_EXTENSION = 11, /* an extension that must be understood is unknown */
    ANYDNN_PLUGIN_REASON_MEMORY = 12,
    ANYDNN_PLUGIN_REASON_OTHER = 13
};

/* One way to run a problem (reason 0), or why there is none. It is valid during `offer`. */
struct anydnn_plugin_candidate {
    uint32_t struct_size;
    int32_t reason;
    uint64_t engine;    /* the backend's own number, stable within one version of it */
    int32_t algorithm;  /* its algorithm, or ANYDNN_PLUGIN_ALGORITHM_NONE */
    int32_t math;       /* what it really uses: ANYDNN_PLUGIN_MATH_xxx */
    uint64_t workspace; /* bytes, at 256 bytes alignment */
    uint32_t notes;
    uint32_t reserved;
    uint32_t alignment[ANYDNN_PLUGIN_OPERAND_MAX]; /* bytes needed of each operand, power of two; 0:
                                                      its element's */
    double expected_us;                            /* 0: not estimated */
    const char *sentence;                          /* for a reason: the explanation for the user */
    /* The engine's name in the library below, as words `NAME=VALUE` separated by blanks, such as
     * "engine=76 split_k=4 layout=nhwc". Errata compare them: `engine` with the key engine, the
     * others with the key knobs. NULL: none. */
    const char *words;
};

/* The number of candidates that the host reads from one answer. It ignores later ones, which are
 * the worst, since candidates come best first. */
#define ANYDNN_PLUGIN_CANDIDATE_MAX 1024

/* Returns 0 if the backend should continue, or another value if it need offer no more. */
typedef int32_t (*anydnn_plugin_offer_fn)(void *cookie,
                                          const struct anydnn_plugin_candidate *candidate);

/* ------------------------------------------------------------------ execution */

/* The effect of a plan_execute that failed. */
enum {
    ANYDNN_PLUGIN_EFFECT_NONE = 0,     /* outputs untouched, nothing enqueued */
    ANYDNN_PLUGIN_EFFECT_ENQUEUED = 1, /* work was handed to the device */
    ANYDNN_PLUGIN_EFFECT_UNKNOWN = 2
};

/* The operands of a run. All pointers but those of host operands are in the backend's own space,
 * even if the application's are not (staging). scale is alpha, beta; or alpha1, alpha2, beta; or
 * alpha_data, beta_data, alpha_param (alpha_grid), beta_param (beta_grid); the rest is 0. out =
 * alpha * result + beta * prior; with beta 0 prior is not read. MATMUL's beta is that of c. */
struct anydnn_plugin_operands {
    uint32_t struct_size;
    uint32_t reserved;
    void *data[ANYDNN_PLUGIN_OPERAND_MAX];
    double scale[4];
    double number[4];  /* batch_normalization_training: 0 exponential average factor */
    const void *value; /* set_tensor: one element of y's type, host memory */
    void *stream;      /* the space's stream; NULL: the default one, and on the host */
    void *workspace;
    uint64_t workspace_bytes;
    uint32_t flags; /* ANYDNN_PLUGIN_OPERANDS_xxx */
    uint32_t reserved_end;
};

/* The stream is being recorded by record_begin: what is enqueued does not run before a replay. */
#define ANYDNN_PLUGIN_OPERANDS_RECORDED 0x1u

struct anydnn_plugin_context; /* the backend's own */
struct anydnn_plugin_plan;    /* the backend's own */

/* The layouts that an operation supports, for the published tables. */
#define ANYDNN_PLUGIN_LAYOUT_NCHW    0x1u /* packed, rows first */
#define ANYDNN_PLUGIN_LAYOUT_NHWC    0x2u /* packed, channels last */
#define ANYDNN_PLUGIN_LAYOUT_STRIDED 0x4u /* any positive strides without overlap */
#define ANYDNN_PLUGIN_LAYOUT_VECT_C  0x8u

struct anydnn_plugin_operation {
    uint32_t struct_size;
    int32_t operation;
    uint32_t types;   /* ANYDNN_PLUGIN_TYPE_BIT of the types of the operand in slot 0 */
    uint32_t layouts; /* ANYDNN_PLUGIN_LAYOUT_xxx */
    uint32_t maths;   /* ANYDNN_PLUGIN_MATHS_xxx */
    uint32_t reserved;

    /* Pure: no launch, no device memory. Calls offer once for each way to run the problem, best
     * first, or once with a reason. Returns 0, also if it declined. */
    int32_t (*candidates)(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie);
    /* Sets *plan to a value other than NULL if it returns 0. */
    int32_t (*plan_create)(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan);
    /* Sets *effect before it returns a value other than 0; *effect starts as NONE. */
    int32_t (*plan_execute)(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect);
    /* Is safe while executes are still queued on the device. */
    void (*plan_destroy)(struct anydnn_plugin_plan *plan);

    /* The slots and parameters that the backend knows, as it was compiled: a bit for each slot,
     * optional ones included, and sizeof the structure of the parameters, or 0 for an operation
     * without them. */
    uint32_t slots;
    uint32_t params_size;
};

/* ------------------------------------------------------------------ spaces */

/* The kinds of a copy. */
enum { ANYDNN_PLUGIN_COPY_TO = 1, ANYDNN_PLUGIN_COPY_FROM = 2, ANYDNN_PLUGIN_COPY_WITHIN = 3 };

/* The owner of a pointer's memory. */
enum {
    ANYDNN_PLUGIN_POINTER_UNKNOWN = 0,
    ANYDNN_PLUGIN_POINTER_HOST = 1,   /* plain host memory that the device cannot reach */
    ANYDNN_PLUGIN_POINTER_DEVICE = 2, /* reachable from the device */
    ANYDNN_PLUGIN_POINTER_BOTH = 3    /* the host, too, reads and writes it at this address */
};

/* The kinds of native objects. */
enum {
    ANYDNN_PLUGIN_NATIVE_CONTEXT = 1, /* cl_context, CUcontext, hipCtx_t, ze_context_handle_t */
    ANYDNN_PLUGIN_NATIVE_DEVICE = 2,  /* cl_device_id, ze_device_handle_t */
    ANYDNN_PLUGIN_NATIVE_STREAM = 3   /* cl_command_queue, cudaStream_t, hipStream_t */
};

/* The properties of a space. */
/* NULL is no stream. The host makes a stream by stream_create for each device and passes it where
 * it would pass NULL; the three stream functions are needed. */
#define ANYDNN_PLUGIN_SPACE_NO_DEFAULT_STREAM 0x1u
/* pointer_owner may answer BOTH. The host then asks for each operand of a staged call, and copies
 * none that both sides reach. */
#define ANYDNN_PLUGIN_SPACE_BOTH 0x2u

/* The indices of count_special's counts. For floating types only: NaN of either kind, infinities of
 * either sign. For all types: zeros, including -0. */
enum {
    ANYDNN_PLUGIN_SPECIAL_NAN = 0,
    ANYDNN_PLUGIN_SPECIAL_INFINITY = 1,
    ANYDNN_PLUGIN_SPECIAL_ZERO = 2,
    ANYDNN_PLUGIN_SPECIAL_END = 3
};

/*
 * Memory, streams, marks and recordings of a memory space. The space `host` is the host's own; a
 * backend in it leaves this table NULL. Functions return status codes.
 *
 * Owner: all backends of one space accept each other's pointers and streams. The first live one
 * with a table owns the space, and its table serves the handles of that space. Every other backend
 * finds that table by host->space and works with the owner's native objects. It may leave its own
 * table NULL. If the owner's table has `native`, another table of the space returns the same
 * objects by its own.* An owner without `native` states that the native interface itself shares its
 * objects.
 *
 * Pointers are flat addresses. The host adds offsets to them, tests their alignment, and never
 * dereferences one that the device alone reaches. An address inside of memory is as valid as its
 * beginning. memory_free may be called while work that uses the memory is queued on any stream of
 * the device: it waits for that work, or frees after it.
 *
 * Streams run in order. The stream NULL is the default stream of every device, unless the space has
 * none. Whatever enqueues work also submits it, so that the device begins without a further call.
 * Where the native interface submits separately, a backend does so in plan_execute, by `flush` of
 * the owner. Marks and synchronize submit what is before them.
 *
 * Handles of another space use the table, too, for calls that are staged to a backend of this one:
 * memory_alloc, copies to and from any host memory on the default stream, synchronize, memory_free.
 */
struct anydnn_plugin_space {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*device_count)(int32_t *count);
    int32_t (*device_current)(int32_t *device); /* current in the calling thread */
    int32_t (*device_name)(int32_t device, char *text, size_t size);
    int32_t (*pointer_owner)(int32_t device, const void *pointer, int32_t *owner);
    int32_t (*memory_alloc)(int32_t device, uint64_t bytes, void **pointer); /* 256 bytes aligned */
    int32_t (*memory_free)(int32_t device, void *pointer);
    /* Copies in stream order. Returns when the host memory may be reused or read. */
    int32_t (*memory_copy)(int32_t device, void *stream, void *to, const void *from, uint64_t bytes,
                           int32_t kind);
    int32_t (*memory_set)(int32_t device, void *stream, void *to, int32_t byte, uint64_t bytes);
    int32_t (*synchronize)(int32_t device, void *stream);
    int32_t (*stream_check)(int32_t device,
                            void *stream); /* 0 if the stream belongs to the device */
    int32_t (*mark_create)(int32_t device, void **mark);
    int32_t (*mark_record)(int32_t device, void *stream, void *mark);
    int32_t (*mark_elapsed)(int32_t device, void *from, void *to,
                            double *microseconds); /* waits for `to` */
    void (*mark_destroy)(int32_t device, void *mark);
    /* The four functions of recordings come together. A space may lack them: they are NULL. A
     * recording is then a list of calls, which the host repeats. */
    int32_t (*record_begin)(int32_t device, void *stream);
    int32_t (*record_end)(int32_t device, void *stream, void **recording);
    int32_t (*record_replay)(int32_t device, void *stream, void *recording);
    void (*record_destroy)(int32_t device, void *recording);
    int32_t (*poisoned)(int32_t device); /* 1: only a new process can use the device */

    /* A space may lack the following members: they are NULL, or the table ends before them. The
     * library then works without them, and reports this for each setting that would use them. */

    /* The three stream functions come together. A stream made here neither waits for the default
     * stream nor is waited for by it. */
    int32_t (*stream_create)(int32_t device, void **stream);
    /* Work that was enqueued still runs. */
    void (*stream_destroy)(int32_t device, void *stream);
    /* Work enqueued later on the stream begins when all work before the mark, as last recorded, has
     * ended. A mark that was never recorded causes no wait. The mark may be recorded again or
     * destroyed at once. NOT_SUPPORTED while the stream is recorded. */
    int32_t (*stream_wait)(int32_t device, void *stream, void *mark);
    /* Devices with the same identity have the same performance, as far as known. It is one line
     * without tabs, with the name, the number of multiprocessors and the driver. */
    int32_t (*device_identity)(int32_t device, char *text, size_t size);

    /* Host memory, aligned to 256 bytes, that copies read and write without a wait. No copy may use
     * it when it is freed. The two functions come together. */
    int32_t (*host_alloc)(int32_t device, uint64_t bytes, void **pointer);
    int32_t (*host_free)(int32_t device, void *pointer);
    /* Like memory_copy, but it need not wait. Host memory has been read or written when the stream
     * has passed the copy, which a later mark shows. A copy may wait for host memory that is not
     * from host_alloc. */
    int32_t (*memory_copy_async)(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind);
    /* Works in stream order and without a wait. Adds to counts[ANYDNN_PLUGIN_SPECIAL_xxx] how many
     * of the elements at `data` are such values. It counts each position of the tensor once, and
     * scalars of VECT_C types. `counts` are numbers in the device's memory, which the caller sets
     * before. May be recorded. NOT_SUPPORTED for a type that only a reduction's indices have. */
    int32_t (*count_special)(int32_t device, void *stream,
                             const struct anydnn_plugin_tensor *tensor, const void *data,
                             uint64_t *counts);

    uint32_t flags; /* ANYDNN_PLUGIN_SPACE_xxx */
    uint32_t reserved_end;
    /* Submits what is enqueued on the stream. A space needs it where the native interface submits
     * separately. */
    int32_t (*flush)(int32_t device, void *stream);
    /* Sets *object to a native object of the device: its context, its identity, or the queue that
     * `stream` is, which is read for that kind alone. It stays the space's. NOT_SUPPORTED for an
     * unknown kind. */
    int32_t (*native)(int32_t device, int32_t kind, void *stream, void **object);
    /* Finds the native object that holds the pointer's memory, for libraries that take buffers and
     * offsets: *object, the offset of the pointer in it, and its size, both in bytes. The object
     * is the same for all pointers into one allocation, and lives as long. BAD_PARAM for other
     * memory. */
    int32_t (*pointer_resolve)(int32_t device, const void *pointer, void **object, uint64_t *offset,
                               uint64_t *bytes);
    /* Takes over the application's native context, and its queue if `native` is not NULL. Sets
     * *device, and *stream to a stream that works on the queue; stream_destroy ends it and leaves
     * the application's reference. Without a queue *stream is NULL. A space has one context for
     * each device. BAD_PARAM if it already has another one. */
    int32_t (*adopt)(void *context, void *native, int32_t *device, void **stream);
    /* Makes a pointer to `bytes` of the application's native memory, which stays the application's.
     * memory_free ends the pointer, not the memory. A space without this function accepts the
     * application's pointers as they are. */
    int32_t (*memory_import)(int32_t device, void *native, uint64_t bytes, void **pointer);
};

/* ------------------------------------------------------------------ host and backend */

/* The levels of a log line. */
enum {
    ANYDNN_PLUGIN_LOG_ERROR = 1,
    ANYDNN_PLUGIN_LOG_WARN = 2,
    ANYDNN_PLUGIN_LOG_INFO = 3,
    ANYDNN_PLUGIN_LOG_DEBUG = 4,
    ANYDNN_PLUGIN_LOG_TRACE = 5
};

/* The host's functions for a backend. There is one object per backend, which is always valid. */
struct anydnn_plugin_host {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t reserved;
    void (*log)(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                int32_t line, const char *text);
    /* Returns the value of `set.KEY` in the section [plugin NAME], or NULL. Publish the keys:
     * struct anydnn_plugin_setting. */
    const char *(*setting)(const struct anydnn_plugin_host *host, const char *key);
    /* Sets the error message of the call that is about to fail, in this thread; copies the text. */
    void (*set_error)(const struct anydnn_plugin_host *host, const char *text);
    void *(*alloc)(size_t bytes); /* host memory, aligned to 64 bytes; NULL when memory runs out */
    void (*free)(void *pointer);
    uint64_t (*fork_number)(void); /* increases in every child after fork() */
    /* Returns the verdicts of the errata that match, as bits ANYDNN_PLUGIN_ERRATUM_xxx. Reads
     * `engine` and `words` of the candidate. Sets *algorithm to the number that an erratum gives
     * a transform, or to ANYDNN_PLUGIN_ALGORITHM_NONE. The library itself skips engines to avoid,
     * and names the erratum; a backend may still offer them. */
    uint32_t (*errata)(const struct anydnn_plugin_host *host,
                       const struct anydnn_plugin_problem *problem,
                       const struct anydnn_plugin_candidate *candidate, int32_t *algorithm);
    /* Returns the table of the backend that owns this backend's space, a complete copy that stays
     * the same, or NULL as long as there is none. Returns NULL inside of anydnn_plugin_main. When a
     * context is created, the space has an owner. */
    const struct anydnn_plugin_space *(*space)(const struct anydnn_plugin_host *host);
};

/* The verdicts of errata. */
#define ANYDNN_PLUGIN_ERRATUM_AVOID            0x1u /* wrong, nan, writes_outside, short_sums */
#define ANYDNN_PLUGIN_ERRATUM_NONDETERMINISTIC 0x2u
#define ANYDNN_PLUGIN_ERRATUM_TRANSFORM        0x4u
#define ANYDNN_PLUGIN_ERRATUM_FINER            0x8u /* more precise than the library notes */

/* The backend works in a child after fork(). Without this flag its plans are refused there. */
#define ANYDNN_PLUGIN_FORK_SAFE 0x1u
/* The backend is built to be correct, not fast: Find lists it without running it. */
#define ANYDNN_PLUGIN_REFERENCE 0x2u

/* A limit as data, for tables and for readers: "dilation", 4, "dilations up to 4". */
struct anydnn_plugin_limit {
    uint32_t struct_size;
    int32_t operation; /* 0: all */
    int64_t value;
    const char *name;
    const char *sentence;
};

/* The kinds of a setting, by what its value can do. If the process runs as root, the host withholds
 * a value that another user's file sets, unless the key's kind is CHOICE. A key without a kind is
 * treated as one that names code. */
enum {
    ANYDNN_PLUGIN_SETTING_CODE = 0, /* names code that the backend loads or runs */
    ANYDNN_PLUGIN_SETTING_FILE = 1, /* names a file or folder that is read or written */
    ANYDNN_PLUGIN_SETTING_CHOICE =
        2, /* a number or a word that neither runs code nor names a file */
};

/* A key that the backend queries with host->setting: "threads", "how many threads compute (one for
 * each processor)". When the backend is opened, the host reports each configured key that is not
 * published, and lists the published ones. */
struct anydnn_plugin_setting {
    uint32_t struct_size;
    uint32_t kind;    /* ANYDNN_PLUGIN_SETTING_xxx */
    const char *key;  /* [a-z0-9_]{1,31} */
    const char *help; /* one line: what it does, its values, and the default in parentheses */
};

struct anydnn_plugin {
    uint32_t struct_size;
    uint32_t flags;
    const char *name;
    const char *vendor;
    const char *version;
    const char *build_id; /* distinguishes two builds of one version; may be "" */
    const char *space;    /* "host", "cuda", ... */
    uint32_t operation_count;
    uint32_t limit_count;
    const struct anydnn_plugin_operation *const *operations;
    const struct anydnn_plugin_limit *const *limits;
    /* NULL for the space host, and for a backend that uses the table of the space's owner. */
    const struct anydnn_plugin_space *space_functions;
    /* Sets *context to a value other than NULL if it returns 0. */
    int32_t (*context_create)(int32_t device, struct anydnn_plugin_context **context);
    void (*context_destroy)(struct anydnn_plugin_context *context);
    const struct anydnn_plugin_setting *const *settings;
    uint32_t setting_count;
    uint32_t reserved;
    /* The backend's own errata, in the form of a file of errata.d, or NULL. */
    const char *errata;
    /* Returns the version of the library below, such as "9.19.0", or NULL before it is known. It
     * is called after a context was made. A backend without it has the version above. */
    const char *(*library_version)(void);
    /* The convention of the space's pointers and streams, with a version, such as
     * "opencl/svm-1". All backends of a space state the same text. NULL for the space host. */
    const char *space_convention;
};

/* The data object `anydnn_plugin_abi`. */
struct anydnn_plugin_abi {
    uint64_t magic;
    uint32_t major;
    uint32_t minor;
    uint32_t struct_size; /* of struct anydnn_plugin_abi */
    uint32_t reserved;
};

#define ANYDNN_PLUGIN_ABI_INITIALIZER                                                              \
    {                                                                                              \
        ANYDNN_PLUGIN_MAGIC, ANYDNN_PLUGIN_ABI_MAJOR, ANYDNN_PLUGIN_ABI_MINOR,                     \
            sizeof(struct anydnn_plugin_abi), 0                                                    \
    }

/* The only symbols that a backend exports. */
ANYDNN_PLUGIN_EXPORT extern const struct anydnn_plugin_abi anydnn_plugin_abi;
ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin);

#ifdef __cplusplus
}
#endif

#endif
