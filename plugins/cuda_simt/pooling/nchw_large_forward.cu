/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward of NCHW for large windows: the threads of a warp or of a block share one. */
#include "device.h"

/* The part of a plane that a window covers, as contiguous rows of maximum length. */
struct pooling_rows {
    int begin, rows, length, pitch;
};

__device__ static inline pooling_rows rows_of(const pooling_shape &shape, const pooling_box &box,
                                              int d)
{
    int high = box.end[1] - box.begin[1], wide = box.end[2] - box.begin[2];
    int begin = pooling_offset(shape.x_dims, d, box.begin[1], box.begin[2]);

    if (wide == shape.x_dims[2])
        return {begin, 1, high * wide, 0};
    return {begin, high, wide, shape.x_dims[2]};
}

template <class T, bool MAX>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nchw_large(pooling_job job)
{
    __shared__ float partial[CUDA_THREADS];
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int thread = (int)threadIdx.x, lane = thread & (p.window_threads - 1), o[POOLING_DIMS];
    int64_t outputs = pooling_volume(shape.y_dims);
    int64_t output = ((int64_t)blockIdx.x * CUDA_THREADS + thread) / p.window_threads;
    int64_t plane = output / outputs, left = output - plane * outputs;
    float result = MAX ? shape.lowest : 0;
    pooling_box box;

#pragma unroll
    for (int s = POOLING_DIMS - 1; s >= 0; s--) {
        o[s] = (int)(left % shape.y_dims[s]);
        left /= shape.y_dims[s];
        pooling_cover(shape, s, o[s], &box);
    }
    for (int d = box.begin[0]; plane < p.outer && d < box.end[0]; d++) {
        pooling_rows rows = rows_of(shape, box, d);
        const T *row = (const T *)job.data.x + plane * pooling_volume(shape.x_dims) + rows.begin;

        for (int r = 0; r < rows.rows; r++, row += rows.pitch) {
#pragma unroll 4
            for (int i = lane; i < rows.length; i += p.window_threads)
                pooling_take<MAX>(result, cuda_load(row[i]), shape.nan_propagate);
        }
    }
    partial[thread] = result;
    __syncthreads();
    for (int half = p.window_threads / 2; half > 0; half /= 2) {
        if (lane < half)
            pooling_take<MAX>(partial[thread], partial[thread + half], shape.nan_propagate);
        __syncthreads();
    }
    if (lane == 0 && plane < p.outer) {
        result = partial[thread];
        if (!MAX)
            result /= pooling_divisor(shape, o);
        cuda_blend_store((T *)job.data.out + output, result, job.blend);
    }
}

template <class T, bool MAX>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    return cuda_launch(call, pooling_nchw_large<T, MAX>, packed->blocks, 1,
                       pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nchw_large_launch(int32_t type, int32_t mode)
{
    switch (type) {
#define CASE(T) return pooling_is_max(mode) ? launch<T, true> : launch<T, false>
        POOLING_CASES(CASE);
#undef CASE
    }
}
