/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization training by whole images: computes y and its signs. */
#include "batch_norm_images_device.h"

/* Computes the images of a block. It handles two or four rows at a time, so that three blocks fit
 * in the registers. */
template <class T, int ACTIVE, bool WITH_Z>
__global__ void __launch_bounds__(CUDA_THREADS, CUDA_NORM_IMAGES_BLOCKS)
    norm_images_results(const __grid_constant__ cuda_norm_images_job job)
{
    enum { LANES = cuda_vector<T>::LANES, ROWS = WITH_Z ? 2 : 4 };
    __shared__ uint32_t words[ACTIVE > 0 ? CUDA_NORM_WORDS + 1 : 1];
    const cuda_norm_rows rows = cuda_norm_rows_of(job.shape);
    const cuda_norm_rule rule = cuda_norm_rule_of<ACTIVE>(job.f);
    cuda_norm_forward_cells<LANES> cells;
    unsigned signs[LANES] = {};

    if (ACTIVE) {
        cuda_norm_words_clear(words, job.shape);
        __syncthreads();
    }
    cuda_norm_coefficient<LANES>(cells.shift, job, 0);
    cuda_norm_coefficient<LANES>(cells.factor, job, 1);
    cuda_norm_coefficient<LANES>(cells.bias, job, 2);
#pragma unroll 1
    for (int step = 0; step < rows.count; step += ROWS) {
        int64_t at = rows.at + (int64_t)step * job.shape.channels;
        unsigned some[LANES] = {};
        cuda_vector<T> x[ROWS], z[ROWS];

        cuda_norm_read(x, (const T *)job.x + at, job.shape.channels, rows.count - step);
        if (WITH_Z)
            cuda_norm_read(z, (const T *)job.z + at, job.shape.channels, rows.count - step);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float y[LANES];

            if (step + r >= rows.count)
                break;
            cuda_norm_forward_row<T, ACTIVE, WITH_Z, LANES>(y, x[r], z[r], cells, rule, some, r);
            cuda_vector_put((T *)job.y + at + (int64_t)r * job.shape.channels, y);
        }
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            signs[lane] |= some[lane] << step;
    }
    if (ACTIVE) {
        if (rows.count > 0)
            cuda_norm_words_put<LANES>(words, signs, rows.bit, job.shape.positions);
        __syncthreads();
        cuda_norm_words_store(words, job);
    }
}

template <class T> static int32_t run(const cuda_call *call, const cuda_norm_images_job *job)
{
    void (*kernel)(cuda_norm_images_job) = norm_images_results<T, CUDA_NORM_AS_IS, false>;

    if (job->reserve && job->f.mode == CUDA_CLIPPED_RELU)
        kernel = job->z ? norm_images_results<T, CUDA_NORM_RELU_CLIPPED, true>
                        : norm_images_results<T, CUDA_NORM_RELU_CLIPPED, false>;
    else if (job->reserve)
        kernel = job->z ? norm_images_results<T, CUDA_NORM_RELU, true>
                        : norm_images_results<T, CUDA_NORM_RELU, false>;
    return cuda_launch(call, kernel, job->shape.slabs, job->shape.chunks, *job);
}

int32_t cuda_norm_images_results(const cuda_call *call, int32_t type,
                                 const cuda_norm_images_job *job)
{
    return cuda_norm_by_type(type, [=](auto x) { return run<decltype(x)>(call, job); });
}
