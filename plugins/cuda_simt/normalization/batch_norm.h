/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of batch normalization share. A cell is what has one mean and one variance: a
 * channel, or per activation one position of all images. Training and its gradient go in two steps:
 * a reduction makes the cells, then every element is worked on beside its cell. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_H

#include "../../cuda_common/activate.h"
#include "../shared/reduce.h"

/* Modes and ops of struct anydnn_plugin_batch_normalization. */
enum { CUDA_PER_ACTIVATION, CUDA_SPATIAL, CUDA_PERSISTENT };
enum { CUDA_NORM_PLAIN, CUDA_NORM_ACTIVATION, CUDA_NORM_ADD_ACTIVATION };

/* The type of scale, bias and the statistics beside elements of type T. */
template <class T> struct cuda_norm_param {
    typedef float type;
};
template <> struct cuda_norm_param<double> {
    typedef double type;
};

/* Backward, dx = slope * (g - dbias - (x - mean) * dscale): what is left of terms that nearly
 * cancel is wanted, so that this is done in double. */
struct cuda_norm_cell {
    double mean;
    double dbias;   /* sum g / m */
    double dscale;  /* (sum g n / m) * inv_std */
    double slope;   /* scale * inv_std */
    double inv_std; /* 1 / sqrt(variance + epsilon) */
    double scale;
    double bias;
    double unused;
};

/* Forward, a cell in the precision that its elements are worked on in. */
template <class A> struct alignas(16) cuda_norm_numbers {
    A mean, inv_std, scale, bias;
};

template <class A> __device__ static inline A cuda_normalize(const cuda_norm_numbers<A> &cell, A x)
{
    return cell.scale * ((x - cell.mean) * cell.inv_std) + cell.bias;
}

__host__ __device__ static inline int cuda_is_relu(int32_t mode)
{
    return mode == CUDA_RELU || mode == CUDA_CLIPPED_RELU;
}

/* What the reserve keeps of an element: whether the activation of `v` passes its gradient. */
template <class A> __device__ static inline int cuda_norm_passes(const cuda_activation &f, A v)
{
    if (!cuda_is_relu(f.mode))
        return 1;
    return v > 0 && !(f.mode == CUDA_CLIPPED_RELU && v >= (A)f.coef);
}

/* A parameter, or the saved statistics, of a cell. */
template <class T> __device__ static inline double cuda_norm_load(const void *data, int64_t at)
{
    return (double)((const typename cuda_norm_param<T>::type *)data)[at];
}

/* alpha * value + beta * prior where the operand is present; prior is not read if beta is 0. */
template <class T>
__device__ static inline void cuda_norm_store(void *data, int64_t at, double value,
                                              const cuda_blend &blend)
{
    if (data)
        cuda_blend_store((typename cuda_norm_param<T>::type *)data + at, value, blend);
}

/* ------------------------------------------------------------------ on the host */

static inline const struct anydnn_plugin_batch_normalization *
cuda_norm_params(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_batch_normalization *)plan->problem.params;
}

/* Dims that a cell stretches over, as bits. */
static inline uint32_t cuda_norm_within(const struct anydnn_plugin_plan *plan)
{
    return cuda_norm_params(plan)->mode == CUDA_PER_ACTIVATION ? 1u : ~(1u << 1);
}

/* The cells as a tensor: packed along the dims that tell them apart. */
static inline struct anydnn_plugin_tensor cuda_norm_grid(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[0];
    struct anydnn_plugin_tensor grid = *x;

    for (int32_t d = 0; d < x->ndims; d++) {
        if (cuda_norm_within(plan) >> d & 1)
            grid.dims[d] = 1;
    }
    return cuda_logical(&grid);
}

static inline cuda_activation cuda_norm_activation(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = cuda_norm_params(plan);

    return {params->activation, params->nan_propagate, params->coef};
}

/* Whether the gradient before the activation is more than dy or 0. */
static inline int cuda_norm_is_curved(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = cuda_norm_params(plan);

    return params->ops != CUDA_NORM_PLAIN && !cuda_is_relu(params->activation);
}

/* ------------------------------------------------------------------ rows of channels */

/* Tiles: `chunk` rows of one image, of a slab of channels. Without a reserve all images are one. */
struct cuda_norm_nhwc {
    int64_t images, positions; /* rows of an image */
    int32_t channels, chunk, chunks;
    int32_t log_x;          /* vectors of a slab */
    int32_t slabs, streams; /* blocks along channels, and along tiles */
    int32_t is_possible;
};

/* Blocks of `per` images of a slab of `size` channels (batch_norm_images.h). */
struct cuda_norm_images {
    int32_t images, positions, channels;
    int32_t log_x, size;   /* vectors and channels of a slab */
    int32_t slabs, chunks; /* blocks: [chunk][slab] */
    int32_t per;
    int32_t group, groups; /* rows of a thread, and groups of them in an image */
    int32_t is_possible;
};

/* ------------------------------------------------------------------ statistics */

/* What becomes of the statistics of a cell. */
struct cuda_stats_params {
    cuda_norm_cell *cells;
    void *numbers; /* cuda_norm_numbers, or NULL */
    double count;  /* elements of a cell */
    double epsilon;
    double factor;       /* of the running average */
    float *coefficients; /* [coefficient][channel], of cuda_norm_forward_coefficients, or NULL */
    int32_t channels;
    int32_t is_shifted; /* by the mean of the pass before; else by the cell's first element */
    int32_t is_last;
};

/* `run` with a number of x's type, which is float, half or bfloat16. */
template <class F> static inline int32_t cuda_norm_by_type(int32_t type, const F &run)
{
    return type == ANYDNN_PLUGIN_FLOAT  ? run(float{})
           : type == ANYDNN_PLUGIN_HALF ? run(cuda_half{})
                                        : run(cuda_bfloat16{});
}

/* Tensors: x | cells, scale, bias, running mean and variance, saved pair. */
enum {
    CUDA_STATS_X,
    CUDA_STATS_CELLS,
    CUDA_STATS_SCALE,
    CUDA_STATS_BIAS,
    CUDA_STATS_RUNNING_MEAN,
    CUDA_STATS_RUNNING_VAR,
    CUDA_STATS_SAVE_MEAN,
    CUDA_STATS_SAVE_INV_VAR,
    CUDA_STATS_COUNT
};

struct cuda_stats_plan {
    cuda_reduce_plan sums;
    cuda_norm_nhwc rows;
};

/* The reduction that fills the cells, and what is kept of them. `tensor`: those of the operands
 * above, NULL where absent, CELLS excepted. */
void cuda_stats_prepare(cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                        const struct anydnn_plugin_tensor *tensor[CUDA_STATS_COUNT]);
/* Bytes that a run needs for partial sums, a multiple of 16. */
size_t cuda_stats_partial_size(const cuda_stats_plan *state);
int32_t cuda_stats_run(const cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                       const cuda_call *call, void *const data[CUDA_STATS_COUNT],
                       const cuda_stats_params &params, void *partial_sums);

#endif
