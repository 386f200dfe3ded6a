/* SPDX-License-Identifier: Apache-2.0 */
/* Implements batch normalization forward: y = act(scale * (x - mean) / sqrt(var + epsilon) +
 * bias + z). Inference reads the statistics. Training computes them from x, with a block per
 * cell. */
#include "batch_norm.h"

#define INFERENCE(name) slot_batch_normalization_inference_##name
#define TRAINING(name)  slot_batch_normalization_training_##name

/* The arguments of the statistics kernels. Inference reads mean and var. Training writes those
 * of the four tensors that are present. */
struct norm_statistics_job {
    norm_job norm;
    naive_tensor mean, var, save_mean, save_inv_var;
    double factor; /* weight of the new values in the running values */
};

/* ------------------------------------------------------------------ statistics */

static __global__ void norm_given(norm_statistics_job job)
{
    int64_t cell = naive_thread();
    norm_cell made = {};

    if (cell >= norm_cells(job.norm))
        return;
    made.mean = naive_load_any(job.mean, norm_parameter(job.norm, job.mean, cell));
    made.inv_std = 1 / sqrt(naive_load_any(job.var, norm_parameter(job.norm, job.var, cell)) +
                            job.norm.epsilon);
    job.norm.cells[cell] = made;
}

__device__ static inline void norm_keep(const norm_job &job, const naive_tensor &to, int64_t cell,
                                        double value, const cuda_blend &blend)
{
    if (to.data)
        naive_store(to, norm_parameter(job, to, cell), value, blend);
}

/* Computes the statistics of a cell, and updates the running values. The running variance is the
 * sample variance, which is NaN for one element. A factor of 1 replaces the running values
 * without reading them. */
template <class T> __global__ void norm_measured(norm_statistics_job job)
{
    cuda_blend running = {job.factor, 1 - job.factor}, saved = {1, 0};
    int64_t cell = blockIdx.x;
    double count = (double)job.norm.count, variance, sample;
    norm_cell made = {};

    norm_statistics<T>(job.norm, cell, &made.mean, &variance);
    if (threadIdx.x != 0)
        return;
    made.inv_std = 1 / sqrt(variance + job.norm.epsilon);
    sample = count > 1 ? variance * (count / (count - 1)) : (double)NAN;
    job.norm.cells[cell] = made;
    norm_keep(job.norm, job.mean, cell, made.mean, running);
    norm_keep(job.norm, job.var, cell, sample, running);
    norm_keep(job.norm, job.save_mean, cell, made.mean, saved);
    norm_keep(job.norm, job.save_inv_var, cell, made.inv_std, saved);
}

/* ------------------------------------------------------------------ elements */

/* Writes the reserve, with one thread per byte. */
template <class T> __global__ void norm_reserve(norm_job job)
{
    int64_t byte = naive_thread(), at[NAIVE_DIMS];
    unsigned bits = 0;

    if (byte * 8 >= job.x.count)
        return;
    for (int64_t i = byte * 8; i < byte * 8 + 8 && i < job.x.count; i++) {
        naive_unravel(job.x.dims, job.x.ndims, i, at);
        bits |= (unsigned)norm_passes(job.f, norm_value<T>(job, norm_cell_of(job, i), at))
                << (i % 8);
    }
    job.reserve[byte] = (uint8_t)bits;
}

template <class T> __global__ void norm_forward(norm_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    double v;

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, at);
    v = norm_value<T>(job, norm_cell_of(job, i), at);
    naive_store(job.y, naive_offset(job.y, at), job.is_activated ? cuda_activate(job.f, v) : v,
                job.blend);
}

/* ------------------------------------------------------------------ on the host */

/* Launches the statistics kernel, then the element kernels. The reserve is written before y,
 * because y may overwrite x. */
static int32_t run(const cuda_call *call, norm_statistics_job *job, int is_training)
{
    int32_t type = job->norm.x.type, dropped, status;
    int64_t cells = norm_cells(job->norm);
    void *scratch;

    status =
        cuda_scratch_take(call->device, call->stream, (size_t)cells * sizeof(norm_cell), &scratch);
    if (status)
        return status;
    job->norm.cells = (norm_cell *)scratch;
    status = is_training ? naive_launch_blocks(call, NAIVE_FLOATS(norm_measured, type), cells,
                                               job->norm.count, *job)
                         : naive_launch(call, norm_given, cells, *job);
    if (!status && job->norm.reserve)
        status = naive_launch(call, NAIVE_FLOATS(norm_reserve, type), (job->norm.x.count + 7) / 8,
                              job->norm);
    if (!status)
        status = naive_launch(call, NAIVE_FLOATS_AND_INT8(norm_forward, type), job->norm.y.count,
                              job->norm);
    dropped = cuda_scratch_drop(call->device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t inference_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    norm_statistics_job job = {};

    job.norm = norm_job_of(plan, call);
    job.norm.scale = naive_tensor_of(plan, call, INFERENCE(scale));
    job.norm.bias = naive_tensor_of(plan, call, INFERENCE(bias));
    job.norm.y = naive_tensor_of(plan, call, INFERENCE(y));
    job.mean = naive_tensor_of(plan, call, INFERENCE(mean));
    job.var = naive_tensor_of(plan, call, INFERENCE(var));
    return run(call, &job, 0);
}

static int32_t training_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_batch_normalization *params =
        (const struct anydnn_plugin_batch_normalization *)plan->problem.params;
    norm_statistics_job job = {};

    job.norm = norm_job_of(plan, call);
    job.norm.scale = naive_tensor_of(plan, call, TRAINING(scale));
    job.norm.bias = naive_tensor_of(plan, call, TRAINING(bias));
    job.norm.y = naive_tensor_of(plan, call, TRAINING(y));
    if (params->ops == ANYDNN_PLUGIN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
        job.norm.z = naive_tensor_of(plan, call, TRAINING(z));
    if (job.norm.is_activated)
        job.norm.reserve = (uint8_t *)call->operands->data[TRAINING(reserve)];
    job.mean = naive_tensor_of(plan, call, TRAINING(running_mean));
    job.var = naive_tensor_of(plan, call, TRAINING(running_var));
    job.save_mean = naive_tensor_of(plan, call, TRAINING(save_mean));
    job.save_inv_var = naive_tensor_of(plan, call, TRAINING(save_inv_var));
    job.factor = call->operands->number[0];
    return run(call, &job, 1);
}

CUDA_OPERATION(batch_normalization_inference, BATCH_NORMALIZATION_INFERENCE,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8), .layouts = KIT_LAYOUTS, .scratch = 1,
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .run = inference_run);
CUDA_OPERATION(batch_normalization_training, BATCH_NORMALIZATION_TRAINING, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .scratch = 1, .run = training_run);
