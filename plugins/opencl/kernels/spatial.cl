/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the spatial transformer: the grid of affine matrices, the bilinear sampler, and their gradients. */

/* The dims of images and of grids. */
enum { N, C, H, W };
enum { GRID_N, GRID_H, GRID_W, GRID_XY };

/* Returns the factor of a matrix's column k at a position of the grid: x, y or 1. */
wide column_factor(constant const struct spatial_job *job, const i64 *at, i64 k)
{
    int dim = k == 0 ? GRID_W : GRID_H;

    if (k == 2)
        return 1;
    return job->grid.dims[dim] > 1 ? -1 + 2 * (wide)at[dim] / (wide)(job->grid.dims[dim] - 1) : 0;
}

GROUPED grid_forward(constant const struct spatial_job *job, struct job_call call, global const u8 *theta,
                     global u8 *grid)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide sum = 0;

    if (i >= job->grid.count)
        return;
    unravel(job->grid.dims, job->grid.ndims, i, at);
    for (i64 k = 0; k < 3; k++) {
        i64 element[3] = {at[GRID_N], at[GRID_XY], k};

        sum += load(job->theta.type, theta, offset_of(&job->theta, element)) * column_factor(job, at, k);
    }
    store(job->grid.type, grid, offset_of(&job->grid, at), sum);
}

/* Sums over the grid for an element of the matrices' gradient. */
GROUPED grid_backward(constant const struct spatial_job *job, struct job_call call, global const u8 *dgrid,
                      global u8 *dtheta)
{
    local wide part[JOB_GROUP];
    i64 element[3], at[4], count = job->grid.dims[GRID_H] * job->grid.dims[GRID_W];
    wide sum = 0;

    unravel(job->theta.dims, 3, get_group_id(0), element);
    at[GRID_N] = element[0];
    at[GRID_XY] = element[1];
    for (i64 i = get_local_id(0); i < count; i += JOB_GROUP) {
        at[GRID_H] = i / job->grid.dims[GRID_W];
        at[GRID_W] = i % job->grid.dims[GRID_W];
        sum += load(job->grid.type, dgrid, offset_of(&job->grid, at)) * column_factor(job, at, element[2]);
    }
    sum = group_sum(part, sum);
    if (get_local_id(0) == 0)
        store(job->theta.type, dtheta, offset_of(&job->theta, element), sum);
}

/* ------------------------------------------------------------------ the sampler */

/* A sampling point. row and column select the pixel above it and to its left, which may lie outside the image. down and
 * right are the distances from that pixel, below 1. */
struct point {
    i64 row, column;
    wide down, right;
    int shows; /* 1 if the point has a pixel of the image beside it */
};

struct point point_of(constant const struct spatial_job *job, global const u8 *grid, i64 n, i64 h, i64 w)
{
    i64 at_x[4] = {n, h, w, 0}, at_y[4] = {n, h, w, 1};
    wide x = load(job->grid.type, grid, offset_of(&job->grid, at_x));
    wide y = load(job->grid.type, grid, offset_of(&job->grid, at_y));
    struct point point = {0, 0, 0, 0, 0};

    x = (x + 1) * (wide)(job->x.dims[W] - 1) / 2;
    y = (y + 1) * (wide)(job->x.dims[H] - 1) / 2;
    point.shows = x >= -1 && x < (wide)job->x.dims[W] && y >= -1 && y < (wide)job->x.dims[H];
    if (point.shows) {
        point.column = (i64)floor(x);
        point.row = (i64)floor(y);
        point.right = x - floor(x);
        point.down = y - floor(y);
    }
    return point;
}

/* Returns the pixel i rows below and j columns right of the point's pixel, or 0 outside the image. */
wide pixel(constant const struct spatial_job *job, global const u8 *x, i64 n, i64 c, const struct point *point, int i,
           int j)
{
    i64 at[4] = {n, c, point->row + i, point->column + j};

    if (at[H] < 0 || at[H] >= job->x.dims[H] || at[W] < 0 || at[W] >= job->x.dims[W])
        return 0;
    return load(job->x.type, x, offset_of(&job->x, at));
}

/* Returns the weight of the pixel i rows below and j columns to the right. */
wide weight(const struct point *point, i64 i, i64 j)
{
    return (i ? point->down : 1 - point->down) * (j ? point->right : 1 - point->right);
}

GROUPED sampler_forward(constant const struct spatial_job *job, struct job_call call, global const u8 *x,
                        global const u8 *grid, global u8 *y)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    struct point point;
    wide sum = 0;

    if (i >= job->y.count)
        return;
    unravel(job->y.dims, job->y.ndims, i, at);
    point = point_of(job, grid, at[N], at[H], at[W]);
    for (int corner = 0; corner < 4 && point.shows; corner++)
        sum += pixel(job, x, at[N], at[C], &point, corner / 2, corner % 2) *
               weight(&point, corner / 2, corner % 2);
    blend(job->y.type, y, offset_of(&job->y, at), sum, FACTOR(call, 0), FACTOR(call, 1));
}

/* Computes dx. Each work-item reads all points of its image, so the order of the sum is fixed. */
GROUPED sampler_image(constant const struct spatial_job *job, struct job_call call, global const u8 *grid,
                      global const u8 *dy, global u8 *dx)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    wide sum = 0;

    if (i >= job->dx.count)
        return;
    unravel(job->dx.dims, job->dx.ndims, i, at);
    for (i64 h = 0; h < job->grid.dims[GRID_H]; h++)
        for (i64 w = 0; w < job->grid.dims[GRID_W]; w++) {
            i64 at_y[4] = {at[N], at[C], h, w};
            struct point point = point_of(job, grid, at[N], h, w);
            i64 row = at[H] - point.row, column = at[W] - point.column;

            if (point.shows && row >= 0 && row <= 1 && column >= 0 && column <= 1)
                sum += load(job->y.type, dy, offset_of(&job->y, at_y)) * weight(&point, row, column);
        }
    blend(job->dx.type, dx, offset_of(&job->dx, at), sum, FACTOR(call, 0), FACTOR(call, 1));
}

/* Computes dgrid. The slope along one coordinate is the difference of two pixels along it, weighted along the other
 * coordinate. */
GROUPED sampler_grid(constant const struct spatial_job *job, struct job_call call, global const u8 *x,
                     global const u8 *grid, global const u8 *dy, global u8 *dgrid)
{
    i64 i = get_global_id(0), at[JOB_DIMS];
    struct point point;
    wide sum = 0;
    int along_y;

    if (i >= job->dgrid.count)
        return;
    unravel(job->dgrid.dims, job->dgrid.ndims, i, at);
    point = point_of(job, grid, at[GRID_N], at[GRID_H], at[GRID_W]);
    along_y = at[GRID_XY] == 1;
    for (i64 c = 0; c < job->x.dims[C] && point.shows; c++) {
        i64 at_y[4] = {at[GRID_N], c, at[GRID_H], at[GRID_W]};
        wide slope = 0;

        for (int k = 0; k < 2; k++) {
            wide across = along_y ? point.right : point.down;
            wide near = pixel(job, x, at[GRID_N], c, &point, along_y ? 0 : k, along_y ? k : 0);
            wide far = pixel(job, x, at[GRID_N], c, &point, along_y ? 1 : k, along_y ? k : 1);

            slope += (far - near) * (k ? across : 1 - across);
        }
        sum += load(job->y.type, dy, offset_of(&job->y, at_y)) * slope;
    }
    blend(job->dgrid.type, dgrid, offset_of(&job->dgrid, at), sum * (wide)(job->x.dims[along_y ? H : W] - 1) / 2,
          FACTOR(call, 2), FACTOR(call, 3));
}
