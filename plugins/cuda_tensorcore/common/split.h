/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplies floats on TF32 units. Each float is the sum of a TF32 number and a remainder. The
 * remainder has at most 12 bits, of which the unit uses 11. Three of the four partial products are
 * added. The omitted one, low times low, is at most 2^-22 of the product, and 2^-24.5 on average.
 * Small products are added first.
 *
 * Operands are multiplied by 2^24 before, and results are divided by 2^48. The remainder of the
 * smallest float (2^-149) is then a normal number, so nothing is lost to underflow. Values of 2^38
 * and more could overflow, and the resulting infinities would be multiplied by zeros that the true
 * sum does not contain. If a warp holds such a value, it multiplies that step in float.
 *
 * The units truncate their results. Therefore sums leave the units after each step of 8 k, and
 * are added in float. */
#ifndef CUDA_TENSORCORE_COMMON_SPLIT_H
#define CUDA_TENSORCORE_COMMON_SPLIT_H

#include "mma.h"

#define TC_SPLIT_SCALE   0x1p24f
#define TC_SPLIT_UNSCALE 0x1p-48f
#define TC_SPLIT_LIMIT   0x1p38f

/* The fragments along N that are multiplied at a time. They provide enough independent products;
 * more would use more registers. */
#define TC_SPLIT_COLUMNS 4

/* Splits words into high and low parts. A NaN becomes a number and a NaN. */
template <int WORDS>
__device__ static inline void tc_split_words(uint32_t (&high)[WORDS], uint32_t (&low)[WORDS],
                                             const uint32_t (&words)[WORDS])
{
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        float scaled = cuda_float_of(words[i]) * TC_SPLIT_SCALE;

        high[i] = (cuda_bits_of(scaled) + 0x1000) & ~UINT32_C(0x1fff);
        low[i] = cuda_bits_of(scaled - cuda_float_of(high[i]));
    }
}

/* Returns the largest magnitude; NaN is ignored. */
template <int COUNT, int WORDS>
__device__ static inline float tc_split_largest(const uint32_t (&words)[COUNT][WORDS])
{
    float largest = 0;

#pragma unroll
    for (int i = 0; i < COUNT; i++) {
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            largest = fmaxf(largest, fabsf(cuda_float_of(words[i][w])));
    }
    return largest;
}

/* Computes c[i][j] += a[i] b[j] in float. The lanes of a warp exchange their values. */
template <int FRAGS_M, int FRAGS_N>
__device__ static inline void tc_mma_float(float (&c)[FRAGS_M][FRAGS_N][4],
                                           const uint32_t (&a)[FRAGS_M][4],
                                           const uint32_t (&b)[FRAGS_N][2])
{
    int lane = (int)threadIdx.x % 32;

#pragma unroll 1
    for (int t = 0; t < 4; t++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float a_value[FRAGS_M][2];

#pragma unroll
            for (int i = 0; i < FRAGS_M; i++) {
#pragma unroll
                for (int r = 0; r < 2; r++)
                    a_value[i][r] = cuda_float_of(
                        __shfl_sync(UINT32_MAX, a[i][2 * half + r], lane / 4 * 4 + t));
            }
#pragma unroll
            for (int n = 0; n < FRAGS_N * 2; n++) {
                float b_value = cuda_float_of(
                    __shfl_sync(UINT32_MAX, b[n / 2][half], (lane % 4 * 2 + n % 2) * 4 + t));

#pragma unroll
                for (int i = 0; i < FRAGS_M; i++) {
                    float *to = c[i][n / 2] + n % 2;

                    to[0] = fmaf(a_value[i][0], b_value, to[0]);
                    to[2] = fmaf(a_value[i][1], b_value, to[2]);
                }
            }
        }
    }
}

template <int FRAGS_M, int FRAGS_N>
__device__ static inline void tc_mma_split_tf32(float (&c)[FRAGS_M][FRAGS_N][4],
                                                const uint32_t (&a)[FRAGS_M][4],
                                                const uint32_t (&b)[FRAGS_N][2])
{
    enum { AT_A_TIME = FRAGS_N < TC_SPLIT_COLUMNS ? FRAGS_N : TC_SPLIT_COLUMNS };
    static_assert(FRAGS_N % AT_A_TIME == 0, "N is multiplied by so many fragments");
    uint32_t high[FRAGS_M][4], low[FRAGS_M][4];

    if (__any_sync(UINT32_MAX, fmaxf(tc_split_largest(a), tc_split_largest(b)) >= TC_SPLIT_LIMIT)) {
        tc_mma_float(c, a, b);
        return;
    }
#pragma unroll
    for (int i = 0; i < FRAGS_M; i++)
        tc_split_words(high[i], low[i], a[i]);
#pragma unroll
    for (int first = 0; first < FRAGS_N; first += AT_A_TIME) {
        uint32_t high_b[AT_A_TIME][2], low_b[AT_A_TIME][2];
        float sum[FRAGS_M][AT_A_TIME][4] = {};

#pragma unroll
        for (int j = 0; j < AT_A_TIME; j++)
            tc_split_words(high_b[j], low_b[j], b[first + j]);
        tc_mma_units<tc_tf32>(sum, low, high_b);
        tc_mma_units<tc_tf32>(sum, high, low_b);
        tc_mma_units<tc_tf32>(sum, high, high_b);
#pragma unroll
        for (int n = 0; n < FRAGS_M * AT_A_TIME * 4; n++) {
            float *to = &c[n / (AT_A_TIME * 4)][first + n / 4 % AT_A_TIME][n % 4];

            *to = fmaf(sum[n / (AT_A_TIME * 4)][n / 4 % AT_A_TIME][n % 4], TC_SPLIT_UNSCALE, *to);
        }
    }
}

#endif
