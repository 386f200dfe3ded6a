/* SPDX-License-Identifier: Apache-2.0 */
/* The grid of affine matrices (a thread per point) and its gradient (a block per row of a
 * matrix). */
#include "../../cuda_common/table.h"
#include "../shared/map.h"
#include "spatial.h"

#define FORWARD(name)  slot_spatial_grid_forward_##name
#define BACKWARD(name) slot_spatial_grid_backward_##name

struct grid_job {
    spatial_tensor theta, grid;
    const void *in;
    void *out;
};

/* Returns the coordinate of position `at` of `count` before the transformation. */
__device__ static inline double base_of(int64_t at, int64_t count)
{
    return count > 1 ? -1 + 2 * (double)at / (double)(count - 1) : 0;
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) grid_points(grid_job job)
{
    int64_t at = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    spatial_position position = spatial_position_of(job.grid, at);
    double u = base_of(position.w, job.grid.dims[GRID_W]),
           v = base_of(position.h, job.grid.dims[GRID_H]);

    if (position.n >= job.grid.dims[GRID_N])
        return;
    for (int xy = 0; xy < 2; xy++) {
        const T *row =
            (const T *)job.in + position.n * job.theta.strides[0] + xy * job.theta.strides[1];
        T *to = (T *)job.out + position.n * job.grid.strides[GRID_N] +
                position.h * job.grid.strides[GRID_H] + position.w * job.grid.strides[GRID_W] +
                xy * job.grid.strides[GRID_XY];

        cuda_store(to, (double)cuda_load(row[0]) * u +
                           (double)cuda_load(row[job.theta.strides[2]]) * v +
                           (double)cuda_load(row[2 * job.theta.strides[2]]));
    }
}

/* Computes the gradient. The threads' sums are added in the same order on every device. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS) grid_sums(grid_job job)
{
    __shared__ double partials[3][CUDA_THREADS];
    int64_t n = blockIdx.x / 2, xy = blockIdx.x % 2;
    int64_t count = job.grid.dims[GRID_H] * job.grid.dims[GRID_W];
    double sum[3] = {0, 0, 0};

    for (int64_t at = threadIdx.x; at < count; at += CUDA_THREADS) {
        int64_t h = at / job.grid.dims[GRID_W], w = at % job.grid.dims[GRID_W];
        const T *from = (const T *)job.in + n * job.grid.strides[GRID_N] +
                        h * job.grid.strides[GRID_H] + w * job.grid.strides[GRID_W] +
                        xy * job.grid.strides[GRID_XY];
        double value = (double)cuda_load(*from);

        sum[0] += value * base_of(w, job.grid.dims[GRID_W]);
        sum[1] += value * base_of(h, job.grid.dims[GRID_H]);
        sum[2] += value;
    }
    for (int k = 0; k < 3; k++)
        partials[k][threadIdx.x] = sum[k];
    __syncthreads();
    if (threadIdx.x < 3) {
        double total = 0;

        for (int i = 0; i < CUDA_THREADS; i++)
            total += partials[threadIdx.x][i];
        cuda_store((T *)job.out + n * job.theta.strides[0] + xy * job.theta.strides[1] +
                       (int64_t)threadIdx.x * job.theta.strides[2],
                   total);
    }
}

/* ------------------------------------------------------------------ plans */

struct grid_state {
    grid_job job;
    void (*kernel)(grid_job);
    int64_t blocks;
};

static void prepare(struct anydnn_plugin_plan *plan, int theta, int grid)
{
    grid_state *state = (grid_state *)plan->job;

    state->job.theta = spatial_of(plan->problem.tensor[theta]);
    state->job.grid = spatial_of(plan->problem.tensor[grid]);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    grid_state *state = (grid_state *)plan->job;
    const int64_t *dims = plan->problem.tensor[FORWARD(grid)]->dims;

    prepare(plan, FORWARD(theta), FORWARD(grid));
    state->blocks = cuda_blocks(dims[GRID_N] * dims[GRID_H] * dims[GRID_W], CUDA_THREADS);
    switch (plan->problem.tensor[FORWARD(grid)]->type) {
#define CASE(T) state->kernel = grid_points<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    grid_state *state = (grid_state *)plan->job;

    prepare(plan, BACKWARD(dtheta), BACKWARD(dgrid));
    state->blocks = 2 * plan->problem.tensor[BACKWARD(dgrid)]->dims[GRID_N];
    switch (plan->problem.tensor[BACKWARD(dgrid)]->type) {
#define CASE(T) state->kernel = grid_sums<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call, int in, int out)
{
    const grid_state *state = (const grid_state *)plan->job;
    grid_job job = state->job;

    job.in = call->operands->data[in];
    job.out = call->operands->data[out];
    return cuda_launch(call, state->kernel, state->blocks, 1, job);
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    return run(plan, call, FORWARD(theta), FORWARD(grid));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    return run(plan, call, BACKWARD(dgrid), BACKWARD(dtheta));
}

CUDA_OPERATION(spatial_grid_forward, SPATIAL_GRID_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(grid_state), .prepare = forward_prepare,
               .run = forward_run);
CUDA_OPERATION(spatial_grid_backward, SPATIAL_GRID_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(grid_state), .prepare = backward_prepare,
               .run = backward_run);
