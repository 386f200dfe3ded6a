/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is given, and where its blocks work. */
#ifndef CUDA_TENSORCORE_JOB_H
#define CUDA_TENSORCORE_JOB_H

#include "../cuda_common/conv_place.h"
#include "../cuda_common/index.h"
#include "tensorcore.h"

/* Classes whose order a job holds; more of them go as they are numbered. */
#define TC_CLASSES 64

/* `each` counts tiles along the sum. In direction data, classes with many taps come first, so that
 * the last blocks to begin are short ones. */
struct tc_job : conv_job {
    int32_t multiprocessors, shared_bytes; /* of the device */
    int32_t tile[5];                       /* what a kernel's own `plan` chose */
    int32_t has_order;
    uint8_t order[TC_CLASSES];
};

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
