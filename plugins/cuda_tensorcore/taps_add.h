/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up the parts of split sums of direction filter, in a fixed order: a thread goes along every
 * PARTS-th of them, and what the threads of a result have is added in turn. Parts have columns as
 * neighbours, a filter has its rows (taps of channels) so; results change sides in shared memory.
 */
#ifndef CUDA_TENSORCORE_TAPS_ADD_H
#define CUDA_TENSORCORE_TAPS_ADD_H

#include "taps_job.h"

/* A block's columns, and threads to each: so many rows, or one row in so many parts. */
#define TC_TAPS_ADD_COLUMNS 32
#define TC_TAPS_ADD_LINES   8
/* From so many splits on, several threads go along them. */
#define TC_TAPS_ADD_MANY 32

template <class E, int PARTS>
static __global__ void __launch_bounds__(TC_TAPS_ADD_COLUMNS *TC_TAPS_ADD_LINES)
    tc_taps_add_kernel(const __grid_constant__ tc_taps_job job)
{
    enum { ROWS = TC_TAPS_ADD_LINES / PARTS, COLUMNS = TC_TAPS_ADD_COLUMNS };
    __shared__ double sums[TC_TAPS_ADD_LINES][COLUMNS + 1];
    const conv &conv = job.conv;
    int32_t columns = (int32_t)conv.columns, tiles = (columns + COLUMNS - 1) / COLUMNS;
    int32_t lines = (job.rows + ROWS - 1) / ROWS;
    int32_t first_column = (int32_t)blockIdx.x % tiles * COLUMNS;
    int32_t first_row = (int32_t)blockIdx.x / tiles % lines * ROWS;
    int32_t group = (int32_t)blockIdx.x / tiles / lines;
    int x = (int)threadIdx.x % COLUMNS, y = (int)threadIdx.x / COLUMNS;
    int32_t row = first_row + y / PARTS, column = first_column + x;
    double sum = 0;
    conv_place place;

    if (row < job.rows && column < columns) {
        const float *from =
            (const float *)job.partial + conv_partial_at(job, 0, group, row, column);
        int64_t apart = conv_partial_at(job, 1, 0, 0, 0);

#pragma unroll 8
        for (int32_t split = y % PARTS; split < job.splits; split += PARTS)
            sum += (double)from[split * apart];
    }
    sums[y][x] = sum;
    __syncthreads();

    if ((int)threadIdx.x >= ROWS * COLUMNS)
        return;
    y = (int)threadIdx.x % ROWS;
    row = first_row + y;
    column = first_column + (int)threadIdx.x / ROWS;
    if (row >= job.rows || column >= columns)
        return;
    sum = 0;
    for (int part = 0; part < PARTS; part++)
        sum += sums[y * PARTS + part][(int)threadIdx.x / ROWS];
    conv_place_tap(&place, conv, job.class_of[0].view, row, true);
    cuda_blend_store((E *)job.output.data + place.other + group * conv.tap_group +
                         column * conv.tap_column,
                     sum, job.output.blend);
}

template <class E>
static int32_t tc_taps_add(const struct cuda_call *call, const struct tc_job *job)
{
    const int32_t threads = TC_TAPS_ADD_COLUMNS * TC_TAPS_ADD_LINES;
    int64_t tiles = cuda_blocks(job->conv.columns, TC_TAPS_ADD_COLUMNS) * job->conv.groups;
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_taps_job taps;

    tc_taps_prepare(&taps, *job, (int32_t)sizeof(E));
    if (job->splits >= TC_TAPS_ADD_MANY)
        return tc_launch(call, tc_taps_add_kernel<E, TC_TAPS_ADD_LINES>, threads, 0, asked,
                         tiles * job->rows, taps);
    return tc_launch(call, tc_taps_add_kernel<E, 1>, threads, 0, asked,
                     tiles * cuda_blocks(job->rows, TC_TAPS_ADD_LINES), taps);
}

#endif
