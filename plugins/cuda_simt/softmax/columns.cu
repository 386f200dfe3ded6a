/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of vectors that are columns in memory. A tile of threads holds some columns, so that they
 * are read once. A thread has 16 bytes of some of their rows. */
#include "softmax.h"

#define WARPS (CUDA_THREADS / CUDA_WARP)

struct tile_thread {
    int x, y, size_x, size_y;
    int64_t step; /* step of the iteration over columns */
};

__device__ static inline tile_thread tile_thread_of(const cuda_softmax_job &job)
{
    int size_x = 1 << job.log_group, x = (int)threadIdx.x & (size_x - 1);

    return {x, (int)threadIdx.x >> job.log_group, size_x, CUDA_THREADS >> job.log_group,
            (int64_t)blockIdx.x * size_x + x};
}

/* Returns which of the threads with the same columns ends up with a lane. The first halving uses
 * the highest bit of the lane's number and the lowest bit of the thread's. */
template <int LANES> __device__ static constexpr int halved_owner(int lane)
{
    int owner = 0;

    for (int bit = 1; bit < LANES; bit *= 2)
        owner = 2 * owner + (lane & bit ? 1 : 0);
    return owner;
}

/* Joins the values of threads that differ in `by`, 2 by, ... In each step, two threads exchange
 * halves: each keeps and joins one half and sends the other. When one value is left, both threads
 * join it. */
template <class Join, int COUNT> __device__ static inline float halve(const float value[], int by)
{
    if constexpr (COUNT == 1) {
        for (float one = value[0];; by *= 2) {
            if (by >= CUDA_WARP)
                return one;
            one = Join::join(one, __shfl_xor_sync(CUDA_ALL_LANES, one, by));
        }
    } else {
        bool upper = (int)threadIdx.x & by;
        float half[COUNT / 2];

#pragma unroll
        for (int i = 0; i < COUNT / 2; i++) {
            float kept = upper ? value[i + COUNT / 2] : value[i];
            float sent = upper ? value[i] : value[i + COUNT / 2];

            half[i] = Join::join(kept, __shfl_xor_sync(CUDA_ALL_LANES, sent, by));
        }
        return halve<Join, COUNT / 2>(half, 2 * by);
    }
}

/* Joins columns if a tile's row is at most a warp. A thread ends with one value of its warp, and
 * then of the block. */
template <class Join, int LANES>
__device__ static inline void join_narrow(float value[LANES], const tile_thread &in_tile,
                                          float slots[WARPS][CUDA_WARP])
{
    int within = (int)threadIdx.x % CUDA_WARP;
    float one = halve<Join, LANES>(value, in_tile.size_x);

    slots[threadIdx.x / CUDA_WARP][within] = one;
    __syncthreads();
    one = slots[0][within];
#pragma unroll
    for (int w = 1; w < WARPS; w++)
        one = Join::join(one, slots[w][within]);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = __shfl_sync(CUDA_ALL_LANES, one,
                                  in_tile.x + in_tile.size_x * halved_owner<LANES>(lane));
}

/* Joins the values of the threads that have the same columns, and gives the result to each of them.
 * A tile is at most a warp wide, so each warp joins its values first, then the block joins the
 * warps. */
template <class Join, int LANES>
__device__ static inline void join_columns(float value[LANES], const tile_thread &in_tile,
                                           float slots[WARPS][CUDA_WARP][LANES])
{
    int warp = (int)threadIdx.x / CUDA_WARP;

    if (in_tile.size_x * LANES <= CUDA_WARP) {
        join_narrow<Join, LANES>(value, in_tile, (float(*)[CUDA_WARP])slots);
        return;
    }
    for (int by = in_tile.size_x; by < CUDA_WARP; by *= 2)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            value[lane] = Join::join(value[lane], __shfl_xor_sync(CUDA_ALL_LANES, value[lane], by));
    if ((int)threadIdx.x % CUDA_WARP < in_tile.size_x)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            slots[warp][in_tile.x][lane] = value[lane];
    __syncthreads();
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = slots[0][in_tile.x][lane];
#pragma unroll
    for (int w = 1; w < WARPS; w++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            value[lane] = Join::join(value[lane], slots[w][in_tile.x][lane]);
}

/* ------------------------------------------------------------------ forward */

/* Computes y, with maximum and shift as for rows. */
template <class T, int LANES>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_columns(cuda_softmax_job job)
{
    enum { ROWS = CUDA_SOFTMAX_HELD / LANES };
    __shared__ float maxima[WARPS][CUDA_WARP][LANES], sums[WARPS][CUDA_WARP][LANES];
    tile_thread in_tile = tile_thread_of(job);
    bool inside = in_tile.step < job.vectors.count;
    int64_t at[2] = {0, 0}, length = inside ? job.length : 0;
    float v[ROWS][LANES], max[LANES], sum[LANES];

    if (inside)
        cuda_walk_place<2>(job.vectors, in_tile.step, at);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t i = r * in_tile.size_y + in_tile.y;

        cuda_softmax_get(v[r], (const T *)job.data[1] + at[1] + i * job.stride[1], i < length,
                         -INFINITY);
    }
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        max[lane] = -FLT_MAX;
        sum[lane] = 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            max[lane] = fmaxf(max[lane], v[r][lane]);
    }
    join_columns<cuda_join_max, LANES>(max, in_tile, maxima);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float shift = fminf(max[lane], FLT_MAX);

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float e = cuda_softmax_exp<T>(v[r][lane] - shift);

            sum[lane] += e;
            v[r][lane] = job.algorithm == CUDA_SOFTMAX_LOG ? v[r][lane] - shift : e;
        }
    }
    join_columns<cuda_join_sum, LANES>(sum, in_tile, sums);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float of = cuda_softmax_finish(job.algorithm, max[lane], sum[lane]);

        sum[lane] = job.algorithm == CUDA_SOFTMAX_LOG ? logf(of) : 1 / of;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t i = r * in_tile.size_y + in_tile.y;

#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            v[r][lane] =
                job.algorithm == CUDA_SOFTMAX_LOG ? v[r][lane] - sum[lane] : v[r][lane] * sum[lane];
        if (i < length)
            cuda_vector_store((T *)job.data[0] + at[0] + i * job.stride[0], v[r], job.blend);
    }
}

/* ------------------------------------------------------------------ backward */

/* Computes dx from the sum of y*dy, or of dy for the logarithm. */
template <class T, int LANES>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_columns_backward(cuda_softmax_job job)
{
    enum { ROWS = CUDA_SOFTMAX_HELD / LANES };
    __shared__ float sums[WARPS][CUDA_WARP][LANES];
    tile_thread in_tile = tile_thread_of(job);
    bool inside = in_tile.step < job.vectors.count;
    int64_t at[3] = {0, 0, 0}, length = inside ? job.length : 0;
    float y[ROWS][LANES], dy[ROWS][LANES], sum[LANES];

    if (inside)
        cuda_walk_place<3>(job.vectors, in_tile.step, at);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t i = r * in_tile.size_y + in_tile.y;

        cuda_softmax_get(y[r], (const T *)job.data[1] + at[1] + i * job.stride[1], i < length, 0);
        cuda_softmax_get(dy[r], (const T *)job.data[2] + at[2] + i * job.stride[2], i < length, 0);
    }
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        sum[lane] = 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[lane] += job.algorithm == CUDA_SOFTMAX_LOG ? dy[r][lane] : y[r][lane] * dy[r][lane];
    }
    join_columns<cuda_join_sum, LANES>(sum, in_tile, sums);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t i = r * in_tile.size_y + in_tile.y;

        if (job.algorithm == CUDA_SOFTMAX_LOG) {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                dy[r][lane] -= cuda_softmax_exp<T>(y[r][lane]) * sum[lane];
        } else {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                dy[r][lane] = y[r][lane] * (dy[r][lane] - sum[lane]);
        }
        if (i < length)
            cuda_vector_store((T *)job.data[0] + at[0] + i * job.stride[0], dy[r], job.blend);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T> static cuda_softmax_kernel choose(int backward, int wide)
{
    enum { LANES = 16 / sizeof(T) };

    if (wide)
        return backward ? softmax_columns_backward<T, LANES> : softmax_columns<T, LANES>;
    return backward ? softmax_columns_backward<T, 1> : softmax_columns<T, 1>;
}

cuda_softmax_kernel cuda_softmax_columns_kernel(int32_t type, int backward, int wide)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(backward, wide);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(backward, wide);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(backward, wide);
    default:
        return nullptr;
    }
}
