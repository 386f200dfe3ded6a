/* SPDX-License-Identifier: Apache-2.0 */
/* Implements transform_tensor_ex and transform_filter. Folding pads, then moves each block of
 * fold[0] x fold[1] .. positions into channels. Unfolding moves the positions back, then pads.
 * An element of channel c, with row-major number o within its block, moves to channel o *
 * (channels of the unfolded tensor) + c. */
#include "../naive.h"

struct transform_job {
    naive_tensor x, y;
    int32_t folds;
    int64_t channels; /* channels of the unfolded tensor */
    int64_t fold[NAIVE_SPATIAL];
    int64_t inner[NAIVE_DIMS]; /* dims of the tensor before it is padded */
    int64_t pad_before[NAIVE_DIMS], pad_after[NAIVE_DIMS];
    cuda_blend blend;
};

/* Replaces an index in the folded tensor by the index in the unfolded tensor. */
__device__ static inline void unfold(const transform_job &job, int64_t at[])
{
    int64_t within = at[1] / job.channels;

    at[1] %= job.channels;
    for (int d = job.y.ndims - 1; d >= 2; d--) {
        at[d] = at[d] * job.fold[d - 2] + within % job.fold[d - 2];
        within /= job.fold[d - 2];
    }
}

/* Replaces an index in the unfolded tensor by the index in the folded tensor. */
__device__ static inline void fold(const transform_job &job, int64_t at[])
{
    int64_t within = 0;

    for (int d = 2; d < job.y.ndims; d++) {
        within = within * job.fold[d - 2] + at[d] % job.fold[d - 2];
        at[d] /= job.fold[d - 2];
    }
    at[1] += within * job.channels;
}

/* Replaces an index in the padded tensor by the index in the tensor without pads. Returns false
 * for padding and for the rest of an incomplete block. */
__device__ static inline bool unpad(const transform_job &job, int64_t at[])
{
    bool inside = true;

    for (int d = 0; d < job.y.ndims; d++) {
        inside = inside && at[d] < job.pad_before[d] + job.inner[d] + job.pad_after[d];
        at[d] -= job.pad_before[d];
        inside = inside && at[d] >= 0 && at[d] < job.inner[d];
    }
    return inside;
}

static __global__ void transform_elements(transform_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS], to;
    double value = 0;

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, at);
    to = naive_offset(job.y, at);
    if (job.folds)
        unfold(job, at);
    if (unpad(job, at)) {
        if (!job.folds)
            fold(job, at);
        value = naive_load_any(job.x, naive_offset(job.x, at));
    }
    naive_store(job.y, to, value, job.blend);
}

static_assert(KIT_SAME_SLOT(transform_tensor_ex, transform_filter, x) &&
                  KIT_SAME_SLOT(transform_tensor_ex, transform_filter, y),
              "transform_tensor_ex and transform_filter share functions");

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_transform *params =
        (const struct anydnn_plugin_transform *)plan->problem.params;
    transform_job job = {};
    int64_t block = 1;

    job.x = naive_tensor_of(plan, call, slot_transform_tensor_ex_x);
    job.y = naive_tensor_of(plan, call, slot_transform_tensor_ex_y);
    job.folds = params->direction == ANYDNN_PLUGIN_TRANSFORM_FOLD;
    job.blend = naive_blend(call, 0);
    for (int d = 2; d < job.x.ndims; d++) {
        job.fold[d - 2] = params->fold[d - 2];
        block *= params->fold[d - 2];
    }
    job.channels = (job.folds ? job.y : job.x).dims[1] / block;
    for (int d = 0; d < job.x.ndims; d++) {
        job.inner[d] = job.x.dims[d];
        if (!job.folds && d > 0)
            job.inner[d] = d == 1 ? job.channels : job.x.dims[d] * job.fold[d - 2];
        job.pad_before[d] = params->pad_before[d];
        job.pad_after[d] = params->pad_after[d];
    }
    return naive_launch(call, transform_elements, job.y.count, job);
}

CUDA_OPERATION(transform_tensor_ex, TRANSFORM_TENSOR_EX,
               .types = CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT,
               .run = run);
CUDA_OPERATION(transform_filter, TRANSFORM_FILTER,
               .types = CUDA_FLOATS | CUDA_TYPE(INT8) | CUDA_TYPE(UINT8), .layouts = KIT_LAYOUTS,
               .run = run);
