/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization by rows: computes dx, and dz if present. */
#include "batch_norm_element.h"
#include "batch_norm_nhwc.h"

/* Computes up to four rows at element offset `at`; the sign of the first row is bit `step` of each
 * lane's. */
template <class T, bool SIGNED, int LANES>
__device__ static inline void give_rows(const cuda_norm_nhwc_job &job,
                                        const cuda_norm_backward_cells<LANES> &cells, int64_t at,
                                        int count, int step, const unsigned signs[LANES])
{
    enum { ROWS = CUDA_NORM_GROUP / 2 };
    cuda_vector<T> x[ROWS], dy[ROWS];

    cuda_norm_read(x, (const T *)job.x + at, job.rows.channels, count);
    cuda_norm_read(dy, (const T *)job.beside + at, job.rows.channels, count);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float dx[LANES], g[LANES];
        int64_t to = at + (int64_t)r * job.rows.channels;

        if (r >= count)
            break;
        cuda_norm_backward_row<T, SIGNED, LANES>(dx, g, x[r], dy[r], cells, signs, step + r);
        cuda_vector_store((T *)job.out + to, dx, job.blend);
        if (job.out_z)
            cuda_vector_store((T *)job.out_z + to, g, job.blend);
    }
}

template <class T, bool SIGNED>
__global__ void __launch_bounds__(CUDA_THREADS, CUDA_NORM_BLOCKS)
    norm_rows_backward(cuda_norm_nhwc_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    const cuda_norm_nhwc &rows = job.rows;
    int x = (int)threadIdx.x & ((1 << rows.log_x) - 1), y = (int)threadIdx.x >> rows.log_x;
    int channel = (((int)blockIdx.x << rows.log_x) + x) * LANES;
    int by = (CUDA_THREADS >> rows.log_x) * CUDA_NORM_GROUP;
    cuda_norm_backward_cells<LANES> cells;

    if (channel >= rows.channels)
        return;
    cuda_norm_cells_make<LANES>(cells, job.cells + channel);
    for (int64_t t = cuda_norm_tiles(rows) - 1 - blockIdx.y; t >= 0; t -= rows.streams) {
        cuda_norm_tile tile = cuda_norm_tile_at(rows, t);
        int64_t row = tile.image * rows.positions + tile.first;
        int64_t bit = (tile.image * rows.channels + channel) * rows.positions + tile.first;

        for (int r = y * CUDA_NORM_GROUP; r < tile.count; r += by) {
            int64_t at = (row + r) * rows.channels + channel;
            int count = tile.count - r;
            unsigned signs[LANES];

            if (SIGNED)
                cuda_norm_signs<LANES>(signs, job.reserve, bit + r, rows.positions,
                                       cuda_norm_least(count, CUDA_NORM_GROUP));
#pragma unroll
            for (int step = 0; step < CUDA_NORM_GROUP; step += CUDA_NORM_GROUP / 2)
                give_rows<T, SIGNED, LANES>(job, cells, at + (int64_t)step * rows.channels,
                                            count - step, step, signs);
        }
    }
}

template <class T> static int32_t run(const cuda_call *call, const cuda_norm_nhwc_job *job)
{
    void (*kernel)(cuda_norm_nhwc_job) =
        job->reserve ? norm_rows_backward<T, true> : norm_rows_backward<T, false>;

    return cuda_launch(call, kernel, job->rows.slabs, job->rows.streams, *job);
}

int32_t cuda_norm_nhwc_backward(const cuda_call *call, int32_t type, const cuda_norm_nhwc_job *job)
{
    return cuda_norm_by_type(type, [=](auto x) { return run<decltype(x)>(call, job); });
}
