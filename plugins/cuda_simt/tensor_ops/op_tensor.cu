/* SPDX-License-Identifier: Apache-2.0 */
/* op_tensor: c = op(alpha1*a, alpha2*b) + beta*c, with b broadcast along its dims of size 1. It
 * computes in double, so that results that are exact in double are rounded once. */
#include "../../cuda_common/table.h"
#include "../shared/map.h"

#include <type_traits>

/* The operators of struct anydnn_plugin_op_tensor. */
enum { ADD, MUL, MIN, MAX, SQRT, NOT };

struct op_params {
    double alpha1, alpha2, beta;
    int32_t op;
    int32_t nan_propagate;
    int32_t ab_type, c_type;
};

/* Returns the smaller or the larger operand. If one is NaN, returns NaN if that propagates, else
 * the other operand. */
__device__ static inline double choose(int32_t op, int32_t nan_propagate, double a, double b)
{
    if (isnan(a))
        return nan_propagate ? a : b;
    if (isnan(b))
        return nan_propagate ? b : a;
    return (op == MIN) == (b < a) ? b : a;
}

__device__ static inline double operate(const op_params &p, double a, double b)
{
    a *= p.alpha1;
    b *= p.alpha2;
    switch (p.op) {
    case ADD:
        return a + b;
    case MUL:
        return a * b;
    case SQRT:
        return sqrt(a);
    case NOT:
        return 1 - a;
    default:
        return choose(p.op, p.nan_propagate, a, b);
    }
}

/* The op for operands of one type. The sum with beta*c is rounded only once, so c is an input
 * here. */
template <class E> struct op_same {
    typedef E T;
    typedef op_params params;
    enum { OUT = 1, IN = 2, EXTRA = 0 };

    static __device__ double compute(const params &p, double a, double b)
    {
        return operate(p, a, b);
    }
};

template <class E>
__global__ void __launch_bounds__(CUDA_THREADS) op_vectors(cuda_map_job<op_same<E>> job)
{
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t behind = i - job.walk.count, at[3];
    cuda_blend blend = {1, job.params.beta};

    if (behind < 0) {
        cuda_vector<E> a, b, c;

        cuda_walk_place<3>(job.walk, i, at);
        cuda_vector_read(a, job.data[1], at[1], job.walk.lane[1]);
        cuda_vector_read(b, job.data[2], at[2], job.walk.lane[2]);
        if (blend.beta != 0)
            c.whole = *(const uint4 *)((const E *)job.data[0] + at[0]);
#pragma unroll
        for (int lane = 0; lane < cuda_vector<E>::LANES; lane++)
            cuda_blend_store(&c.lane[lane],
                             operate(job.params, (double)cuda_load(a.lane[lane]),
                                     (double)cuda_load(b.lane[lane])),
                             blend);
        *(uint4 *)((E *)job.data[0] + at[0]) = c.whole;
    } else if (behind < job.walk.tail) {
        for (int t = 0; t < 3; t++)
            at[t] = (job.walk.count * job.walk.lanes + behind) * job.walk.lane[t];
        cuda_blend_store((E *)job.data[0] + at[0],
                         operate(job.params, (double)cuda_load(((const E *)job.data[1])[at[1]]),
                                 (double)cuda_load(((const E *)job.data[2])[at[2]])),
                         blend);
    }
}

/* Computes a + b in float. The result equals the one rounded from double (see blend.cu). */
template <class E>
__global__ void __launch_bounds__(CUDA_THREADS) op_sums(cuda_map_job<op_same<E>> job)
{
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t behind = i - job.walk.count, at[3];

    if (behind < 0) {
        enum { LANES = cuda_vector<E>::LANES };
        cuda_vector<E> a, b;
        float sum[LANES];

        cuda_walk_place<3>(job.walk, i, at);
        cuda_vector_read(a, job.data[1], at[1], job.walk.lane[1]);
        cuda_vector_read(b, job.data[2], at[2], job.walk.lane[2]);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] = cuda_load(a.lane[lane]) + cuda_load(b.lane[lane]);
        cuda_vector_store((E *)job.data[0] + at[0], sum, {1, 0});
    } else if (behind < job.walk.tail) {
        for (int t = 0; t < 3; t++)
            at[t] = (job.walk.count * job.walk.lanes + behind) * job.walk.lane[t];
        cuda_store((E *)job.data[0] + at[0], cuda_load(((const E *)job.data[1])[at[1]]) +
                                                 cuda_load(((const E *)job.data[2])[at[2]]));
    }
}

/* The op for operands of any types and strides. */
struct op_mixed {
    typedef op_params params;
    enum { OUT = 1, IN = 2, EXTRA = 0 };

    static __device__ void run(const cuda_map_job<op_mixed> &job, const int64_t at[])
    {
        const op_params &p = job.params;
        double a = cuda_load_any(p.ab_type, job.data[1], at[1]);
        double b = cuda_load_any(p.ab_type, job.data[2], at[2]);

        cuda_blend_store_any(p.c_type, job.data[0], at[0], operate(p, a, b), {1, p.beta});
    }
};

/* ------------------------------------------------------------------ plans */

struct op_state {
    cuda_map_plan map;
    int32_t (*launch)(const op_state *state, const cuda_call *call, void *const data[],
                      const op_params &params); /* NULL if only op_mixed accepts the operands */
    op_params params;
};

template <class E>
static int32_t launch(const op_state *state, const cuda_call *call, void *const data[],
                      const op_params &params)
{
    void (*kernel)(cuda_map_job<op_same<E>>) = op_vectors<E>;
    cuda_map_job<op_same<E>> job;

    if constexpr (sizeof(E) == 2 || std::is_same<E, float>::value) {
        if (params.op == ADD && params.alpha1 == 1 && params.alpha2 == 1 && params.beta == 0)
            kernel = op_sums<E>;
    }
    job.walk = state->map.vectors;
    for (int t = 0; t < 3; t++)
        job.data[t] = data[t];
    job.params = params;
    return cuda_launch(call, kernel, cuda_blocks(job.walk.count + job.walk.tail, CUDA_THREADS), 1,
                       job);
}

static int takes_b(int32_t op)
{
    return op != SQRT && op != NOT;
}

template <class E>
static void prepare(op_state *state, const struct anydnn_plugin_tensor *const tensor[])
{
    cuda_map_prepare<op_same<E>>(&state->map, tensor, KIT_WALK_SORTED);
    state->launch = launch<E>;
}

/* Prepares a plan. If the operator does not read b, a takes its place. */
static void op_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_op_tensor *params =
        (const struct anydnn_plugin_op_tensor *)plan->problem.params;
    const struct anydnn_plugin_tensor *const *tensor = plan->problem.tensor;
    const struct anydnn_plugin_tensor *mapped[] = {
        tensor[slot_op_tensor_c], tensor[slot_op_tensor_a],
        takes_b(params->op) ? tensor[slot_op_tensor_b] : tensor[slot_op_tensor_a]};
    op_state *state = (op_state *)plan->job;

    state->params.op = params->op;
    state->params.nan_propagate = params->nan_propagate;
    state->params.ab_type = tensor[slot_op_tensor_a]->type;
    state->params.c_type = tensor[slot_op_tensor_c]->type;
    if (tensor[slot_op_tensor_a]->type != tensor[slot_op_tensor_c]->type) {
        cuda_walk_make(&state->map.walk, mapped, 3, KIT_WALK_ALL, KIT_WALK_SORTED);
        return;
    }
    switch (tensor[slot_op_tensor_a]->type) {
#define CASE(T) prepare<T>(state, mapped)
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

static int32_t op_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_operands *operands = call->operands;
    const op_state *state = (const op_state *)plan->job;
    op_params params = state->params;
    int b = takes_b(params.op) ? slot_op_tensor_b : slot_op_tensor_a;
    void *const data[] = {operands->data[slot_op_tensor_c], operands->data[slot_op_tensor_a],
                          operands->data[b]};
    cuda_map_job<op_mixed> job;

    params.alpha1 = operands->scale[0];
    params.alpha2 = operands->scale[1];
    params.beta = operands->scale[2];
    if (state->launch && cuda_map_aligned(&state->map, data, 3))
        return state->launch(state, call, data, params);
    for (int t = 0; t < 3; t++)
        job.data[t] = data[t];
    job.params = params;
    return cuda_each_run(&state->map.walk, call, &job);
}

CUDA_OPERATION(op_tensor, OP_TENSOR, .types = CUDA_FLOATS | CUDA_TYPE(INT8), .layouts = KIT_LAYOUTS,
               .job_size = sizeof(op_state), .prepare = op_prepare, .run = op_run);
