/* SPDX-License-Identifier: Apache-2.0 */
/* The first step of batch normalization backward: the gradient before the activation, and its sums
 * over each cell. Names as in batch_norm_backward.cu. */
#ifndef CUDA_NAIVE_NORMALIZATION_BATCH_NORM_GRADIENT_H
#define CUDA_NAIVE_NORMALIZATION_BATCH_NORM_GRADIENT_H

#include "batch_norm.h"

struct norm_backward_params {
    cuda_norm_cell *cells;
    const uint8_t *reserve; /* NULL: no activation */
    const void *y;          /* NULL: not needed */
    cuda_activation f;
    double count; /* elements of a cell */
    double alpha_param, beta_param;
    int32_t has_stats; /* the cells hold them already */
};

/* g, of an element at that place in logical order, where it is dy or 0. */
__device__ static inline double passed(const norm_backward_params &p, int64_t place, double dy)
{
    return p.reserve && !(p.reserve[place / 8] >> (place % 8) & 1) ? 0 : dy;
}

/* The same with any activation. */
__device__ static inline double before_activation(const norm_backward_params &p,
                                                  const cuda_norm_cell &cell, int64_t place,
                                                  double x, double dy, double y)
{
    if (!p.reserve)
        return dy;
    if (!(p.reserve[place / 8] >> (place % 8) & 1))
        return 0;
    return cuda_activation_gradient(p.f, y, dy,
                                    cell.scale * ((x - cell.mean) * cell.inv_std) + cell.bias);
}

/* ------------------------------------------------------------------ cells */

/* dbias, and dscale but for a factor inv_std. */
struct norm_gradient_sum {
    double g, gn;
};

/* Tensors: x, dy | y, place in logical order | cells, scale, bias, saved pair, dscale, dbias. y is
 * read where the activation's gradient is a function of it. */
enum {
    SUM_Y = 2,
    SUM_CELLS = 4,
    SUM_SCALE,
    SUM_BIAS,
    SUM_MEAN,
    SUM_INV_VAR,
    SUM_DSCALE,
    SUM_DBIAS,
    SUM_COUNT
};

template <class E, bool CURVED> struct norm_gradient_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef norm_backward_params params;
    typedef cuda_norm_cell cell;
    typedef norm_gradient_sum sum;
    enum { IN = 2, EXTRA = 2, OUT = SUM_COUNT - 4, BY_VECTORS = !CURVED, RUNS = 0 };

    static __device__ cell make_cell(const cuda_reduce_job<norm_gradient_op> &job,
                                     const int64_t at[])
    {
        const params &p = job.params;
        cell made = {};

        if (p.has_stats)
            return p.cells[at[SUM_CELLS]];
        made.mean = cuda_norm_load<T>(job.data[SUM_MEAN], at[SUM_MEAN]);
        made.inv_std = cuda_norm_load<T>(job.data[SUM_INV_VAR], at[SUM_INV_VAR]);
        made.scale = cuda_norm_load<T>(job.data[SUM_SCALE], at[SUM_SCALE]);
        if (job.data[SUM_BIAS])
            made.bias = cuda_norm_load<T>(job.data[SUM_BIAS], at[SUM_BIAS]);
        return made;
    }
    static __device__ sum start(const params &)
    {
        return {0, 0};
    }
    static __device__ void add(const params &p, const cell &c, sum *to, const A in[],
                               const int64_t extra[], int64_t)
    {
        double x = (double)in[0], g = (double)in[1];

        if (CURVED) {
            double y = p.y ? (double)cuda_load(((const T *)p.y)[extra[0]]) : 0;

            g = before_activation(p, c, extra[1], x, g, y);
        } else {
            g = passed(p, extra[1], g);
        }
        to->g += g;
        to->gn += g * (x - c.mean);
    }
    static __device__ void join(const params &, sum *to, const sum &from)
    {
        to->g += from.g;
        to->gn += from.gn;
    }
    static __device__ void finish(const cuda_reduce_job<norm_gradient_op> &job, const int64_t at[],
                                  int64_t, const sum &from)
    {
        const params &p = job.params;
        cuda_blend blend = {p.alpha_param, p.beta_param};
        cell made = make_cell(job, at);

        cuda_norm_store<T>(job.data[SUM_DSCALE], at[SUM_DSCALE], from.gn * made.inv_std, blend);
        cuda_norm_store<T>(job.data[SUM_DBIAS], at[SUM_DBIAS], from.g, blend);
        made.dscale = from.gn / p.count * made.inv_std * made.inv_std;
        made.dbias = from.g / p.count;
        made.slope = made.scale * made.inv_std;
        p.cells[at[SUM_CELLS]] = made;
    }
};

#endif
