/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the kernels of layer, group and RMS normalization share. A set holds the elements
 * with one mean and one deviation. */
#ifndef CUDA_SIMT_NORMALIZATION_KINDS_H
#define CUDA_SIMT_NORMALIZATION_KINDS_H

#include "../../cuda_common/gelu.h"
#include "../../cuda_common/index.h"
#include "../shared/vector.h"
#include "kinds_view.h"

/* The arguments of a kernel. `data` is NULL for an absent tensor. */
struct cuda_kinds_job {
    /* Sets count along two dims, of which the inner one has `inner` sets. */
    int64_t sets, inner;
    int64_t outer_step[KINDS_TENSORS], inner_step[KINDS_TENSORS];
    void *data[KINDS_TENSORS];
    void *gradient[2]; /* dscale, dbias */
    float *partial;
    int64_t size; /* elements of a set */
    /* A set consists of pieces. The elements of a piece are neighbours in memory. */
    int64_t piece, pitch[KINDS_DATA];
    /* Factors follow the elements of a piece, or each serves `plane` elements if that is not 0. */
    int64_t plane, factor_step[2];
    int32_t is_float[2]; /* 1 if scale, or bias, has elements of type float */
    int32_t log_group;   /* log2 of the threads that share a set */
    int32_t is_rms, is_centered;
    float epsilon;
    cuda_activation f;
};

typedef void (*cuda_kinds_kernel)(cuda_kinds_job);

#define KINDS_WARP 32

/* The largest blocks. Forward, three blocks of a multiprocessor leave 85 registers for a thread. */
#define KINDS_THREADS          256
#define KINDS_BACKWARD_THREADS 512
/* The elements of a tensor that a thread holds. */
#define KINDS_HELD          32
#define KINDS_HELD_BACKWARD 16

/* ------------------------------------------------------------------ sums of threads */

struct cuda_kinds_pair {
    float a, b;
};

/* The thread's place among those that share a set. */
struct cuda_kinds_thread {
    int64_t set;
    int member, size;
};

__device__ static inline cuda_kinds_thread cuda_kinds_thread_of(const cuda_kinds_job &job)
{
    int size = 1 << job.log_group, t = (int)threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * (blockDim.x >> job.log_group);

    return {first + (t >> job.log_group), t & (size - 1), size};
}

/* The indices of a set along both dims. An offset follows from them where it is needed, since the
 * offsets in all tensors would occupy 16 registers. */
struct cuda_kinds_set {
    int32_t outer, inner;
};

__device__ static inline cuda_kinds_set cuda_kinds_set_of(const cuda_kinds_job &job, int64_t set)
{
    uint32_t outer = job.inner < job.sets ? (uint32_t)set / (uint32_t)job.inner : 0;

    return {(int32_t)outer, (int32_t)((uint32_t)set - outer * (uint32_t)job.inner)};
}

__device__ static inline int64_t cuda_kinds_at(const cuda_kinds_job &job, const cuda_kinds_set &set,
                                               int tensor)
{
    return set.outer * job.outer_step[tensor] + set.inner * job.inner_step[tensor];
}

/* Adds pairs of the threads that share a set, in a fixed order, and returns the sums to each of
 * them. `slots` belongs to this call alone until the block's next barrier but one. */
__device__ static inline cuda_kinds_pair cuda_kinds_join(cuda_kinds_pair value, int size,
                                                         cuda_kinds_pair slots[])
{
    int within = size < KINDS_WARP ? size : KINDS_WARP, warps = size / KINDS_WARP;
    int warp = (int)threadIdx.x / KINDS_WARP;

    for (int by = within / 2; by > 0; by /= 2) {
        value.a += __shfl_xor_sync(UINT32_MAX, value.a, by);
        value.b += __shfl_xor_sync(UINT32_MAX, value.b, by);
    }
    if (warps < 2)
        return value;
    if (threadIdx.x % KINDS_WARP == 0)
        slots[warp] = value;
    __syncthreads();
    warp = warp / warps * warps;
    value = slots[warp];
    for (int w = 1; w < warps; w++) {
        value.a += slots[warp + w].a;
        value.b += slots[warp + w].b;
    }
    return value;
}

/* ------------------------------------------------------------------ elements */

template <class T, int LANES>
__device__ static inline void cuda_kinds_get(float (&to)[LANES], const void *from, int64_t at)
{
    cuda_vector<T, LANES> raw;

    cuda_vector_get(raw, (const T *)from + at);
    cuda_vector_numbers(raw, to);
}

/* Reads LANES floats. */
template <int LANES>
__device__ static inline void cuda_kinds_get_floats(float (&to)[LANES], const float *from)
{
    if constexpr (LANES == 1) {
        to[0] = from[0];
    } else {
#pragma unroll
        for (int i = 0; i < LANES; i += 4) {
            float4 four = *(const float4 *)(from + i);

            to[i] = four.x;
            to[i + 1] = four.y;
            to[i + 2] = four.z;
            to[i + 3] = four.w;
        }
    }
}

/* Reads the factors or biases of LANES elements, or returns `otherwise` if the tensor is absent.
 * `base` is the set's offset in the tensor. `element` counts within the set, and `within` within
 * the piece. */
template <class T, int LANES>
__device__ static inline void cuda_kinds_factors(float (&to)[LANES], const cuda_kinds_job &job,
                                                 int slot, int64_t base, int64_t element,
                                                 int64_t within, float otherwise)
{
    const void *from = job.data[slot];
    int which = slot - KINDS_SCALE;
    float one = otherwise;

    if (from && !job.plane) {
        if (job.is_float[which])
            cuda_kinds_get_floats<LANES>(to, (const float *)from + base + within);
        else
            cuda_kinds_get<T, LANES>(to, from, base + within);
        return;
    }
    if (from) {
        int64_t at =
            base + (int64_t)((uint32_t)element / (uint32_t)job.plane) * job.factor_step[which];

        one = job.is_float[which] ? ((const float *)from)[at] : cuda_load(((const T *)from)[at]);
    }
#pragma unroll
    for (int i = 0; i < LANES; i++)
        to[i] = one;
}

template <class T, int LANES>
__device__ static inline void cuda_kinds_scales(float (&to)[LANES], const cuda_kinds_job &job,
                                                int64_t base, int64_t element, int64_t within)
{
    cuda_kinds_factors<T, LANES>(to, job, KINDS_SCALE, base, element, within, 1);
    if (job.is_centered && job.data[KINDS_SCALE]) {
#pragma unroll
        for (int i = 0; i < LANES; i++)
            to[i] += 1;
    }
}

/* ------------------------------------------------------------------ activations */

/* Returns 1 / (1 + exp(-v)) with an error of a few units in the last place for moderate v. */
__device__ static inline float cuda_kinds_sigmoid(float v)
{
    return __fdividef(1, 1 + __expf(-v));
}

/* These functions are called, so that kernels without such an activation stay small. */
template <class A>
__device__ __noinline__ A cuda_kinds_curve(int32_t mode, int32_t nan_propagate, A coef, A v)
{
    cuda_activation f = {mode, nan_propagate, coef};

    return cuda_activate_any(f, v);
}

template <class A> __device__ __noinline__ A cuda_kinds_slope(int32_t mode, A coef, A v, A dy)
{
    cuda_activation f = {mode, 0, coef};

    return cuda_activation_gradient_any(f, dy, v);
}

template <int LANES>
__device__ static inline void cuda_kinds_activate(const cuda_activation &f, float (&v)[LANES])
{
    float coef = (float)f.coef;

    if (f.mode == CUDA_IDENTITY)
        return;
    if (f.mode == CUDA_SWISH) {
#pragma unroll
        for (int i = 0; i < LANES; i++)
            v[i] *= cuda_kinds_sigmoid(coef * v[i]);
        return;
    }
#pragma unroll
    for (int i = 0; i < LANES; i++)
        v[i] = cuda_kinds_curve(f.mode, f.nan_propagate, coef, v[i]);
}

/* Replaces dy by the gradient before the activation, whose argument is v. */
template <int LANES>
__device__ static inline void cuda_kinds_gradient(const cuda_activation &f, float (&dy)[LANES],
                                                  const float (&v)[LANES])
{
    float coef = (float)f.coef;

    if (f.mode == CUDA_IDENTITY)
        return;
    if (f.mode == CUDA_SWISH) {
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            float s = cuda_kinds_sigmoid(coef * v[i]);

            dy[i] *= s + coef * v[i] * s * (1 - s);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < LANES; i++)
        dy[i] = cuda_kinds_slope(f.mode, coef, v[i], dy[i]);
}

#endif
