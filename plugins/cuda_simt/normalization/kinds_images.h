/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the kernels of group normalization for images whose channels are neighbours in memory.
 * A block takes a slab of pixels of one image with all channels. The threads form rows; each has
 * fixed channels, and pixels of its row. */
#ifndef CUDA_SIMT_NORMALIZATION_KINDS_IMAGES_H
#define CUDA_SIMT_NORMALIZATION_KINDS_IMAGES_H

#include "kinds_moments.h"

/* The largest blocks, and the fewest threads that are useful. */
#define KINDS_IMAGES_THREADS 512
#define KINDS_IMAGES_FEW     256
/* The pixels that a thread loads at once. */
#define KINDS_IMAGES_AT_ONCE 4

struct cuda_kinds_images_cell {
    float mean, inv_dev;
};

struct cuda_kinds_images_job {
    cuda_kinds_images of;
    void *data[KINDS_TENSORS];
    void *gradient[2];
    int32_t gradient_type[2], is_float[2];
    int32_t members;       /* channels of a group */
    int32_t columns, rows; /* threads of a row, and rows of a block */
    int32_t slabs, slab;   /* slabs of an image, and pixels of a slab */
    int32_t wide;          /* 1 if channels are accessed by 16 bytes */
    int32_t is_centered;
    float epsilon;
    cuda_activation f;
    cuda_kinds_moments *moments;   /* [image][slab][group] */
    cuda_kinds_images_cell *cells; /* [image][group]; NULL if the statistics are inputs */
    float *partial;                /* backward: [image][slab][2][channel] */
    float *sums;                   /* backward: [image][2][channel] */
};

typedef void (*cuda_kinds_images_kernel)(cuda_kinds_images_job);

struct cuda_kinds_images_plan {
    cuda_kinds_images_job job;
    cuda_kinds_images_kernel moments, forward, sums, backward;
    int32_t threads, can_be_wide;
    size_t moments_bytes, cells_bytes, partial_bytes, sums_bytes;
};

/* Returns 1 if the kernels support the images. */
int cuda_kinds_images_take(const cuda_kinds_view *view, int32_t type);

/* Fills the plan. `common` has the parameters. */
void cuda_kinds_images_prepare(cuda_kinds_images_plan *plan, const cuda_kinds_view *view,
                               const cuda_kinds_job &common, int32_t type, int backward);
int32_t cuda_kinds_images_run(const cuda_kinds_images_plan *plan, const cuda_call *call,
                              const cuda_kinds_job &pointers);

/* Each function returns a kernel for elements of this type. */
cuda_kinds_images_kernel cuda_kinds_images_moments_kernel(int32_t type);
cuda_kinds_images_kernel cuda_kinds_images_forward_kernel(int32_t type);
cuda_kinds_images_kernel cuda_kinds_images_sums_kernel(int32_t type);
cuda_kinds_images_kernel cuda_kinds_images_backward_kernel(int32_t type);

/* Computes the cells from the moments, and adds up the sums of slabs and of images. */
int32_t cuda_kinds_images_cells_run(const cuda_call *call, const cuda_kinds_images_job &job);
int32_t cuda_kinds_images_sums_run(const cuda_call *call, const cuda_kinds_images_job &job);

/* ------------------------------------------------------------------ on the device */

/* The place of a thread: its channels, and the pixels from `begin` up to `end` in steps of the
 * block's rows. */
struct cuda_kinds_images_thread {
    int32_t image, slab, row, channel, lanes; /* channels of this thread, 0 for none */
    int32_t first, begin, end;
};

template <int LANES>
__device__ static inline cuda_kinds_images_thread
cuda_kinds_images_thread_of(const cuda_kinds_images_job &job, uint32_t block)
{
    cuda_kinds_images_thread in;
    int32_t left;

    in.image = (int32_t)(block / (uint32_t)job.slabs);
    in.slab = (int32_t)(block - (uint32_t)in.image * (uint32_t)job.slabs);
    in.row = (int32_t)threadIdx.x / job.columns;
    in.channel = ((int32_t)threadIdx.x - in.row * job.columns) * LANES;
    left = (int32_t)job.of.channels - in.channel;
    in.lanes = in.row >= job.rows ? 0 : left < LANES ? left : LANES;
    in.first = in.slab * job.slab;
    in.begin = in.first + in.row;
    in.end = in.first + job.slab;
    in.end = in.end < job.of.pixels ? in.end : (int32_t)job.of.pixels;
    if (in.lanes == 0)
        in.begin = in.end;
    return in;
}

template <class T, int LANES>
__device__ static inline void
cuda_kinds_images_get(cuda_vector<T, LANES> &to, const cuda_kinds_images_job &job,
                      const cuda_kinds_images_thread &in, int tensor, int32_t pixel)
{
    const T *from = (const T *)job.data[tensor] + in.image * job.of.image[tensor] +
                    pixel * job.of.pixel[tensor] + in.channel;

    if (job.wide) {
        cuda_vector_get(to, from);
        return;
    }
#pragma unroll
    for (int i = 0; i < LANES; i++) {
        if (i < in.lanes)
            to.lane[i] = from[i];
        else
            cuda_store(&to.lane[i], 0.0f);
    }
}

template <class T, int LANES>
__device__ static inline void
cuda_kinds_images_put(const float (&from)[LANES], const cuda_kinds_images_job &job,
                      const cuda_kinds_images_thread &in, int tensor, int32_t pixel)
{
    T *to = (T *)job.data[tensor] + in.image * job.of.image[tensor] + pixel * job.of.pixel[tensor] +
            in.channel;

    if (job.wide) {
        cuda_vector_put(to, from);
        return;
    }
#pragma unroll
    for (int i = 0; i < LANES; i++) {
        if (i < in.lanes)
            cuda_store(to + i, from[i]);
    }
}

/* Returns the factor or bias of a channel, or `otherwise` if the tensor is absent. */
template <class T>
__device__ static inline float cuda_kinds_images_factor(const cuda_kinds_images_job &job, int slot,
                                                        int32_t channel, float otherwise)
{
    int which = slot - KINDS_SCALE;
    int64_t at = channel * job.of.factor_step[which];

    if (!job.data[slot])
        return otherwise;
    return job.is_float[which] ? ((const float *)job.data[slot])[at]
                               : cuda_load(((const T *)job.data[slot])[at]);
}

template <class T>
__device__ static inline float cuda_kinds_images_scale(const cuda_kinds_images_job &job,
                                                       int32_t channel)
{
    float scale = cuda_kinds_images_factor<T>(job, KINDS_SCALE, channel, 1);

    return job.data[KINDS_SCALE] && job.is_centered ? scale + 1 : scale;
}

/* Returns the statistics of a group. */
__device__ static inline cuda_kinds_images_cell
cuda_kinds_images_cell_of(const cuda_kinds_images_job &job, int32_t image, int32_t group)
{
    if (job.cells)
        return job.cells[image * job.of.groups + group];
    return {((const float *)job
                 .data[KINDS_MEAN])[image * job.of.saved_image[0] + group * job.of.saved_group[0]],
            ((const float *)job.data[KINDS_DEVIATION])[image * job.of.saved_image[1] +
                                                       group * job.of.saved_group[1]]};
}

#endif
