/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between libanydnn and a backend. A backend is a shared object that exports exactly
 * two symbols, `anydnn_plugin_abi` and `anydnn_plugin_main`, includes only this file of ours, and
 * does not link libanydnn: everything that it may use of the host comes in a table. This file needs
 * nothing but <stddef.h> and <stdint.h>; a vendor may copy it.
 *
 * Life of a backend
 *   1. libanydnn opens the file by its absolute path (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) and
 * never closes it. Constructors run here; they must not start threads or call the host.
 *   2. It reads the data object `anydnn_plugin_abi`. As long as the major number is 0, major and
 * minor must be equal on both sides; no function of the backend is called before that is known.
 *   3. It calls `anydnn_plugin_main(host, &plugin)` once. The description that comes back belongs
 * to the backend and stays constant for the rest of the process.
 *   4. When a handle first needs the backend, `context_create(device)`; one context a handle and
 * backend.
 *   5. For each new problem `candidates`, then `plan_create` for the chosen engine; `plan_execute`
 * as often as the application calls; `plan_destroy`, `context_destroy` with the handle. Executes
 * may still be queued then, which `context_destroy` waits for, and the application may have
 * destroyed the streams of all earlier calls: neither function uses one. Nothing is called from
 * destructors or after exit() has begun.
 *
 * Rules (the host checks those marked *)
 *   - Structures are size-prefixed and grow only at their end. A reader uses min(struct_size, its
 * own sizeof) and treats members beyond as zero. Arrays of structures are arrays of pointers.*
 *   - Names: [a-z0-9_]{1,31}; the file is called anydnn_NAME.so.*
 *   - Function pointers of the description lie in the backend's own object: hide all symbols but
 * two.*
 *   - A plan holds shapes, never data: weights may change under the same pointer between two calls.
 *   - What a backend accepts it accepts also at element alignment (a candidate of its own may ask
 * for more), and it touches only the elements described by dims and strides.
 *   - Strings, once handed over, live as long as the process unless said otherwise.
 *
 * Threads: one context is used by one thread at a time; different contexts at once. `candidates` of
 * different contexts may run at once, too. The functions of struct anydnn_plugin_host are
 * thread-safe.
 *
 * Floating point: every function is called in a thread that rounds to nearest, flushes nothing to
 * zero and traps nothing, and leaves those modes so; flags may be left raised. Threads of the
 * backend's own have the modes of the thread that made them, or whatever they were given since: a
 * backend that borrows threads sets the modes in each piece of work. The host puts back what
 * opening the file changed (linking with -ffast-math does).
 *
 * Functions return a status, ANYDNN_PLUGIN_STATUS_xxx. Before one returns another value than
 * SUCCESS it should hand a sentence to host->set_error.
 *
 * What the host guarantees, so that a backend need not test it
 *   Of a problem, in `candidates` and `plan_create`:
 *   - the description offers its operation and lists the type of the operand in slot 0. Nothing
 * else of the description is looked at: what layouts, maths and limits rule out `candidates`
 * declines.
 *   - Each slot that the operation needs is present, and tensor[] of a present slot is not NULL.
 * Optional ones come together where they belong together (running_mean and running_var, save_mean
 * and save_inv_var), and a mode's own (z, reserve, bias ...) just where the mode has them.
 *   - params points to the structure of the operation's family, complete. Modes, operations and
 * flags hold values that are listed here; spatial_dims is that of the tensors; windows, strides and
 * dilations are at least 1, a convolution's paddings at least 0 (others may be negative), dropout's
 * probability 0 to 1, LRN's n 1 to 16, epsilon finite and at least 0.
 *   - A tensor has 1 to 8 dims, dims and strides of at least 1, and no element beyond what 63 bits
 * count in bytes; elements of an output do not overlap. Channels of VECT_C types are whole vectors.
 *   - Types, compute types and shapes fit each other and the parameters as anydnn.h says for the
 * operation: y of a convolution has the size that the formula gives, db has dy's channels, and so
 * on. Of pooling's y the spatial sizes are the application's.
 *   - `alias` names only what the operation permits, of operands with equal tensors.
 *   Of a run, in `plan_execute`:
 *   - data[] of every present slot is not NULL and aligned to its element (its vector, for VECT_C
 * types), further if the candidate asked for it. Buffers that overlap in part are not detected.
 *   - The workspace has at least the candidate's bytes, at a multiple of 256; of scale and number
 * what the operation uses is set, and value of SET_TENSOR is not NULL.
 *   - Of CTC_LOSS: label_lengths are at least 0 and their sum is at most labels' dims[0];
 * input_lengths are 0 to x's dims[0]; labels, so many as that sum, are 1 to x's dims[2] - 1.
 *   - The plan's context is used by no other thread during the call.
 *   What is left to a backend: its own limits, extensions that must be understood, combinations of
 * types that it lacks, and an output in place that it, or another of its threads, would write
 * before the input has been read.
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
#define ANYDNN_PLUGIN_ABI_MINOR 7

#define ANYDNN_PLUGIN_DIM_MAX     8
#define ANYDNN_PLUGIN_SPATIAL_MAX 6
#define ANYDNN_PLUGIN_OPERAND_MAX 16
#define ANYDNN_PLUGIN_NAME_MAX    31

/* Marks the two exported symbols. */
#if defined(__GNUC__)
#define ANYDNN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define ANYDNN_PLUGIN_EXPORT
#endif

/* ------------------------------------------------------------------ numbers shared with anydnn.h
 */

/* What functions return. */
enum {
    ANYDNN_PLUGIN_STATUS_SUCCESS = 0,
    ANYDNN_PLUGIN_STATUS_ALLOC_FAILED = 2,
    ANYDNN_PLUGIN_STATUS_BAD_PARAM = 3,
    ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR = 4,
    ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED = 8,
    ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED = 9
};

/* Element types: the numbers of anydnnDataType_t. */
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
    ANYDNN_PLUGIN_UINT16 = 1000, /* these three only as types of reduction indices */
    ANYDNN_PLUGIN_UINT32 = 1001,
    ANYDNN_PLUGIN_UINT64 = 1002
};
/* A set of types, all below 32: bit (1 << type). */
#define ANYDNN_PLUGIN_TYPE_BIT(type) (UINT32_C(1) << (type))

/* What a candidate computes with; a problem's math is what is permitted. */
enum {
    ANYDNN_PLUGIN_MATH_DEFAULT = 0,   /* no matrix units, no operand rounding, float or wider */
    ANYDNN_PLUGIN_MATH_TENSOR_OP = 1, /* matrix units for operands that need no conversion */
    ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION = 2, /* float operands may be rounded to TF32 */
    ANYDNN_PLUGIN_MATH_SPLIT = 1000          /* float operands as sums of shorter terms */
};

/* A set of math modes, for the published tables. */
#define ANYDNN_PLUGIN_MATHS_DEFAULT          0x1u
#define ANYDNN_PLUGIN_MATHS_TENSOR_OP        0x2u
#define ANYDNN_PLUGIN_MATHS_ALLOW_CONVERSION 0x4u
#define ANYDNN_PLUGIN_MATHS_SPLIT            0x8u

/* Algorithms of the three directions of convolution, by the numbers of anydnn.h; or any, or none.
 */
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
 * Operations and the slots of their operands. `tensor[]` and `data[]` are indexed by slot; inputs
 * come first. A slot marked ? may be absent (its bit in `present` is clear, its pointers are NULL);
 * a slot marked = is read and written. Numbers and slots never change; new operations get new
 * numbers.
 *
 * A slot marked @ is a host operand: its data lie in host memory whatever the backend's space is,
 * also in a staged call, and plan_execute reads them before it returns, since the application may
 * change them then. A capture of a device holds the values that they had when it was made.
 *
 * Of some inputs nothing is read: y and x of POOLING_BACKWARD's averages, x of ACTIVATION_BACKWARD
 * (of swish y), y of LRN_BACKWARD, b of OP_TENSOR's sqrt and not. An application may leave them
 * out; a backend finds a tensor and a pointer all the same, those of another operand. What lies
 * there means nothing, it may be an output's place, and `alias` does not say so.
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
    ANYDNN_PLUGIN_OPERATION_END = 35
};

/* ------------------------------------------------------------------ problems */

/* Element i of a tensor lies at sum(index[d] * strides[d]) elements (vectors, for VECT_C types). A
 * byte buffer (states, reserve) is a one-dimensional packed tensor of UINT8. */
struct anydnn_plugin_tensor {
    uint32_t struct_size;
    int32_t type;
    int32_t ndims;
    int32_t reserved;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX];
};

/* Parameters: one type a family; `struct anydnn_plugin_problem.params` points to it. Arrays hold
 * one value for each spatial dimension, in the order of the dims (d, h, w). */

enum {
    ANYDNN_PLUGIN_CONVOLUTION = 0,      /* with the filter flipped */
    ANYDNN_PLUGIN_CROSS_CORRELATION = 1 /* as it is */
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
    ANYDNN_PLUGIN_ACTIVATION_SWISH = 6
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
    ANYDNN_PLUGIN_LOSS_NORMALIZATION_SOFTMAX = 1 /* x holds what softmax makes probabilities of */
};

/* Convolution family and im2col; activation members only for the fused operation. NULL params for
 * CONVOLUTION_BACKWARD_BIAS. */
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
    int32_t compute_type;  /* element type of the accumulation that the application asked for */
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

/* LRN across channels and divisive normalization; alpha is divided by n (by n^spatial) in the
 * formula. */
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

/* The spatial transformer; its grid's operations read nothing of it. */
struct anydnn_plugin_spatial {
    uint32_t struct_size;
    int32_t sampler; /* ANYDNN_PLUGIN_SAMPLER_xxx */
};

/* nan_propagate: gradients of a sequence whose labels no path of its length gives are NaN, else 0.
 */
struct anydnn_plugin_ctc {
    uint32_t struct_size;
    int32_t normalization; /* ANYDNN_PLUGIN_LOSS_NORMALIZATION_xxx */
    int32_t nan_propagate;
    int32_t reserved;
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

/* A node of the extension chain of a problem. A backend that meets a node of a kind that it does
 * not know declines if `must_understand` is set and else ignores the node. Version 0.6 defines no
 * kind. */
struct anydnn_plugin_extension {
    uint32_t struct_size;
    int32_t kind;
    int32_t must_understand;
    int32_t reserved;
    const struct anydnn_plugin_extension *next;
};

/* What a plan depends on, and nothing else. Valid during the call that it is handed to. */
struct anydnn_plugin_problem {
    uint32_t struct_size;
    int32_t operation;
    int32_t math;          /* permission: ANYDNN_PLUGIN_MATH_xxx */
    int32_t algorithm;     /* of the direction, or ANYDNN_PLUGIN_ALGORITHM_NONE: any */
    int32_t deterministic; /* 1: candidates noted nondeterministic will not be chosen */
    int32_t device;        /* number within the space */
    uint32_t present;      /* bit per slot */
    uint32_t reserved;
    uint8_t alias[ANYDNN_PLUGIN_OPERAND_MAX]; /* of an output: 1 + slot of the first input at the
                                                 same address; of a further input there: 1 + slot of
                                                 the output; 0: none. Of inputs that are read */
    const struct anydnn_plugin_tensor *tensor[ANYDNN_PLUGIN_OPERAND_MAX]; /* NULL where absent */
    const void *params; /* of the family, or NULL */
    const struct anydnn_plugin_extension *extension;
};

/* ------------------------------------------------------------------ candidates */

/* Notes on a candidate. */
#define ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC  0x1u /* two runs may differ in bits */
#define ANYDNN_PLUGIN_NOTE_TRANSFORM         0x2u /* Winograd, FFT: rounds intermediate transforms */
#define ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION 0x4u /* rounds operands, within the mode */

/* Why a backend declines. 0 means that it can. The sentence says the rest. */
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
    ANYDNN_PLUGIN_REASON_DEVICE = 9,     /* no device, too old, out of order */
    ANYDNN_PLUGIN_REASON_LIBRARY = 10,   /* the vendor's library is missing or of a wrong version */
    ANYDNN_PLUGIN_REASON_EXTENSION = 11, /* an extension that must be understood is unknown */
    ANYDNN_PLUGIN_REASON_MEMORY = 12,
    ANYDNN_PLUGIN_REASON_OTHER = 13
};

/* One way to run a problem (reason 0), or why there is none. Valid during `offer`. */
struct anydnn_plugin_candidate {
    uint32_t struct_size;
    int32_t reason;
    uint64_t engine;    /* the backend's own number, stable within one version of it */
    int32_t algorithm;  /* that it is of, or ANYDNN_PLUGIN_ALGORITHM_NONE */
    int32_t math;       /* what it really uses: ANYDNN_PLUGIN_MATH_xxx */
    uint64_t workspace; /* bytes, at 256 bytes alignment */
    uint32_t notes;
    uint32_t reserved;
    uint32_t alignment[ANYDNN_PLUGIN_OPERAND_MAX]; /* bytes needed of each operand, power of two; 0:
                                                      its element's */
    double expected_us;                            /* 0: not estimated */
    const char *sentence;                          /* for a reason: what the user should know */
};

/* Of one answer the host reads so many candidates; those behind them, which come last because they
 * are the worst, it passes over. */
#define ANYDNN_PLUGIN_CANDIDATE_MAX 1024

/* Returns 0 when the backend should go on, another value when it need offer no more. */
typedef int32_t (*anydnn_plugin_offer_fn)(void *cookie,
                                          const struct anydnn_plugin_candidate *candidate);

/* ------------------------------------------------------------------ execution */

/* Effect of a plan_execute that failed. */
enum {
    ANYDNN_PLUGIN_EFFECT_NONE = 0,     /* outputs untouched, nothing enqueued */
    ANYDNN_PLUGIN_EFFECT_ENQUEUED = 1, /* work was handed to the device */
    ANYDNN_PLUGIN_EFFECT_UNKNOWN = 2
};

/* All pointers but host operands' in the backend's own space, also when the application's are not
 * (staging). scale:
 * alpha, beta; or alpha1, alpha2, beta; or alpha_data, beta_data, alpha_param (alpha_grid),
 * beta_param (beta_grid); the rest is 0. out = alpha * result + beta * prior; with beta 0 prior is
 * not read. */
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
};

struct anydnn_plugin_context; /* the backend's own */
struct anydnn_plugin_plan;    /* the backend's own */

/* Layouts that an operation takes, for the published tables. */
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
     * first, or once with a reason. Returns 0, also when it declined. */
    int32_t (*candidates)(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie);
    /* Sets *plan, to another value than NULL, where it returns 0. */
    int32_t (*plan_create)(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan);
    /* *effect is set before a return value other than 0; it starts as NONE. */
    int32_t (*plan_execute)(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect);
    /* Safe while executes are still queued on the device. */
    void (*plan_destroy)(struct anydnn_plugin_plan *plan);
};

/* ------------------------------------------------------------------ spaces */

/* Kinds of a copy. */
enum { ANYDNN_PLUGIN_COPY_TO = 1, ANYDNN_PLUGIN_COPY_FROM = 2, ANYDNN_PLUGIN_COPY_WITHIN = 3 };

/* Whose memory a pointer is. */
enum {
    ANYDNN_PLUGIN_POINTER_UNKNOWN = 0,
    ANYDNN_PLUGIN_POINTER_HOST = 1,  /* plain host memory that the device cannot reach */
    ANYDNN_PLUGIN_POINTER_DEVICE = 2 /* reachable from the device */
};

/* What count_special counts, by place in its counts. Of floating types alone: NaN of either kind,
 * infinities of either sign; of all: zeros, -0 as well. */
enum {
    ANYDNN_PLUGIN_SPECIAL_NAN = 0,
    ANYDNN_PLUGIN_SPECIAL_INFINITY = 1,
    ANYDNN_PLUGIN_SPECIAL_ZERO = 2,
    ANYDNN_PLUGIN_SPECIAL_END = 3
};

/*
 * Memory, streams, marks and recordings of a memory space. The space `host` is the host's own; a
 * backend in it leaves this table NULL. All backends of one space understand each other's pointers
 * and streams, and the first loaded one serves the handles of that space. The stream NULL is the
 * default one of every device. Handles of another space use the table, too, for calls that are
 * staged to a backend of this one: memory_alloc, copies to and from any host memory on the stream
 * NULL, synchronize, memory_free. Functions return status codes.
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
    /* Stream order; returns when the host side of it may be reused or read. */
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
    int32_t (*record_begin)(int32_t device, void *stream);
    int32_t (*record_end)(int32_t device, void *stream, void **recording);
    int32_t (*record_replay)(int32_t device, void *stream, void *recording);
    void (*record_destroy)(int32_t device, void *recording);
    int32_t (*poisoned)(int32_t device); /* 1 after an error that only a new process cures */

    /* What follows a space may lack: NULL, or a table that ends before it. The library then does
     * without, as it says of each setting that would use it. */

    /* The three of streams come together. A stream made here neither waits for the default one nor
     * is waited for by it. */
    int32_t (*stream_create)(int32_t device, void **stream);
    /* What was enqueued still runs. */
    void (*stream_destroy)(int32_t device, void *stream);
    /* What is enqueued on the stream from now on begins when all that was ahead of the mark, at the
     * place where it was recorded last, has ended; for a mark that was never recorded there is
     * nothing to wait for. The mark may be recorded anew or destroyed at once. NOT_SUPPORTED while
     * the stream is recorded. */
    int32_t (*stream_wait)(int32_t device, void *stream, void *mark);
    /* Devices of one identity run alike, as far as can be told: one line without tabs, with the
     * name, the number of multiprocessors and the driver. */
    int32_t (*device_identity)(int32_t device, char *text, size_t size);

    /* Memory of the host, 256 bytes aligned, that copies read and write without being waited for;
     * no copy of it is under way when it is freed. The two come together. */
    int32_t (*host_alloc)(int32_t device, uint64_t bytes, void **pointer);
    int32_t (*host_free)(int32_t device, void *pointer);
    /* As memory_copy, but it need not wait: memory of the host is read or written by the time the
     * stream has come past it, as a mark behind it tells. Other memory of the host than
     * host_alloc's may be waited for. */
    int32_t (*memory_copy_async)(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind);
    /* In stream order and without a wait: adds to counts[ANYDNN_PLUGIN_SPECIAL_xxx] how many of the
     * elements at `data` are such, each place of the tensor once, scalars of VECT_C types. `counts`
     * are numbers in the device's memory, which the caller sets before. May be recorded.
     * NOT_SUPPORTED for a type of no operand but a reduction's indices. */
    int32_t (*count_special)(int32_t device, void *stream,
                             const struct anydnn_plugin_tensor *tensor, const void *data,
                             uint64_t *counts);
};

/* ------------------------------------------------------------------ the two sides */

/* Levels of a log line. */
enum {
    ANYDNN_PLUGIN_LOG_ERROR = 1,
    ANYDNN_PLUGIN_LOG_WARN = 2,
    ANYDNN_PLUGIN_LOG_INFO = 3,
    ANYDNN_PLUGIN_LOG_DEBUG = 4,
    ANYDNN_PLUGIN_LOG_TRACE = 5
};

/* What a backend may use of the host; one object a backend, valid for ever. */
struct anydnn_plugin_host {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t reserved;
    void (*log)(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                int32_t line, const char *text);
    /* Value of `set.KEY` in the section [plugin NAME], or NULL. Publish the keys: struct
     * anydnn_plugin_setting. */
    const char *(*setting)(const struct anydnn_plugin_host *host, const char *key);
    /* The sentence of the call that is about to fail, in this thread; copied. */
    void (*set_error)(const struct anydnn_plugin_host *host, const char *text);
    void *(*alloc)(size_t bytes); /* host memory, 64 bytes aligned; NULL when there is none */
    void (*free)(void *pointer);
    uint64_t (*fork_number)(void); /* grows in every child after fork() */
};

/* The backend works in a child after fork(). Without it its plans are refused there. */
#define ANYDNN_PLUGIN_FORK_SAFE 0x1u
/* The backend is there to be right, not fast: Find lists it without running it. */
#define ANYDNN_PLUGIN_REFERENCE 0x2u

/* A limit as data, for tables and for people: "dilation", 4, "dilations up to 4". */
struct anydnn_plugin_limit {
    uint32_t struct_size;
    int32_t operation; /* 0: all */
    int64_t value;
    const char *name;
    const char *sentence;
};

/* What the value of a setting can do. The host gives a backend no value that a file of another
 * user sets while the process runs as root, unless the key's kind is CHOICE. A key without a kind
 * is treated as one that names code. */
enum {
    ANYDNN_PLUGIN_SETTING_CODE = 0, /* names code that the backend loads or runs */
    ANYDNN_PLUGIN_SETTING_FILE = 1, /* names a file or folder that is read or written */
    ANYDNN_PLUGIN_SETTING_CHOICE =
        2, /* a number or a word that neither runs code nor names a file */
};

/* A key that the backend asks host->setting for: "threads", "how many threads compute (one for each
 * processor)". A key of the settings that is not published is reported to the user when the backend
 * is opened, and the others are listed there. */
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
    const char *build_id; /* tells two builds of one version apart; may be "" */
    const char *space;    /* "host", "cuda", ... */
    uint32_t operation_count;
    uint32_t limit_count;
    const struct anydnn_plugin_operation *const *operations;
    const struct anydnn_plugin_limit *const *limits;
    const struct anydnn_plugin_space *space_functions; /* NULL for the space host */
    /* Sets *context, to another value than NULL, where it returns 0. */
    int32_t (*context_create)(int32_t device, struct anydnn_plugin_context **context);
    void (*context_destroy)(struct anydnn_plugin_context *context);
    const struct anydnn_plugin_setting *const *settings;
    uint32_t setting_count;
    uint32_t reserved;
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

/* What a backend exports, and nothing besides. */
ANYDNN_PLUGIN_EXPORT extern const struct anydnn_plugin_abi anydnn_plugin_abi;
ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin);

#ifdef __cplusplus
}
#endif

#endif
