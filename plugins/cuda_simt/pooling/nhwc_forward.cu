/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward of NHWC: one or several threads compute a window. */
#include "nhwc.h"

/* Reduces the rows of thread number `part` among those that share a window. */
template <class T, bool SINGLE, bool MAX, int LANES, bool NANS>
__device__ static inline void gather(float result[LANES], const pooling_packed &p, const T *x,
                                     const pooling_box &box, int part)
{
    const pooling_shape &shape = p.shape;
    int high = box.end[1] - box.begin[1];
    int begin = box.begin[1] + high * part / p.window_threads;
    int end = box.begin[1] + high * (part + 1) / p.window_threads;

#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        result[lane] = MAX ? shape.lowest : 0;
    for (int d = box.begin[0]; d < box.end[0]; d++)
        for (int h = begin; h < end; h++) {
            const T *at = x + pooling_offset(shape.x_dims, d, h, box.begin[2]) * p.channels;

            for (int w = box.begin[2]; w < box.end[2]; w += POOLING_BATCH) {
                pooling_lanes<T, SINGLE> in[POOLING_BATCH];

#pragma unroll
                for (int i = 0; i < POOLING_BATCH; i++, at += p.channels) {
                    if (w + i < box.end[2])
                        pooling_read<T, SINGLE>(in[i], at);
                }
#pragma unroll
                for (int i = 0; i < POOLING_BATCH; i++) {
                    if (w + i >= box.end[2])
                        break;
#pragma unroll
                    for (int lane = 0; lane < LANES; lane++)
                        pooling_take<MAX>(result[lane], cuda_load(in[i].lane[lane]), NANS);
                }
            }
        }
}

/* Joins the results of the threads that share a window, in their order; the first thread gets the
 * result. All threads of a block must call it. */
template <bool MAX, int LANES>
__device__ static inline void join(float result[LANES], const pooling_packed &p,
                                   const pooling_thread &thread, int part)
{
    __shared__ float partial[LANES][CUDA_THREADS];
    int apart = p.lanes * (thread.slots / p.window_threads);

#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        partial[lane][threadIdx.x] = result[lane];
    __syncthreads();
    for (int peer = 1; part == 0 && peer < p.window_threads; peer++) {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            pooling_take<MAX>(result[lane], partial[lane][threadIdx.x + peer * apart],
                              p.shape.nan_propagate);
    }
    __syncthreads();
}

template <class T, bool SINGLE, bool MAX>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nhwc_forward(pooling_job job)
{
    enum { LANES = pooling_lanes<T, SINGLE>::LANES };
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    pooling_thread thread = pooling_thread_of(p);
    int items = pooling_volume(p.tile.size), each = thread.slots / p.window_threads;
    int part = thread.slot / each, channel = thread.vector * LANES;
    const T *x =
        (const T *)job.data.x + thread.sample * pooling_volume(shape.x_dims) * p.channels + channel;
    T *y = (T *)job.data.out + thread.sample * pooling_volume(shape.y_dims) * p.channels + channel;

    for (int before = 0; before < items; before += each) {
        int o[POOLING_DIMS], i = before + thread.slot - part * each;
        bool inside = thread.vector < p.vectors && i < items;
        float result[LANES] = {};
        pooling_box box;

        pooling_position(p.tile.size, p.tile.by_size, i, o);
#pragma unroll
        for (int s = 0; s < POOLING_DIMS; s++) {
            o[s] += thread.first[s];
            inside = inside && o[s] < shape.y_dims[s];
            pooling_cover(shape, s, o[s], &box);
        }
        if (inside && MAX && shape.nan_propagate)
            gather<T, SINGLE, MAX, LANES, true>(result, p, x, box, part);
        else if (inside)
            gather<T, SINGLE, MAX, LANES, false>(result, p, x, box, part);
        if (p.window_threads > 1)
            join<MAX, LANES>(result, p, thread, part);
        if (!inside || part > 0)
            continue;
        if (!MAX) {
            float share = 1.0f / pooling_divisor(shape, o);
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                result[lane] *= share;
        }
        pooling_store_lanes<T, SINGLE, LANES>(
            y + pooling_offset(shape.y_dims, o[0], o[1], o[2]) * p.channels, result, job.blend);
    }
}

template <class T, bool SINGLE, bool MAX>
static int32_t forward(const pooling_packed *packed, const cuda_call *call,
                       const pooling_operands *operands)
{
    return cuda_launch(call, pooling_nhwc_forward<T, SINGLE, MAX>, packed->blocks, 1,
                       pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nhwc_forward_launch(int32_t type, int32_t mode, int single)
{
    int max = pooling_is_max(mode);

    switch (type) {
#define CASE(T)                                                                                    \
    return single ? max ? forward<T, true, true> : forward<T, true, false>                         \
           : max ? forward<T, false, true>                                                         \
                  : forward<T, false, false>
        POOLING_CASES(CASE);
#undef CASE
    }
}
