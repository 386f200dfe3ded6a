/* SPDX-License-Identifier: Apache-2.0 */
/* Computes mean and variance of every cell of batch normalization, and stores the values that
 * training keeps. */
#include "batch_norm_element.h"
#include "batch_norm_finish.h"
#include "batch_norm_nhwc.h"

/* The sums of x - shift and of its square. If the shift is near the mean, the variance loses
 * nothing to cancellation. The first element suffices for float data with sums in double; double
 * data takes a second pass. */
struct cuda_stats_sum {
    double first, second;
};

template <class E> struct cuda_stats_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef cuda_stats_params params;
    typedef double cell; /* the shift */
    typedef cuda_stats_sum sum;
    enum { IN = 1, EXTRA = 0, OUT = CUDA_STATS_COUNT - 1, BY_VECTORS = 1 };
    enum { RUNS = sizeof(A) == sizeof(float) ? 2 : 0 };

    static __device__ cell make_cell(const cuda_reduce_job<cuda_stats_op> &job, const int64_t at[])
    {
        double shift = job.params.is_shifted ? job.params.cells[at[CUDA_STATS_CELLS]].mean
                                             : (double)cuda_load(((const T *)job.data[0])[at[0]]);
        return isfinite(shift) ? shift : 0;
    }
    static __device__ sum start(const params &)
    {
        return {0, 0};
    }
    static __device__ void add(const params &, const cell &shift, sum *to, const A in[],
                               const int64_t[], int64_t)
    {
        double v = (double)in[0] - shift;

        to->first += v;
        to->second += v * v;
    }

    /* Allows runs always: the shift of float data is an element or 0, so it is exact in float. */
    static bool takes_runs(const params &)
    {
        return true;
    }
    static __device__ float padding(const cell &shift)
    {
        return (float)shift;
    }
    static __device__ void run(const cell &shift, const float in[][CUDA_ROWS_RUN], float to[])
    {
        float v[CUDA_ROWS_RUN], square[CUDA_ROWS_RUN];

#pragma unroll
        for (int i = 0; i < CUDA_ROWS_RUN; i++) {
            v[i] = in[0][i] - (float)shift;
            square[i] = v[i] * v[i];
        }
        to[0] = cuda_run_sum<CUDA_ROWS_RUN>(v);
        to[1] = cuda_run_sum<CUDA_ROWS_RUN>(square);
    }
    static __device__ void take(const cell &, sum *to, const float run[])
    {
        to->first += (double)run[0];
        to->second += (double)run[1];
    }

    static __device__ void join(const params &, sum *to, const sum &from)
    {
        to->first += from.first;
        to->second += from.second;
    }

    static __device__ void finish(const cuda_reduce_job<cuda_stats_op> &job, const int64_t at[],
                                  int64_t, const sum &from)
    {
        const params &p = job.params;
        cuda_norm_cell *to = &p.cells[at[CUDA_STATS_CELLS]];
        cuda_norm_moments moments =
            cuda_norm_moments_of(from.first, from.second, make_cell(job, at), p.count, p.epsilon);
        double scale, bias;

        to->mean = moments.mean;
        if (!p.is_last)
            return;
        bias = job.data[CUDA_STATS_BIAS]
                   ? cuda_norm_load<T>(job.data[CUDA_STATS_BIAS], at[CUDA_STATS_BIAS],
                                       p.shorts >> CUDA_STATS_BIAS & 1)
                   : 0;
        scale = cuda_norm_load<T>(job.data[CUDA_STATS_SCALE], at[CUDA_STATS_SCALE],
                                  p.shorts >> CUDA_STATS_SCALE & 1);
        *to = {moments.mean, 0, 0, 0, moments.inv_std, scale, bias, 0};
        if (p.numbers)
            ((cuda_norm_numbers<A> *)p.numbers)[at[CUDA_STATS_CELLS]] = {
                (A)moments.mean, (A)moments.inv_std, (A)scale, (A)bias};
        if (p.coefficients)
            cuda_norm_forward_coefficients::make(p.coefficients + at[CUDA_STATS_CELLS], p.channels,
                                                 *to);
        cuda_norm_keep<T>(job.data + CUDA_STATS_RUNNING_MEAN, at + CUDA_STATS_RUNNING_MEAN, moments,
                          p.count, p.factor, p.shorts >> CUDA_STATS_RUNNING_MEAN);
    }
};

template <class T>
static void prepare(cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                    const struct anydnn_plugin_tensor *tensor[CUDA_STATS_COUNT])
{
    struct anydnn_plugin_tensor grid = cuda_norm_grid(plan);

    state->shorts = cuda_norm_shorts(tensor, CUDA_STATS_COUNT);
    for (int t = 1; t < CUDA_STATS_COUNT; t++)
        tensor[t] = tensor[t] ? tensor[t] : &grid;
    cuda_norm_nhwc_prepare(&state->rows, plan, 0, tensor, 1);
    cuda_reduce_prepare<cuda_stats_op<T>>(&state->sums, plan, tensor, cuda_norm_within(plan),
                                          KIT_WALK_SORTED);
}

void cuda_stats_prepare(cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                        const struct anydnn_plugin_tensor *tensor[CUDA_STATS_COUNT])
{
    switch (plan->problem.tensor[0]->type) {
#define CASE(T) prepare<T>(state, plan, tensor)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

size_t cuda_stats_partial_size(const cuda_stats_plan *state)
{
    return cuda_norm_partial_size(&state->rows);
}

/* Runs one pass over x: by rows if tensors and pointers allow it, else by the general reduction. */
template <class T>
static int32_t run_pass(const cuda_stats_plan *state, const cuda_call *call, int32_t type,
                        cuda_reduce_job<cuda_stats_op<T>> *job, void *partial_sums)
{
    cuda_norm_nhwc_job rows = {};
    int32_t status;

    rows.rows = state->rows;
    rows.x = job->data[CUDA_STATS_X];
    rows.partial_sums = (double *)partial_sums;
    if (!cuda_norm_nhwc_taken(&rows))
        return cuda_reduce_run(&state->sums, call, job);
    status = cuda_norm_nhwc_sums(call, type, &rows);
    return status ? status : cuda_norm_join(&state->sums, call, job, rows);
}

template <class T>
static int32_t run(const cuda_stats_plan *state, const cuda_call *call, int32_t type,
                   void *const data[CUDA_STATS_COUNT], const cuda_stats_params &params,
                   void *partial_sums)
{
    cuda_reduce_job<cuda_stats_op<T>> job;
    int passes = sizeof(T) == sizeof(double) ? 2 : 1;
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int t = 0; t < CUDA_STATS_COUNT; t++)
        job.data[t] = data[t];
    job.params = params;
    job.params.shorts = state->shorts;
    for (int pass = 0; pass < passes && !status; pass++) {
        job.params.is_shifted = pass;
        job.params.is_last = pass == passes - 1;
        status = run_pass<T>(state, call, type, &job, partial_sums);
    }
    return status;
}

int32_t cuda_stats_run(const cuda_stats_plan *state, const struct anydnn_plugin_plan *plan,
                       const cuda_call *call, void *const data[CUDA_STATS_COUNT],
                       const cuda_stats_params &params, void *partial_sums)
{
    switch (plan->problem.tensor[0]->type) {
#define CASE(T)                                                                                    \
    return run<T>(state, call, plan->problem.tensor[0]->type, data, params, partial_sums)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
    return ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR;
}
