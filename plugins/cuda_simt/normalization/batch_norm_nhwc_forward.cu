/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization by rows: computes y from x, and the signs of the reserve. */
#include "batch_norm_element.h"
#include "batch_norm_nhwc.h"

/* Computes up to ROWS rows at element offset `at`; the sign of the first row is bit `step` of each
 * lane's. */
template <class T, int ACTIVE, bool WITH_Z, int ROWS, int LANES>
__device__ static inline void give_rows(const cuda_norm_nhwc_job &job,
                                        const cuda_norm_forward_cells<LANES> &cells, int64_t at,
                                        int count, int step, unsigned signs[LANES])
{
    cuda_norm_rule rule = cuda_norm_rule_of<ACTIVE>(job.f);
    cuda_vector<T> x[ROWS], z[ROWS];

    cuda_norm_read(x, (const T *)job.x + at, job.rows.channels, count);
    if (WITH_Z)
        cuda_norm_read(z, (const T *)job.beside + at, job.rows.channels, count);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float y[LANES];

        if (r >= count)
            break;
        cuda_norm_forward_row<T, ACTIVE, WITH_Z, LANES>(y, x[r], z[r], cells, rule, signs,
                                                        step + r);
        cuda_vector_store((T *)job.out + at + (int64_t)r * job.rows.channels, y, job.blend);
    }
}

/* Returns the bytes of a channel's signs in shared memory. The number is odd, so that neighbouring
 * vectors use different banks. */
__device__ static inline int signs_pitch(const cuda_norm_nhwc &rows)
{
    return (rows.chunk + 7) / 8 | 1;
}

/* Copies the signs to the reserve if each channel has whole bytes, at most 32. A warp copies the
 * bytes of one channel. */
__device__ static inline void give_bytes(uint8_t *to, const uint8_t *signs, int groups, int pitch,
                                         int channels, int64_t apart)
{
    int group = (int)threadIdx.x % 32;

    for (int c = (int)threadIdx.x / 32; c < channels && group < groups; c += CUDA_THREADS / 32)
        to[c * apart + group] = signs[c * pitch + group];
}

/* Writes the reserve of a tile from the block's bytes [channel][group]. A thread writes eight bits
 * at a time, which can span several channels if a channel's rows are not whole bytes. */
__device__ static inline void give_signs(const cuda_norm_nhwc_job &job, const uint8_t *signs,
                                         const cuda_norm_tile &tile, int channel, int channels)
{
    int pitch = signs_pitch(job.rows), rows = tile.count;
    int64_t bit = (tile.image * job.rows.channels + channel) * job.rows.positions + tile.first;
    uint8_t *to = job.reserve + bit / 8;

    if (rows % 8 == 0) {
        give_bytes(to, signs, rows / 8, pitch, channels, job.rows.positions / 8);
        return;
    }
    for (unsigned b = threadIdx.x; b < (unsigned)(channels * rows) / 8; b += CUDA_THREADS) {
        unsigned c = b * 8 / (unsigned)rows, r = b * 8 - c * (unsigned)rows, byte = 0;

        for (unsigned got = 0; got < 8; c++, r = 0) {
            const uint8_t *from = signs + c * pitch + r / 8;
            unsigned bits = (unsigned)from[0] >> r % 8;

            if (r % 8 && r + 8 - r % 8 < (unsigned)rows)
                bits |= (unsigned)from[1] << (8 - r % 8);
            byte |= bits << got;
            got += (unsigned)rows - r;
        }
        to[b] = (uint8_t)byte;
    }
}

template <class T, int ACTIVE, bool WITH_Z>
__global__ void __launch_bounds__(CUDA_THREADS, CUDA_NORM_BLOCKS)
    norm_rows_forward(const __grid_constant__ cuda_norm_nhwc_job job)
{
    enum { LANES = cuda_vector<T>::LANES, ROWS = CUDA_NORM_GROUP / (WITH_Z ? 2 : 1) };
    /* Two buffers alternate between tiles: one is written to the reserve while the next is
     * filled. */
    __shared__ uint8_t signs_of[2][ACTIVE ? CUDA_NORM_SIGNS : 1];
    const cuda_norm_nhwc &rows = job.rows;
    int x = (int)threadIdx.x & ((1 << rows.log_x) - 1), y = (int)threadIdx.x >> rows.log_x;
    int slab = ((int)blockIdx.x << rows.log_x) * LANES, channel = slab + x * LANES;
    int by = (CUDA_THREADS >> rows.log_x) * CUDA_NORM_GROUP, pitch = signs_pitch(rows);
    cuda_norm_forward_cells<LANES> cells;
    int turn = 0;

    if (channel < rows.channels)
        cuda_norm_cells_make<LANES>(cells, job.cells + channel);
    for (int64_t t = cuda_norm_tiles(rows) - 1 - blockIdx.y; t >= 0; t -= rows.streams) {
        cuda_norm_tile tile = cuda_norm_tile_at(rows, t);
        int64_t row = tile.image * rows.positions + tile.first;
        uint8_t *kept = signs_of[turn];

        for (int r = y * CUDA_NORM_GROUP; r < tile.count && channel < rows.channels; r += by) {
            int64_t at = (row + r) * rows.channels + channel;
            unsigned signs[LANES] = {};

#pragma unroll
            for (int step = 0; step < CUDA_NORM_GROUP; step += ROWS)
                give_rows<T, ACTIVE, WITH_Z, ROWS, LANES>(job, cells,
                                                          at + (int64_t)step * rows.channels,
                                                          tile.count - r - step, step, signs);
#pragma unroll
            for (int lane = 0; lane < LANES && ACTIVE; lane++)
                kept[(x * LANES + lane) * pitch + r / 8] = (uint8_t)signs[lane];
        }
        if (!ACTIVE)
            continue;
        __syncthreads();
        give_signs(job, kept, tile, slab,
                   cuda_norm_least(rows.channels - slab, LANES << rows.log_x));
        turn = 1 - turn;
    }
}

template <class T, int ACTIVE>
static int32_t run(const cuda_call *call, const cuda_norm_nhwc_job *job)
{
    return cuda_launch(call,
                       ACTIVE && job->beside
                           ? norm_rows_forward<T, ACTIVE, ACTIVE != CUDA_NORM_AS_IS>
                           : norm_rows_forward<T, ACTIVE, false>,
                       job->rows.slabs, job->rows.streams, *job);
}

template <class T>
static int32_t by_activation(const cuda_call *call, const cuda_norm_nhwc_job *job)
{
    return !job->reserve                      ? run<T, CUDA_NORM_AS_IS>(call, job)
           : job->f.mode == CUDA_CLIPPED_RELU ? run<T, CUDA_NORM_RELU_CLIPPED>(call, job)
                                              : run<T, CUDA_NORM_RELU>(call, job);
}

int32_t cuda_norm_nhwc_forward(const cuda_call *call, int32_t type, const cuda_norm_nhwc_job *job)
{
    return cuda_norm_by_type(type, [=](auto x) { return by_activation<decltype(x)>(call, job); });
}
