/* SPDX-License-Identifier: Apache-2.0 */
/* Implements matrix products with a thread per element of d, which adds its products in the order
 * of k. */
#include "../cuda_common/gelu.h"
#include "naive.h"

#define SLOT(name) slot_matmul_##name

struct matmul_job {
    naive_tensor a, b, c, bias, d, aux; /* c, bias and aux may be absent */
    int64_t inner;                      /* K */
    double alpha, beta;
    cuda_activation f;
};

/* Returns an operand's element, or 0 where the operand is absent. */
template <class A> __device__ static inline A load_of(const naive_tensor &t, const int64_t at[])
{
    return t.data ? (A)naive_load_any(t, naive_offset(t, at)) : 0;
}

/* Dims of 1 have stride 0, so the index of d serves every operand but the inner dims of a and b. */
template <class T> __global__ void matmul(matmul_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS], row, column, a_step, b_step, a_at, b_at;
    int last = job.d.ndims - 1;
    A v = 0;

    if (i >= job.d.count)
        return;
    naive_unravel(job.d.dims, job.d.ndims, i, at);
    row = at[last - 1];
    column = at[last];
    at[last] = 0;
    a_at = naive_offset(job.a, at);
    a_step = job.a.strides[last];
    at[last - 1] = 0;
    at[last] = column;
    b_at = naive_offset(job.b, at);
    b_step = job.b.strides[last - 1];
    at[last - 1] = row;
    for (int64_t k = 0; k < job.inner; k++)
        v += naive_load<T>(job.a, a_at + k * a_step) * naive_load<T>(job.b, b_at + k * b_step);
    v *= (A)job.alpha;
    if (job.beta != 0)
        v += (A)job.beta * load_of<A>(job.c, at);
    v += load_of<A>(job.bias, at);
    if (job.aux.data)
        naive_store(job.aux, naive_offset(job.aux, at), (double)v, {1, 0});
    naive_store(job.d, naive_offset(job.d, at), (double)cuda_activate_any(job.f, v), {1, 0});
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_matmul *params =
        (const struct anydnn_plugin_matmul *)plan->problem.params;
    matmul_job job = {};

    job.a = naive_tensor_of(plan, call, SLOT(a));
    job.b = naive_tensor_of(plan, call, SLOT(b));
    job.c = naive_tensor_of(plan, call, SLOT(c));
    job.bias = naive_tensor_of(plan, call, SLOT(bias));
    job.d = naive_tensor_of(plan, call, SLOT(d));
    job.aux = naive_tensor_of(plan, call, SLOT(aux));
    job.inner = job.a.dims[job.a.ndims - 1];
    job.alpha = call->operands->scale[0];
    job.beta = job.c.data ? call->operands->scale[1] : 0;
    job.f = {params->activation, params->nan_propagate, params->coef};
    return naive_launch(call, NAIVE_FLOATS(matmul, job.a.type), job.d.count, job);
}

CUDA_OPERATION(matmul, MATMUL, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS, .run = run);
