/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of the family taps are given. They work as those of gemm.h do, for geometries in
 * which nearly all arithmetic of places can be done before the sums begin: operands read by 16
 * bytes, few classes, offsets of 31 bits. The host makes the views of all classes; a block works
 * out, once for each row, the place under the first tap and which taps of each dim lie inside; in
 * the loop, a step to the next tile is one addition and one test for 16 bytes.
 */
#ifndef CUDA_TENSORCORE_TAPS_JOB_H
#define CUDA_TENSORCORE_TAPS_JOB_H

#include "launch.h"

/* Classes that a job has views of; taps along a dim that a mask has bits for. */
#define TC_TAPS_CLASSES 8
#define TC_TAPS_BITS    10

struct tc_taps_view {
    conv_view view;
    cuda_divisor by[CONV_DIMS];     /* positions */
    cuda_divisor by_tap[CONV_DIMS]; /* what taps are apart in the gathered tensor; filters only */
    int32_t tap_x[CONV_DIMS];       /* from tap to tap in the gathered tensor, */
    int32_t tap_other[CONV_DIMS];   /* in the other one; filters only */
    int32_t back_x[CONV_DIMS];      /* from a dim's last tap back to its first */
    int32_t back_other[CONV_DIMS];
    uint32_t last[CONV_DIMS]; /* the bit of a dim's last tap */
    int32_t first_other;      /* of the first tap */
    int32_t taps;             /* of all dims, without channels */
};

struct tc_taps_job : tc_job {
    int32_t stores_by_16; /* results go as they are to packed rows of columns */
    tc_taps_view class_of[TC_TAPS_CLASSES];
};

/* Coordinates of a block. */
struct tc_taps_block {
    int32_t first_row, first_column, number, group, split;
};

__device__ static inline tc_taps_block tc_taps_block_at(const tc_job &job, int32_t id, int rows,
                                                        int columns)
{
    tc_taps_block block;

    block.first_column = id % job.column_tiles * columns;
    id /= job.column_tiles;
    block.first_row = id % job.row_tiles * rows;
    id /= job.row_tiles;
    block.group = id % (int32_t)job.conv.groups;
    id /= (int32_t)job.conv.groups;
    block.number = job.order[id % (int32_t)job.conv.classes];
    block.split = id / (int32_t)job.conv.classes;
    return block;
}

/* A position: its place in the gathered tensor under the first tap, which taps of each dim (from
 * the low bits, TC_TAPS_BITS of each) lie inside, its place in the tensor by position; < 0: none.
 */
struct alignas(16) tc_taps_place {
    int32_t x;
    uint32_t inside;
    int64_t position;
};

__device__ static inline tc_taps_place tc_taps_place_at(const conv &conv, const tc_taps_view &view,
                                                        int32_t index)
{
    tc_taps_place place = {0, 0, 0};
    uint32_t left = (uint32_t)index;

    if (index >= view.view.positions)
        return {0, 0, -1};
#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.view.dim[d];
        uint32_t next = cuda_divide(left, view.by[d]);
        int32_t along = (int32_t)(left - next * (uint32_t)dim.positions);
        int32_t at = dim.at + along * dim.at_position;

        left = next;
        place.x += at * (int32_t)conv.dim[CONV_FIRST + d].x;
        place.position += (dim.first + along * dim.step) * conv.dim[CONV_FIRST + d].position;
        for (int t = 0; t < dim.taps; t++)
            place.inside |= (uint32_t)((uint32_t)(at + t * dim.at_tap) <
                                       (uint32_t)conv.dim[CONV_FIRST + d].gathered)
                            << (TC_TAPS_BITS * d + t);
    }
    place.x += (int32_t)left * (int32_t)conv.x_image;
    place.position += left * conv.position_image;
    return place;
}

/* A position's place in the tensor by position, or in z. */
__device__ static inline int64_t tc_taps_position(const conv &conv, const tc_taps_view &view,
                                                  int32_t index, bool z)
{
    uint32_t left = (uint32_t)index;
    int64_t position = 0;

#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.view.dim[d];
        const conv_dim &of = conv.dim[CONV_FIRST + d];
        uint32_t next = cuda_divide(left, view.by[d]);
        int32_t along = (int32_t)(left - next * (uint32_t)dim.positions);

        left = next;
        position += (dim.first + along * dim.step) * (z ? of.z : of.position);
    }
    return position + left * (z ? conv.z_image : conv.position_image);
}

/* ------------------------------------------------------------------ on the host, taps.cu */

/* Whether a geometry is one for these kernels. */
extern "C" int32_t tc_taps_takes(const struct conv *conv, const struct tc_wish *wish);

/* Whether results go as they are to columns that lie side by side, so many at a multiple of as
 * many.
 */
int32_t tc_taps_is_plain(const tc_job &job, int32_t each);

/* Fills the job; `element` bytes of an element of the output. */
void tc_taps_prepare(tc_taps_job *taps, const tc_job &job, int32_t element);

#endif
