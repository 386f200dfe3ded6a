/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the sums of batch normalization backward over each cell: dbias = sum g, dscale = sum g
 * n, and the terms of dx. batch_norm_backward.cu explains the names. */
#include "batch_norm_finish.h"
#include "batch_norm_gradient.h"
#include "batch_norm_plain.h"

/* The sums of g and of g (x - mean): dbias, and dscale without its factor inv_std. */
struct norm_gradient_sum {
    double g, gn;
};

/* The tensors: x, dy | y, index in logical order | cells, scale, bias, saved mean and inverse
 * deviation, dscale, dbias. y is read only if the activation's gradient depends on it. */
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
    enum { IN = 2, EXTRA = 2, OUT = SUM_COUNT - 4, BY_VECTORS = !CURVED };
    enum { RUNS = !CURVED && sizeof(A) == sizeof(float) ? 2 : 0 };

    static __device__ double load(const cuda_reduce_job<norm_gradient_op> &job, int tensor,
                                  const int64_t at[])
    {
        return cuda_norm_load<T>(job.data[tensor], at[tensor], job.params.shorts >> tensor & 1);
    }
    static __device__ cell make_cell(const cuda_reduce_job<norm_gradient_op> &job,
                                     const int64_t at[])
    {
        const params &p = job.params;
        cell made = {};

        if (p.has_stats)
            return p.cells[at[SUM_CELLS]];
        made.mean = load(job, SUM_MEAN, at);
        made.inv_std = load(job, SUM_INV_VAR, at);
        made.scale = load(job, SUM_SCALE, at);
        if (job.data[SUM_BIAS])
            made.bias = load(job, SUM_BIAS, at);
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

    /* Allows runs without activation. They use x minus the mean rounded to float; take() corrects
     * for the rounding. */
    static bool takes_runs(const params &p)
    {
        return !p.reserve;
    }
    static __device__ float padding(const cell &)
    {
        return 0;
    }
    static __device__ void run(const cell &c, const float in[][CUDA_ROWS_RUN], float to[])
    {
        float gn[CUDA_ROWS_RUN];

#pragma unroll
        for (int i = 0; i < CUDA_ROWS_RUN; i++)
            gn[i] = in[1][i] * (in[0][i] - (float)c.mean);
        to[0] = cuda_run_sum<CUDA_ROWS_RUN>(in[1]);
        to[1] = cuda_run_sum<CUDA_ROWS_RUN>(gn);
    }
    static __device__ void take(const cell &c, sum *to, const float run[])
    {
        to->g += (double)run[0];
        to->gn += (double)run[1] + (double)run[0] * ((double)(float)c.mean - c.mean);
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

        cuda_norm_store<T>(job.data[SUM_DSCALE], at[SUM_DSCALE], from.gn * made.inv_std, blend,
                           p.shorts >> SUM_DSCALE & 1);
        cuda_norm_store<T>(job.data[SUM_DBIAS], at[SUM_DBIAS], from.g, blend,
                           p.shorts >> SUM_DBIAS & 1);
        cuda_norm_gradient_cell(made, from.g, from.gn, p.count);
        p.cells[at[SUM_CELLS]] = made;
    }
};

void norm_gradient_prepare(cuda_reduce_plan *sums, const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *const *operand = plan->problem.tensor;
    struct anydnn_plugin_tensor logical = cuda_logical(operand[NORM_BACKWARD(x)]);
    struct anydnn_plugin_tensor grid = cuda_norm_grid(plan);
    const struct anydnn_plugin_tensor *tensor[SUM_COUNT] = {
        operand[NORM_BACKWARD(x)],
        operand[NORM_BACKWARD(dy)],
        operand[operand[NORM_BACKWARD(y)] ? NORM_BACKWARD(y) : NORM_BACKWARD(x)],
        &logical,
        &grid,
        operand[NORM_BACKWARD(scale)],
        operand[NORM_BACKWARD(bias)],
        operand[NORM_BACKWARD(save_mean)],
        operand[NORM_BACKWARD(save_inv_var)],
        operand[NORM_BACKWARD(dscale)],
        operand[NORM_BACKWARD(dbias)]};

    for (int t = 0; t < SUM_COUNT; t++)
        tensor[t] = tensor[t] ? tensor[t] : &grid;
    switch (operand[NORM_BACKWARD(x)]->type) {
#define CASE(T)                                                                                    \
    cuda_reduce_prepare<norm_gradient_op<T, false>>(sums, plan, tensor, cuda_norm_within(plan),    \
                                                    KIT_WALK_SORTED)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

template <class T, bool CURVED>
static int32_t run(const cuda_reduce_plan *sums, const struct anydnn_plugin_plan *plan,
                   const cuda_call *call, const norm_backward_params &params,
                   const cuda_norm_nhwc_job *rows)
{
    void *const *from = call->operands->data;
    void *const data[SUM_COUNT] = {from[NORM_BACKWARD(x)],
                                   from[NORM_BACKWARD(dy)],
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   from[NORM_BACKWARD(scale)],
                                   from[NORM_BACKWARD(bias)],
                                   from[NORM_BACKWARD(save_mean)],
                                   from[NORM_BACKWARD(save_inv_var)],
                                   from[NORM_BACKWARD(dscale)],
                                   from[NORM_BACKWARD(dbias)]};
    const struct anydnn_plugin_tensor *const *operand = plan->problem.tensor;
    const struct anydnn_plugin_tensor *const parameters[] = {
        operand[NORM_BACKWARD(scale)],     operand[NORM_BACKWARD(bias)],
        operand[NORM_BACKWARD(save_mean)], operand[NORM_BACKWARD(save_inv_var)],
        operand[NORM_BACKWARD(dscale)],    operand[NORM_BACKWARD(dbias)]};
    cuda_reduce_job<norm_gradient_op<T, CURVED>> job;
    int32_t status;

    for (int t = 0; t < SUM_COUNT; t++)
        job.data[t] = data[t];
    job.params = params;
    job.params.shorts = cuda_norm_shorts(parameters, SUM_COUNT - SUM_SCALE) << SUM_SCALE;
    if (!rows)
        return cuda_reduce_run(sums, call, &job);
    status = cuda_norm_nhwc_sums(call, plan->problem.tensor[NORM_BACKWARD(x)]->type, rows);
    return status ? status : cuda_norm_join(sums, call, &job, *rows);
}

int32_t norm_gradient_run(const cuda_reduce_plan *sums, const struct anydnn_plugin_plan *plan,
                          const cuda_call *call, const norm_backward_params &params,
                          const cuda_norm_nhwc_job *rows)
{
    switch (plan->problem.tensor[NORM_BACKWARD(x)]->type) {
#define CASE(T)                                                                                    \
    return cuda_norm_is_curved(plan) ? run<T, true>(sums, plan, call, params, rows)                \
                                     : run<T, false>(sums, plan, call, params, rows)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
    return ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR;
}
