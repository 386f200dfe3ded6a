/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of wgrad in the family hopper, which stores a tile's sums as floats in
 * the partial sums of its split. */
#ifndef CUDA_TENSORCORE_HOPPER_WGRAD_EPILOGUE_H
#define CUDA_TENSORCORE_HOPPER_WGRAD_EPILOGUE_H

#include "wgrad_shape.h"

/* The first row of a block in a filter, and the number of rows from it on. Rows are taps and
 * channels. */
struct tc_hopper_wgrad_rows {
    int32_t first, count;

    __device__ tc_hopper_wgrad_rows(const tc_hopper_wgrad_params &job, int32_t block)
    {
        int32_t tap = block / job.channel_blocks;
        int32_t channel = (block - tap * job.channel_blocks) * TC_HOPPER_BLOCK;

        first = tap * job.channels + channel;
        count = block < job.blocks ? job.channels - channel : 0;
    }
};

/* Stores sums with filters as rows, and taps and channels as columns. A thread has two neighbors
 * of a filter. */
template <class S>
__device__ static inline void tc_hopper_wgrad_epilogue(const tc_hopper_wgrad_params &job,
                                                       const tc_hopper_wgrad_work_tile<S> &item,
                                                       float *partial, int32_t consumer,
                                                       const float (&sum)[S::UNITS][S::N / 2])
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t filter =
        item.first_filter + consumer * S::UNITS * TC_WARPGROUP_ROWS + thread / 32 * 16 + lane / 4;
    int32_t pair = lane % 4 * 2;

#pragma unroll
    for (int32_t block = 0; block < S::X_BLOCKS; block++) {
        tc_hopper_wgrad_rows rows(job, item.first_block + block);

#pragma unroll
        for (int32_t half = 0; half < S::UNITS * 2; half++) {
            int32_t line = filter + half / 2 * TC_WARPGROUP_ROWS + half % 2 * 8;
            float *to = partial + (int64_t)line * job.m + rows.first + pair;

            if (line >= job.filters)
                continue;
#pragma unroll
            for (int32_t c = 0; c < TC_HOPPER_BLOCK; c += 8) {
                const float *from =
                    &sum[half / 2][(block * TC_HOPPER_BLOCK + c) / 2 + half % 2 * 2];

                if (c + pair < rows.count)
                    *(float2 *)(to + c) = {from[0], from[1]};
            }
        }
    }
}

/* Stores sums with taps and channels as rows, and filters as columns. The lanes of a column have
 * neighbors of a filter. */
template <class S>
__device__ static inline void
tc_hopper_wgrad_epilogue_x_is_m(const tc_hopper_wgrad_params &job,
                                const tc_hopper_wgrad_work_tile<S> &item, float *partial,
                                int32_t consumer, const float (&sum)[S::UNITS][S::N / 2])
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t channel = thread / 32 * 16 + lane / 4, filter = item.first_filter + lane % 4 * 2;

#pragma unroll
    for (int32_t half = 0; half < S::UNITS * 2; half++) {
        int32_t c = channel + half % 2 * 8;
        tc_hopper_wgrad_rows rows(job, item.first_block + consumer * S::UNITS + half / 2);
        float *to = partial + (int64_t)filter * job.m + rows.first + c;

        if (c >= rows.count)
            continue;
#pragma unroll
        for (int32_t f = 0; f < S::N; f += 8)
#pragma unroll
            for (int32_t i = 0; i < 2; i++) {
                if (filter + f + i < job.filters)
                    to[(int64_t)(f + i) * job.m] = sum[half / 2][f / 2 + half % 2 * 2 + i];
            }
    }
}

#endif
