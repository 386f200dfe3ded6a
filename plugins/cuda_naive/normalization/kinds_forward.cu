/* SPDX-License-Identifier: Apache-2.0 */
/* Implements layer, group and RMS normalization with a block per set. */
#include "kinds.h"

#define SLOT(name) slot_normalization_forward_##name

struct kinds_forward_job {
    kinds_job norm;
    naive_tensor z, y, sum, save_mean, save_inv_dev; /* all but y may be absent */
};

/* Stores the sums of the block's set. A thread later reads only those that it stored. */
__device__ static inline void store_sums(const kinds_forward_job &job, int64_t set)
{
    const kinds_job &norm = job.norm;
    int64_t at[NAIVE_DIMS];

    for (int64_t i = threadIdx.x; job.sum.data && i < norm.size; i += blockDim.x) {
        kinds_index(norm, set, i, at);
        naive_store(job.sum, naive_offset(job.sum, at),
                    kinds_load<double>(norm.x, at, 0) + kinds_load<double>(job.z, at, 0), {1, 0});
    }
}

/* Returns v = x + z, or the stored sum. */
template <class A>
__device__ static inline A value_of(const kinds_forward_job &job, const int64_t at[])
{
    if (job.sum.data)
        return kinds_load<A>(job.sum, at, 0);
    return kinds_load<A>(job.norm.x, at, 0) + kinds_load<A>(job.z, at, 0);
}

template <class A> __global__ void kinds_forward(kinds_forward_job job)
{
    const kinds_job &norm = job.norm;
    int64_t set = blockIdx.x, at[NAIVE_DIMS];
    kinds_cell<A> cell;

    store_sums(job, set);
    cell = kinds_statistics<A>(norm, [&](int64_t i) {
        int64_t place[NAIVE_DIMS];

        kinds_index(norm, set, i, place);
        return value_of<A>(job, place);
    });
    for (int64_t i = threadIdx.x; i < norm.size; i += blockDim.x) {
        A y;

        kinds_index(norm, set, i, at);
        y = kinds_factor<A>(norm, at) * kinds_normal(cell, value_of<A>(job, at)) +
            kinds_load<A>(norm.bias, at, 0);
        naive_store(job.y, naive_offset(job.y, at), (double)cuda_activate_any(norm.f, y), {1, 0});
    }
    if (threadIdx.x != 0)
        return;
    if (job.save_mean.data)
        naive_store(job.save_mean, kinds_saved(norm, job.save_mean, set),
                    (double)cell.mean + (double)cell.shift, {1, 0});
    if (job.save_inv_dev.data)
        naive_store(job.save_inv_dev, kinds_saved(norm, job.save_inv_dev, set),
                    (double)cell.inv_dev, {1, 0});
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    kinds_forward_job job = {};

    job.norm = kinds_job_of(plan, call);
    job.norm.scale = naive_tensor_of(plan, call, SLOT(scale));
    job.norm.bias = naive_tensor_of(plan, call, SLOT(bias));
    job.z = naive_tensor_of(plan, call, SLOT(z));
    job.y = naive_tensor_of(plan, call, SLOT(y));
    job.sum = naive_tensor_of(plan, call, SLOT(sum));
    job.save_mean = naive_tensor_of(plan, call, SLOT(save_mean));
    job.save_inv_dev = naive_tensor_of(plan, call, SLOT(save_inv_dev));
    return naive_launch_blocks(call, KINDS_BY(kinds_forward, job.norm.x.type), job.norm.sets,
                               job.norm.size, job);
}

CUDA_OPERATION(normalization_forward, NORMALIZATION_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = run);
