/* SPDX-License-Identifier: Apache-2.0 */
/* What batch normalization of rows of channels does to an element, in float: coefficients of a
 * channel, made in double, and the activation. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_ELEMENT_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_ELEMENT_H

#include "batch_norm.h"

/* What becomes of a result: as it is, max(v, 0), or that and at most a ceiling. */
enum { CUDA_NORM_AS_IS, CUDA_NORM_RELU, CUDA_NORM_RELU_CLIPPED };

/* y before the activation: (x - shift) * factor + bias. What the mean differs from the float by is
 * in the bias. */
struct cuda_norm_forward_coefficients {
    enum { COUNT = 3 };

    /* A channel's, `apart` from one another. */
    __device__ static inline void make(float *to, int32_t apart, const cuda_norm_cell &cell)
    {
        double factor = cell.scale * cell.inv_std;
        float shift = (float)cell.mean;

        to[0] = shift;
        to[apart] = (float)factor;
        to[2 * apart] = (float)(cell.bias + factor * ((double)shift - cell.mean));
    }
};

/* dx: slope * (g - rest - (x - shift) * dscale). What the mean differs from the float by is in the
 * rest. */
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

/* Of this thread's channels. */
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

/* Of a call: where a clipped ReLU ends, and whether NaN stays NaN rather than become 0. */
struct cuda_norm_rule {
    float ceiling;
    bool keeps_nan;
};

template <int ACTIVE>
__device__ static inline cuda_norm_rule cuda_norm_rule_of(const cuda_activation &f)
{
    return {ACTIVE == CUDA_NORM_RELU_CLIPPED ? (float)f.coef : 0, f.nan_propagate != 0};
}

/* The sign that the reserve keeps of v: whether the activation passes its gradient. */
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

/* A row of x, and of z or not, to y; signs are bit `bit` of the lanes'. */
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

/* A row of x and dy to dx, and to g, the gradient before the activation. */
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

/* A row's share of the sums of the gradient and of its product with x - shift. */
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

/* The same of x - shift and of its square. */
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
