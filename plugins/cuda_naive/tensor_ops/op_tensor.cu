/* SPDX-License-Identifier: Apache-2.0 */
/* Implements op_tensor: c = op(alpha1 * a, alpha2 * b) + beta * c in double. b is broadcast
 * along its dims of size 1. */
#include "../naive.h"

struct op_job {
    naive_tensor a, b, c; /* b is absent if the operator has one argument */
    int32_t op;           /* ANYDNN_PLUGIN_OP_TENSOR_xxx */
    int32_t nan_propagate;
    double alpha1, alpha2, beta;
};

/* Returns the smaller or the larger number. If one is NaN, it returns NaN if NaN propagates,
 * otherwise the other number. */
__device__ static inline double choose(const op_job &job, double a, double b)
{
    if (isnan(a))
        return job.nan_propagate ? a : b;
    if (isnan(b))
        return job.nan_propagate ? b : a;
    return (job.op == ANYDNN_PLUGIN_OP_TENSOR_MIN) == (b < a) ? b : a;
}

__device__ static inline double operate(const op_job &job, double a, double b)
{
    switch (job.op) {
    case ANYDNN_PLUGIN_OP_TENSOR_ADD:
        return a + b;
    case ANYDNN_PLUGIN_OP_TENSOR_MUL:
        return a * b;
    case ANYDNN_PLUGIN_OP_TENSOR_SQRT:
        return sqrt(a);
    case ANYDNN_PLUGIN_OP_TENSOR_NOT:
        return 1 - a;
    default:
        return choose(job, a, b);
    }
}

static __global__ void op_elements(op_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    double a, b = 0;

    if (i >= job.c.count)
        return;
    naive_unravel(job.c.dims, job.c.ndims, i, at);
    a = job.alpha1 * naive_load_any(job.a, naive_offset(job.a, at));
    if (job.b.data)
        b = job.alpha2 * naive_load_any(job.b, naive_offset(job.b, at));
    naive_store(job.c, naive_offset(job.c, at), operate(job, a, b), {1, job.beta});
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_op_tensor *params =
        (const struct anydnn_plugin_op_tensor *)plan->problem.params;
    op_job job = {};

    job.a = naive_tensor_of(plan, call, slot_op_tensor_a);
    job.c = naive_tensor_of(plan, call, slot_op_tensor_c);
    job.op = params->op;
    if (job.op != ANYDNN_PLUGIN_OP_TENSOR_SQRT && job.op != ANYDNN_PLUGIN_OP_TENSOR_NOT)
        job.b = naive_tensor_of(plan, call, slot_op_tensor_b);
    job.nan_propagate = params->nan_propagate;
    job.alpha1 = call->operands->scale[0];
    job.alpha2 = call->operands->scale[1];
    job.beta = call->operands->scale[2];
    return naive_launch(call, op_elements, job.c.count, job);
}

CUDA_OPERATION(op_tensor, OP_TENSOR, .types = CUDA_FLOATS | CUDA_TYPE(INT8), .layouts = KIT_LAYOUTS,
               .run = run);
