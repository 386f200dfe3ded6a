/* SPDX-License-Identifier: Apache-2.0 */
/* Computes mean and deviation of groups of neighbouring channels. The moments of a few elements are
 * computed in two passes, and joined. */
#include "kinds_images.h"

#define BATCH 4

/* Reads v = x + z. If the sum is an output, it is rounded and stored, and v is what was stored. */
template <class T, int LANES>
__device__ static inline void read(cuda_vector<T, LANES> &x, float (&v)[LANES],
                                   const cuda_kinds_images_job &job,
                                   const cuda_kinds_images_thread &in, int32_t pixel)
{
    cuda_vector<T, LANES> raw;
    float z[LANES];

    cuda_vector_numbers(x, v);
    if (!job.data[KINDS_SECOND])
        return;
    cuda_kinds_images_get(raw, job, in, KINDS_SECOND, pixel);
    cuda_vector_numbers(raw, z);
#pragma unroll
    for (int i = 0; i < LANES; i++)
        v[i] += z[i];
    if (job.data[KINDS_THIRD]) {
        cuda_kinds_images_put<T, LANES>(v, job, in, KINDS_THIRD, pixel);
        cuda_vector_round(x, v);
        cuda_vector_numbers(x, v);
    }
}

/* Joins the moments of up to BATCH pixels to those of a thread's channels. */
template <class T, int LANES>
__device__ static inline void take(float *count, float (&mean)[LANES], float (&squares)[LANES],
                                   const float (&v)[BATCH][LANES], int there)
{
    float after = *count + (float)there, share = (float)there / after, each = 1 / (float)there;

#pragma unroll
    for (int i = 0; i < LANES; i++) {
        float sum = 0, own = 0, distance;

#pragma unroll
        for (int b = 0; b < BATCH; b++)
            sum += b < there ? v[b][i] : 0;
        sum *= each;
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            float difference = b < there ? v[b][i] - sum : 0;

            own += difference * difference;
        }
        distance = sum - mean[i];
        mean[i] += distance * share;
        squares[i] += own + distance * distance * *count * share;
    }
    *count = after;
}

template <class T>
__global__ void __launch_bounds__(KINDS_IMAGES_THREADS, 1)
    kinds_images_moments(cuda_kinds_images_job job)
{
    enum { LANES = 16 / sizeof(T) };
    __shared__ float means[KINDS_IMAGES_THREADS * LANES], spreads[KINDS_IMAGES_THREADS * LANES];
    cuda_kinds_images_thread in = cuda_kinds_images_thread_of<LANES>(job, blockIdx.x);
    int channels = job.columns * LANES, lane = (int)threadIdx.x % KINDS_WARP;
    float count = 0, mean[LANES] = {}, squares[LANES] = {};

    for (int32_t pixel = in.begin; pixel < in.end; pixel += BATCH * job.rows) {
        cuda_vector<T, LANES> raw[BATCH];
        float v[BATCH][LANES];
        int there = 0;

#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            if (pixel + b * job.rows < in.end)
                cuda_kinds_images_get(raw[b], job, in, KINDS_X, pixel + b * job.rows);
        }
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            if (pixel + b * job.rows < in.end) {
                read<T, LANES>(raw[b], v[b], job, in, pixel + b * job.rows);
                there++;
            }
        }
        take<T, LANES>(&count, mean, squares, v, there);
    }
#pragma unroll
    for (int i = 0; i < LANES; i++) {
        if (in.lanes > 0) {
            means[in.row * channels + in.channel + i] = mean[i];
            spreads[in.row * channels + in.channel + i] = squares[i];
        }
    }
    __syncthreads();
    for (int group = (int)threadIdx.x / KINDS_WARP; group < job.of.groups;
         group += (int)blockDim.x / KINDS_WARP) {
        cuda_kinds_moments sum = {0, 0, 0};

        for (int i = lane; i < job.rows * job.members; i += KINDS_WARP) {
            int row = i / job.members, pixels = in.end - in.first - row;
            int at = row * channels + group * job.members + i - row * job.members;

            if (pixels > 0)
                sum = cuda_kinds_join_moments(
                    sum, {(float)((pixels + job.rows - 1) / job.rows), means[at], spreads[at]});
        }
        sum = cuda_kinds_join_warp(sum);
        if (lane == 0)
            job.moments[(int64_t)blockIdx.x * job.of.groups + group] = sum;
    }
}

/* Joins the moments of an image's slabs, with a warp for each group. */
static __global__ void __launch_bounds__(CUDA_THREADS) kinds_images_cells(cuda_kinds_images_job job)
{
    int64_t number = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) / KINDS_WARP;
    int lane = (int)threadIdx.x % KINDS_WARP;
    int64_t image = number / job.of.groups, group = number - image * job.of.groups;
    cuda_kinds_moments sum = {0, 0, 0};
    cuda_kinds_images_cell cell;

    if (image >= job.of.images)
        return;
    for (int slab = lane; slab < job.slabs; slab += KINDS_WARP)
        sum = cuda_kinds_join_moments(
            sum, job.moments[(image * job.slabs + slab) * job.of.groups + group]);
    sum = cuda_kinds_join_warp(sum);
    if (lane != 0)
        return;
    cell = {sum.mean, 1 / sqrtf(sum.squares / sum.count + job.epsilon)};
    job.cells[number] = cell;
    if (job.data[KINDS_MEAN])
        ((float *)
             job.data[KINDS_MEAN])[image * job.of.saved_image[0] + group * job.of.saved_group[0]] =
            cell.mean;
    if (job.data[KINDS_DEVIATION])
        ((float *)job.data[KINDS_DEVIATION])[image * job.of.saved_image[1] +
                                             group * job.of.saved_group[1]] = cell.inv_dev;
}

int32_t cuda_kinds_images_cells_run(const cuda_call *call, const cuda_kinds_images_job &job)
{
    return cuda_launch(call, kinds_images_cells,
                       cuda_blocks(job.of.images * job.of.groups * KINDS_WARP, CUDA_THREADS), 1,
                       job);
}

cuda_kinds_images_kernel cuda_kinds_images_moments_kernel(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return kinds_images_moments<float>;
    case ANYDNN_PLUGIN_HALF:
        return kinds_images_moments<cuda_half>;
    case ANYDNN_PLUGIN_BFLOAT16:
        return kinds_images_moments<cuda_bfloat16>;
    default:
        return nullptr;
    }
}
