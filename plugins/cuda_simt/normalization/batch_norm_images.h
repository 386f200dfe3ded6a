/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch normalization training by whole images with few positions, in NHWC. A block computes a slab
 * of channels (128 or 64 bytes) of a few images. A thread has a vector of channels in up to eight
 * rows. Blocks are small and three run on a multiprocessor, so that some wait for memory while
 * others compute. The part of the reserve that belongs to one image's slab is a whole number of
 * words.
 *
 * For larger images, most gradients and the sums, the tiles of batch_norm_nhwc.h are faster
 * (bench/results/trials.md).
 */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_IMAGES_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_IMAGES_H

#include "batch_norm_nhwc.h"

/* The maximum words of signs in a block's shared memory. */
#define CUDA_NORM_WORDS 512
/* The maximum blocks of one slab: the limit of a grid's y extent. */
#define CUDA_NORM_CHUNKS 65535
/* The blocks on a multiprocessor, which limit the registers of a thread. */
#define CUDA_NORM_IMAGES_BLOCKS 3

struct cuda_norm_images_job {
    cuda_norm_images shape;
    const void *x, *z; /* z is NULL if absent */
    void *y;
    uint8_t *reserve;          /* NULL without activation */
    const float *coefficients; /* [coefficient][channel] */
    cuda_blend blend;          /* alpha 1 and beta 0; other values are declined */
    cuda_activation f;
};

/* ------------------------------------------------------------------ on the host */

/* Sets the images of a block: the threads that share channels have one group of rows each. */
static inline void cuda_norm_images_groups(cuda_norm_images *shape)
{
    int32_t threads = CUDA_THREADS >> shape->log_x;
    int32_t groups = (shape->positions + CUDA_NORM_GROUP - 1) / CUDA_NORM_GROUP;

    shape->per = threads / groups;
    shape->group = (shape->positions + threads / shape->per - 1) / (threads / shape->per);
    shape->groups = (shape->positions + shape->group - 1) / shape->group;
}

/* Fills `shape`. `tensor` has x and the others of its shape, NULL where absent. */
static inline void cuda_norm_images_prepare(cuda_norm_images *shape,
                                            const struct anydnn_plugin_plan *plan,
                                            const struct anydnn_plugin_tensor *const tensor[],
                                            int tensors)
{
    const struct anydnn_plugin_tensor *x = tensor[0];
    int64_t lanes = 16 / cuda_type_size(x->type), count = cuda_tensor_count(x), positions;

    *shape = {};
    if (cuda_norm_within(plan) == 1 || cuda_type_size(x->type) > 4 || !plan->context->has_pools ||
        count == 0 || x->dims[1] > 1 << 20 || x->dims[0] > 1 << 20)
        return;
    for (int t = 0; t < tensors; t++) {
        if (tensor[t] && !cuda_norm_is_rows(tensor[t]))
            return;
    }
    positions = count / x->dims[1] / x->dims[0];
    shape->log_x = 3;
    if (x->dims[1] % (lanes << 3) && lanes << 2 >= 32)
        shape->log_x = 2;
    shape->size = (int32_t)lanes << shape->log_x;
    if (x->dims[1] % shape->size || positions > CUDA_NORM_GROUP * (CUDA_THREADS >> shape->log_x))
        return;
    shape->images = (int32_t)x->dims[0];
    shape->positions = (int32_t)positions;
    shape->channels = (int32_t)x->dims[1];
    shape->slabs = shape->channels / shape->size;
    cuda_norm_images_groups(shape);
    shape->chunks = (int32_t)cuda_blocks(shape->images, shape->per);
    shape->is_possible = shape->chunks <= CUDA_NORM_CHUNKS;
}

/* Returns 1 if whole images can be used with these pointers; NULL counts as aligned. */
static inline int cuda_norm_images_taken(const cuda_norm_images_job *job)
{
    uintptr_t all = (uintptr_t)job->x | (uintptr_t)job->z | (uintptr_t)job->y;

    return job->shape.is_possible && cuda_is_plain(job->blend) && all % sizeof(uint4) == 0 &&
           (uintptr_t)job->reserve % sizeof(uint32_t) == 0;
}

/* Launches the kernel that computes y and the signs. */
int32_t cuda_norm_images_results(const cuda_call *call, int32_t type,
                                 const cuda_norm_images_job *job);

#endif
