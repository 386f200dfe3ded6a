/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of convolutions are given, and the second stage of split sums. */
#ifndef CUDA_COMMON_CONV_JOB_H
#define CUDA_COMMON_CONV_JOB_H

#include "conv.h"
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

/* Slots of gathered tensor, other operand and output; of the fused operation z and bias, too, which
 * others lack (-1). */
struct conv_slots {
    int32_t x, other, output, z, bias;
};

conv_slots conv_slots_of(int32_t operation);

/* Puts the operands of a call into a job. */
void conv_give(conv_job *job, const conv_slots &slots,
               const struct anydnn_plugin_operands *operands);

/* The second stage: adds up the splits in order. Partial sums of row r, column c of a class of a
 * group lie in [split][group][class][r][c]. */
int32_t conv_add_splits(const cuda_call *call, const conv_job &job);

template <class JOB>
CUDA_BOTH int64_t conv_partial_at(const JOB &job, int64_t split, int64_t unit, int64_t row,
                                  int64_t column)
{
    const auto &conv = job.conv;

    return ((split * conv.groups * conv.classes + unit) * job.rows + row) * conv.columns + column;
}

#endif
