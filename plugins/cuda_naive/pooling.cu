/* SPDX-License-Identifier: Apache-2.0 */
/* Implements pooling. Forward runs a thread per element of y, which reads its window. Backward
 * runs a thread per element of dx, which sums over the windows that cover it. */
#include "naive.h"

#include <float.h>

struct pooling_job {
    naive_tensor x, y, dy, dx; /* dy and dx: only backward */
    int32_t spatial;
    int32_t is_max, counts_padding, nan_propagate;
    int64_t window[NAIVE_SPATIAL], pad[NAIVE_SPATIAL], stride[NAIVE_SPATIAL];
    double lowest; /* lowest finite number of the type */
    cuda_blend blend;
};

/* Finds the window of output `o`, from `begin` up to `end`, clipped to the input. A negative pad
 * removes elements at the end of the input. Returns false if the window is empty. */
__device__ static inline bool window_of(const pooling_job &job, const int64_t o[], int64_t begin[],
                                        int64_t end[])
{
    bool has = true;

    for (int s = 0; s < job.spatial; s++) {
        int64_t most = job.x.dims[2 + s] + (job.pad[s] < 0 ? job.pad[s] : 0);

        begin[s] = o[s] * job.stride[s] - job.pad[s];
        end[s] = begin[s] + job.window[s] < most ? begin[s] + job.window[s] : most;
        begin[s] = begin[s] > 0 ? begin[s] : 0;
        has = has && begin[s] < end[s];
    }
    return has;
}

/* Returns the divisor of the average at output `o`: the product of the window's extents, clipped
 * to the padded input or to the input. If the window is empty, factors may be 0 or less, as in
 * cuDNN. */
__device__ static inline double divisor_of(const pooling_job &job, const int64_t o[])
{
    double divisor = 1;

    for (int s = 0; s < job.spatial; s++) {
        int64_t extent = job.x.dims[2 + s];
        int64_t begin = o[s] * job.stride[s] - job.pad[s], end = begin + job.window[s];

        end = end < extent + job.pad[s] ? end : extent + job.pad[s];
        if (!job.counts_padding) {
            end = end < extent ? end : extent;
            begin = begin > 0 ? begin : 0;
        }
        divisor *= (double)(end - begin);
    }
    return divisor;
}

/* Advances a position in row-major order within a window. Returns false after the last one. */
__device__ static inline bool next_in(const pooling_job &job, const int64_t begin[],
                                      const int64_t end[], int64_t at[])
{
    for (int s = job.spatial - 1; s >= 0; s--) {
        if (++at[s] < end[s])
            return true;
        at[s] = begin[s];
    }
    return false;
}

/* ------------------------------------------------------------------ forward */

/* Computes an element of y. A maximum starts at the lowest finite number. It skips NaN, or stays
 * NaN if NaN propagates. */
template <class T> __global__ void pooling_forward(pooling_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), o[NAIVE_DIMS], at[NAIVE_DIMS], begin[NAIVE_SPATIAL],
            end[NAIVE_SPATIAL];
    A result = job.is_max ? (A)job.lowest : 0;
    bool more;

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, o);
    more = window_of(job, o + 2, begin, end);
    at[0] = o[0];
    at[1] = o[1];
    for (int s = 0; s < job.spatial; s++)
        at[2 + s] = begin[s];
    for (; more; more = next_in(job, begin, end, at + 2)) {
        A value = naive_load<T>(job.x, naive_offset(job.x, at));

        if (!job.is_max)
            result += value;
        else if (value > result || (job.nan_propagate && isnan(value)))
            result = value;
    }
    naive_store(job.y, naive_offset(job.y, o),
                job.is_max ? (double)result : (double)result / divisor_of(job, o + 2), job.blend);
}

/* ------------------------------------------------------------------ backward */

__device__ static inline bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Returns true if element `mine` is the first element equal to y in the window of output `o`. */
template <class T>
__device__ static inline bool takes_gradient(const pooling_job &job, const int64_t o[],
                                             const int64_t mine[])
{
    int64_t at[NAIVE_DIMS], begin[NAIVE_SPATIAL], end[NAIVE_SPATIAL];
    double y = (double)naive_load<T>(job.y, naive_offset(job.y, o));
    int64_t place = naive_offset(job.x, mine);

    if (!same_number((double)naive_load<T>(job.x, place), y))
        return false;
    window_of(job, o + 2, begin, end);
    at[0] = o[0];
    at[1] = o[1];
    for (int s = 0; s < job.spatial; s++)
        at[2 + s] = begin[s];
    do {
        bool is_mine = true;

        for (int s = 0; s < job.spatial; s++)
            is_mine = is_mine && at[2 + s] == mine[2 + s];
        if (is_mine)
            return true;
    } while (!same_number((double)naive_load<T>(job.x, naive_offset(job.x, at)), y) &&
             next_in(job, begin, end, at + 2));
    return false;
}

/* Finds the outputs whose windows cover element i of a dim, from `first` up to but not including
 * `last`. */
__device__ static inline void outputs_over(const pooling_job &job, int s, int64_t i, int64_t *first,
                                           int64_t *last)
{
    int64_t from = i + job.pad[s] - job.window[s], to = i + job.pad[s];
    int64_t most = job.x.dims[2 + s] + (job.pad[s] < 0 ? job.pad[s] : 0);

    *first = from < 0 ? 0 : from / job.stride[s] + 1;
    *last = to < 0 || i >= most ? 0 : to / job.stride[s] + 1;
    *last = *last < job.y.dims[2 + s] ? *last : job.y.dims[2 + s];
}

template <class T> __global__ void pooling_backward(pooling_job job)
{
    int64_t i = naive_thread(), mine[NAIVE_DIMS], o[NAIVE_DIMS], first[NAIVE_SPATIAL],
            last[NAIVE_SPATIAL];
    typename cuda_arith<T>::type sum = 0;
    bool more = true;

    if (i >= job.dx.count)
        return;
    naive_unravel(job.dx.dims, job.dx.ndims, i, mine);
    o[0] = mine[0];
    o[1] = mine[1];
    for (int s = 0; s < job.spatial; s++) {
        outputs_over(job, s, mine[2 + s], &first[s], &last[s]);
        o[2 + s] = first[s];
        more = more && first[s] < last[s];
    }
    for (; more; more = next_in(job, first, last, o + 2)) {
        typename cuda_arith<T>::type dy = naive_load<T>(job.dy, naive_offset(job.dy, o));

        if (!job.is_max)
            sum += (typename cuda_arith<T>::type)((double)dy / divisor_of(job, o + 2));
        else if (takes_gradient<T>(job, o, mine))
            sum += dy;
    }
    naive_store(job.dx, naive_offset(job.dx, mine), (double)sum, job.blend);
}

/* ------------------------------------------------------------------ on the host */

static double lowest_of(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return -FLT_MAX;
    case ANYDNN_PLUGIN_DOUBLE:
        return -DBL_MAX;
    case ANYDNN_PLUGIN_HALF:
        return -65504.0;
    case ANYDNN_PLUGIN_BFLOAT16:
        return -0x1.fep127;
    default:
        return -128;
    }
}

static pooling_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call, int x,
                          int y)
{
    const struct anydnn_plugin_pooling *params =
        (const struct anydnn_plugin_pooling *)plan->problem.params;
    pooling_job job = {};

    job.x = naive_tensor_of(plan, call, x);
    job.y = naive_tensor_of(plan, call, y);
    job.spatial = params->spatial_dims;
    job.is_max = params->mode == ANYDNN_PLUGIN_POOLING_MAX ||
                 params->mode == ANYDNN_PLUGIN_POOLING_MAX_DETERMINISTIC;
    job.counts_padding = params->mode == ANYDNN_PLUGIN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
    job.nan_propagate = params->nan_propagate;
    for (int s = 0; s < params->spatial_dims; s++) {
        job.window[s] = params->window[s];
        job.pad[s] = params->pad[s];
        job.stride[s] = params->stride[s];
    }
    job.lowest = lowest_of(job.x.type);
    job.blend = naive_blend(call, 0);
    return job;
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    pooling_job job = job_of(plan, call, slot_pooling_forward_x, slot_pooling_forward_y);

    return naive_launch(call, NAIVE_FLOATS_AND_INT8(pooling_forward, job.x.type), job.y.count, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    pooling_job job = job_of(plan, call, slot_pooling_backward_x, slot_pooling_backward_y);

    job.dy = naive_tensor_of(plan, call, slot_pooling_backward_dy);
    job.dx = naive_tensor_of(plan, call, slot_pooling_backward_dx);
    return naive_launch(call, NAIVE_FLOATS(pooling_backward, job.dx.type), job.dx.count, job);
}

CUDA_OPERATION(pooling_forward, POOLING_FORWARD,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8) | CUDA_TYPE(INT8X4) | CUDA_TYPE(INT8X32),
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .run = forward_run);
CUDA_OPERATION(pooling_backward, POOLING_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .run = backward_run);
