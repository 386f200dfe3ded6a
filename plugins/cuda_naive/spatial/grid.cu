/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the grid of affine matrices and its gradient. Forward runs a thread per element of
 * the grid; backward runs a block per element of the matrices. */
#include "../naive.h"

#define FORWARD(name)  slot_spatial_grid_forward_##name
#define BACKWARD(name) slot_spatial_grid_backward_##name

/* The dims of a grid. */
enum { N, H, W, XY };

struct grid_job {
    naive_tensor theta, grid; /* dtheta and dgrid in the backward pass */
};

/* Returns the factor of a matrix's column k at a position: x, y or 1. */
__device__ static inline double factor_of(const grid_job &job, const int64_t at[], int64_t k)
{
    int dim = k == 0 ? W : H;

    if (k == 2)
        return 1;
    return job.grid.dims[dim] > 1 ? -1 + 2 * (double)at[dim] / (double)(job.grid.dims[dim] - 1) : 0;
}

static __global__ void grid_forward(grid_job job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    double sum = 0;

    if (i >= job.grid.count)
        return;
    naive_unravel(job.grid.dims, job.grid.ndims, i, at);
    for (int64_t k = 0; k < 3; k++) {
        const int64_t element[3] = {at[N], at[XY], k};

        sum += naive_load_any(job.theta, naive_offset(job.theta, element)) * factor_of(job, at, k);
    }
    naive_store(job.grid, naive_offset(job.grid, at), sum, {1, 0});
}

template <class T> __global__ void grid_backward(grid_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t element[3], at[4], count = job.grid.dims[H] * job.grid.dims[W];
    A sum = 0;

    naive_unravel(job.theta.dims, 3, blockIdx.x, element);
    at[N] = element[0];
    at[XY] = element[1];
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        at[H] = i / job.grid.dims[W];
        at[W] = i % job.grid.dims[W];
        sum +=
            naive_load<T>(job.grid, naive_offset(job.grid, at)) * (A)factor_of(job, at, element[2]);
    }
    sum = naive_block_sum(sum);
    if (threadIdx.x == 0)
        naive_store(job.theta, naive_offset(job.theta, element), (double)sum, {1, 0});
}

/* ------------------------------------------------------------------ on the host */

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    grid_job job = {naive_tensor_of(plan, call, FORWARD(theta)),
                    naive_tensor_of(plan, call, FORWARD(grid))};

    return naive_launch(call, grid_forward, job.grid.count, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    grid_job job = {naive_tensor_of(plan, call, BACKWARD(dtheta)),
                    naive_tensor_of(plan, call, BACKWARD(dgrid))};

    return naive_launch_blocks(call, NAIVE_FLOATS(grid_backward, job.theta.type), job.theta.count,
                               job.grid.dims[H] * job.grid.dims[W], job);
}

CUDA_OPERATION(spatial_grid_forward, SPATIAL_GRID_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = forward_run);
CUDA_OPERATION(spatial_grid_backward, SPATIAL_GRID_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = backward_run);
