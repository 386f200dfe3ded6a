/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the files of the spatial transformer share: the position of a grid's point in an
 * image. */
#ifndef CUDA_SIMT_SPATIAL_SPATIAL_H
#define CUDA_SIMT_SPATIAL_SPATIAL_H

#include "../../cuda_common/element.h"
#include "../../cuda_common/index.h"

/* The dims of images (n, c, h, w) and of grids (n, h, w, coordinate). */
enum { SPATIAL_N, SPATIAL_C, SPATIAL_H, SPATIAL_W };
enum { GRID_N, GRID_H, GRID_W, GRID_XY };

/* A tensor of four dims as kernels take it. */
struct spatial_tensor {
    int64_t dims[4], strides[4];
};

static inline spatial_tensor spatial_of(const struct anydnn_plugin_tensor *tensor)
{
    spatial_tensor made = {};

    for (int d = 0; d < tensor->ndims && d < 4; d++) {
        made.dims[d] = tensor->dims[d];
        made.strides[d] = tensor->strides[d];
    }
    return made;
}

/* A point: the pixel above and to the left of it, which may be outside the image, and the point's
 * distance from that pixel. */
struct spatial_point {
    int64_t row, column;
    double down, right;
    bool shows; /* 1 if any pixel is near the point */
};

/* The indices n, h, w of point number `at`. */
struct spatial_position {
    int64_t n, h, w;
};

__device__ static inline spatial_position spatial_position_of(const spatial_tensor &grid,
                                                              int64_t at)
{
    int64_t row = at / grid.dims[GRID_W];

    return {row / grid.dims[GRID_H], row % grid.dims[GRID_H], at % grid.dims[GRID_W]};
}

__device__ static inline spatial_point spatial_point_of(double gx, double gy, int64_t h, int64_t w)
{
    double x = (gx + 1) * (double)(w - 1) / 2, y = (gy + 1) * (double)(h - 1) / 2;
    spatial_point point = {};

    point.shows = x >= -1 && x < (double)w && y >= -1 && y < (double)h;
    if (point.shows) {
        point.column = (int64_t)floor(x);
        point.row = (int64_t)floor(y);
        point.right = x - floor(x);
        point.down = y - floor(y);
    }
    return point;
}

template <class T>
__device__ static inline spatial_point spatial_point_at(const spatial_tensor &grid, const T *data,
                                                        const spatial_position &at, int64_t h,
                                                        int64_t w)
{
    const T *point = data + at.n * grid.strides[GRID_N] + at.h * grid.strides[GRID_H] +
                     at.w * grid.strides[GRID_W];

    return spatial_point_of((double)cuda_load(point[0]),
                            (double)cuda_load(point[grid.strides[GRID_XY]]), h, w);
}

#endif
