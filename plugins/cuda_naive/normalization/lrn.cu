/* SPDX-License-Identifier: Apache-2.0 */
/* Implements local response normalization across channels, forward and backward, with one thread
 * per element. */
#include "lrn.h"

struct lrn_job {
    naive_tensor x, dy, out;
    lrn_window window;
    cuda_blend blend;
};

/* Returns s of channel c at one position. `x` is the offset of channel 0 at that position. */
template <class T>
__device__ static inline typename cuda_arith<T>::type scale_of(const lrn_job &job, int64_t x,
                                                               int64_t c)
{
    typedef typename cuda_arith<T>::type A;
    int64_t first, last;
    A sum = 0;

    lrn_cut(c, job.window.before, job.window.after, job.x.dims[1], &first, &last);
    for (int64_t j = first; j <= last; j++) {
        A value = naive_load<T>(job.x, x + j * job.x.strides[1]);
        sum += value * value;
    }
    return (A)job.window.k + (A)job.window.alpha * sum;
}

template <class T> __global__ void lrn_forward(lrn_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS], c, x;

    if (i >= job.out.count)
        return;
    naive_unravel(job.out.dims, job.out.ndims, i, at);
    c = at[1];
    x = naive_offset(job.x, at) - c * job.x.strides[1];
    naive_store(job.out, naive_offset(job.out, at),
                (double)(naive_load<T>(job.x, x + c * job.x.strides[1]) *
                         pow(scale_of<T>(job, x, c), (A)-job.window.beta)),
                job.blend);
}

/* Computes dx_c = dy_c s_c^-b - 2 a b x_c (sum of dy_j x_j s_j^(-b-1)). The sum covers the
 * channels j whose windows contain c. */
template <class T> __global__ void lrn_backward(lrn_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS], c, x, dy, first, last;
    A beta = (A)job.window.beta, sum = 0, direct = 0;

    if (i >= job.out.count)
        return;
    naive_unravel(job.out.dims, job.out.ndims, i, at);
    c = at[1];
    x = naive_offset(job.x, at) - c * job.x.strides[1];
    dy = naive_offset(job.dy, at) - c * job.dy.strides[1];
    lrn_cut(c, job.window.after, job.window.before, job.x.dims[1], &first, &last);
    for (int64_t j = first; j <= last; j++) {
        A s = scale_of<T>(job, x, j);
        A through = naive_load<T>(job.dy, dy + j * job.dy.strides[1]) * pow(s, -beta);

        direct = j == c ? through : direct;
        sum += through * naive_load<T>(job.x, x + j * job.x.strides[1]) / s;
    }
    direct -= 2 * (A)job.window.alpha * beta * naive_load<T>(job.x, x + c * job.x.strides[1]) * sum;
    naive_store(job.out, naive_offset(job.out, at), (double)direct, job.blend);
}

/* ------------------------------------------------------------------ on the host */

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    lrn_job job = {};

    job.x = naive_tensor_of(plan, call, slot_lrn_forward_x);
    job.out = naive_tensor_of(plan, call, slot_lrn_forward_y);
    job.window = lrn_window_of(plan, 1);
    job.blend = naive_blend(call, 0);
    return naive_launch(call, NAIVE_FLOATS_AND_INT8(lrn_forward, job.x.type), job.out.count, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    lrn_job job = {};

    job.x = naive_tensor_of(plan, call, slot_lrn_backward_x);
    job.dy = naive_tensor_of(plan, call, slot_lrn_backward_dy);
    job.out = naive_tensor_of(plan, call, slot_lrn_backward_dx);
    job.window = lrn_window_of(plan, 1);
    job.blend = naive_blend(call, 0);
    return naive_launch(call, NAIVE_FLOATS(lrn_backward, job.x.type), job.out.count, job);
}

/* Refuses to run in place. A thread reads neighboring channels, which other threads would
 * overwrite. */
static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int out = plan->problem.operation == ANYDNN_PLUGIN_LRN_FORWARD ? (int)slot_lrn_forward_y
                                                                   : (int)slot_lrn_backward_dx;

    if (!plan->problem.alias[out])
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                      "%s: %s must not overwrite %s, whose channels other threads still read",
                      kit_operation_name(plan->problem.operation),
                      kit_slot_name(plan->problem.operation, out),
                      kit_slot_name(plan->problem.operation, plan->problem.alias[out] - 1));
}

CUDA_OPERATION(lrn_forward, LRN_FORWARD, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .check = check,
               .run = forward_run);
CUDA_OPERATION(lrn_backward, LRN_BACKWARD, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .check = check, .run = backward_run);
