/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizes images by the statistics of their groups. Blocks take the slabs in reverse order,
 * since the last ones that kinds_images_moments.cu read may still be in the cache. */
#include "kinds_images.h"

template <class T>
__global__ void __launch_bounds__(KINDS_IMAGES_THREADS, 1)
    kinds_images_forward(cuda_kinds_images_job job)
{
    enum { LANES = 16 / sizeof(T), AT_ONCE = KINDS_IMAGES_AT_ONCE };
    cuda_kinds_images_thread in =
        cuda_kinds_images_thread_of<LANES>(job, gridDim.x - 1 - blockIdx.x);
    int from = job.data[KINDS_THIRD] ? KINDS_THIRD : KINDS_X;
    bool adds = job.data[KINDS_SECOND] && !job.data[KINDS_THIRD];
    float mean[LANES], factor[LANES], bias[LANES];

#pragma unroll
    for (int i = 0; i < LANES; i++) {
        if (i < in.lanes) {
            cuda_kinds_images_cell cell =
                cuda_kinds_images_cell_of(job, in.image, (in.channel + i) / job.members);

            mean[i] = cell.mean;
            factor[i] = cuda_kinds_images_scale<T>(job, in.channel + i) * cell.inv_dev;
            bias[i] = cuda_kinds_images_factor<T>(job, KINDS_BIAS, in.channel + i, 0);
        } else {
            mean[i] = factor[i] = bias[i] = 0;
        }
    }
    for (int32_t first = in.begin; first < in.end; first += AT_ONCE * job.rows) {
        cuda_vector<T, LANES> raw[AT_ONCE], z[AT_ONCE];

#pragma unroll
        for (int b = 0; b < AT_ONCE; b++) {
            if (first + b * job.rows < in.end) {
                cuda_kinds_images_get(raw[b], job, in, from, first + b * job.rows);
                if (adds)
                    cuda_kinds_images_get(z[b], job, in, KINDS_SECOND, first + b * job.rows);
            }
        }
#pragma unroll
        for (int b = 0; b < AT_ONCE; b++) {
            float v[LANES];

            if (first + b * job.rows >= in.end)
                break;
            cuda_vector_numbers(raw[b], v);
            if (adds) {
#pragma unroll
                for (int i = 0; i < LANES; i++)
                    v[i] += cuda_load(z[b].lane[i]);
            }
#pragma unroll
            for (int i = 0; i < LANES; i++)
                v[i] = (v[i] - mean[i]) * factor[i] + bias[i];
            cuda_kinds_activate<LANES>(job.f, v);
            cuda_kinds_images_put<T, LANES>(v, job, in, KINDS_OUT, first + b * job.rows);
        }
    }
}

cuda_kinds_images_kernel cuda_kinds_images_forward_kernel(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return kinds_images_forward<float>;
    case ANYDNN_PLUGIN_HALF:
        return kinds_images_forward<cuda_half>;
    case ANYDNN_PLUGIN_BFLOAT16:
        return kinds_images_forward<cuda_bfloat16>;
    default:
        return nullptr;
    }
}
