/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the kernels of layer, group and RMS normalization for contiguous sets that are too long
 * for the registers of a block, or whose gradients belong to planes. A block takes a chunk of a
 * plane, which is a part of a set with one factor and one bias, or a whole set. */
#ifndef CUDA_SIMT_NORMALIZATION_KINDS_LONG_H
#define CUDA_SIMT_NORMALIZATION_KINDS_LONG_H

#include "kinds_moments.h"

#define KINDS_LONG_THREADS 256

struct cuda_kinds_long_cell {
    float mean, inv_dev;
};

struct cuda_kinds_long_job {
    cuda_kinds_job of;
    int64_t plane, planes;       /* elements of a plane, planes of a set */
    int64_t chunk, chunks;       /* elements of a chunk, chunks of a plane */
    cuda_kinds_moments *moments; /* [set][plane][chunk] */
    cuda_kinds_long_cell *cells; /* [set] */
    cuda_kinds_pair *partial;    /* [set][plane][chunk]: sums of g n and of g, or of w n and w */
    cuda_kinds_pair *sums;       /* [set][plane] */
    int32_t gradient_type[2];
    int64_t groups, images, gradient_step[2]; /* of the gradients of planes */
};

typedef void (*cuda_kinds_long_kernel)(cuda_kinds_long_job);

struct cuda_kinds_long_plan {
    /* The first serves statistics and forward, whose planes are whole sets; the second backward. */
    cuda_kinds_long_job whole, parts;
    int32_t type, backward, can_be_wide;
    int32_t has_cells; /* 1 if the statistics are computed */
};

/* Returns 1 if the kernels support the sets. */
int cuda_kinds_long_take(const cuda_kinds_view *view);

/* Fills the plan. `common` has the parameters. */
void cuda_kinds_long_prepare(cuda_kinds_long_plan *plan, const cuda_kinds_view *view,
                             const cuda_kinds_job &common, int32_t type, int backward);
int32_t cuda_kinds_long_run(const cuda_kinds_long_plan *plan, const cuda_call *call,
                            const cuda_kinds_job &pointers, int aligned);

/* Each function returns a kernel for elements of this type. */
cuda_kinds_long_kernel cuda_kinds_long_moments_kernel(int32_t type, int wide);
cuda_kinds_long_kernel cuda_kinds_long_forward_kernel(int32_t type, int wide);
cuda_kinds_long_kernel cuda_kinds_long_sums_kernel(int32_t type, int wide);
cuda_kinds_long_kernel cuda_kinds_long_backward_kernel(int32_t type, int wide);

/* Computes the cells from the moments, and adds up the sums of chunks and of images. */
int32_t cuda_kinds_long_cells_run(const cuda_call *call, const cuda_kinds_long_job &job);
int32_t cuda_kinds_long_sums_run(const cuda_call *call, const cuda_kinds_long_job &job);

/* ------------------------------------------------------------------ on the device */

/* The chunk of a block: elements from `begin` up to `end` of the set. */
struct cuda_kinds_chunk {
    int64_t set, plane, begin, end;
    cuda_kinds_set at;
};

__device__ static inline void cuda_kinds_chunk_of(cuda_kinds_chunk *chunk,
                                                  const cuda_kinds_long_job &job, int64_t block)
{
    int64_t unit = block / job.chunks, number = block - unit * job.chunks, end;

    chunk->set = unit / job.planes;
    chunk->plane = unit - chunk->set * job.planes;
    chunk->begin = chunk->plane * job.plane + number * job.chunk;
    chunk->end = chunk->begin + job.chunk;
    end = (chunk->plane + 1) * job.plane;
    chunk->end = chunk->end < end ? chunk->end : end;
    chunk->at = cuda_kinds_set_of(job.of, chunk->set);
}

/* Returns the statistics of a set, which forward stored, or which are in `cells`. */
__device__ static inline cuda_kinds_long_cell
cuda_kinds_long_cell_of(const cuda_kinds_long_job &job, const cuda_kinds_chunk &chunk)
{
    float mean = 0;

    if (job.cells)
        return job.cells[chunk.set];
    if (job.of.data[KINDS_MEAN])
        mean =
            ((const float *)job.of.data[KINDS_MEAN])[cuda_kinds_at(job.of, chunk.at, KINDS_MEAN)];
    return {mean, ((const float *)job.of
                       .data[KINDS_DEVIATION])[cuda_kinds_at(job.of, chunk.at, KINDS_DEVIATION)]};
}

#endif
