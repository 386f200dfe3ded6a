/* SPDX-License-Identifier: Apache-2.0 */
/* Shared definitions of the batch normalization operations. A cell is the set of elements that
 * share one mean and one variance: a channel, or in per-activation mode one position of all images.
 * Training and its gradient run in two steps: a reduction fills the cells, then a second pass
 * computes every element from its cell. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_H

#include "../../cuda_common/activate.h"
#include "../shared/reduce.h"

/* The modes and ops of struct anydnn_plugin_batch_normalization. */
enum { CUDA_PER_ACTIVATION, CUDA_SPATIAL, CUDA_PERSISTENT };
enum { CUDA_NORM_PLAIN, CUDA_NORM_ACTIVATION, CUDA_NORM_ADD_ACTIVATION };

/* The type of scale, bias and the statistics if the elements have type T. Parameters of half and
 * bfloat16 elements may also be short, that is, have type T. */
template <class T> struct cuda_norm_param {
    typedef float type;
};
template <> struct cuda_norm_param<double> {
    typedef double type;
};

/* A cell in double. The gradient is dx = slope * (g - dbias - (x - mean) * dscale). Its terms
 * nearly cancel, so the cell keeps them in double. */
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

/* A cell of the forward pass, in the precision in which its elements are computed. */
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

/* Returns 1 if the activation of `v` passes its gradient. The reserve keeps this bit for each
 * element. */
template <class A> __device__ static inline int cuda_norm_passes(const cuda_activation &f, A v)
{
    if (!cuda_is_relu(f.mode))
        return 1;
    return v > 0 && !(f.mode == CUDA_CLIPPED_RELU && v >= (A)f.coef);
}

/* Loads a parameter or a saved statistic of a cell. */
template <class T>
__device__ static inline double cuda_norm_load(const void *data, int64_t at, bool is_short)
{
    if constexpr (sizeof(T) == sizeof(uint16_t))
        if (is_short)
            return (double)cuda_load(((const T *)data)[at]);
    return (double)((const typename cuda_norm_param<T>::type *)data)[at];
}

/* Stores alpha * value + beta * prior if the operand is present; prior is not read if beta is 0. */
template <class T>
__device__ static inline void cuda_norm_store(void *data, int64_t at, double value,
                                              const cuda_blend &blend, bool is_short)
{
    if (!data)
        return;
    if constexpr (sizeof(T) == sizeof(uint16_t))
        if (is_short) {
            cuda_blend_store((T *)data + at, value, blend);
            return;
        }
    cuda_blend_store((typename cuda_norm_param<T>::type *)data + at, value, blend);
}

/* ------------------------------------------------------------------ on the host */

static inline const struct anydnn_plugin_batch_normalization *
cuda_norm_params(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_batch_normalization *)plan->problem.params;
}

/* Returns the dims over which a cell extends, as bits. */
static inline uint32_t cuda_norm_within(const struct anydnn_plugin_plan *plan)
{
    return cuda_norm_params(plan)->mode == CUDA_PER_ACTIVATION ? 1u : ~(1u << 1);
}

/* Returns the cells as a packed tensor: the dims over which a cell extends have size 1. */
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

/* Returns the tensors in half or bfloat16, as bits by their place; absent ones are NULL. */
static inline uint32_t cuda_norm_shorts(const struct anydnn_plugin_tensor *const tensor[],
                                        int count)
{
    uint32_t shorts = 0;

    for (int t = 0; t < count; t++)
        if (tensor[t] &&
            (tensor[t]->type == ANYDNN_PLUGIN_HALF || tensor[t]->type == ANYDNN_PLUGIN_BFLOAT16))
            shorts |= 1u << t;
    return shorts;
}

static inline cuda_activation cuda_norm_activation(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = cuda_norm_params(plan);

    return {params->activation, params->nan_propagate, params->coef};
}

/* Returns 1 if the gradient before the activation can differ from both dy and 0. */
static inline int cuda_norm_is_curved(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = cuda_norm_params(plan);

    return params->ops != CUDA_NORM_PLAIN && !cuda_is_relu(params->activation);
}

/* ------------------------------------------------------------------ rows of channels */

/* A division of rows into tiles: a tile is `chunk` rows of one image, in a slab of channels.
 * Without a reserve, all images count as one. */
struct cuda_norm_nhwc {
    int64_t images, positions; /* rows of an image */
    int32_t channels, chunk, chunks;
    int32_t log_x;          /* log2 of the vectors of a slab */
    int32_t slabs, streams; /* blocks along the channels, and along the tiles */
    int32_t is_possible;
};

/* A division into blocks of `per` images in a slab of `size` channels (batch_norm_images.h). */
struct cuda_norm_images {
    int32_t images, positions, channels;
    int32_t log_x, size;   /* log2 of a slab's vectors; channels of a slab */
    int32_t slabs, chunks; /* the grid of blocks is [chunk][slab] */
    int32_t per;
    int32_t group, groups; /* rows of a thread; such groups in an image */
    int32_t is_possible;
};

/* ------------------------------------------------------------------ statistics */

/* The parameters of the reduction that computes a cell's statistics. */
struct cuda_stats_params {
    cuda_norm_cell *cells;
    void *numbers; /* cuda_norm_numbers, or NULL */
    double count;  /* elements of a cell */
    double epsilon;
    double factor;       /* weight of the new value in the running average */
    float *coefficients; /* [coefficient][channel], as cuda_norm_forward_coefficients makes them, or
                            NULL */
    int32_t channels;
    int32_t is_shifted; /* 1: by the previous pass's mean; 0: by the cell's first element */
    int32_t is_last;
    uint32_t shorts; /* the tensors below that are short, as bits */
};

/* Calls `run` with a value of x's type, which must be float, half or bfloat16. */
template <class F> static inline int32_t cuda_norm_by_type(int32_t type, const F &run)
{
    return type == ANYDNN_PLUGIN_FLOAT  ? run(float{})
           : type == ANYDNN_PLUGIN_HALF ? run(cuda_half{})
                                        : run(cuda_bfloat16{});
}

/* The tensors: x | cells, scale, bias, running mean and variance, saved mean and inverse
 * deviation. */
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
    uint32_t shorts;
};

/* Plans the reduction that fills the cells. `tensor` lists the tensors above: NULL where absent,
 * and always NULL for CELLS. */
void cuda_stats_prepare(cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                        const struct anydnn_plugin_tensor *tensor[CUDA_STATS_COUNT]);
/* Returns the bytes that a run needs for partial sums, a multiple of 16. */
size_t cuda_stats_partial_size(const cuda_stats_plan *state);
int32_t cuda_stats_run(const cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                       const cuda_call *call, void *const data[CUDA_STATS_COUNT],
                       const cuda_stats_params &params, void *partial_sums);

#endif
