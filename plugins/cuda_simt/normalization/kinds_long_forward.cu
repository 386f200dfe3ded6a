/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizes long contiguous sets: one kernel computes the moments of chunks, a second one those of
 * sets, and a third one reads the elements again, in reverse order. */
#include "kinds_long.h"

/* The vectors that a thread loads at once. */
#define AT_ONCE 4

/* Reads v = x + z. If the sum is an output, it is rounded and stored, and v is what was stored. */
template <class T, int LANES>
__device__ static inline void read(float (&v)[LANES], const cuda_kinds_job &job,
                                   const cuda_kinds_set &at, int64_t element)
{
    float z[LANES];

    cuda_kinds_get<T, LANES>(v, job.data[KINDS_X], cuda_kinds_at(job, at, KINDS_X) + element);
    if (!job.data[KINDS_SECOND])
        return;
    cuda_kinds_get<T, LANES>(z, job.data[KINDS_SECOND],
                             cuda_kinds_at(job, at, KINDS_SECOND) + element);
#pragma unroll
    for (int i = 0; i < LANES; i++)
        v[i] += z[i];
}

template <class T, int LANES>
__device__ static inline void store_sum(float (&v)[LANES], const cuda_kinds_job &job,
                                        const cuda_kinds_set &at, int64_t element)
{
    T *to = (T *)job.data[KINDS_THIRD] + cuda_kinds_at(job, at, KINDS_THIRD) + element;
    cuda_vector<T, LANES> sum;

    cuda_vector_round(sum, v);
    *(typename cuda_whole<T, LANES>::type *)to = sum.whole;
    cuda_vector_numbers(sum, v);
}

/* Joins the moments of some vectors to those of a thread. Vectors from `there` on do not exist. */
template <int LANES>
__device__ static inline void take(cuda_kinds_moments *to, const float (&v)[AT_ONCE][LANES],
                                   int there)
{
    cuda_kinds_moments own = {(float)(there * LANES), 0, 0};

#pragma unroll
    for (int s = 0; s < AT_ONCE; s++)
#pragma unroll
        for (int i = 0; i < LANES; i++)
            own.mean += s < there ? v[s][i] : 0;
    own.mean /= own.count;
#pragma unroll
    for (int s = 0; s < AT_ONCE; s++)
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            float difference = s < there ? v[s][i] - own.mean : 0;

            own.squares += difference * difference;
        }
    *to = cuda_kinds_join_moments(*to, own);
}

template <class T, int LANES>
__global__ void __launch_bounds__(KINDS_LONG_THREADS, 3) kinds_long_moments(cuda_kinds_long_job job)
{
    enum { BY = KINDS_LONG_THREADS * LANES };
    __shared__ cuda_kinds_moments slots[KINDS_LONG_THREADS / KINDS_WARP];
    cuda_kinds_moments own = {0, 0, 0};
    cuda_kinds_chunk chunk;
    int64_t first;

    cuda_kinds_chunk_of(&chunk, job, blockIdx.x);
    for (first = chunk.begin + threadIdx.x * LANES; first < chunk.end; first += AT_ONCE * BY) {
        float v[AT_ONCE][LANES];
        int there = 0;

#pragma unroll
        for (int s = 0; s < AT_ONCE; s++) {
            if (first + s * BY < chunk.end)
                read<T, LANES>(v[s], job.of, chunk.at, first + s * BY);
        }
#pragma unroll
        for (int s = 0; s < AT_ONCE; s++) {
            if (first + s * BY < chunk.end) {
                if (job.of.data[KINDS_THIRD])
                    store_sum<T, LANES>(v[s], job.of, chunk.at, first + s * BY);
                there++;
            }
        }
        take<LANES>(&own, v, there);
    }
    own = cuda_kinds_join_warp(own);
    if (threadIdx.x % KINDS_WARP == 0)
        slots[threadIdx.x / KINDS_WARP] = own;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int w = 1; w < (int)blockDim.x / KINDS_WARP; w++)
        own = cuda_kinds_join_moments(own, slots[w]);
    job.moments[blockIdx.x] = own;
}

/* Joins the moments of the chunks of a set, with a warp for each set. */
static __global__ void __launch_bounds__(CUDA_THREADS) kinds_long_cells(cuda_kinds_long_job job)
{
    int64_t set = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) / KINDS_WARP;
    int lane = (int)threadIdx.x % KINDS_WARP;
    int64_t each = job.planes * job.chunks;
    cuda_kinds_set at = cuda_kinds_set_of(job.of, set);
    cuda_kinds_moments sum = {0, 0, 0};
    cuda_kinds_long_cell cell;

    if (set >= job.of.sets)
        return;
    for (int64_t i = lane; i < each; i += KINDS_WARP)
        sum = cuda_kinds_join_moments(sum, job.moments[set * each + i]);
    sum = cuda_kinds_join_warp(sum);
    if (lane != 0)
        return;
    cell.mean = job.of.is_rms ? 0 : sum.mean;
    cell.inv_dev = 1 / sqrtf(sum.squares / sum.count + (job.of.is_rms ? sum.mean * sum.mean : 0) +
                             job.of.epsilon);
    job.cells[set] = cell;
    if (job.of.data[KINDS_MEAN])
        ((float *)job.of.data[KINDS_MEAN])[cuda_kinds_at(job.of, at, KINDS_MEAN)] = cell.mean;
    if (job.of.data[KINDS_DEVIATION])
        ((float *)job.of.data[KINDS_DEVIATION])[cuda_kinds_at(job.of, at, KINDS_DEVIATION)] =
            cell.inv_dev;
}

template <class T, int LANES>
__global__ void __launch_bounds__(KINDS_LONG_THREADS, 3) kinds_long_forward(cuda_kinds_long_job job)
{
    enum { BY = KINDS_LONG_THREADS * LANES };
    cuda_kinds_long_cell cell;
    cuda_kinds_chunk chunk;
    int64_t first;

    cuda_kinds_chunk_of(&chunk, job, gridDim.x - 1 - blockIdx.x);
    cell = cuda_kinds_long_cell_of(job, chunk);
#pragma unroll 4
    for (first = chunk.begin + threadIdx.x * LANES; first < chunk.end; first += BY) {
        float v[LANES], scale[LANES], bias[LANES];

        if (job.of.data[KINDS_THIRD])
            cuda_kinds_get<T, LANES>(v, job.of.data[KINDS_THIRD],
                                     cuda_kinds_at(job.of, chunk.at, KINDS_THIRD) + first);
        else
            read<T, LANES>(v, job.of, chunk.at, first);
        cuda_kinds_scales<T, LANES>(scale, job.of, cuda_kinds_at(job.of, chunk.at, KINDS_SCALE),
                                    first, first);
        cuda_kinds_factors<T, LANES>(bias, job.of, KINDS_BIAS,
                                     cuda_kinds_at(job.of, chunk.at, KINDS_BIAS), first, first, 0);
#pragma unroll
        for (int i = 0; i < LANES; i++)
            v[i] = scale[i] * ((v[i] - cell.mean) * cell.inv_dev) + bias[i];
        cuda_kinds_activate<LANES>(job.of.f, v);
        cuda_vector_put(
            (T *)job.of.data[KINDS_OUT] + cuda_kinds_at(job.of, chunk.at, KINDS_OUT) + first, v);
    }
}

/* ------------------------------------------------------------------ on the host */

int32_t cuda_kinds_long_cells_run(const cuda_call *call, const cuda_kinds_long_job &job)
{
    return cuda_launch(call, kinds_long_cells, cuda_blocks(job.of.sets * KINDS_WARP, CUDA_THREADS),
                       1, job);
}

template <class T> static cuda_kinds_long_kernel choose(int moments, int wide)
{
    enum { LANES = 16 / sizeof(T) };

    if (moments)
        return wide ? kinds_long_moments<T, LANES> : kinds_long_moments<T, 1>;
    return wide ? kinds_long_forward<T, LANES> : kinds_long_forward<T, 1>;
}

static cuda_kinds_long_kernel kernel_of(int32_t type, int moments, int wide)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(moments, wide);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(moments, wide);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(moments, wide);
    default:
        return nullptr;
    }
}

cuda_kinds_long_kernel cuda_kinds_long_moments_kernel(int32_t type, int wide)
{
    return kernel_of(type, 1, wide);
}

cuda_kinds_long_kernel cuda_kinds_long_forward_kernel(int32_t type, int wide)
{
    return kernel_of(type, 0, wide);
}
