/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a block: sums go from fragments through shared memory, so that neighbouring threads
 * have neighbouring results, and from there to the output, blended, biased, activated and rounded
 * once (conv_output.h), or as they are to the parts that a second kernel adds up.
 */
#ifndef CUDA_TENSORCORE_COMMON_EPILOGUE_H
#define CUDA_TENSORCORE_COMMON_EPILOGUE_H

#include "shape.h"

/* The rows of the warps in line `piece`, to shared memory. */
template <class S, class SUM, int DOWN, int RIGHT>
__device__ static inline void tc_put_sums(SUM *out, const SUM (&sum)[DOWN][RIGHT][4], int column)
{
    struct alignas(2 * sizeof(SUM)) pair {
        SUM first, second;
    };

    int lane = (int)threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int j = 0; j < RIGHT; j++) {
            SUM *to = out + (i * 16 + lane / 4) * S::SUM_LINE + column + j * 8 + lane % 4 * 2;

            *(pair *)to = {sum[i][j][0], sum[i][j][1]};
            *(pair *)(to + 8 * S::SUM_LINE) = {sum[i][j][2], sum[i][j][3]};
        }
    }
}

/* Those rows, `first_row` on of the tile, from shared memory to where they belong. */
template <class S>
__device__ static inline void tc_store(const tc_job &job, const tc_block &block,
                                       const conv_place *rows, const typename S::math::sum *out,
                                       int first_row)
{
    enum { ROWS = S::WARP_ROWS, COLUMNS = S::COLUMNS };
    typedef typename S::element element;
    int64_t group = block.group * conv_column_group(job), step = conv_column_step(job);
    int32_t left = block.columns;

    for (int e = (int)threadIdx.x; e < ROWS * COLUMNS; e += S::THREADS) {
        int r = job.stores_by_row ? e % ROWS : e / COLUMNS;
        int c = job.stores_by_row ? e / ROWS : e % COLUMNS;
        int32_t row = block.first_row + first_row + r, column = block.column_tile * COLUMNS + c;
        const conv_place &place = rows[first_row + r];
        typename S::math::sum sum = out[r * S::SUM_LINE + c];
        int64_t number = block.group * job.conv.columns + column;

        if (row >= block.rows || c >= left)
            continue;
        if constexpr (tc_is_integer<typename S::math>())
            conv_store_any(job.output, place.other + conv_channel(job.conv.position, number),
                           place.x + conv_channel(job.conv.z, number), number, (double)sum);
        else if (job.partial)
            ((float *)job.partial)[conv_partial_at(job, block.split, block.unit, row, column)] =
                sum;
        else
            conv_store<element>(job.output, place.other + group + column * step,
                                place.x + number * job.conv.z.step, number, sum);
    }
}

#endif
