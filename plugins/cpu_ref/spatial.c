/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the spatial transformer: grids of affine matrices, and images sampled at the points of
 * a grid (Jaderberg et al. 2015, "Spatial Transformer Networks", equations 1, 3, 5 to 7). */
#include "table.h"
#include "tensor.h"

#include <math.h>
#include <string.h>

#define FORWARD(name)       slot_spatial_sampler_forward_##name
#define BACKWARD(name)      slot_spatial_sampler_backward_##name
#define GRID_FORWARD(name)  slot_spatial_grid_forward_##name
#define GRID_BACKWARD(name) slot_spatial_grid_backward_##name

/* The dims of images and of grids. */
enum { N, C, H, W };
enum { GRID_N, GRID_H, GRID_W, GRID_XY };

/* The costs of a point and of one of its channels in multiply-adds, for distribution over
 * threads. */
#define POINT_COST   20
#define CHANNEL_COST 8

/* The position of a point in an image. */
struct spatial_point {
    int64_t row,
        column;         /* pixel above and to the left of the point; it may lie outside the image */
    double down, right; /* distance from that pixel, below 1 */
    int shows;          /* 0 if no pixel is near it */
};

/* The arguments of a loop over points or planes. */
struct spatial_job {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
    int64_t image; /* image of dx */
    double *sums;  /* sums of that image */
};

/* Returns the coordinate of position `at` of `count` before the transformation. */
static double base(int64_t at, int64_t count)
{
    return count > 1 ? -1 + 2 * (double)at / (double)(count - 1) : 0;
}

static struct spatial_point point_of(double gx, double gy, int64_t h, int64_t w)
{
    double x = (gx + 1) * (double)(w - 1) / 2;
    double y = (gy + 1) * (double)(h - 1) / 2;
    struct spatial_point point = {.shows = x >= -1 && x < (double)w && y >= -1 && y < (double)h};

    if (point.shows) {
        point.column = (int64_t)floor(x);
        point.row = (int64_t)floor(y);
        point.right = x - floor(x);
        point.down = y - floor(y);
    }
    return point;
}

/* Returns the weight of one of the four pixels around a point: above left, above right, below left,
 * below right. */
static double corner_weight(const struct spatial_point *point, int64_t corner)
{
    return (corner / 2 ? point->down : 1 - point->down) *
           (corner % 2 ? point->right : 1 - point->right);
}

/* Computes the position n, h, w of point number `at` of a grid. */
static void unravel(const struct anydnn_plugin_tensor *grid, int64_t at, int64_t place[3])
{
    cpu_ref_unravel(at, grid->dims, 3, place);
}

static int64_t points_of(const struct anydnn_plugin_tensor *grid)
{
    return kit_count(grid->dims, 3);
}

/* Adds a sample's gradient to the pixels from which it was interpolated. */
static void spread(double *sums, const struct anydnn_plugin_tensor *dx,
                   const struct spatial_point *point, double gradient)
{
    for (int64_t corner = 0; corner < 4 && point->shows; corner++) {
        int64_t row = point->row + corner / 2, column = point->column + corner % 2;

        if (row >= 0 && row < dx->dims[H] && column >= 0 && column < dx->dims[W])
            sums[row * dx->dims[W] + column] += gradient * corner_weight(point, corner);
    }
}

/* Allocates the sums. Returns NULL if there is no memory. */
static double *sums_for_image(const struct anydnn_plugin_tensor *dx)
{
    return kit_host->alloc(kit_bytes(kit_count(dx->dims + C, 3), sizeof(double)));
}

#define CPU_REF_TEMPLATE "spatial_grid.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "spatial_sampler.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ table entries */

#define COMMON .layouts = KIT_LAYOUTS, .main_slot = 0

const struct cpu_ref_kernel cpu_ref_spatial_grid_forward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD,
    COMMON,
    .apart = 1u << GRID_FORWARD(grid),
    .uniform = 1u << GRID_FORWARD(theta) | 1u << GRID_FORWARD(grid),
    .run = {CPU_REF_EACH_FLOAT(grid_forward_run)},
};

const struct cpu_ref_kernel cpu_ref_spatial_grid_backward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD,
    COMMON,
    .apart = 1u << GRID_BACKWARD(dtheta),
    .uniform = 1u << GRID_BACKWARD(dgrid) | 1u << GRID_BACKWARD(dtheta),
    .run = {CPU_REF_EACH_FLOAT(grid_backward_run)},
};

const struct cpu_ref_kernel cpu_ref_spatial_sampler_forward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD,
    COMMON,
    .apart = 1u << FORWARD(y),
    .uniform = 1u << FORWARD(x) | 1u << FORWARD(grid) | 1u << FORWARD(y),
    .run = {CPU_REF_EACH_FLOAT(sampler_forward_run)},
};

const struct cpu_ref_kernel cpu_ref_spatial_sampler_backward = {
    .operation = ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD,
    COMMON,
    .apart = 1u << BACKWARD(dx) | 1u << BACKWARD(dgrid),
    .uniform = 1u << BACKWARD(x) | 1u << BACKWARD(grid) | 1u << BACKWARD(dy) | 1u << BACKWARD(dx) |
               1u << BACKWARD(dgrid),
    .run = {CPU_REF_EACH_FLOAT(sampler_backward_run)},
};
