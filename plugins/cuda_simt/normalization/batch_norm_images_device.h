/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions of batch_norm_images.cu: the rows of a thread, and the signs in shared
 * memory. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_IMAGES_DEVICE_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_IMAGES_DEVICE_H

#include "batch_norm_element.h"
#include "batch_norm_images.h"

/* Returns the first image of this block: blockIdx.x is the slab, blockIdx.y the chunk of images. */
__device__ static inline int32_t cuda_norm_first_image(const cuda_norm_images &shape)
{
    return (int32_t)blockIdx.y * shape.per;
}

__device__ static inline int32_t cuda_norm_count_images(const cuda_norm_images &shape)
{
    return cuda_norm_least(shape.per, shape.images - cuda_norm_first_image(shape));
}

/* Returns this thread's first channel within the slab; the next function returns it within all
 * channels. */
__device__ static inline int32_t cuda_norm_channel(const cuda_norm_images &shape)
{
    int32_t x = (int32_t)threadIdx.x & ((1 << shape.log_x) - 1);

    return x * (shape.size >> shape.log_x);
}

__device__ static inline int32_t cuda_norm_channel_of_all(const cuda_norm_images &shape)
{
    return (int32_t)blockIdx.x * shape.size + cuda_norm_channel(shape);
}

/* The rows of this thread. */
struct cuda_norm_rows {
    int32_t count; /* 0 if the thread has none */
    int32_t bit;   /* bit of the first row and channel in the block's signs */
    int64_t at;    /* offset of the first element */
};

__device__ static inline cuda_norm_rows cuda_norm_rows_of(const cuda_norm_images &shape)
{
    int32_t g = (int32_t)threadIdx.x >> shape.log_x, image = g / shape.groups;
    int32_t first = (g - image * shape.groups) * shape.group;
    int64_t row = (int64_t)(cuda_norm_first_image(shape) + image) * shape.positions + first;

    return {image < cuda_norm_count_images(shape)
                ? cuda_norm_least(shape.group, shape.positions - first)
                : 0,
            (image * shape.size + cuda_norm_channel(shape)) * shape.positions + first,
            row * shape.channels + cuda_norm_channel_of_all(shape)};
}

/* ------------------------------------------------------------------ signs */

/* Returns the words of the reserve that a slab of one image has. They are contiguous. */
__device__ static inline int32_t cuda_norm_words(const cuda_norm_images &shape)
{
    return shape.size / 32 * shape.positions;
}

__device__ static inline uint32_t *cuda_norm_words_at(const cuda_norm_images_job &job,
                                                      int32_t image)
{
    int64_t first = (int64_t)(cuda_norm_first_image(job.shape) + image) * job.shape.channels +
                    (int64_t)blockIdx.x * job.shape.size;

    return (uint32_t *)(job.reserve + first * job.shape.positions / 8);
}

/* Clears the signs. All threads must call it; it has no barrier. The store below has the same
 * rule. */
__device__ static inline void cuda_norm_words_clear(uint32_t *words, const cuda_norm_images &shape)
{
    int32_t all = cuda_norm_count_images(shape) * cuda_norm_words(shape);

    for (int32_t i = (int32_t)threadIdx.x; i < all; i += CUDA_THREADS)
        words[i] = 0;
}

__device__ static inline void cuda_norm_words_store(const uint32_t *words,
                                                    const cuda_norm_images_job &job)
{
    int32_t each = cuda_norm_words(job.shape);

    for (int32_t image = 0; image < cuda_norm_count_images(job.shape); image++) {
        uint32_t *to = cuda_norm_words_at(job, image);

        for (int32_t i = (int32_t)threadIdx.x; i < each; i += CUDA_THREADS)
            to[i] = words[image * each + i];
    }
}

/* Sets the signs of up to eight rows of each channel, beginning at `bit`, the bit of the first. */
template <int LANES>
__device__ static inline void cuda_norm_words_put(uint32_t *words, const unsigned signs[LANES],
                                                  int32_t bit, int32_t positions)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t both = (uint64_t)signs[lane] << bit % 32;

        atomicOr(words + bit / 32, (uint32_t)both);
        if (both >> 32)
            atomicOr(words + bit / 32 + 1, (uint32_t)(both >> 32));
        bit += positions;
    }
}

/* ------------------------------------------------------------------ coefficients */

/* Reads one coefficient of this thread's channels. */
template <int LANES>
__device__ static inline void cuda_norm_coefficient(float to[LANES],
                                                    const cuda_norm_images_job &job, int which)
{
    const float4 *from = (const float4 *)(job.coefficients + (int64_t)which * job.shape.channels +
                                          cuda_norm_channel_of_all(job.shape));

#pragma unroll
    for (int i = 0; i < LANES / 4; i++) {
        float4 four = from[i];

        to[i * 4] = four.x;
        to[i * 4 + 1] = four.y;
        to[i * 4 + 2] = four.z;
        to[i * 4 + 3] = four.w;
    }
}

#endif
