/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the convolution kernels share. Elements x[n, c, i] and y[n, k, o] share the filter
 * element w[k, c, t] if every spatial dim satisfies
 *   i = o * stride - pad + t * dilation.
 * A flipped filter stores its elements in reverse order. The backward kernels pass dx, dw and dy
 * as x, w and y. */
#ifndef CUDA_NAIVE_CONVOLUTION_CONV_H
#define CUDA_NAIVE_CONVOLUTION_CONV_H

#include "../naive.h"

/* The job of a convolution. cuda_common has a struct conv_job, and two types of one name would
 * share instances of templates (tests/cuda/test_names.sh). */
struct naive_conv {
    naive_tensor x, w, y, z, bias; /* z and bias: only in the fused operation */
    int32_t spatial;
    int32_t flipped;
    int64_t channels, filters; /* per group */
    int64_t pad[NAIVE_SPATIAL], stride[NAIVE_SPATIAL], dilation[NAIVE_SPATIAL];
    cuda_blend blend; /* beta is the factor of z in the fused operation */
    cuda_activation f;
};

/* Returns the job of a call, with x, w and y from these slots. */
static inline naive_conv naive_conv_of(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                                       int x, int w, int y)
{
    const struct anydnn_plugin_convolution *params =
        (const struct anydnn_plugin_convolution *)plan->problem.params;
    naive_conv job = {};

    job.x = naive_tensor_of(plan, call, x);
    job.w = naive_tensor_of(plan, call, w);
    job.y = naive_tensor_of(plan, call, y);
    job.spatial = params->spatial_dims;
    job.flipped = params->mode == ANYDNN_PLUGIN_CONVOLUTION;
    job.channels = job.w.dims[1];
    job.filters = job.w.dims[0] / params->groups;
    for (int s = 0; s < params->spatial_dims; s++) {
        job.pad[s] = params->pad[s];
        job.stride[s] = params->stride[s];
        job.dilation[s] = params->dilation[s];
    }
    job.blend = naive_blend(call, 0);
    job.f = {params->activation, params->nan_propagate, params->coef};
    return job;
}

/* Returns the offset of a tap in w, without filter and channel. */
__device__ static inline int64_t conv_tap_offset(const naive_conv &job, const int64_t tap[])
{
    int64_t offset = 0;

    for (int s = 0; s < job.spatial; s++)
        offset += (job.flipped ? job.w.dims[2 + s] - 1 - tap[s] : tap[s]) * job.w.strides[2 + s];
    return offset;
}

/* Finds the input that output position `o` reads through a tap. *offset becomes its offset in x,
 * without image and channel. Returns false for padding. */
__device__ static inline bool conv_input(const naive_conv &job, const int64_t o[],
                                         const int64_t tap[], int64_t *offset)
{
    *offset = 0;
    for (int s = 0; s < job.spatial; s++) {
        int64_t i = o[s] * job.stride[s] - job.pad[s] + tap[s] * job.dilation[s];

        if (i < 0 || i >= job.x.dims[2 + s])
            return false;
        *offset += i * job.x.strides[2 + s];
    }
    return true;
}

/* Returns a * b + sum, rounded once for floating types, modulo 2^32 for integers. */
__device__ static inline float conv_fma(float a, float b, float sum)
{
    return fmaf(a, b, sum);
}

__device__ static inline double conv_fma(double a, double b, double sum)
{
    return fma(a, b, sum);
}

__device__ static inline uint32_t conv_fma(int32_t a, int32_t b, uint32_t sum)
{
    return sum + (uint32_t)(a * b);
}

#endif
