/* SPDX-License-Identifier: Apache-2.0 */
/* LRN and divisive normalization in float: powers, and sums over the windows of 8 consecutive
 * positions, in registers. */
#ifndef CUDA_SIMT_NORMALIZATION_WINDOW_SUMS_H
#define CUDA_SIMT_NORMALIZATION_WINDOW_SUMS_H

#include "../shared/map.h"
#include "window.h"

#include <limits.h>

/*
 * Float suffices. Errors are in units of 2^-24. A sum of n squares has an error of at most n. With
 * the rounding of alpha and the last multiply-add, s has an error of n + 2, which the power
 * multiplies by beta. The power itself is off by at most 6.2 with beta 3/4 (see below) and by at
 * most 8 with powf; two products follow.
 * With n = 5 and beta 3/4, the total is at most 14 of |y|. The bound of a result computed in float
 * is 18: (8 + 0.5 sqrt(n)) of 2^-23, times at least |y|. Each window is summed anew, because a
 * running sum would keep the rounding errors of elements that have left it.
 *
 * Squares must not overflow before alpha makes them small. Therefore x is multiplied by a power of
 * two, and alpha is divided by its square: the squares overflow only where s does. Half needs no
 * scale.
 */

#define LRN_RUN   8              /* consecutive positions */
#define LRN_HALO  LRN_RUN        /* positions on each side that windows may reach */
#define LRN_SPAN  (3 * LRN_RUN)  /* a run and its two neighbours */
#define LRN_N_MAX (2 * LRN_HALO) /* windows reach n / 2 positions ahead */

/* The factors of LRN; alpha is divided by scale^2. */
struct lrn_factors {
    int32_t three_quarters; /* 1 if beta is 3/4 */
    float alpha, beta, k;
    float scale, unscale; /* scale of x; its inverse */
};

/* ------------------------------------------------------------------ on the device */

/* Returns s^-1/2 or s^1/2, with relative errors of at most 2^-22.9 and 2^-23 (PTX ISA). s is 0 or
 * at least 2^-66, because k is at least 10^-5; so flushing subnormal values loses nothing. */
__device__ static inline float lrn_reciprocal_root(float s)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(s));
    return root;
#else
    return 1 / sqrtf(s);
#endif
}

__device__ static inline float lrn_root(float s)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(s));
    return root;
#else
    return sqrtf(s);
#endif
}

/* Computes s^-beta and 1 / s of each sum of squares. t = s^-1/2 is within 2.2 units, so s^-3/4 = t
 * sqrt(t) is within 1.5 x 2.2 + 2 + 1. */
template <int V>
__device__ static inline void lrn_powers(const lrn_factors &f, const float sum[LRN_RUN][V],
                                         float power[LRN_RUN][V], float inverse[LRN_RUN][V])
{
    if (f.three_quarters) {
#pragma unroll
        for (int i = 0; i < LRN_RUN * V; i++) {
            float root = lrn_reciprocal_root(fmaf(f.alpha, sum[i / V][i % V], f.k));

            power[i / V][i % V] = root * lrn_root(root);
            inverse[i / V][i % V] = root * root;
        }
    } else {
#pragma unroll
        for (int i = 0; i < LRN_RUN * V; i++) {
            float s = fmaf(f.alpha, sum[i / V][i % V], f.k);

            power[i / V][i % V] = powf(s, -f.beta);
            inverse[i / V][i % V] = 1 / s;
        }
    }
}

/* Adds the value, or its square, that lies d positions after each position of the middle run to
 * that position's sum. */
template <int V, bool SQUARES, int HALO>
__device__ static inline void lrn_add_places(const float span[LRN_RUN + 2 * HALO][V], int d,
                                             float sum[LRN_RUN][V])
{
#pragma unroll
    for (int i = 0; i < LRN_RUN * V; i++) {
        float value = span[i / V + d + HALO][i % V];

        sum[i / V][i % V] =
            SQUARES ? fmaf(value, value, sum[i / V][i % V]) : sum[i / V][i % V] + value;
    }
}

/* Sums the numbers, or their squares, over the windows of the middle run: from `before` positions
 * before each to `after` positions after it. The usual windows of five need no tests. */
template <int V, bool SQUARES, int HALO = LRN_HALO>
__device__ static inline void lrn_window_sums(const float span[LRN_RUN + 2 * HALO][V], int before,
                                              int after, float sum[LRN_RUN][V])
{
#pragma unroll
    for (int i = 0; i < LRN_RUN * V; i++)
        sum[i / V][i % V] = 0;
    if (before == 2 && after == 2) {
#pragma unroll
        for (int d = -2; d <= 2; d++)
            lrn_add_places<V, SQUARES, HALO>(span, d, sum);
        return;
    }
#pragma unroll
    for (int d = -HALO; d <= HALO; d++) {
        if (d >= -before && d <= after)
            lrn_add_places<V, SQUARES, HALO>(span, d, sum);
    }
}

/* Returns x times the scale. Half has no scale. */
template <class T> __device__ static inline float lrn_scaled(T x, float scale)
{
    return cuda_load(x) * scale;
}

template <> __device__ inline float lrn_scaled(cuda_half x, float)
{
    return cuda_load(x);
}

template <class T> __device__ static inline float lrn_take(const lrn_factors &f, T x)
{
    return lrn_scaled(x, f.scale);
}

/* Eight consecutive elements, as vectors of 16 bytes. */
template <class T> union lrn_run {
    enum { VECTORS = LRN_RUN * sizeof(T) / sizeof(uint4) };
    uint4 whole[VECTORS];
    T lane[LRN_RUN];
};

/* Reads the elements at .. at + 7 of a row of `elements`; those that do not exist are 0. `vectors`
 * is 1 if rows begin at multiples of 16 bytes. */
template <class T>
__device__ static inline void lrn_read_run(const T *row, int64_t at, int64_t elements, int vectors,
                                           lrn_run<T> *run)
{
    if (vectors && at >= 0 && at + LRN_RUN <= elements) {
#pragma unroll
        for (int i = 0; i < lrn_run<T>::VECTORS; i++)
            run->whole[i] = ((const uint4 *)(row + at))[i];
    } else {
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            if (at + i >= 0 && at + i < elements)
                run->lane[i] = row[at + i];
            else
                cuda_store(&run->lane[i], 0.0f);
        }
    }
}

/* Reads the run that begins at `at` and its two neighbours, scaled. */
template <class T>
__device__ static inline void lrn_read_span(const lrn_factors &f, const T *row, int64_t at,
                                            int64_t elements, int vectors, float span[LRN_SPAN][1])
{
    lrn_run<T> run[3];

#pragma unroll
    for (int r = 0; r < 3; r++)
        lrn_read_run(row, at + (r - 1) * LRN_RUN, elements, vectors, &run[r]);
#pragma unroll
    for (int i = 0; i < LRN_SPAN; i++)
        span[i][0] = lrn_take(f, run[i / LRN_RUN].lane[i % LRN_RUN]);
}

/* Returns true for alpha 1 and beta 0. Callers test this once per run instead of once per
 * element. */
CUDA_BOTH bool lrn_is_plain(const cuda_blend &blend)
{
    return blend.alpha == 1 && blend.beta == 0;
}

/* Writes those of the eight elements that exist. */
template <class T>
__device__ static inline void lrn_write_run(T *row, int64_t at, int64_t elements, int vectors,
                                            const float value[LRN_RUN], const cuda_blend &blend)
{
    lrn_run<T> run;

    if (vectors && at + LRN_RUN <= elements) {
        if (lrn_is_plain(blend)) {
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                cuda_store(&run.lane[i], value[i]);
        } else {
            if (blend.beta != 0)
                lrn_read_run(row, at, elements, vectors, &run);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                cuda_blend_store(&run.lane[i], value[i], blend);
        }
#pragma unroll
        for (int i = 0; i < lrn_run<T>::VECTORS; i++)
            ((uint4 *)(row + at))[i] = run.whole[i];
    } else {
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            if (at + i < elements)
                cuda_blend_store(row + at + i, value[i], blend);
        }
    }
}

/* ------------------------------------------------------------------ on the host */

/* Returns 1 if windows are small enough and the type is computed in float. */
static inline int lrn_is_float(const cuda_lrn &lrn, int32_t type)
{
    return (type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_HALF ||
            type == ANYDNN_PLUGIN_BFLOAT16) &&
           lrn.before + lrn.after < LRN_N_MAX;
}

/* Returns the factors, with a scale that makes alpha about 1, as far as float allows. */
static inline lrn_factors lrn_factors_of(const cuda_lrn &lrn, int32_t type)
{
    int exponent = lrn.alpha != 0 ? ilogb(lrn.alpha) / 2 : INT_MIN;
    double scale = ldexp(1, exponent < -66 ? -66 : exponent > 60 ? 60 : exponent);

    if (type == ANYDNN_PLUGIN_HALF)
        scale = 1;
    return {lrn.beta == 0.75, (float)(lrn.alpha / scale / scale),
            (float)lrn.beta,  (float)lrn.k,
            (float)scale,     (float)(1 / scale)};
}

/* Returns 1 if all runs can be read as vectors: the address and the strides are multiples of 16
 * bytes. */
static inline int lrn_has_vectors(const void *data, const int64_t strides[], int dims, size_t size)
{
    size_t reached = (size_t)data;

    for (int d = 0; d < dims; d++)
        reached |= (size_t)strides[d] * size;
    return reached % sizeof(uint4) == 0;
}

#endif
