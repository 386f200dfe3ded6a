/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of convolutions are given, and the functions that launch them. */
#ifndef CUDA_NAIVE_CONV_JOB_H
#define CUDA_NAIVE_CONV_JOB_H

#include "conv_choice.h"
#include "conv_output.h"

/*
 * Neighbouring threads go where there are neighbouring elements: tiles are gathered along rows or
 * along what is summed over, the other operand is read along columns or along that, results are
 * stored along rows or columns. `channels_inside`: a count of taps of channels runs over channels
 * first. A kernel uses what it needs of this.
 */
struct conv_job {
    struct conv conv;
    const void *x, *other; /* gathered; filters, or dy in direction filter */
    conv_output output;
    void *partial; /* sums of each split; NULL: there is one, and it goes to the output */
    int32_t x_type, other_type; /* where they are found at run time */
    int32_t row_tiles, column_tiles, splits;
    int32_t each;  /* of what is summed over, in a split: chunks, or positions of images */
    int32_t rows;  /* of results, of the largest class */
    int32_t lanes; /* filters of a block without tiles, in direction filter */
    int32_t partial_double;
    int32_t channels_inside, gathers_by_row, other_by_column, stores_by_row;
};

int32_t conv_tile_float(const cuda_call *call, int32_t tile, const conv_job &job);
int32_t conv_tile_half(const cuda_call *call, int32_t tile, const conv_job &job);
int32_t conv_tile_bfloat16(const cuda_call *call, int32_t tile, const conv_job &job);

/* How a kernel without tiles reads its operands and adds up: by the type, in float or for double in
 * double; by types found at run time, in double; 8-bit integers, modulo 2^32. All but the second
 * need a narrow geometry. */
enum { CONV_TYPED, CONV_ANY, CONV_INTEGER };

/* Directions forward and data, a thread a result. */
int32_t conv_direct(const cuda_call *call, int32_t how, const conv_job &job);

/* Direction filter, a block for some taps of a channel of some filters. */
int32_t conv_filter(const cuda_call *call, int32_t how, const conv_job &job);

/* The second stage: adds up the splits in order. Partial sums of row r, column c of a class of a
 * group lie in [split][group][class][r][c]. */
int32_t conv_add_splits(const cuda_call *call, const conv_job &job);

CUDA_BOTH int64_t conv_partial_at(const conv_job &job, int64_t split, int64_t unit, int64_t row,
                                  int64_t column)
{
    const conv &conv = job.conv;

    return ((split * conv.groups * conv.classes + unit) * job.rows + row) * conv.columns + column;
}

#endif
