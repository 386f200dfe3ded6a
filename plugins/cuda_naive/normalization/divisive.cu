/* SPDX-License-Identifier: Apache-2.0 */
/* Implements divisive normalization, the second half of local contrast normalization. y_i = x_i
 * s_i^-b with s_i = k + a * (sum of (x_j - means_i)^2 over the window around i in all spatial
 * dims). A thread per element reads the whole window. The backward pass stores each element's
 * terms between its two kernels. The temp operands are not used. */
#include "lrn.h"

#define FORWARD(name)  slot_divisive_normalization_forward_##name
#define BACKWARD(name) slot_divisive_normalization_backward_##name

struct divisive_job {
    naive_tensor x, means, dy, out, dmeans;
    lrn_window window;
    cuda_blend blend;
    void *direct; /* dy s^-b of each element in logical order, in its arithmetic type */
    void *shared; /* dy x s^(-b-1), stored likewise */
};

/* An iterator over the positions of a window around an element. */
struct divisive_walk {
    int64_t at[NAIVE_DIMS], first[NAIVE_DIMS], last[NAIVE_DIMS];

    __device__ divisive_walk(const naive_tensor &t, const int64_t around[], int64_t before,
                             int64_t after)
    {
        for (int d = 0; d < t.ndims; d++) {
            first[d] = last[d] = around[d];
            if (d >= 2)
                lrn_cut(around[d], before, after, t.dims[d], &first[d], &last[d]);
            at[d] = first[d];
        }
    }

    __device__ bool next(int ndims)
    {
        for (int d = ndims - 1; d >= 2; d--) {
            if (++at[d] <= last[d])
                return true;
            at[d] = first[d];
        }
        return false;
    }
};

template <class T>
__device__ static inline typename cuda_arith<T>::type mean_of(const divisive_job &job,
                                                              const int64_t at[])
{
    return job.means.data ? naive_load<T>(job.means, naive_offset(job.means, at)) : 0;
}

/* Returns s of an element. *sum becomes the sum of x_j - means over its window. */
template <class T>
__device__ static inline typename cuda_arith<T>::type
scale_of(const divisive_job &job, const int64_t at[], typename cuda_arith<T>::type *sum)
{
    typedef typename cuda_arith<T>::type A;
    divisive_walk walk(job.x, at, job.window.before, job.window.after);
    A mean = mean_of<T>(job, at), squares = 0;

    *sum = 0;
    do {
        A v = naive_load<T>(job.x, naive_offset(job.x, walk.at)) - mean;

        *sum += v;
        squares += v * v;
    } while (walk.next(job.x.ndims));
    return (A)job.window.k + (A)job.window.alpha * squares;
}

template <class T> __global__ void divisive_forward(divisive_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    A sum, s;

    if (i >= job.x.count)
        return;
    naive_unravel(job.x.dims, job.x.ndims, i, at);
    s = scale_of<T>(job, at, &sum);
    naive_store(
        job.out, naive_offset(job.out, at),
        (double)(naive_load<T>(job.x, naive_offset(job.x, at)) * pow(s, (A)-job.window.beta)),
        job.blend);
}

/* Computes both terms of each element, and dmeans = 2 a b dy x s^(-b-1) (sum of x_j - means over
 * the window). */
template <class T> __global__ void divisive_parts(divisive_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    A sum, s, direct, shared;

    if (i >= job.x.count)
        return;
    naive_unravel(job.x.dims, job.x.ndims, i, at);
    s = scale_of<T>(job, at, &sum);
    direct = naive_load<T>(job.dy, naive_offset(job.dy, at)) * pow(s, (A)-job.window.beta);
    shared = direct * naive_load<T>(job.x, naive_offset(job.x, at)) / s;
    ((A *)job.direct)[i] = direct;
    ((A *)job.shared)[i] = shared;
    if (job.dmeans.data)
        naive_store(job.dmeans, naive_offset(job.dmeans, at),
                    2 * job.window.alpha * job.window.beta * (double)shared * (double)sum,
                    job.blend);
}

/* Computes dx_j = dy_j s_j^-b - 2 a b (sum of dy_i x_i s_i^(-b-1) (x_j - means_i)). The sum
 * covers the elements i whose windows contain j. */
template <class T> __global__ void divisive_backward(divisive_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    A x, sum = 0;

    if (i >= job.x.count)
        return;
    naive_unravel(job.x.dims, job.x.ndims, i, at);
    x = naive_load<T>(job.x, naive_offset(job.x, at));
    divisive_walk walk(job.x, at, job.window.after, job.window.before);
    do {
        int64_t number = 0;

        for (int d = 0; d < job.x.ndims; d++)
            number = number * job.x.dims[d] + walk.at[d];
        sum += ((const A *)job.shared)[number] * (x - mean_of<T>(job, walk.at));
    } while (walk.next(job.x.ndims));
    naive_store(job.out, naive_offset(job.out, at),
                (double)((const A *)job.direct)[i] -
                    2 * job.window.alpha * job.window.beta * (double)sum,
                job.blend);
}

/* ------------------------------------------------------------------ on the host */

static_assert(KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward, x) &&
                  KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward,
                                means),
              "divisive_normalization_forward and divisive_normalization_backward share functions");

static divisive_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call, int out)
{
    divisive_job job = {};

    job.x = naive_tensor_of(plan, call, FORWARD(x));
    job.means = naive_tensor_of(plan, call, FORWARD(means));
    job.out = naive_tensor_of(plan, call, out);
    job.window = lrn_window_of(plan, job.x.ndims - 2);
    job.blend = naive_blend(call, 0);
    return job;
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    divisive_job job = job_of(plan, call, FORWARD(y));

    return naive_launch(call, NAIVE_FLOATS(divisive_forward, job.x.type), job.x.count, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    divisive_job job = job_of(plan, call, BACKWARD(dx));
    size_t bytes =
        (size_t)job.x.count * (job.x.type == ANYDNN_PLUGIN_DOUBLE ? sizeof(double) : sizeof(float));
    int32_t dropped, status = cuda_scratch_take(call->device, call->stream, 2 * bytes, &job.direct);

    if (status)
        return status;
    job.shared = (char *)job.direct + bytes;
    job.dy = naive_tensor_of(plan, call, BACKWARD(dy));
    job.dmeans = naive_tensor_of(plan, call, BACKWARD(dmeans));
    status = naive_launch(call, NAIVE_FLOATS(divisive_parts, job.x.type), job.x.count, job);
    if (!status)
        status = naive_launch(call, NAIVE_FLOATS(divisive_backward, job.x.type), job.x.count, job);
    dropped = cuda_scratch_drop(call->device, call->stream, job.direct);
    return status ? status : dropped;
}

CUDA_OPERATION(divisive_normalization_forward, DIVISIVE_NORMALIZATION_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .run = forward_run);
CUDA_OPERATION(divisive_normalization_backward, DIVISIVE_NORMALIZATION_BACKWARD,
               .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS, .scratch = 1, .run = backward_run);
