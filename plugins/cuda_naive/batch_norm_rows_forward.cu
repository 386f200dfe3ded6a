/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization by rows: y of x, and the signs of the reserve. */
#include "batch_norm_rows.h"

/* scale * ((x - shift) * inv_std) + bias: what the mean differs from the float by is in the bias.
 */
template <int LANES> struct norm_forward_cells {
    float shift[LANES], inv_std[LANES], scale[LANES], bias[LANES];
};

template <int LANES>
__device__ static inline void make_cells(norm_forward_cells<LANES> &to, const cuda_norm_cell *from)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        const cuda_norm_cell &cell = from[lane];

        to.shift[lane] = (float)cell.mean;
        to.inv_std[lane] = (float)cell.inv_std;
        to.scale[lane] = (float)cell.scale;
        to.bias[lane] =
            (float)(cell.bias + cell.scale * cell.inv_std * ((double)to.shift[lane] - cell.mean));
    }
}

/* Up to four rows at `at` elements; the signs of the first are bits `step` of the lanes'. */
template <class T, bool ACTIVE, bool WITH_Z, int LANES>
__device__ static inline void give_rows(const cuda_norm_rows_job &job,
                                        const norm_forward_cells<LANES> &cells, int64_t at,
                                        int count, int step, unsigned signs[LANES])
{
    enum { ROWS = CUDA_NORM_GROUP / 2 };
    cuda_vector<T> x[ROWS], z[ROWS];

    cuda_norm_read(x, (const T *)job.x + at, job.rows.channels, count);
    if (WITH_Z)
        cuda_norm_read(z, (const T *)job.beside + at, job.rows.channels, count);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float out[LANES];

        if (r >= count)
            break;
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            float n = (cuda_load(x[r].lane[lane]) - cells.shift[lane]) * cells.inv_std[lane];
            float v = fmaf(cells.scale[lane], n, cells.bias[lane]);

            if (WITH_Z)
                v += cuda_load(z[r].lane[lane]);
            if (ACTIVE) {
                signs[lane] |= (unsigned)cuda_norm_passes(job.f, v) << (step + r);
                v = cuda_activate(job.f, v);
            }
            out[lane] = v;
        }
        cuda_vector_store((T *)job.out + at + (int64_t)r * job.rows.channels, out, job.blend);
    }
}

/* The reserve of a tile from the bytes [channel][group] of its block: eight bits a thread, which
 * may be those of several channels where a row's are no whole bytes. */
__device__ static inline void give_signs(const cuda_norm_rows_job &job, const uint8_t *signs,
                                         const cuda_norm_tile &tile, int channel, int channels)
{
    int groups = (job.rows.chunk + 7) / 8, rows = tile.count;
    int64_t bit = (tile.image * job.rows.channels + channel) * job.rows.places + tile.first;
    uint8_t *to = job.reserve + bit / 8;

    for (int b = (int)threadIdx.x; b < channels * rows / 8; b += CUDA_THREADS) {
        int c = b * 8 / rows, r = b * 8 - c * rows;
        int64_t place = rows % 8 ? b : c * (job.rows.places / 8) + r / 8;
        unsigned byte = 0;

        for (int got = 0; got < 8; c++, r = 0) {
            const uint8_t *from = signs + c * groups + r / 8;
            unsigned bits = (unsigned)from[0] >> r % 8;

            if (r % 8 && r / 8 + 1 < groups)
                bits |= (unsigned)from[1] << (8 - r % 8);
            byte |= bits << got;
            got += rows - r;
        }
        to[place] = (uint8_t)byte;
    }
}

template <class T, bool ACTIVE, bool WITH_Z>
__global__ void __launch_bounds__(CUDA_THREADS, CUDA_NORM_BLOCKS)
    norm_rows_forward(cuda_norm_rows_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    __shared__ uint8_t kept[ACTIVE ? CUDA_NORM_SIGNS : 1];
    const cuda_norm_rows &rows = job.rows;
    int x = (int)threadIdx.x & ((1 << rows.log_x) - 1), y = (int)threadIdx.x >> rows.log_x;
    int slab = ((int)blockIdx.x << rows.log_x) * LANES, channel = slab + x * LANES;
    int by = (CUDA_THREADS >> rows.log_x) * CUDA_NORM_GROUP, groups = (rows.chunk + 7) / 8;
    norm_forward_cells<LANES> cells;

    if (channel < rows.channels)
        make_cells<LANES>(cells, job.cells + channel);
    for (int64_t t = cuda_norm_tiles(rows) - 1 - blockIdx.y; t >= 0; t -= rows.streams) {
        cuda_norm_tile tile = cuda_norm_tile_at(rows, t);
        int64_t row = tile.image * rows.places + tile.first;

        for (int r = y * CUDA_NORM_GROUP; r < tile.count && channel < rows.channels; r += by) {
            int64_t at = (row + r) * rows.channels + channel;
            unsigned signs[LANES] = {};

#pragma unroll
            for (int step = 0; step < CUDA_NORM_GROUP; step += CUDA_NORM_GROUP / 2)
                give_rows<T, ACTIVE, WITH_Z, LANES>(job, cells, at + (int64_t)step * rows.channels,
                                                    tile.count - r - step, step, signs);
#pragma unroll
            for (int lane = 0; lane < LANES && ACTIVE; lane++)
                kept[(x * LANES + lane) * groups + r / 8] = (uint8_t)signs[lane];
        }
        if (!ACTIVE)
            continue;
        __syncthreads();
        give_signs(job, kept, tile, slab,
                   cuda_norm_least(rows.channels - slab, LANES << rows.log_x));
        __syncthreads();
    }
}

template <class T> static int32_t run(const cuda_call *call, const cuda_norm_rows_job *job)
{
    void (*kernel)(cuda_norm_rows_job) = norm_rows_forward<T, false, false>;

    if (job->reserve)
        kernel = job->beside ? norm_rows_forward<T, true, true> : norm_rows_forward<T, true, false>;
    return cuda_launch(call, kernel, job->rows.slabs, job->rows.streams, *job);
}

int32_t cuda_norm_rows_forward(const cuda_call *call, int32_t type, const cuda_norm_rows_job *job)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return run<float>(call, job);
    case ANYDNN_PLUGIN_HALF:
        return run<cuda_half>(call, job);
    default:
        return run<cuda_bfloat16>(call, job);
    }
}
