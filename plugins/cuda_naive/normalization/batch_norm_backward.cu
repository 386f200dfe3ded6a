/* SPDX-License-Identifier: Apache-2.0 */
/* Implements batch normalization backward. Two kernels run a block per cell; the last one runs a
 * thread per element. g is the gradient before the activation. n = (x - mean) / std is the
 * normalized x. m is the number of elements in a cell.
 *   dz = g, dbias = sum g, dscale = sum g n,
 *   dx = scale / std * (g - dbias / m - n * dscale / m). */
#include "batch_norm.h"

#define SLOT(name) slot_batch_normalization_backward_##name

struct norm_backward_job {
    norm_job norm;
    naive_tensor dy, dx, dz, save_mean, save_inv_var, dscale, dbias;
    cuda_blend parameters;
};

/* Returns g of an element. */
template <class T>
__device__ static inline double gradient_of(const norm_backward_job &job, int64_t cell,
                                            int64_t element, const int64_t at[])
{
    const norm_job &norm = job.norm;
    double dy = (double)naive_load<T>(job.dy, naive_offset(job.dy, at)), y = 0, v = 0;

    if (!norm.is_activated)
        return dy;
    if (!(norm.reserve[element / 8] >> (element % 8) & 1))
        return 0;
    if (norm.f.mode == CUDA_RELU || norm.f.mode == CUDA_CLIPPED_RELU)
        return dy;
    if (norm.y.data)
        y = (double)naive_load<T>(norm.y, naive_offset(norm.y, at));
    if (norm.f.mode == CUDA_SWISH)
        v = norm_value<T>(norm, cell, at);
    return cuda_activation_gradient(norm.f, y, dy, v);
}

/* Loads the saved mean and deviation of a cell, or computes them again. */
template <class T> __global__ void norm_cell_statistics(norm_backward_job job)
{
    int64_t cell = blockIdx.x;
    norm_cell made = {};
    double variance;

    if (job.save_mean.data) {
        made.mean = naive_load_any(job.save_mean, norm_parameter(job.norm, job.save_mean, cell));
        made.inv_std =
            naive_load_any(job.save_inv_var, norm_parameter(job.norm, job.save_inv_var, cell));
    } else {
        norm_statistics<T>(job.norm, cell, &made.mean, &variance);
        made.inv_std = 1 / sqrt(variance + job.norm.epsilon);
    }
    if (threadIdx.x == 0)
        job.norm.cells[cell] = made;
}

template <class T> __global__ void norm_cell_sums(norm_backward_job job)
{
    typedef typename cuda_arith<T>::type A;
    const norm_job &norm = job.norm;
    int64_t cell = blockIdx.x, at[NAIVE_DIMS];
    norm_cell of = norm.cells[cell];
    A dscale = 0, dbias = 0;

    for (int64_t i = threadIdx.x; i < norm.count; i += blockDim.x) {
        int64_t element = norm_element(norm, cell, i);
        double g, x;

        naive_unravel(norm.x.dims, norm.x.ndims, element, at);
        g = gradient_of<T>(job, cell, element, at);
        x = (double)naive_load<T>(norm.x, naive_offset(norm.x, at));
        dbias += (A)g;
        dscale += (A)(g * (x - of.mean) * of.inv_std);
    }
    of.dscale = (double)naive_block_sum(dscale);
    of.dbias = (double)naive_block_sum(dbias);
    if (threadIdx.x != 0)
        return;
    norm.cells[cell] = of;
    naive_store(job.dscale, norm_parameter(norm, job.dscale, cell), of.dscale, job.parameters);
    naive_store(job.dbias, norm_parameter(norm, job.dbias, cell), of.dbias, job.parameters);
}

template <class T> __global__ void norm_backward(norm_backward_job job)
{
    const norm_job &norm = job.norm;
    int64_t i = naive_thread(), at[NAIVE_DIMS], cell;
    double count = (double)norm.count, g, n, dx;

    if (i >= norm.x.count)
        return;
    cell = norm_cell_of(norm, i);
    naive_unravel(norm.x.dims, norm.x.ndims, i, at);
    g = gradient_of<T>(job, cell, i, at);
    const norm_cell &of = norm.cells[cell];
    n = ((double)naive_load<T>(norm.x, naive_offset(norm.x, at)) - of.mean) * of.inv_std;
    dx = g - of.dbias / count - n * (of.dscale / count);
    dx *= naive_load_any(norm.scale, norm_parameter(norm, norm.scale, cell)) * of.inv_std;
    if (job.dz.data)
        naive_store(job.dz, naive_offset(job.dz, at), g, norm.blend);
    naive_store(job.dx, naive_offset(job.dx, at), dx, norm.blend);
}

/* ------------------------------------------------------------------ on the host */

static norm_backward_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    norm_backward_job job = {};

    job.norm = norm_job_of(plan, call);
    job.norm.y = naive_tensor_of(plan, call, SLOT(y));
    job.norm.scale = naive_tensor_of(plan, call, SLOT(scale));
    job.norm.bias = naive_tensor_of(plan, call, SLOT(bias));
    job.norm.reserve = (uint8_t *)call->operands->data[SLOT(reserve)];
    job.dy = naive_tensor_of(plan, call, SLOT(dy));
    job.dx = naive_tensor_of(plan, call, SLOT(dx));
    job.dz = naive_tensor_of(plan, call, SLOT(dz));
    job.save_mean = naive_tensor_of(plan, call, SLOT(save_mean));
    job.save_inv_var = naive_tensor_of(plan, call, SLOT(save_inv_var));
    job.dscale = naive_tensor_of(plan, call, SLOT(dscale));
    job.dbias = naive_tensor_of(plan, call, SLOT(dbias));
    job.parameters = naive_blend(call, 2);
    return job;
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    norm_backward_job job = job_of(plan, call);
    int32_t type = job.norm.x.type, dropped, status;
    int64_t cells = norm_cells(job.norm);
    void *scratch;

    status =
        cuda_scratch_take(call->device, call->stream, (size_t)cells * sizeof(norm_cell), &scratch);
    if (status)
        return status;
    job.norm.cells = (norm_cell *)scratch;
    status = naive_launch_blocks(call, NAIVE_FLOATS(norm_cell_statistics, type), cells,
                                 job.norm.count, job);
    if (!status)
        status = naive_launch_blocks(call, NAIVE_FLOATS(norm_cell_sums, type), cells,
                                     job.norm.count, job);
    if (!status)
        status = naive_launch(call, NAIVE_FLOATS(norm_backward, type), job.norm.x.count, job);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

CUDA_OPERATION(batch_normalization_backward, BATCH_NORMALIZATION_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .scratch = 1, .run = run);
