/* SPDX-License-Identifier: Apache-2.0 */
/* The bilinear sampler: one thread per pixel of y or per point of dgrid. The gradient of the image
 * is summed by destination, so that it has the same bits each time. A block has a tile of 16 x 16
 * pixels of some channels and iterates over all points of its image, 256 at a time. It skips a
 * group of which no point reaches the tile. */
#include "../../cuda_common/table.h"
#include "../shared/map.h"
#include "spatial.h"

#define FORWARD(name)  slot_spatial_sampler_forward_##name
#define BACKWARD(name) slot_spatial_sampler_backward_##name

#define TILE     16
#define CHANNELS 8 /* channels that a block sums at once */

struct sampler_job {
    spatial_tensor x, grid, y, dx, dgrid; /* y is dy in backward */
    const void *image, *points, *gradient;
    void *out;
    cuda_blend blend;
};

/* Returns the pixel i rows below and j columns right of the point's pixel, or 0 outside the
 * image. */
template <class T>
__device__ static inline double pixel(const spatial_tensor &x, const T *plane,
                                      const spatial_point &point, int i, int j)
{
    int64_t row = point.row + i, column = point.column + j;

    return row >= 0 && row < x.dims[SPATIAL_H] && column >= 0 && column < x.dims[SPATIAL_W]
               ? (double)cuda_load(
                     plane[row * x.strides[SPATIAL_H] + column * x.strides[SPATIAL_W]])
               : 0;
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) sampler_pixels(sampler_job job)
{
    int64_t at = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t w = at % job.y.dims[SPATIAL_W], rest = at / job.y.dims[SPATIAL_W];
    int64_t h = rest % job.y.dims[SPATIAL_H], c, n;
    const T *plane;
    double sum = 0;

    rest /= job.y.dims[SPATIAL_H];
    c = rest % job.y.dims[SPATIAL_C];
    n = rest / job.y.dims[SPATIAL_C];
    if (n >= job.y.dims[SPATIAL_N])
        return;
    spatial_point point = spatial_point_at(job.grid, (const T *)job.points, {n, h, w},
                                           job.x.dims[SPATIAL_H], job.x.dims[SPATIAL_W]);
    plane = (const T *)job.image + n * job.x.strides[SPATIAL_N] + c * job.x.strides[SPATIAL_C];
    for (int corner = 0; corner < 4 && point.shows; corner++)
        sum += pixel(job.x, plane, point, corner / 2, corner % 2) *
               (corner / 2 ? point.down : 1 - point.down) *
               (corner % 2 ? point.right : 1 - point.right);
    cuda_blend_store((T *)job.out + n * job.y.strides[SPATIAL_N] + c * job.y.strides[SPATIAL_C] +
                         h * job.y.strides[SPATIAL_H] + w * job.y.strides[SPATIAL_W],
                     sum, job.blend);
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) sampler_slopes(sampler_job job)
{
    int64_t at = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    spatial_position position = spatial_position_of(job.grid, at);
    double slope[2] = {0, 0};

    if (position.n >= job.grid.dims[GRID_N])
        return;
    spatial_point point = spatial_point_at(job.grid, (const T *)job.points, position,
                                           job.x.dims[SPATIAL_H], job.x.dims[SPATIAL_W]);
    for (int64_t c = 0; c < job.x.dims[SPATIAL_C] && point.shows; c++) {
        const T *plane = (const T *)job.image + position.n * job.x.strides[SPATIAL_N] +
                         c * job.x.strides[SPATIAL_C];
        double g = (double)cuda_load((
            (const T *)
                job.gradient)[position.n * job.y.strides[SPATIAL_N] + c * job.y.strides[SPATIAL_C] +
                              position.h * job.y.strides[SPATIAL_H] +
                              position.w * job.y.strides[SPATIAL_W]]);
        double a = pixel(job.x, plane, point, 0, 0), b = pixel(job.x, plane, point, 0, 1);
        double d = pixel(job.x, plane, point, 1, 0), e = pixel(job.x, plane, point, 1, 1);

        slope[0] += g * ((b - a) * (1 - point.down) + (e - d) * point.down);
        slope[1] += g * ((d - a) * (1 - point.right) + (e - b) * point.right);
    }
    slope[0] *= (double)(job.x.dims[SPATIAL_W] - 1) / 2;
    slope[1] *= (double)(job.x.dims[SPATIAL_H] - 1) / 2;
    for (int xy = 0; xy < 2; xy++)
        cuda_blend_store((T *)job.out + position.n * job.dgrid.strides[GRID_N] +
                             position.h * job.dgrid.strides[GRID_H] +
                             position.w * job.dgrid.strides[GRID_W] +
                             xy * job.dgrid.strides[GRID_XY],
                         slope[xy], job.blend);
}

/* ------------------------------------------------------------------ the gradient of the image */

/* A tile: its image and its first channel and pixel. */
struct sampler_tile {
    int64_t n, c, row, column;
};

__device__ static inline sampler_tile tile_of(const sampler_job &job, int64_t block)
{
    int64_t across = (job.dx.dims[SPATIAL_W] + TILE - 1) / TILE;
    int64_t down = (job.dx.dims[SPATIAL_H] + TILE - 1) / TILE;
    int64_t groups = (job.dx.dims[SPATIAL_C] + CHANNELS - 1) / CHANNELS;
    sampler_tile tile;

    tile.column = block % across * TILE;
    block /= across;
    tile.row = block % down * TILE;
    block /= down;
    tile.c = block % groups * CHANNELS;
    tile.n = block / groups;
    return tile;
}

__device__ static inline bool reaches(const spatial_point &point, const sampler_tile &tile)
{
    return point.shows && point.row + 1 >= tile.row && point.row < tile.row + TILE &&
           point.column + 1 >= tile.column && point.column < tile.column + TILE;
}

/* Adds the contribution of point `at` to a thread's own pixel. */
template <class T>
__device__ static inline void gather(const sampler_job &job, const sampler_tile &tile, int64_t at,
                                     const spatial_point &point, double (&sum)[CHANNELS])
{
    int64_t row = tile.row + threadIdx.x / TILE - point.row;
    int64_t column = tile.column + threadIdx.x % TILE - point.column;
    const T *gradient = (const T *)job.gradient + tile.n * job.y.strides[SPATIAL_N] +
                        at / job.grid.dims[GRID_W] * job.y.strides[SPATIAL_H] +
                        at % job.grid.dims[GRID_W] * job.y.strides[SPATIAL_W];
    double share;

    if (!point.shows || row < 0 || row > 1 || column < 0 || column > 1)
        return;
    share = (row ? point.down : 1 - point.down) * (column ? point.right : 1 - point.right);
    for (int i = 0; i < CHANNELS; i++)
        if (tile.c + i < job.dx.dims[SPATIAL_C])
            sum[i] += share * (double)cuda_load(gradient[(tile.c + i) * job.y.strides[SPATIAL_C]]);
}

template <class T> __global__ void __launch_bounds__(CUDA_THREADS) sampler_tiles(sampler_job job)
{
    __shared__ spatial_point points[CUDA_THREADS];
    __shared__ int any;
    sampler_tile tile = tile_of(job, blockIdx.x);
    int64_t count = job.grid.dims[GRID_H] * job.grid.dims[GRID_W];
    int64_t row = tile.row + threadIdx.x / TILE, column = tile.column + threadIdx.x % TILE;
    double sum[CHANNELS] = {};

    for (int64_t first = 0; first < count; first += CUDA_THREADS) {
        int64_t at = first + threadIdx.x;
        spatial_point own = {};

        if (threadIdx.x == 0)
            any = 0;
        if (at < count)
            own = spatial_point_at(job.grid, (const T *)job.points,
                                   {tile.n, at / job.grid.dims[GRID_W], at % job.grid.dims[GRID_W]},
                                   job.dx.dims[SPATIAL_H], job.dx.dims[SPATIAL_W]);
        points[threadIdx.x] = own;
        __syncthreads();
        if (reaches(own, tile))
            any = 1;
        __syncthreads();
        for (int i = 0; i < CUDA_THREADS && any; i++)
            gather<T>(job, tile, first + i, points[i], sum);
        __syncthreads();
    }
    for (int i = 0; i < CHANNELS; i++)
        if (tile.c + i < job.dx.dims[SPATIAL_C] && row < job.dx.dims[SPATIAL_H] &&
            column < job.dx.dims[SPATIAL_W])
            cuda_blend_store((T *)job.out + tile.n * job.dx.strides[SPATIAL_N] +
                                 (tile.c + i) * job.dx.strides[SPATIAL_C] +
                                 row * job.dx.strides[SPATIAL_H] +
                                 column * job.dx.strides[SPATIAL_W],
                             sum[i], job.blend);
}

/* ------------------------------------------------------------------ plans */

struct sampler_state {
    sampler_job job;
    void (*forward)(sampler_job);
    void (*slopes)(sampler_job);
    void (*tiles)(sampler_job);
    int64_t pixels, points, blocks; /* `blocks` is the number of tiles */
};

static_assert(KIT_SAME_SLOT(spatial_sampler_forward, spatial_sampler_backward, x) &&
                  KIT_SAME_SLOT(spatial_sampler_forward, spatial_sampler_backward, grid),
              "spatial_sampler_forward and spatial_sampler_backward share functions");

static void prepare(struct anydnn_plugin_plan *plan, int y)
{
    sampler_state *state = (sampler_state *)plan->job;
    const int64_t *dims = plan->problem.tensor[FORWARD(x)]->dims;

    state->job.x = state->job.dx = spatial_of(plan->problem.tensor[FORWARD(x)]);
    state->job.grid = state->job.dgrid = spatial_of(plan->problem.tensor[FORWARD(grid)]);
    state->job.y = spatial_of(plan->problem.tensor[y]);
    state->points =
        state->job.grid.dims[GRID_N] * state->job.grid.dims[GRID_H] * state->job.grid.dims[GRID_W];
    state->pixels = state->points * dims[SPATIAL_C];
    state->blocks = dims[SPATIAL_N] * ((dims[SPATIAL_C] + CHANNELS - 1) / CHANNELS) *
                    ((dims[SPATIAL_H] + TILE - 1) / TILE) * ((dims[SPATIAL_W] + TILE - 1) / TILE);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    sampler_state *state = (sampler_state *)plan->job;

    prepare(plan, FORWARD(y));
    switch (plan->problem.tensor[FORWARD(x)]->type) {
#define CASE(T) state->forward = sampler_pixels<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const sampler_state *state = (const sampler_state *)plan->job;
    sampler_job job = state->job;

    job.image = call->operands->data[FORWARD(x)];
    job.points = call->operands->data[FORWARD(grid)];
    job.out = call->operands->data[FORWARD(y)];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    return cuda_launch(call, state->forward, cuda_blocks(state->pixels, CUDA_THREADS), 1, job);
}

template <class T> static void choose(sampler_state *state)
{
    state->slopes = sampler_slopes<T>;
    state->tiles = sampler_tiles<T>;
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    sampler_state *state = (sampler_state *)plan->job;

    prepare(plan, BACKWARD(dy));
    state->job.dx = spatial_of(plan->problem.tensor[BACKWARD(dx)]);
    state->job.dgrid = spatial_of(plan->problem.tensor[BACKWARD(dgrid)]);
    switch (plan->problem.tensor[BACKWARD(x)]->type) {
#define CASE(T) choose<T>(state)
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const sampler_state *state = (const sampler_state *)plan->job;
    sampler_job job = state->job;
    int32_t status;

    job.image = call->operands->data[BACKWARD(x)];
    job.points = call->operands->data[BACKWARD(grid)];
    job.gradient = call->operands->data[BACKWARD(dy)];
    job.out = call->operands->data[BACKWARD(dx)];
    job.blend = {call->operands->scale[0], call->operands->scale[1]};
    status = cuda_launch(call, state->tiles, state->blocks, 1, job);
    job.out = call->operands->data[BACKWARD(dgrid)];
    job.blend = {call->operands->scale[2], call->operands->scale[3]};
    return status
               ? status
               : cuda_launch(call, state->slopes, cuda_blocks(state->points, CUDA_THREADS), 1, job);
}

CUDA_OPERATION(spatial_sampler_forward, SPATIAL_SAMPLER_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(sampler_state),
               .prepare = forward_prepare, .run = forward_run);
CUDA_OPERATION(spatial_sampler_backward, SPATIAL_SAMPLER_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .job_size = sizeof(sampler_state),
               .prepare = backward_prepare, .run = backward_run);
