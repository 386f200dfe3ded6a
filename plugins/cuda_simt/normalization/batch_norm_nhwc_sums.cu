/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization by rows: computes the sums of a channel. */
#include "batch_norm_element.h"
#include "batch_norm_nhwc.h"

enum { OF_X, OF_GRADIENT, OF_SIGNED_GRADIENT };

/* The pairs of sums of a thread's channels. */
template <int LANES> struct norm_sums {
    double first[LANES], second[LANES];
};

/* Returns the value near the mean that is subtracted from x: the channel's first value, or the
 * float nearest to the mean. */
template <class T, int WHAT>
__device__ static inline float shift_of(const cuda_norm_nhwc_job &job, int channel)
{
    float shift;

    if (WHAT != OF_X)
        return job.mean ? job.mean[channel] : (float)job.cells[channel].mean;
    shift = cuda_load(((const T *)job.x)[channel]);
    return isfinite(shift) ? shift : 0;
}

/* Returns the difference between the float shift and the mean, by which the second sum is
 * corrected. */
template <int WHAT>
__device__ static inline double shift_missing(const cuda_norm_nhwc_job &job, int channel,
                                              float shift)
{
    return WHAT == OF_X || job.mean ? 0 : (double)shift - job.cells[channel].mean;
}

/* Adds a group of `count` rows at element offset `at`, whose first bit is `bit`. */
template <class T, int WHAT, int LANES>
__device__ static inline void add_group(const cuda_norm_nhwc_job &job, const float shift[LANES],
                                        norm_sums<LANES> &sums, int64_t at, int64_t bit, int count)
{
    enum { ROWS = WHAT == OF_X ? CUDA_NORM_GROUP : CUDA_NORM_GROUP / 2 };
    float first[LANES] = {}, second[LANES] = {};
    unsigned signs[LANES];

    if (WHAT == OF_SIGNED_GRADIENT)
        cuda_norm_signs<LANES>(signs, job.reserve, bit, job.rows.positions, count);
#pragma unroll
    for (int step = 0; step < CUDA_NORM_GROUP; step += ROWS) {
        int64_t from = at + (int64_t)step * job.rows.channels;
        cuda_vector<T> x[ROWS], dy[ROWS];

        cuda_norm_read(x, (const T *)job.x + from, job.rows.channels, count - step);
        if (WHAT != OF_X)
            cuda_norm_read(dy, (const T *)job.beside + from, job.rows.channels, count - step);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (step + r >= count)
                break;
            if (WHAT == OF_X)
                cuda_norm_add_value<T, LANES>(first, second, x[r], shift);
            else
                cuda_norm_add_gradient<T, WHAT == OF_SIGNED_GRADIENT, LANES>(
                    first, second, x[r], dy[r], shift, signs, step + r);
        }
    }
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        sums.first[lane] += (double)first[lane];
        sums.second[lane] += (double)second[lane];
    }
}

/* Adds up a block's sums of each channel in the order of its threads, and stores them in the
 * partial sums. */
template <int LANES>
__device__ static inline void give_part(const cuda_norm_nhwc_job &job, const norm_sums<LANES> &sums)
{
    __shared__ double pair[CUDA_THREADS * LANES];
    int size = LANES << job.rows.log_x, y = CUDA_THREADS >> job.rows.log_x;
    int local = (int)threadIdx.x, channel = (int)blockIdx.x * size + local;

#pragma unroll
    for (int which = 0; which < 2; which++) {
        double sum = 0;

        __syncthreads();
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            pair[lane * CUDA_THREADS + local] = which ? sums.second[lane] : sums.first[lane];
        __syncthreads();
        if (local >= size || channel >= job.rows.channels)
            continue;
        for (int i = 0; i < y; i++)
            sum += pair[local % LANES * CUDA_THREADS + (i << job.rows.log_x) + local / LANES];
        job.partial_sums[((int64_t)blockIdx.y * job.rows.channels + channel) * 2 + which] = sum;
    }
}

template <class T, int WHAT>
__global__ void __launch_bounds__(CUDA_THREADS, CUDA_NORM_BLOCKS)
    norm_rows_sums(cuda_norm_nhwc_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    const cuda_norm_nhwc &rows = job.rows;
    int x = (int)threadIdx.x & ((1 << rows.log_x) - 1), y = (int)threadIdx.x >> rows.log_x;
    int channel = (((int)blockIdx.x << rows.log_x) + x) * LANES;
    int by = (CUDA_THREADS >> rows.log_x) * CUDA_NORM_GROUP;
    norm_sums<LANES> sums = {};
    float shift[LANES];

    if (channel < rows.channels) {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            shift[lane] = shift_of<T, WHAT>(job, channel + lane);
        for (int64_t t = blockIdx.y; t < cuda_norm_tiles(rows); t += rows.streams) {
            cuda_norm_tile tile = cuda_norm_tile_at(rows, t);
            int64_t row = tile.image * rows.positions + tile.first;
            int64_t bit = (tile.image * rows.channels + channel) * rows.positions + tile.first;

            for (int r = y * CUDA_NORM_GROUP; r < tile.count; r += by)
                add_group<T, WHAT, LANES>(job, shift, sums, (row + r) * rows.channels + channel,
                                          bit + r,
                                          cuda_norm_least(tile.count - r, CUDA_NORM_GROUP));
        }
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            sums.second[lane] +=
                sums.first[lane] * shift_missing<WHAT>(job, channel + lane, shift[lane]);
    }
    give_part<LANES>(job, sums);
}

template <class T> static int32_t run(const cuda_call *call, const cuda_norm_nhwc_job *job)
{
    void (*kernel)(cuda_norm_nhwc_job) = norm_rows_sums<T, OF_X>;

    if (job->beside)
        kernel =
            job->reserve ? norm_rows_sums<T, OF_SIGNED_GRADIENT> : norm_rows_sums<T, OF_GRADIENT>;
    return cuda_launch(call, kernel, job->rows.slabs, job->rows.streams, *job);
}

int32_t cuda_norm_nhwc_sums(const cuda_call *call, int32_t type, const cuda_norm_nhwc_job *job)
{
    return cuda_norm_by_type(type, [=](auto x) { return run<decltype(x)>(call, job); });
}
