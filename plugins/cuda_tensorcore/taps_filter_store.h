/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a block of direction filter of the family taps: sums go out from registers, to the
 * filter, or as they are to the parts that taps_add.h adds up. */
#ifndef CUDA_TENSORCORE_TAPS_FILTER_STORE_H
#define CUDA_TENSORCORE_TAPS_FILTER_STORE_H

#include "taps_filter_shape.h"

/* Where a sum of a part lies: parts have taps of channels as neighbours, as a packed filter has. */
CUDA_BOTH int64_t tc_filter_part_at(const tc_slim_job &job, int32_t split, int32_t group,
                                    int32_t column, int32_t row)
{
    const auto &conv = job.conv;

    return ((split * conv.groups + group) * conv.columns + column) * job.rows + row;
}

template <class S>
__device__ static inline void
tc_filter_store_part(const tc_taps_job &job, const tc_taps_view &view, const tc_taps_block &block,
                     const tc_filter_readers<S> &read, const float (&sum)[S::DOWN][S::RIGHT][4])
{
#pragma unroll
    for (int e = 0; e < S::DOWN * 2; e++) {
        int32_t column = block.first_column + read.column_of(e / 2, e % 2);
        float *to = (float *)job.partial +
                    tc_filter_part_at(job, block.split, block.group, column, block.first_row);

        if (column >= (int32_t)job.conv.columns)
            continue;
#pragma unroll
        for (int j = 0; j < S::RIGHT; j++) {
            if (block.first_row + read.row_of(j) < view.view.taps)
                *(float2 *)(to + read.row_of(j)) = {sum[e / 2][j][e % 2 * 2],
                                                    sum[e / 2][j][e % 2 * 2 + 1]};
        }
    }
}

/* Sums that were not split: through shared memory, the filters of one line of warps at a time. */
template <class S>
__device__ static inline void
tc_filter_store(const tc_taps_job &job, const tc_taps_view &view, const tc_taps_block &block,
                const tc_filter_readers<S> &read, const float (&sum)[S::DOWN][S::RIGHT][4],
                float *memory)
{
    typedef typename S::element element;
    enum { LINE = S::ROWS + TC_SUM_PAD };
    static_assert(S::WARP_COLUMNS * LINE * 4 <= S::TILES_BYTES, "sums fit into the tiles' memory");
    const auto &conv = job.conv;
    element *filters = (element *)job.output.data + block.group * conv.tap_group;

#pragma unroll 1
    for (int first = 0; first < S::COLUMNS; first += S::WARP_COLUMNS) {
        __syncthreads();
        if (read.first_column == first) {
#pragma unroll
            for (int e = 0; e < S::DOWN * S::RIGHT * 4; e++) {
                int i = e / (S::RIGHT * 4), j = e / 4 % S::RIGHT, n = e % 4;

                memory[(read.column_of(i, n / 2) - first) * LINE + read.row_of(j) + n % 2] =
                    sum[i][j][n];
            }
        }
        __syncthreads();
        for (int e = (int)threadIdx.x; e < S::WARP_COLUMNS * S::ROWS; e += S::THREADS) {
            int32_t row = block.first_row + e % S::ROWS;
            int32_t column = block.first_column + first + e / S::ROWS;
            conv_place place;

            if (row >= view.view.taps || column >= (int32_t)conv.columns)
                continue;
            conv_place_tap(&place, conv, view.view, row, true);
            cuda_blend_store(filters + place.other + column * conv.tap_column,
                             memory[e / S::ROWS * LINE + e % S::ROWS], job.output.blend);
        }
    }
}

#endif
