/* SPDX-License-Identifier: Apache-2.0 */
/* Computes one element of batch normalization in float, for rows of channels: coefficients of a
 * channel, which are made in double, and the activation. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_ELEMENT_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_ELEMENT_H

#include "batch_norm.h"

/* The activation of a result: none, max(v, 0), or max(v, 0) limited to a ceiling. */
enum { CUDA_NORM_AS_IS, CUDA_NORM_RELU, CUDA_NORM_RELU_CLIPPED };

/* The coefficients of y before the activation: (x - shift) * factor + bias. The bias also corrects
 * for the difference between the mean and its float value, the shift. */
struct cuda_norm_forward_coefficients {
    enum { COUNT = 3 };

    /* Writes the coefficients of one channel, `apart` elements from one another. */
    __device__ static inline void make(float *to, int32_t apart, const cuda_norm_cell &cell)
    {
        double factor = cell.scale * cell.inv_std;
        float shift = (float)cell.mean;

        to[0] = shift;
        to[apart] = (float)factor;
        to[2 * apart] = (float)(cell.bias + factor * ((double)shift - cell.mean));
    }
};

/* The coefficients of dx: slope * (g - rest - (x - shift) * dscale). `rest` also corrects for the
 * difference between the mean and its float value, the shift. */
struct cuda_norm_backward_coefficients {
    enum { COUNT = 4 };

    __device__ static inline void make(float *to, int32_t apart, const cuda_norm_cell &cell)
    {
        float shift = (float)cell.mean;

        to[0] = shift;
        to[apart] = (float)cell.dscale;
        to[2 * apart] = (float)(cell.dbias + ((double)shift - cell.mean) * cell.dscale);
        to[3 * apart] = (float)cell.slope;
    }
};

template <int LANES> struct cuda_norm_forward_cells {
    float shift[LANES], factor[LANES], bias[LANES];
};

template <int LANES> struct cuda_norm_backward_cells {
    float shift[LANES], dscale[LANES], rest[LANES], slope[LANES];
};

/* Fills the coefficients of this thread's channels. */
template <int LANES>
__device__ static inline void cuda_norm_cells_make(cuda_norm_forward_cells<LANES> &to,
                                                   const cuda_norm_cell *from)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float made[cuda_norm_forward_coefficients::COUNT];

        cuda_norm_forward_coefficients::make(made, 1, from[lane]);
        to.shift[lane] = made[0];
        to.factor[lane] = made[1];
        to.bias[lane] = made[2];
    }
}

template <int LANES>
__device__ static inline void cuda_norm_cells_make(cuda_norm_backward_cells<LANES> &to,
                                                   const cuda_norm_cell *from)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float made[cuda_norm_backward_coefficients::COUNT];

        cuda_norm_backward_coefficients::make(made, 1, from[lane]);
        to.shift[lane] = made[0];
        to.dscale[lane] = made[1];
        to.rest[lane] = made[2];
        to.slope[lane] = made[3];
    }
}

/* The activation's parameters in a call: the ceiling of a clipped ReLU, and 1 if NaN stays NaN
 * instead of becoming 0. */
struct cuda_norm_rule {
    float ceiling;
    bool keeps_nan;
};

template <int ACTIVE>
__device__ static inline cuda_norm_rule cuda_norm_rule_of(const cuda_activation &f)
{
    return {ACTIVE == CUDA_NORM_RELU_CLIPPED ? (float)f.coef : 0, f.nan_propagate != 0};
}

/* Returns the sign that the reserve keeps of v: true if the activation passes its gradient. */
template <int ACTIVE>
__device__ static inline bool cuda_norm_sign(float v, const cuda_norm_rule &rule)
{
    return v > 0 && !(ACTIVE == CUDA_NORM_RELU_CLIPPED && v >= rule.ceiling);
}

template <int ACTIVE>
__device__ static inline float cuda_norm_activate(float v, const cuda_norm_rule &rule)
{
    float positive = v > 0 || (rule.keeps_nan && v != v) ? v : 0;

    return ACTIVE == CUDA_NORM_RELU_CLIPPED && positive > rule.ceiling ? rule.ceiling : positive;
}

/* Computes a row of y from x and, if WITH_Z, z. The row's signs become bit `bit` of each lane's
 * `signs`. */
template <class T, int ACTIVE, bool WITH_Z, int LANES>
__device__ static inline void
cuda_norm_forward_row(float (&y)[LANES], const cuda_vector<T> &x, const cuda_vector<T> &z,
                      const cuda_norm_forward_cells<LANES> &cells, const cuda_norm_rule &rule,
                      unsigned signs[LANES], int bit)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float v =
            fmaf(cuda_load(x.lane[lane]) - cells.shift[lane], cells.factor[lane], cells.bias[lane]);

        if (WITH_Z)
            v += cuda_load(z.lane[lane]);
        if (ACTIVE) {
            signs[lane] |= (unsigned)cuda_norm_sign<ACTIVE>(v, rule) << bit;
            v = cuda_norm_activate<ACTIVE>(v, rule);
        }
        y[lane] = v;
    }
}

/* Computes a row of dx, and of g, the gradient before the activation, from x and dy. */
template <class T, bool SIGNED, int LANES>
__device__ static inline void
cuda_norm_backward_row(float (&dx)[LANES], float (&g)[LANES], const cuda_vector<T> &x,
                       const cuda_vector<T> &dy, const cuda_norm_backward_cells<LANES> &cells,
                       const unsigned signs[LANES], int bit)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float v = cuda_load(x.lane[lane]) - cells.shift[lane];

        g[lane] = cuda_load(dy.lane[lane]);
        if (SIGNED)
            g[lane] = signs[lane] >> bit & 1 ? g[lane] : 0;
        dx[lane] = cells.slope[lane] * fmaf(-v, cells.dscale[lane], g[lane] - cells.rest[lane]);
    }
}

/* Adds a row to the sums of the gradient and of its product with x - shift. */
template <class T, bool SIGNED, int LANES>
__device__ static inline void
cuda_norm_add_gradient(float first[LANES], float second[LANES], const cuda_vector<T> &x,
                       const cuda_vector<T> &dy, const float shift[LANES],
                       const unsigned signs[LANES], int bit)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float g = cuda_load(dy.lane[lane]);

        if (SIGNED)
            g = signs[lane] >> bit & 1 ? g : 0;
        first[lane] += g;
        second[lane] = fmaf(g, cuda_load(x.lane[lane]) - shift[lane], second[lane]);
    }
}

/* Adds a row to the sums of x - shift and of its square. */
template <class T, int LANES>
__device__ static inline void cuda_norm_add_value(float first[LANES], float second[LANES],
                                                  const cuda_vector<T> &x, const float shift[LANES])
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float v = cuda_load(x.lane[lane]) - shift[lane];

        first[lane] += v;
        second[lane] = fmaf(v, v, second[lane]);
    }
}

#endif
