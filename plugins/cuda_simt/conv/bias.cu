/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the gradient of a convolution with respect to its bias: the sum of dy over all dims
 * except the channels. */
#include "../../cuda_common/table.h"
#include "../shared/reduce.h"

template <class E> struct bias_op : cuda_plain_runs<cuda_nothing> {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef cuda_nothing params, cell;
    typedef double sum;
    enum { IN = 1, EXTRA = 0, OUT = 1, BY_VECTORS = 1, RUNS = sizeof(A) == sizeof(float) };

    static __device__ cell make_cell(const cuda_reduce_job<bias_op> &, const int64_t[])
    {
        return {};
    }
    static __device__ sum start(const params &)
    {
        return 0;
    }
    static __device__ void add(const params &, const cell &, sum *to, const A in[], const int64_t[],
                               int64_t)
    {
        *to += (double)in[0];
    }
    static __device__ void join(const params &, sum *to, const sum &from)
    {
        *to += from;
    }
    static __device__ void finish(const cuda_reduce_job<bias_op> &job, const int64_t at[], int64_t,
                                  const sum &from)
    {
        cuda_blend_store((T *)job.data[1] + at[1], from, job.blend);
    }
};

struct bias_state {
    cuda_reduce_plan reduce;
    int32_t (*launch)(const bias_state *state, const cuda_call *call);
};

template <class T> static int32_t launch(const bias_state *state, const cuda_call *call)
{
    cuda_reduce_job<bias_op<T>> job;

    job.data[0] = call->operands->data[slot_convolution_backward_bias_dy];
    job.data[1] = call->operands->data[slot_convolution_backward_bias_db];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    return cuda_reduce_run(&state->reduce, call, &job);
}

template <class T> static void prepare(struct anydnn_plugin_plan *plan)
{
    bias_state *state = (bias_state *)plan->job;

    cuda_reduce_prepare<bias_op<T>>(&state->reduce, plan, plan->problem.tensor, ~(1u << 1),
                                    KIT_WALK_SORTED);
    state->launch = launch<T>;
}

static void bias_prepare(struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[slot_convolution_backward_bias_dy]->type) {
#define CASE(T) prepare<T>(plan)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t bias_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const bias_state *state = (const bias_state *)plan->job;
    return state->launch(state, call);
}

CUDA_OPERATION(convolution_backward_bias, CONVOLUTION_BACKWARD_BIAS, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(bias_state), .prepare = bias_prepare,
               .run = bias_run);
