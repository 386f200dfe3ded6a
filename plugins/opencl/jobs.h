/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the jobs of the kernels: the shapes and parameters of a plan, and the factors of a call.
 * C and OpenCL C both compile this file. Members of 8 bytes come first, and those of 4 bytes come
 * in pairs, so that both compilers lay out the structures alike. */
#ifndef OPENCL_JOBS_H
#define OPENCL_JOBS_H

#ifdef __OPENCL_VERSION__
typedef long i64;
typedef ulong u64;
typedef int i32;
typedef uint u32;
typedef uchar u8;
#else
#include <stdint.h>
typedef int64_t i64;
typedef uint64_t u64;
typedef int32_t i32;
typedef uint32_t u32;
typedef uint8_t u8;
#endif

#define JOB_DIMS    8
#define JOB_SPATIAL 6
#define JOB_GROUP   64 /* work-items of every group */
#define JOB_VALUE   32 /* bytes of the longest vector */

/* The number of a kernel's factor that holds number[0] of the call; those below it hold scale[]. */
#define JOB_AVERAGE 4
#define JOB_FACTORS 5

/* A tensor. Strides count lanes. A dim of size 1 has stride 0, so that it is broadcast. */
struct job_tensor {
    i64 count; /* elements */
    i64 dims[JOB_DIMS];
    i64 strides[JOB_DIMS];
    i32 type;  /* type of a lane */
    i32 lanes; /* channels per vector; 1 for other types */
    i32 ndims;
    i32 present;
};

/* A number as the bits of a double and as a float, since a device may lack double. */
struct job_number {
    u64 bits;
    float single;
    i32 unused;
};

/* The values that each call passes to its kernels. */
struct job_call {
    struct job_number factor[JOB_FACTORS];
    u8 value[JOB_VALUE]; /* set_tensor's element */
};

struct job_activation {
    struct job_number coef;
    i32 mode;
    i32 nan_propagate;
};

/* activation_forward, activation_backward */
struct activation_job {
    struct job_tensor x, y, dy, out;
    struct job_activation f;
};

/* The convolutions and im2col, whose col is y. The backward operations pass dx, dw and dy as x, w
 * and y. */
struct conv_job {
    struct job_tensor x, w, y, z, bias; /* z and bias: only in the fused operation */
    i64 channels, filters;              /* per group */
    i64 positions;                      /* outputs of a channel in all images */
    i64 pad[JOB_SPATIAL], stride[JOB_SPATIAL], dilation[JOB_SPATIAL];
    i64 window[JOB_SPATIAL], outputs[JOB_SPATIAL]; /* im2col */
    struct job_activation f;
    i32 spatial;
    i32 flipped;
};

struct pooling_job {
    struct job_tensor x, y, dy, dx; /* dy and dx: only backward */
    i64 window[JOB_SPATIAL], pad[JOB_SPATIAL], stride[JOB_SPATIAL];
    struct job_number lowest; /* lowest finite number of the type */
    i32 spatial;
    i32 is_max;
    i32 counts_padding;
    i32 nan_propagate;
};

struct softmax_job {
    struct job_tensor x, y, dy, dx;
    i64 length; /* elements of a vector */
    i32 algorithm;
    i32 by_channel;
};

/* LRN across channels. The window of channel c is c - before .. c + after. */
struct lrn_job {
    struct job_tensor x, dy, out;
    i64 before, after;
    struct job_number alpha; /* already divided by the number of channels in a window */
    struct job_number beta, k;
};

/* Divisive normalization. The window of position i of each spatial dim is i - before .. i + after.
 */
struct divisive_job {
    struct job_tensor x, means, dy, out, dmeans;
    i64 before, after;
    struct job_number alpha; /* already divided by the number of positions in a window */
    struct job_number beta, k;
};

/* The spatial transformer. The backward operations pass dtheta and dgrid as theta and grid of the
 * grid, and dy as y of the sampler. */
struct spatial_job {
    struct job_tensor theta, grid, x, y, dx, dgrid;
};

/* Batch normalization. A cell is a set of elements with a common mean and variance: a channel or,
 * in the per-activation mode, one position in all images. Cells are numbered in row-major order. */
struct norm_job {
    struct job_tensor x, y, z, scale, bias;
    struct job_tensor mean, var; /* given for inference; running values of training */
    struct job_tensor save_mean, save_inv_var;
    struct job_tensor dy, dx, dz, dscale, dbias; /* only backward */
    i64 cells;
    i64 count; /* elements per cell */
    i64 run;   /* elements of a cell per image */
    struct job_number epsilon;
    struct job_activation f;
    i32 is_activated;
    i32 unused;
};

/* The values that the kernels of batch normalization keep for a cell. */
enum { NORM_MEAN, NORM_INV_STD, NORM_DSCALE, NORM_DBIAS, NORM_VALUES };

/* transform_tensor, add_tensor, scale_tensor, set_tensor and convolution_backward_bias, which has
 * no b: out from x. */
struct blend_job {
    struct job_tensor x, out;
    i32 size; /* bytes of a lane of out */
    i32 unused;
};

struct op_job {
    struct job_tensor a, b, c;
    i32 op;
    i32 nan_propagate;
};

struct reduce_job {
    struct job_tensor a, c, indices;
    i64 extents[JOB_DIMS]; /* extents of the reduced dims; 1 for the other dims */
    i64 count;             /* elements of a per element of c */
    i32 op;
    i32 nan_propagate;
};

/* transform_tensor_ex and transform_filter */
struct transform_job {
    struct job_tensor x, y;
    i64 channels; /* channels of the unfolded tensor */
    i64 fold[JOB_SPATIAL];
    i64 inner[JOB_DIMS]; /* dims of the tensor before it is padded */
    i64 pad_before[JOB_DIMS], pad_after[JOB_DIMS];
    i32 folds;
    i32 unused;
};

struct dropout_job {
    struct job_tensor in, out;
    u64 threshold;          /* words of at least this are kept; 2^32 keeps none */
    struct job_number kept; /* 1 - the probability */
};

/* count_special. The lanes of a vector are a further dim. */
struct special_job {
    i64 count; /* scalars */
    i64 dims[JOB_DIMS + 1];
    i64 strides[JOB_DIMS + 1]; /* in scalars */
    u64 magnitude;             /* all bits of a scalar but the sign */
    u64 infinity;              /* 0 for an integer */
    i32 ndims;
    i32 bytes; /* of a scalar */
};

#endif
