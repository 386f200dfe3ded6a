/* SPDX-License-Identifier: Apache-2.0 */
/* Implements activation forward and backward. The gradient is a function of y and dy; only swish
 * also reads x. */
#include "naive.h"

struct activation_job {
    naive_tensor x, y, dy, out;
    cuda_activation f;
    cuda_blend blend;
};

template <class T> __global__ void activation_forward(activation_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS];

    if (i >= job.out.count)
        return;
    naive_unravel(job.out.dims, job.out.ndims, i, at);
    naive_store(job.out, naive_offset(job.out, at),
                (double)cuda_activate(job.f, naive_load<T>(job.x, naive_offset(job.x, at))),
                job.blend);
}

template <class T> __global__ void activation_backward(activation_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    typename cuda_arith<T>::type y, dy, x = 0;

    if (i >= job.out.count)
        return;
    naive_unravel(job.out.dims, job.out.ndims, i, at);
    y = naive_load<T>(job.y, naive_offset(job.y, at));
    dy = naive_load<T>(job.dy, naive_offset(job.dy, at));
    if (job.f.mode == CUDA_SWISH)
        x = naive_load<T>(job.x, naive_offset(job.x, at));
    naive_store(job.out, naive_offset(job.out, at),
                (double)cuda_activation_gradient(job.f, y, dy, x), job.blend);
}

/* ------------------------------------------------------------------ on the host */

static activation_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call, int out)
{
    const struct anydnn_plugin_activation *params =
        (const struct anydnn_plugin_activation *)plan->problem.params;
    activation_job job = {};

    job.out = naive_tensor_of(plan, call, out);
    job.f = {params->mode, params->nan_propagate, params->coef};
    job.blend = naive_blend(call, 0);
    return job;
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    activation_job job = job_of(plan, call, slot_activation_forward_y);

    job.x = naive_tensor_of(plan, call, slot_activation_forward_x);
    return naive_launch(call, NAIVE_FLOATS_AND_INT8(activation_forward, job.x.type), job.out.count,
                        job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    activation_job job = job_of(plan, call, slot_activation_backward_dx);

    job.y = naive_tensor_of(plan, call, slot_activation_backward_y);
    job.dy = naive_tensor_of(plan, call, slot_activation_backward_dy);
    job.x = naive_tensor_of(plan, call, slot_activation_backward_x);
    return naive_launch(call, NAIVE_FLOATS(activation_backward, job.out.type), job.out.count, job);
}

CUDA_OPERATION(activation_forward, ACTIVATION_FORWARD, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .run = forward_run);
CUDA_OPERATION(activation_backward, ACTIVATION_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = backward_run);
