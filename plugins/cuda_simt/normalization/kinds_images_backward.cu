/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the gradients of group normalization for images with neighbouring channels. The first
 * kernel sums g and g n by channel, from which the sums of groups and the gradients of scale and
 * bias follow. The second one reads the images again, in reverse order. */
#include "kinds_images.h"

/* The values of a thread's channels. */
template <int LANES> struct channels_of {
    float mean[LANES], inv_dev[LANES], scale[LANES], bias[LANES];
};

template <class T, int LANES>
__device__ static inline void fill(channels_of<LANES> *of, const cuda_kinds_images_job &job,
                                   const cuda_kinds_images_thread &in)
{
#pragma unroll
    for (int i = 0; i < LANES; i++) {
        of->mean[i] = of->inv_dev[i] = of->scale[i] = of->bias[i] = 0;
        if (i < in.lanes) {
            cuda_kinds_images_cell cell =
                cuda_kinds_images_cell_of(job, in.image, (in.channel + i) / job.members);

            of->mean[i] = cell.mean;
            of->inv_dev[i] = cell.inv_dev;
            of->scale[i] = cuda_kinds_images_scale<T>(job, in.channel + i);
            of->bias[i] = cuda_kinds_images_factor<T>(job, KINDS_BIAS, in.channel + i, 0);
        }
    }
}

/* Makes the normalized values n, and the gradients g before the activation. */
template <class T, int LANES>
__device__ static inline void make(float (&n)[LANES], float (&g)[LANES],
                                   const cuda_kinds_images_job &job, const channels_of<LANES> &of,
                                   const cuda_vector<T, LANES> &x, const cuda_vector<T, LANES> &dy)
{
    cuda_vector_numbers(x, n);
    cuda_vector_numbers(dy, g);
#pragma unroll
    for (int i = 0; i < LANES; i++)
        n[i] = (n[i] - of.mean[i]) * of.inv_dev[i];
    if (job.f.mode != CUDA_IDENTITY) {
        float v[LANES];

#pragma unroll
        for (int i = 0; i < LANES; i++)
            v[i] = of.scale[i] * n[i] + of.bias[i];
        cuda_kinds_gradient<LANES>(job.f, g, v);
    }
}

template <class T>
__global__ void __launch_bounds__(KINDS_IMAGES_THREADS, 1)
    kinds_images_sums(cuda_kinds_images_job job)
{
    enum { LANES = 16 / sizeof(T), AT_ONCE = KINDS_IMAGES_AT_ONCE / 2 };
    __shared__ float shared[KINDS_IMAGES_THREADS * LANES];
    cuda_kinds_images_thread in = cuda_kinds_images_thread_of<LANES>(job, blockIdx.x);
    int channels = job.columns * LANES;
    float sum[2][LANES] = {};
    channels_of<LANES> of;

    fill<T, LANES>(&of, job, in);
    for (int32_t first = in.begin; first < in.end; first += AT_ONCE * job.rows) {
        cuda_vector<T, LANES> x[AT_ONCE], dy[AT_ONCE];

#pragma unroll
        for (int b = 0; b < AT_ONCE; b++) {
            if (first + b * job.rows < in.end) {
                cuda_kinds_images_get(x[b], job, in, KINDS_X, first + b * job.rows);
                cuda_kinds_images_get(dy[b], job, in, KINDS_SECOND, first + b * job.rows);
            }
        }
#pragma unroll
        for (int b = 0; b < AT_ONCE; b++) {
            float n[LANES], g[LANES];

            if (first + b * job.rows >= in.end)
                break;
            make<T, LANES>(n, g, job, of, x[b], dy[b]);
#pragma unroll
            for (int i = 0; i < LANES; i++) {
                sum[0][i] += g[i] * n[i];
                sum[1][i] += g[i];
            }
        }
    }
#pragma unroll
    for (int which = 0; which < 2; which++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            if (in.lanes > 0)
                shared[in.row * channels + in.channel + i] = sum[which][i];
        }
        __syncthreads();
        for (int c = (int)threadIdx.x; c < job.of.channels; c += (int)blockDim.x) {
            float total = 0;

            for (int row = 0; row < job.rows; row++)
                total += shared[row * channels + c];
            job.partial[((int64_t)blockIdx.x * 2 + which) * job.of.channels + c] = total;
        }
    }
}

/* ------------------------------------------------------------------ sums of slabs and images */

#define COLUMNS 32
#define SLICES  32

static __global__ void __launch_bounds__(COLUMNS *SLICES)
    kinds_images_slabs(cuda_kinds_images_job job)
{
    __shared__ float shared[SLICES][COLUMNS + 1];
    int x = (int)threadIdx.x % COLUMNS, slice = (int)threadIdx.x / COLUMNS;
    int64_t columns = 2 * job.of.channels, column = (int64_t)blockIdx.x * COLUMNS + x;
    int64_t image = blockIdx.y;
    float sum = 0;

    if (column < columns) {
#pragma unroll 4
        for (int slab = slice; slab < job.slabs; slab += SLICES)
            sum += job.partial[(image * job.slabs + slab) * columns + column];
    }
    shared[slice][x] = sum;
    __syncthreads();
    /* Each warp now adds the slices of a column, so that the threads change their roles. */
    sum = shared[x][slice];
    for (int by = SLICES / 2; by > 0; by /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, by);
    column = (int64_t)blockIdx.x * COLUMNS + slice;
    if (x == 0 && column < columns)
        job.sums[image * columns + column] = sum;
}

static __global__ void __launch_bounds__(CUDA_THREADS)
    kinds_images_gradients(cuda_kinds_images_job job)
{
    int64_t channel = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int which = (int)blockIdx.y;
    float sum = 0;

    if (channel >= job.of.channels || !job.gradient[which])
        return;
#pragma unroll 4
    for (int image = 0; image < job.of.images; image++)
        sum += job.sums[(image * 2 + which) * job.of.channels + channel];
    cuda_store_any(job.gradient_type[which], job.gradient[which],
                   channel * job.of.gradient_step[which], (double)sum);
}

int32_t cuda_kinds_images_sums_run(const cuda_call *call, const cuda_kinds_images_job &job)
{
    int32_t status =
        cuda_launch_threads(call, kinds_images_slabs, cuda_blocks(2 * job.of.channels, COLUMNS),
                            job.of.images, COLUMNS * SLICES, job);

    if (!status && (job.gradient[0] || job.gradient[1]))
        status = cuda_launch(call, kinds_images_gradients,
                             cuda_blocks(job.of.channels, CUDA_THREADS), 2, job);
    return status;
}

/* ------------------------------------------------------------------ dx */

/* Computes the means of w n and of w of each group of the block's image. */
template <class T>
__device__ static inline void make_means(const cuda_kinds_images_job &job, int32_t image,
                                         cuda_kinds_pair means[])
{
    const float *sums = job.sums + 2 * image * job.of.channels;
    float count = 1 / ((float)job.of.pixels * (float)job.members);
    int lane = (int)threadIdx.x % KINDS_WARP;

    for (int group = (int)threadIdx.x / KINDS_WARP; group < job.of.groups;
         group += (int)blockDim.x / KINDS_WARP) {
        cuda_kinds_pair sum = {0, 0};

        for (int c = group * job.members + lane; c < (group + 1) * job.members; c += KINDS_WARP) {
            float scale = cuda_kinds_images_scale<T>(job, c);

            sum.a += scale * sums[c];
            sum.b += scale * sums[job.of.channels + c];
        }
        sum = cuda_kinds_join(sum, KINDS_WARP, nullptr);
        if (lane == 0)
            means[group] = {sum.a * count, sum.b * count};
    }
    __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(KINDS_IMAGES_THREADS, 1)
    kinds_images_backward(cuda_kinds_images_job job)
{
    enum { LANES = 16 / sizeof(T), AT_ONCE = KINDS_IMAGES_AT_ONCE / 2 };
    __shared__ cuda_kinds_pair means[KINDS_IMAGES_THREADS * LANES];
    cuda_kinds_images_thread in =
        cuda_kinds_images_thread_of<LANES>(job, gridDim.x - 1 - blockIdx.x);
    float mean_wn[LANES], mean_w[LANES];
    channels_of<LANES> of;

    make_means<T>(job, in.image, means);
    fill<T, LANES>(&of, job, in);
#pragma unroll
    for (int i = 0; i < LANES; i++) {
        int group = i < in.lanes ? (in.channel + i) / job.members : 0;

        mean_wn[i] = means[group].a;
        mean_w[i] = means[group].b;
    }
    for (int32_t first = in.begin; first < in.end; first += AT_ONCE * job.rows) {
        cuda_vector<T, LANES> x[AT_ONCE], dy[AT_ONCE], dsum[AT_ONCE];

#pragma unroll
        for (int b = 0; b < AT_ONCE; b++) {
            if (first + b * job.rows < in.end) {
                cuda_kinds_images_get(x[b], job, in, KINDS_X, first + b * job.rows);
                cuda_kinds_images_get(dy[b], job, in, KINDS_SECOND, first + b * job.rows);
                if (job.data[KINDS_THIRD])
                    cuda_kinds_images_get(dsum[b], job, in, KINDS_THIRD, first + b * job.rows);
            }
        }
#pragma unroll
        for (int b = 0; b < AT_ONCE; b++) {
            float n[LANES], g[LANES];

            if (first + b * job.rows >= in.end)
                break;
            make<T, LANES>(n, g, job, of, x[b], dy[b]);
#pragma unroll
            for (int i = 0; i < LANES; i++)
                g[i] = of.inv_dev[i] * (of.scale[i] * g[i] - mean_w[i] - n[i] * mean_wn[i]);
            if (job.data[KINDS_THIRD]) {
#pragma unroll
                for (int i = 0; i < LANES; i++)
                    g[i] += cuda_load(dsum[b].lane[i]);
            }
            cuda_kinds_images_put<T, LANES>(g, job, in, KINDS_OUT, first + b * job.rows);
        }
    }
}

/* ------------------------------------------------------------------ on the host */

cuda_kinds_images_kernel cuda_kinds_images_sums_kernel(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return kinds_images_sums<float>;
    case ANYDNN_PLUGIN_HALF:
        return kinds_images_sums<cuda_half>;
    case ANYDNN_PLUGIN_BFLOAT16:
        return kinds_images_sums<cuda_bfloat16>;
    default:
        return nullptr;
    }
}

cuda_kinds_images_kernel cuda_kinds_images_backward_kernel(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return kinds_images_backward<float>;
    case ANYDNN_PLUGIN_HALF:
        return kinds_images_backward<cuda_half>;
    case ANYDNN_PLUGIN_BFLOAT16:
        return kinds_images_backward<cuda_bfloat16>;
    default:
        return nullptr;
    }
}
