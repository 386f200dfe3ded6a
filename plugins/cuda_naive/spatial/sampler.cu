/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the bilinear sampler, with a thread per element of y, of dgrid and of dx. A thread
 * for dx reads all points of its image, so that the sum is reproducible bit by bit. */
#include "../naive.h"

#define FORWARD(name)  slot_spatial_sampler_forward_##name
#define BACKWARD(name) slot_spatial_sampler_backward_##name

/* The dims of images and of grids. */
enum { N, C, H, W };
enum { GRID_N, GRID_H, GRID_W, GRID_XY };

struct sampler_job {
    naive_tensor x, grid, y, dx, dgrid; /* backward: y is dy; dx and dgrid are set */
    cuda_blend blend;
};

/* A sampling point. row and column select the pixel above it and to its left, which may lie
 * outside the image. down and right are the distances from that pixel, below 1. */
struct sampler_point {
    int64_t row, column;
    double down, right;
    bool shows; /* true if the point has a pixel of the image beside it */
};

__device__ static inline sampler_point point_of(const sampler_job &job, int64_t n, int64_t h,
                                                int64_t w)
{
    const int64_t at_x[4] = {n, h, w, 0}, at_y[4] = {n, h, w, 1};
    double gx = naive_load_any(job.grid, naive_offset(job.grid, at_x));
    double gy = naive_load_any(job.grid, naive_offset(job.grid, at_y));
    double x = (gx + 1) * (double)(job.x.dims[W] - 1) / 2;
    double y = (gy + 1) * (double)(job.x.dims[H] - 1) / 2;
    sampler_point point = {};

    point.shows = x >= -1 && x < (double)job.x.dims[W] && y >= -1 && y < (double)job.x.dims[H];
    if (point.shows) {
        point.column = (int64_t)floor(x);
        point.row = (int64_t)floor(y);
        point.right = x - floor(x);
        point.down = y - floor(y);
    }
    return point;
}

/* Returns the pixel i rows below and j columns right of the point's pixel, or 0 outside the
 * image. */
template <class T>
__device__ static inline typename cuda_arith<T>::type
pixel(const naive_tensor &x, int64_t n, int64_t c, const sampler_point &point, int i, int j)
{
    const int64_t at[4] = {n, c, point.row + i, point.column + j};

    if (at[H] < 0 || at[H] >= x.dims[H] || at[W] < 0 || at[W] >= x.dims[W])
        return 0;
    return naive_load<T>(x, naive_offset(x, at));
}

/* Returns the weight of the pixel i rows below and j columns to the right. */
__device__ static inline double weight(const sampler_point &point, int64_t i, int64_t j)
{
    return (i ? point.down : 1 - point.down) * (j ? point.right : 1 - point.right);
}

template <class T> __global__ void sampler_forward(sampler_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    A sum = 0;

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, at);
    sampler_point point = point_of(job, at[N], at[H], at[W]);
    for (int corner = 0; corner < 4 && point.shows; corner++)
        sum += pixel<T>(job.x, at[N], at[C], point, corner / 2, corner % 2) *
               (A)weight(point, corner / 2, corner % 2);
    naive_store(job.y, naive_offset(job.y, at), (double)sum, job.blend);
}

/* Computes dgrid. The slope along one coordinate is the difference of two pixels along it,
 * weighted along the other coordinate. */
template <class T> __global__ void sampler_grid(sampler_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    A sum = 0;

    if (i >= job.dgrid.count)
        return;
    naive_unravel(job.dgrid.dims, job.dgrid.ndims, i, at);
    sampler_point point = point_of(job, at[GRID_N], at[GRID_H], at[GRID_W]);
    int along_y = at[GRID_XY] == 1;
    for (int64_t c = 0; c < job.x.dims[C] && point.shows; c++) {
        const int64_t at_y[4] = {at[GRID_N], c, at[GRID_H], at[GRID_W]};
        A slope = 0;

        for (int k = 0; k < 2; k++) {
            double across = along_y ? point.right : point.down;
            A near = pixel<T>(job.x, at[GRID_N], c, point, along_y ? 0 : k, along_y ? k : 0);
            A far = pixel<T>(job.x, at[GRID_N], c, point, along_y ? 1 : k, along_y ? k : 1);

            slope += (far - near) * (A)(k ? across : 1 - across);
        }
        sum += naive_load<T>(job.y, naive_offset(job.y, at_y)) * slope;
    }
    naive_store(job.dgrid, naive_offset(job.dgrid, at),
                (double)sum * (double)(job.x.dims[along_y ? H : W] - 1) / 2, job.blend);
}

template <class T> __global__ void sampler_image(sampler_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t i = naive_thread(), at[NAIVE_DIMS];
    A sum = 0;

    if (i >= job.dx.count)
        return;
    naive_unravel(job.dx.dims, job.dx.ndims, i, at);
    for (int64_t h = 0; h < job.grid.dims[GRID_H]; h++) {
        for (int64_t w = 0; w < job.grid.dims[GRID_W]; w++) {
            const int64_t at_y[4] = {at[N], at[C], h, w};
            sampler_point point = point_of(job, at[N], h, w);
            int64_t row = at[H] - point.row, column = at[W] - point.column;

            if (point.shows && row >= 0 && row <= 1 && column >= 0 && column <= 1)
                sum +=
                    naive_load<T>(job.y, naive_offset(job.y, at_y)) * (A)weight(point, row, column);
        }
    }
    naive_store(job.dx, naive_offset(job.dx, at), (double)sum, job.blend);
}

/* ------------------------------------------------------------------ on the host */

static_assert(KIT_SAME_SLOT(spatial_sampler_forward, spatial_sampler_backward, x) &&
                  KIT_SAME_SLOT(spatial_sampler_forward, spatial_sampler_backward, grid),
              "spatial_sampler_forward and spatial_sampler_backward share functions");

static sampler_job job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call, int y)
{
    sampler_job job = {};

    job.x = naive_tensor_of(plan, call, FORWARD(x));
    job.grid = naive_tensor_of(plan, call, FORWARD(grid));
    job.y = naive_tensor_of(plan, call, y);
    job.blend = naive_blend(call, 0);
    return job;
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    sampler_job job = job_of(plan, call, FORWARD(y));

    return naive_launch(call, NAIVE_FLOATS(sampler_forward, job.x.type), job.y.count, job);
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    sampler_job job = job_of(plan, call, BACKWARD(dy));
    int32_t status;

    job.dx = naive_tensor_of(plan, call, BACKWARD(dx));
    job.dgrid = naive_tensor_of(plan, call, BACKWARD(dgrid));
    status = naive_launch(call, NAIVE_FLOATS(sampler_image, job.x.type), job.dx.count, job);
    job.blend = naive_blend(call, 2);
    return status
               ? status
               : naive_launch(call, NAIVE_FLOATS(sampler_grid, job.x.type), job.dgrid.count, job);
}

CUDA_OPERATION(spatial_sampler_forward, SPATIAL_SAMPLER_FORWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = forward_run);
CUDA_OPERATION(spatial_sampler_backward, SPATIAL_SAMPLER_BACKWARD, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = backward_run);
