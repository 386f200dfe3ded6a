/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling backward of NHWC: positions gather from the windows over them. */
#include "nhwc.h"

/* Iterates over the elements of dx that belong to a thread. */
template <class T, bool SINGLE, class Gather>
__device__ static inline void each_element(const pooling_job &job, const pooling_thread &thread,
                                           const Gather &gather_at)
{
    enum { LANES = pooling_lanes<T, SINGLE>::LANES };
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int rows = p.tile.size[0] * p.tile.size[1];
    T *dx = (T *)job.data.out + thread.sample * pooling_volume(shape.x_dims) * p.channels +
            thread.vector * LANES;

    if (thread.vector >= p.vectors)
        return;
    pooling_each_column(thread.slot, thread.slots, p.tile.size[2], p.tile.by_size[2],
                        [&](int w, int row, int step) {
                            int at[POOLING_DIMS] = {0, 0, thread.first[2] + w};
                            pooling_box over;

                            pooling_over(shape, 2, at[2], at[2], &over);
                            for (; at[2] < shape.x_dims[2] && row < rows; row += step) {
                                int slice = (int)cuda_divide((unsigned)row, p.tile.by_size[1]);
                                float sum[LANES];

                                at[0] = thread.first[0] + slice;
                                at[1] = thread.first[1] + row - slice * p.tile.size[1];
                                if (at[0] >= shape.x_dims[0] || at[1] >= shape.x_dims[1])
                                    continue;
                                pooling_over(shape, 0, at[0], at[0], &over);
                                pooling_over(shape, 1, at[1], at[1], &over);
#pragma unroll
                                for (int lane = 0; lane < LANES; lane++)
                                    sum[lane] = 0;
                                gather_at(sum, at, over);
                                pooling_store_lanes<T, SINGLE, LANES>(
                                    dx + pooling_offset(shape.x_dims, at[0], at[1], at[2]) *
                                             p.channels,
                                    sum, job.blend);
                            }
                        });
}

template <class T, bool SINGLE>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nhwc_average_backward(pooling_job job)
{
    enum { LANES = pooling_lanes<T, SINGLE>::LANES };
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    pooling_thread thread = pooling_thread_of(p);
    const T *dy = (const T *)job.data.dy +
                  thread.sample * pooling_volume(shape.y_dims) * p.channels + thread.vector * LANES;
    float whole = 1.0f / ((float)shape.window[0] * (float)shape.window[1] * (float)shape.window[2]);

    each_element<T, SINGLE>(job, thread, [&](float sum[], const int *, const pooling_box &over) {
        for (int d = over.begin[0]; d < over.end[0]; d++)
            for (int h = over.begin[1]; h < over.end[1]; h++) {
                int counted = pooling_counted(shape, 0, d) * pooling_counted(shape, 1, h);
                const T *from = dy + pooling_offset(shape.y_dims, d, h, over.begin[2]) * p.channels;

                for (int w = over.begin[2]; w < over.end[2]; w++, from += p.channels) {
                    int volume = counted * pooling_counted(shape, 2, w);
                    float share = volume == shape.volume ? whole : 1.0f / (float)volume;
                    pooling_lanes<T, SINGLE> in;

                    pooling_read<T, SINGLE>(in, from);
#pragma unroll
                    for (int lane = 0; lane < LANES; lane++)
                        sum[lane] += cuda_load(in.lane[lane]) * share;
                }
            }
    });
}

/* The number for a window without an element that equals y. Other numbers count elements in their
 * window. */
#define NO_ELEMENT POOLING_WINDOW_MAX

/* Finds the first element that equals y. If y has no NaN, NANS is false and the search ignores
 * NaN. */
template <class T, bool SINGLE, int LANES, bool NANS>
__device__ static inline void find_first(uint16_t found[LANES], const pooling_packed &p,
                                         const float y[LANES], const T *x, const int o[],
                                         const pooling_box &box, int part)
{
    const pooling_shape &shape = p.shape;
    int high = box.end[1] - box.begin[1];
    int begin = box.begin[1] + high * part / p.window_threads;
    int end = box.begin[1] + high * (part + 1) / p.window_threads;
    int first[LANES];

#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        first[lane] = NO_ELEMENT;
    for (int d = box.end[0] - 1; d >= box.begin[0]; d--)
        for (int h = end - 1; h >= begin; h--) {
            const T *at = x + pooling_offset(shape.x_dims, d, h, box.end[2]) * p.channels;
            int number = pooling_offset(shape.window, d - o[0] * shape.stride[0] + shape.pad[0],
                                        h - o[1] * shape.stride[1] + shape.pad[1],
                                        box.end[2] - o[2] * shape.stride[2] + shape.pad[2]);

            for (int w = box.end[2] - 1; w >= box.begin[2]; w -= POOLING_BATCH) {
                pooling_lanes<T, SINGLE> in[POOLING_BATCH];

#pragma unroll
                for (int i = 0; i < POOLING_BATCH; i++) {
                    at -= p.channels;
                    if (w - i >= box.begin[2])
                        pooling_read<T, SINGLE>(in[i], at);
                }
#pragma unroll
                for (int i = 0; i < POOLING_BATCH; i++) {
                    number--;
                    if (w - i < box.begin[2])
                        break;
#pragma unroll
                    for (int lane = 0; lane < LANES; lane++) {
                        if (pooling_same(cuda_load(in[i].lane[lane]), y[lane],
                                         NANS && isnan(y[lane])))
                            first[lane] = number;
                    }
                }
            }
        }
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        found[lane] = (uint16_t)first[lane];
}

template <class T, bool SINGLE, int LANES>
__device__ static inline void find_window(uint16_t found[LANES], const pooling_packed &p,
                                          const T *from, const T *x, const int o[],
                                          const pooling_box &box, int part)
{
    pooling_lanes<T, SINGLE> in;
    float y[LANES];
    bool nans = false;

    pooling_read<T, SINGLE>(in, from);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        y[lane] = cuda_load(in.lane[lane]);
        nans = nans || isnan(y[lane]);
    }
    if (nans)
        find_first<T, SINGLE, LANES, true>(found, p, y, x, o, box, part);
    else
        find_first<T, SINGLE, LANES, false>(found, p, y, x, o, box, part);
}

/* A thread's results, one per lane. */
template <int LANES> struct alignas(2 * LANES) pooling_found {
    uint16_t lane[LANES];
};

/* Fills found[window][lane] for all windows over the tile. */
template <class T, bool SINGLE, int LANES>
__device__ static void find_all(pooling_found<LANES> *found, const pooling_job &job,
                                const pooling_thread &thread, const pooling_box &windows)
{
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int items = pooling_volume(p.windows), each = thread.slots / p.window_threads;
    int part = thread.slot / each, channel = thread.vector * LANES;
    const T *x =
        (const T *)job.data.x + thread.sample * pooling_volume(shape.x_dims) * p.channels + channel;
    const T *y =
        (const T *)job.data.y + thread.sample * pooling_volume(shape.y_dims) * p.channels + channel;

    for (int i = thread.slot - part * each; i < items; i += each) {
        int o[POOLING_DIMS];
        bool inside = thread.vector < p.vectors;
        pooling_box box;

        pooling_position(p.windows, p.by_windows, i, o);
#pragma unroll
        for (int s = 0; s < POOLING_DIMS; s++) {
            o[s] += windows.begin[s];
            inside = inside && o[s] < windows.end[s];
            pooling_cover(shape, s, o[s], &box);
        }
        if (inside)
            find_window<T, SINGLE, LANES>(
                found[(part * items + i) * p.lanes + thread.lane].lane, p,
                y + pooling_offset(shape.y_dims, o[0], o[1], o[2]) * p.channels, x, o, box, part);
    }
    if (p.window_threads == 1)
        return;
    /* Keep the first element that the threads of a window have found. */
    __syncthreads();
    for (int i = (int)threadIdx.x; i < items * p.lanes; i += CUDA_THREADS) {
        for (int peer = 1; peer < p.window_threads; peer++) {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++) {
                uint16_t there = found[peer * items * p.lanes + i].lane[lane];

                if (there < found[i].lane[lane])
                    found[i].lane[lane] = there;
            }
        }
    }
}

template <class T, bool SINGLE>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nhwc_max_backward(pooling_job job)
{
    enum { LANES = pooling_lanes<T, SINGLE>::LANES };
    __shared__ uint4 memory[POOLING_FOUND * sizeof(uint16_t) / sizeof(uint4)];
    pooling_found<LANES> *found = (pooling_found<LANES> *)memory;
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    pooling_thread thread = pooling_thread_of(p);
    const T *dy = (const T *)job.data.dy +
                  thread.sample * pooling_volume(shape.y_dims) * p.channels + thread.vector * LANES;
    pooling_box windows;

#pragma unroll
    for (int s = 0; s < POOLING_DIMS; s++)
        pooling_over(shape, s, thread.first[s],
                     pooling_least(thread.first[s] + p.tile.size[s], shape.x_dims[s]) - 1,
                     &windows);
    find_all<T, SINGLE, LANES>(found, job, thread, windows);
    __syncthreads();
    each_element<T, SINGLE>(job, thread, [&](float sum[], const int at[], const pooling_box &over) {
        for (int d = over.begin[0]; d < over.end[0]; d++)
            for (int h = over.begin[1]; h < over.end[1]; h++) {
                int window = pooling_offset(p.windows, d - windows.begin[0], h - windows.begin[1],
                                            over.begin[2] - windows.begin[2]);
                int number =
                    pooling_offset(shape.window, at[0] - d * shape.stride[0] + shape.pad[0],
                                   at[1] - h * shape.stride[1] + shape.pad[1],
                                   at[2] - over.begin[2] * shape.stride[2] + shape.pad[2]);
                const pooling_found<LANES> *first = found + window * p.lanes + thread.lane;
                const T *from = dy + pooling_offset(shape.y_dims, d, h, over.begin[2]) * p.channels;

                for (int w = over.begin[2]; w < over.end[2]; w++) {
                    const pooling_found<LANES> here = *first;
                    pooling_lanes<T, SINGLE> in;

                    pooling_read<T, SINGLE>(in, from);
#pragma unroll
                    for (int lane = 0; lane < LANES; lane++)
                        sum[lane] += here.lane[lane] == number ? cuda_load(in.lane[lane]) : 0;
                    first += p.lanes;
                    from += p.channels;
                    number -= shape.stride[2];
                }
            }
    });
}

template <class T, bool SINGLE, bool MAX>
static int32_t backward(const pooling_packed *packed, const cuda_call *call,
                        const pooling_operands *operands)
{
    if constexpr (MAX)
        return cuda_launch(call, pooling_nhwc_max_backward<T, SINGLE>, packed->blocks, 1,
                           pooling_job_of(packed, call, operands));
    return cuda_launch(call, pooling_nhwc_average_backward<T, SINGLE>, packed->blocks, 1,
                       pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nhwc_backward_launch(int32_t type, int32_t mode, int single)
{
    int max = pooling_is_max(mode);

    switch (type) {
#define CASE(T)                                                                                    \
    return single ? max ? backward<T, true, true> : backward<T, true, false>                       \
           : max ? backward<T, false, true>                                                        \
                  : backward<T, false, false>
        POOLING_CASES(CASE);
#undef CASE
    }
}
