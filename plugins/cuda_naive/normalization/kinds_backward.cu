/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the backward operation of layer, group and RMS normalization by the formulas of
 * plugin.h. Kernels compute the sets, then the gradients of scale and bias, then dx, which may
 * overwrite an input. Sums are added in a fixed order. */
#include "kinds.h"

#define SLOT(name) slot_normalization_backward_##name

struct kinds_backward_job {
    kinds_job norm;
    naive_tensor dy, dsum, save_mean, save_inv_dev, dx;
    naive_tensor gradient;       /* dscale or dbias */
    int32_t by_normal;           /* 1: dscale */
    int64_t extents[NAIVE_DIMS]; /* of the elements that a gradient's element sums */
    int64_t terms;
    void *cells; /* of kinds_cell, in scratch memory */
};

/* An element: normalized, its gradient before the activation, and that times the factor. */
template <class A> struct kinds_element {
    A n, g, w;
};

template <class A>
__device__ static inline kinds_element<A> element_of(const kinds_backward_job &job,
                                                     const kinds_cell<A> &cell, const int64_t at[])
{
    A factor = kinds_factor<A>(job.norm, at), dy = kinds_load<A>(job.dy, at, 0);
    kinds_element<A> made;

    made.n = kinds_normal(cell, kinds_load<A>(job.norm.x, at, 0));
    made.g = cuda_activation_gradient_any(job.norm.f, dy,
                                          factor * made.n + kinds_load<A>(job.norm.bias, at, 0));
    made.w = factor * made.g;
    return made;
}

template <class A> __global__ void kinds_sets(kinds_backward_job job)
{
    const kinds_job &norm = job.norm;
    int64_t set = blockIdx.x, at[NAIVE_DIMS];
    A sum_w = 0, sum_wn = 0;
    kinds_cell<A> cell = {};

    if (job.save_inv_dev.data) {
        if (job.save_mean.data)
            cell.mean = (A)naive_load_any(job.save_mean, kinds_saved(norm, job.save_mean, set));
        cell.inv_dev =
            (A)naive_load_any(job.save_inv_dev, kinds_saved(norm, job.save_inv_dev, set));
    } else {
        cell = kinds_statistics<A>(norm, [&](int64_t i) {
            int64_t place[NAIVE_DIMS];

            kinds_index(norm, set, i, place);
            return kinds_load<A>(norm.x, place, 0);
        });
    }
    for (int64_t i = threadIdx.x; i < norm.size; i += blockDim.x) {
        kinds_element<A> element;

        kinds_index(norm, set, i, at);
        element = element_of(job, cell, at);
        sum_w += element.w;
        sum_wn += element.w * element.n;
    }
    sum_w = naive_block_sum(sum_w) / (A)norm.size;
    cell.mean_wn = naive_block_sum(sum_wn) / (A)norm.size;
    cell.mean_w = norm.is_rms ? 0 : sum_w;
    if (threadIdx.x == 0)
        ((kinds_cell<A> *)job.cells)[set] = cell;
}

/* Sums an element of dscale or dbias over the elements of x that it serves. */
template <class A> __global__ void kinds_gradient(kinds_backward_job job)
{
    const kinds_job &norm = job.norm;
    int64_t first[NAIVE_DIMS], at[NAIVE_DIMS];
    A sum = 0;

    naive_unravel(job.gradient.dims, job.gradient.ndims, blockIdx.x, first);
    for (int64_t i = threadIdx.x; i < job.terms; i += blockDim.x) {
        kinds_element<A> element;

        naive_unravel(job.extents, norm.x.ndims, i, at);
        for (int d = 0; d < norm.x.ndims; d++)
            at[d] += first[d];
        element = element_of(job, ((const kinds_cell<A> *)job.cells)[kinds_set(norm, at)], at);
        sum += job.by_normal ? element.g * element.n : element.g;
    }
    sum = naive_block_sum(sum);
    if (threadIdx.x == 0)
        naive_store(job.gradient, naive_offset(job.gradient, first), (double)sum, {1, 0});
}

template <class A> __global__ void kinds_backward(kinds_backward_job job)
{
    const kinds_job &norm = job.norm;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    kinds_element<A> element;
    A dx;

    if (i >= norm.x.count)
        return;
    naive_unravel(norm.x.dims, norm.x.ndims, i, at);
    const kinds_cell<A> &cell = ((const kinds_cell<A> *)job.cells)[kinds_set(norm, at)];
    element = element_of(job, cell, at);
    dx = cell.inv_dev * (element.w - cell.mean_w - element.n * cell.mean_wn);
    naive_store(job.dx, naive_offset(job.dx, at), (double)(dx + kinds_load<A>(job.dsum, at, 0)),
                {1, 0});
}

/* ------------------------------------------------------------------ on the host */

static kinds_backward_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    kinds_backward_job job = {};

    job.norm = kinds_job_of(plan, call);
    job.norm.scale = naive_tensor_of(plan, call, SLOT(scale));
    job.norm.bias = naive_tensor_of(plan, call, SLOT(bias));
    job.dy = naive_tensor_of(plan, call, SLOT(dy));
    job.dsum = naive_tensor_of(plan, call, SLOT(dsum));
    job.save_mean = naive_tensor_of(plan, call, SLOT(save_mean));
    job.save_inv_dev = naive_tensor_of(plan, call, SLOT(save_inv_dev));
    job.dx = naive_tensor_of(plan, call, SLOT(dx));
    return job;
}

static int32_t run_gradient(const struct anydnn_plugin_plan *plan, const cuda_call *call,
                            kinds_backward_job job, int slot)
{
    job.gradient = naive_tensor_of(plan, call, slot);
    job.by_normal = slot == SLOT(dscale);
    if (!job.gradient.data)
        return 0;
    for (int d = 0; d < job.norm.x.ndims; d++)
        job.extents[d] = job.gradient.dims[d] == 1 ? job.norm.x.dims[d] : 1;
    job.terms = job.norm.x.count / job.gradient.count;
    return naive_launch_blocks(call, KINDS_BY(kinds_gradient, job.norm.x.type), job.gradient.count,
                               job.terms, job);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    kinds_backward_job job = job_of(plan, call);
    int32_t type = job.norm.x.type, status, dropped;

    status = cuda_scratch_take(call->device, call->stream,
                               (size_t)job.norm.sets * sizeof(kinds_cell<double>), &job.cells);
    if (status)
        return status;
    status =
        naive_launch_blocks(call, KINDS_BY(kinds_sets, type), job.norm.sets, job.norm.size, job);
    if (!status)
        status = run_gradient(plan, call, job, SLOT(dscale));
    if (!status)
        status = run_gradient(plan, call, job, SLOT(dbias));
    if (!status)
        status = naive_launch(call, KINDS_BY(kinds_backward, type), job.norm.x.count, job);
    dropped = cuda_scratch_drop(call->device, call->stream, job.cells);
    return status ? status : dropped;
}

CUDA_OPERATION(normalization_backward, NORMALIZATION_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .scratch = 1, .run = run);
