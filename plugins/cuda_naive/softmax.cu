/* SPDX-License-Identifier: Apache-2.0 */
/* Implements softmax forward and backward. A block processes one vector, along c or along all
 * dims but n, in passes: maximum, sum, results. */
#include "naive.h"

#include <float.h>

struct softmax_job {
    naive_tensor x, y, dy, dx;
    int32_t algorithm; /* ANYDNN_PLUGIN_SOFTMAX_xxx */
    int32_t by_channel;
    int64_t vectors, length;
    cuda_blend blend;
};

/* Finds element i of this block's vector, as an index tuple of tensor t. */
__device__ static inline void element_of(const softmax_job &job, const naive_tensor &t, int64_t i,
                                         int64_t at[])
{
    int64_t extents[NAIVE_DIMS];

    if (!job.by_channel) {
        naive_unravel(t.dims, t.ndims, blockIdx.x * job.length + i, at);
        return;
    }
    for (int d = 0; d < t.ndims; d++)
        extents[d] = d == 1 ? 1 : t.dims[d];
    naive_unravel(extents, t.ndims, blockIdx.x, at);
    at[1] = i;
}

template <class T>
__device__ static inline typename cuda_arith<T>::type load_of(const softmax_job &job,
                                                              const naive_tensor &t, int64_t i)
{
    int64_t at[NAIVE_DIMS];

    element_of(job, t, i, at);
    return naive_load<T>(t, naive_offset(t, at));
}

__device__ static inline void store_of(const softmax_job &job, const naive_tensor &t, int64_t i,
                                       double value)
{
    int64_t at[NAIVE_DIMS];

    element_of(job, t, i, at);
    naive_store(t, naive_offset(t, at), value, job.blend);
}

__device__ static inline float lowest_number(float)
{
    return -FLT_MAX;
}

__device__ static inline double lowest_number(double)
{
    return -DBL_MAX;
}

/* Computes y. NaN is ignored by the maximum, and reaches the results through the sum. The
 * maximum starts at the lowest finite number, so that x - max of a vector of only -Inf is not
 * NaN. The sum of such a vector is 0. Its results are 0, or -Inf for the logarithm, as in cuDNN. */
template <class T> __global__ void softmax_forward(softmax_job job)
{
    typedef typename cuda_arith<T>::type A;
    A max = 0, sum = 0, log_sum;

    if (job.algorithm != ANYDNN_PLUGIN_SOFTMAX_FAST) {
        max = lowest_number(max);
        for (int64_t i = threadIdx.x; i < job.length; i += blockDim.x) {
            A x = load_of<T>(job, job.x, i);
            max = x > max ? x : max;
        }
        max = naive_block_join(max, [](A a, A b) { return b > a ? b : a; });
    }
    for (int64_t i = threadIdx.x; i < job.length; i += blockDim.x)
        sum += exp(load_of<T>(job, job.x, i) - max);
    sum = naive_block_sum(sum);
    if (job.algorithm != ANYDNN_PLUGIN_SOFTMAX_FAST && sum == 0)
        sum = 1;
    log_sum = log(sum);
    for (int64_t i = threadIdx.x; i < job.length; i += blockDim.x) {
        A x = load_of<T>(job, job.x, i) - max;

        store_of(job, job.y, i,
                 (double)(job.algorithm == ANYDNN_PLUGIN_SOFTMAX_LOG ? x - log_sum : exp(x) / sum));
    }
}

/* Computes dx = y * (dy - sum of y * dy), or dy - exp(y) * sum of dy for the logarithm. */
template <class T> __global__ void softmax_backward(softmax_job job)
{
    typedef typename cuda_arith<T>::type A;
    int is_log = job.algorithm == ANYDNN_PLUGIN_SOFTMAX_LOG;
    A sum = 0;

    for (int64_t i = threadIdx.x; i < job.length; i += blockDim.x) {
        A y = is_log ? 1 : load_of<T>(job, job.y, i);
        sum += y * load_of<T>(job, job.dy, i);
    }
    sum = naive_block_sum(sum);
    for (int64_t i = threadIdx.x; i < job.length; i += blockDim.x) {
        A y = load_of<T>(job, job.y, i), dy = load_of<T>(job, job.dy, i);

        store_of(job, job.dx, i, (double)(is_log ? dy - exp(y) * sum : y * (dy - sum)));
    }
}

/* ------------------------------------------------------------------ on the host */

static softmax_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call, int y)
{
    const struct anydnn_plugin_softmax *params =
        (const struct anydnn_plugin_softmax *)plan->problem.params;
    softmax_job job = {};

    job.y = naive_tensor_of(plan, call, y);
    job.algorithm = params->algorithm;
    job.by_channel = params->mode == ANYDNN_PLUGIN_SOFTMAX_MODE_CHANNEL;
    job.length = job.by_channel ? job.y.dims[1] : job.y.count / job.y.dims[0];
    job.vectors = job.y.count / job.length;
    job.blend = naive_blend(call, 0);
    return job;
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    softmax_job job = job_of(plan, call, slot_softmax_forward_y);

    job.x = naive_tensor_of(plan, call, slot_softmax_forward_x);
    return naive_launch_blocks(call, NAIVE_FLOATS_AND_INT8(softmax_forward, job.x.type),
                               job.vectors, job.length, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    softmax_job job = job_of(plan, call, slot_softmax_backward_y);

    job.dy = naive_tensor_of(plan, call, slot_softmax_backward_dy);
    job.dx = naive_tensor_of(plan, call, slot_softmax_backward_dx);
    return naive_launch_blocks(call, NAIVE_FLOATS(softmax_backward, job.dx.type), job.vectors,
                               job.length, job);
}

CUDA_OPERATION(softmax_forward, SOFTMAX_FORWARD, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .run = forward_run);
CUDA_OPERATION(softmax_backward, SOFTMAX_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .run = backward_run);
