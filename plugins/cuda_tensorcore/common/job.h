/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel is told of its problem (the host's form and the slim one of a kernel's parameters),
 * and which tile a block works on.
 */
#ifndef CUDA_TENSORCORE_COMMON_JOB_H
#define CUDA_TENSORCORE_COMMON_JOB_H

#include "../../cuda_common/conv_place.h"
#include "../../cuda_common/index.h"
#include "../tensorcore.h"

/* Classes whose order a job holds; more of them go as they are numbered. */
#define TC_CLASSES 64

/* `each` counts tiles along the sum. In dgrad, classes with many taps come first, so that
 * the last blocks to begin are short ones. */
struct tc_job : conv_job {
    int32_t multiprocessors, shared_bytes; /* of the device */
    int32_t tile[5];                       /* what a kernel's own `plan` chose */
    int32_t has_order;
    uint8_t order[TC_CLASSES];
};

/* ------------------------------------------------------------------ slim ones */

/*
 * What the kernels of the families beside mma look at of a geometry, by the names that it has in
 * struct conv: three dims, and 31 bits for all but what offsets of results and of partial sums are
 * made of. Parameters of a kernel are copied at each launch, and fetched by each multiprocessor.
 */
struct tc_conv_dim {
    int64_t position, z;
    int32_t gathered, x, tap;
};

/* Found by the numbers that dims have in struct conv. */
template <class DIM> struct tc_dims {
    DIM last[CONV_DIMS];

    __host__ __device__ const DIM &operator[](int d) const
    {
        return last[d - CONV_FIRST];
    }
};

struct tc_conv_step {
    int64_t step;
};

struct tc_conv {
    int32_t depth, classes, x_image, tap_first;
    int64_t groups, columns;
    int64_t tap_group, tap_depth, tap_column;
    int64_t position_image, z_image;
    tc_conv_step position, z;
    tc_dims<tc_conv_dim> dim;
};

struct tc_slim_params {
    int32_t row_tiles, column_tiles, splits;
    int32_t rows; /* of results, of the largest class */
    int32_t stores_by_row;
    int32_t stores_by_16; /* results go as they are to packed rows of columns */
    const void *x, *other;
    void *partial;
    tc_conv conv;
    conv_output output;
};

static inline tc_conv tc_conv_of(const conv &from)
{
    tc_conv to = {};

    to.depth = (int32_t)from.depth;
    to.classes = (int32_t)from.classes;
    to.x_image = (int32_t)from.x_image;
    to.tap_first = (int32_t)from.tap_first;
    to.groups = from.groups;
    to.columns = from.columns;
    to.tap_group = from.tap_group;
    to.tap_depth = from.tap_depth;
    to.tap_column = from.tap_column;
    to.position_image = from.position_image;
    to.z_image = from.z_image;
    to.position.step = from.position.step;
    to.z.step = from.z.step;
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = from.dim[CONV_FIRST + d];

        to.dim.last[d] = {dim.position, dim.z, (int32_t)dim.gathered, (int32_t)dim.x,
                          (int32_t)dim.tap};
    }
    return to;
}

/* All but what a call brings. */
static inline void tc_slim_of(tc_slim_params *to, const tc_job &from)
{
    to->row_tiles = from.row_tiles;
    to->column_tiles = from.column_tiles;
    to->splits = from.splits;
    to->rows = from.rows;
    to->stores_by_row = from.stores_by_row;
    to->conv = tc_conv_of(from.conv);
    to->output = from.output;
}

/* Where a tap's channel lies in the filters; taps are counted with channels inside. Nothing else of
 * it is made. */
CUDA_BOTH void conv_place_tap(conv_place *place, const tc_conv &conv, const conv_view &view,
                              int32_t index, bool)
{
    int32_t channel = index % conv.depth;

    index /= conv.depth;
    place->other = conv.tap_first + channel * conv.tap_depth;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        int32_t t = index % dim.taps;

        index /= dim.taps;
        place->other += (dim.tap_first + (int64_t)t * dim.tap_step) * conv.dim[CONV_FIRST + d].tap;
    }
}

/* ------------------------------------------------------------------ blocks */

/* Coordinates of a block. */
struct tc_block {
    int32_t first_row, column_tile, unit, group, split;
    int32_t rows, columns; /* of its class; from the tile's first one on */
    int32_t summed;        /* length of a sum */
    int32_t begin, end;    /* tiles along it */
    int64_t x, other;      /* where group and first column begin in the operands */
    conv_view view;
};

/* Fastest the columns, so that blocks that gather the same run at the same time. */
__device__ static inline void tc_block_at(tc_block *block, const tc_job &job, int32_t id, int rows,
                                          int columns, int terms)
{
    const conv &conv = job.conv;
    int32_t classes = (int32_t)conv.classes, groups = (int32_t)conv.groups, number, first;
    bool rows_are_taps = conv_rows_are_taps(job);

    block->column_tile = id % job.column_tiles;
    id /= job.column_tiles;
    block->first_row = id % job.row_tiles * rows;
    id /= job.row_tiles;
    block->group = id % groups;
    id /= groups;
    number = job.has_order ? job.order[id % classes] : id % classes;
    block->split = id / classes;
    block->unit = block->group * classes + number;
    conv_view_make(&block->view, conv, number);
    first = block->column_tile * columns;
    block->rows = rows_are_taps ? block->view.taps : block->view.positions;
    block->summed = rows_are_taps ? block->view.positions : block->view.taps;
    block->columns = (int32_t)conv.columns - first;
    block->begin = block->split * job.each;
    block->end = conv_least((block->summed + terms - 1) / terms, block->begin + job.each);
    block->x = conv_channel(conv.x, block->group * conv.depth);
    block->other = rows_are_taps ? (block->group * conv.columns + first) * conv.position.step
                                 : block->group * conv.tap_group + (int64_t)first * conv.tap_column;
}

#endif
