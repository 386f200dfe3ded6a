/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the backward operation of layer, group and RMS normalization for sets that fit into
 * the registers of a block. Each thread keeps its elements' positions for all sets of its block, so
 * it sums the gradients of scale and bias in registers. A second kernel adds the sums of all
 * blocks in a fixed order. */
#include "kinds_rows.h"

/* The elements that a thread holds. */
#define HELD KINDS_HELD_BACKWARD

template <class T, int LANES> struct rows_raw {
    cuda_vector<T, LANES> x[HELD / LANES], dy[HELD / LANES];
};

/* Reads x and dy of a set. Elements that do not exist are 0. */
template <class T, int LANES>
__device__ static inline void read(rows_raw<T, LANES> *raw, const cuda_kinds_job &job,
                                   int64_t number, const cuda_kinds_thread &in_set)
{
    cuda_kinds_set set = cuda_kinds_set_of(job, number);

#pragma unroll
    for (int s = 0; s < HELD / LANES; s++) {
        int32_t element = (s * in_set.size + in_set.member) * LANES;

        if (number < job.sets && element < job.size) {
            cuda_kinds_place place = cuda_kinds_place_of(job, element);

            cuda_vector_get(raw->x[s], (const T *)job.data[KINDS_X] +
                                           cuda_kinds_at(job, set, KINDS_X) +
                                           cuda_kinds_offset(job, place, KINDS_X));
            cuda_vector_get(raw->dy[s], (const T *)job.data[KINDS_SECOND] +
                                            cuda_kinds_at(job, set, KINDS_SECOND) +
                                            cuda_kinds_offset(job, place, KINDS_SECOND));
        } else {
#pragma unroll
            for (int i = 0; i < LANES; i++) {
                cuda_store(&raw->x[s].lane[i], 0.0f);
                cuda_store(&raw->dy[s].lane[i], 0.0f);
            }
        }
    }
}

/* Returns the statistics that forward stored, or computes them again. */
template <int LANES>
__device__ static inline cuda_kinds_cell
cell_of(const cuda_kinds_job &job, const float (&x)[HELD / LANES][LANES], const cuda_kinds_set &set,
        int32_t length, const cuda_kinds_thread &in_set, cuda_kinds_pair (*slots)[KINDS_WARP])
{
    cuda_kinds_cell cell = {0, 0, 0};

    if (!job.data[KINDS_DEVIATION])
        return cuda_kinds_statistics<HELD / LANES, LANES>(
            job, x, in_set.size,
            [&](int s) { return (s * in_set.size + in_set.member) * LANES < length; }, slots);
    if (length == 0)
        return cell;
    if (job.data[KINDS_MEAN])
        cell.mean = ((const float *)job.data[KINDS_MEAN])[cuda_kinds_at(job, set, KINDS_MEAN)];
    cell.inv_dev =
        ((const float *)job.data[KINDS_DEVIATION])[cuda_kinds_at(job, set, KINDS_DEVIATION)];
    return cell;
}

/* Replaces x by the normalized value and dy by its gradient times the factor, and adds both to the
 * sums of the set and of the columns. */
template <class T, int LANES>
__device__ static inline void take(float (&x)[LANES], float (&dy)[LANES], const cuda_kinds_job &job,
                                   const cuda_kinds_cell &cell, const cuda_kinds_set &set,
                                   const cuda_kinds_place &place, cuda_kinds_pair *sum,
                                   float (&dscale)[LANES], float (&dbias)[LANES])
{
    float scale[LANES];

    cuda_kinds_scales<T, LANES>(scale, job, cuda_kinds_at(job, set, KINDS_SCALE), place.element,
                                place.within);
#pragma unroll
    for (int i = 0; i < LANES; i++)
        x[i] = (x[i] - cell.mean - cell.shift) * cell.inv_dev;
    if (job.f.mode != CUDA_IDENTITY) {
        float v[LANES];

        cuda_kinds_factors<T, LANES>(v, job, KINDS_BIAS, cuda_kinds_at(job, set, KINDS_BIAS),
                                     place.element, place.within, 0);
#pragma unroll
        for (int i = 0; i < LANES; i++)
            v[i] += scale[i] * x[i];
        cuda_kinds_gradient<LANES>(job.f, dy, v);
    }
#pragma unroll
    for (int i = 0; i < LANES; i++) {
        dscale[i] += dy[i] * x[i];
        dbias[i] += dy[i];
        dy[i] *= scale[i];
        sum->a += dy[i];
        sum->b += dy[i] * x[i];
    }
}

template <class T, int LANES>
__device__ static inline void write(const float (&n)[LANES], const float (&w)[LANES],
                                    const cuda_kinds_job &job, const cuda_kinds_cell &cell,
                                    const cuda_kinds_pair &mean, const cuda_kinds_set &set,
                                    const cuda_kinds_place &place)
{
    float dx[LANES], dsum[LANES];

#pragma unroll
    for (int i = 0; i < LANES; i++)
        dx[i] = cell.inv_dev * (w[i] - mean.a - n[i] * mean.b);
    if (job.data[KINDS_THIRD]) {
        cuda_kinds_get<T, LANES>(dsum, job.data[KINDS_THIRD],
                                 cuda_kinds_at(job, set, KINDS_THIRD) +
                                     cuda_kinds_offset(job, place, KINDS_THIRD));
#pragma unroll
        for (int i = 0; i < LANES; i++)
            dx[i] += dsum[i];
    }
    cuda_vector_put((T *)job.data[KINDS_OUT] + cuda_kinds_at(job, set, KINDS_OUT) +
                        cuda_kinds_offset(job, place, KINDS_OUT),
                    dx);
}

/* Adds the sums of the threads of a block that have the same elements, and stores them. `sums` has
 * dscale and then dbias. */
template <int LANES>
__device__ static inline void give(const cuda_kinds_job &job, float (&sums)[2 * HELD],
                                   const cuda_kinds_thread &in_set,
                                   float (*shared)[2 * HELD][KINDS_WARP])
{
    int warps = in_set.size < KINDS_WARP ? 1 : in_set.size / KINDS_WARP, lane, warp;
    float *to = job.partial + blockIdx.x * 2 * job.size;

    for (int by = KINDS_WARP / 2; by >= in_set.size; by /= 2)
#pragma unroll
        for (int k = 0; k < 2 * HELD; k++)
            sums[k] += __shfl_xor_sync(UINT32_MAX, sums[k], by);
    lane = (int)threadIdx.x % KINDS_WARP;
    warp = (int)threadIdx.x / KINDS_WARP;
    if ((int)blockDim.x == in_set.size || blockDim.x <= KINDS_WARP) {
#pragma unroll
        for (int k = 0; k < 2 * HELD; k++) {
            int s = k % HELD / LANES,
                column = (s * in_set.size + in_set.member) * LANES + k % LANES;

            if ((int)threadIdx.x < in_set.size && column < job.size)
                to[k / HELD * job.size + column] = sums[k];
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < 2 * HELD; k++)
        shared[warp][k][lane] = sums[k];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < 2 * HELD * in_set.size; i += (int)blockDim.x) {
        int member = i % in_set.size, k = i / in_set.size, s = k % HELD / LANES;
        int column = (s * in_set.size + member) * LANES + k % LANES;
        float sum = 0;

        for (int w = member / KINDS_WARP; w < (int)blockDim.x / KINDS_WARP; w += warps)
            sum += shared[w][k][member % KINDS_WARP];
        if (column < job.size)
            to[k / HELD * job.size + column] = sum;
    }
}

template <class T, int LANES>
__global__ void __launch_bounds__(KINDS_BACKWARD_THREADS, 1) kinds_rows_backward(cuda_kinds_job job)
{
    enum { STEPS = HELD / LANES };
    __shared__ cuda_kinds_pair slots[4][KINDS_WARP];
    __shared__ float shared[8][2 * HELD][KINDS_WARP];
    cuda_kinds_thread in_set = cuda_kinds_thread_of(job);
    int64_t by = (int64_t)gridDim.x * (blockDim.x >> job.log_group), first = blockIdx.x;
    float sums[2][STEPS][LANES] = {}, count = 1 / (float)job.size;
    /* The next set is read before this one is computed, if that leaves enough registers. */
    bool reads_ahead = sizeof(T) == 2 && LANES > 1;
    rows_raw<T, LANES> raw;
    int turn = 0;

    first *= blockDim.x >> job.log_group;
    if (reads_ahead)
        read<T, LANES>(&raw, job, in_set.set, in_set);
    /* All threads of a block take as many turns, since they wait for one another. */
    for (int64_t number = in_set.set; first < job.sets; first += by, number += by) {
        int32_t length = number < job.sets ? (int32_t)job.size : 0;
        cuda_kinds_set set = cuda_kinds_set_of(job, number);
        float x[STEPS][LANES], dy[STEPS][LANES];
        cuda_kinds_pair sum = {0, 0};
        cuda_kinds_cell cell;

        if (!reads_ahead)
            read<T, LANES>(&raw, job, number, in_set);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            cuda_vector_numbers(raw.x[s], x[s]);
            cuda_vector_numbers(raw.dy[s], dy[s]);
        }
        if (reads_ahead)
            read<T, LANES>(&raw, job, number + by, in_set);
        cell = cell_of<LANES>(job, x, set, length, in_set, slots);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            int32_t element = (s * in_set.size + in_set.member) * LANES;

            if (element < length)
                take<T, LANES>(x[s], dy[s], job, cell, set, cuda_kinds_place_of(job, element), &sum,
                               sums[0][s], sums[1][s]);
        }
        sum = cuda_kinds_join(sum, in_set.size, slots[2 + turn]);
        turn ^= 1;
        sum = {job.is_rms ? 0 : sum.a * count, sum.b * count};
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            int32_t element = (s * in_set.size + in_set.member) * LANES;

            if (element < length)
                write<T, LANES>(x[s], dy[s], job, cell, sum, set,
                                cuda_kinds_place_of(job, element));
        }
    }
    if (job.partial)
        give<LANES>(job, *(float(*)[2 * HELD]) & sums, in_set, shared);
}

/* ------------------------------------------------------------------ the sums of all blocks */

#define COLUMNS 32
#define SLICES  32

static __global__ void __launch_bounds__(COLUMNS *SLICES) kinds_columns(cuda_kinds_columns_job job)
{
    __shared__ float shared[SLICES][COLUMNS + 1];
    int x = (int)threadIdx.x % COLUMNS, slice = (int)threadIdx.x / COLUMNS, which = (int)blockIdx.y;
    int64_t column = (int64_t)blockIdx.x * COLUMNS + x;
    float sum = 0;

    if (column < job.columns) {
#pragma unroll 4
        for (int block = slice; block < job.blocks; block += SLICES)
            sum += job.partial[((int64_t)block * 2 + which) * job.columns + column];
    }
    shared[slice][x] = sum;
    __syncthreads();
    /* Each warp now adds the slices of a column, so that the threads change their roles. */
    sum = shared[x][slice];
    for (int by = SLICES / 2; by > 0; by /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, by);
    column = (int64_t)blockIdx.x * COLUMNS + slice;
    if (x == 0 && column < job.columns && job.gradient[which])
        cuda_store_any(job.type[which], job.gradient[which], column, (double)sum);
}

int32_t cuda_kinds_columns_run(const cuda_call *call, const cuda_kinds_columns_job &job)
{
    return cuda_launch_threads(call, kinds_columns, cuda_blocks(job.columns, COLUMNS), 2,
                               COLUMNS * SLICES, job);
}

/* ------------------------------------------------------------------ on the host */

template <class T> static cuda_kinds_kernel choose(int wide)
{
    enum { LANES = 16 / sizeof(T) };

    return wide ? kinds_rows_backward<T, LANES> : kinds_rows_backward<T, 1>;
}

cuda_kinds_kernel cuda_kinds_rows_backward_kernel(int32_t type, int wide)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(wide);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(wide);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(wide);
    default:
        return nullptr;
    }
}
