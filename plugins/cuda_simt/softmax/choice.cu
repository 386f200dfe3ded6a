/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the form of softmax for packed tensors, and the number of threads per vector. */
#include "softmax.h"

/* The longest rows that a warp holds with few elements per thread. */
#define SHORT (CUDA_SOFTMAX_FEW * CUDA_WARP)

static int tensors_of(int backward)
{
    return backward ? 3 : 2;
}

/* Returns 1 if rows can be accessed 16 bytes at a time. */
static int are_wide(const cuda_softmax_job *job, int tensors, int32_t lanes)
{
    int wide = job->length % lanes == 0;

    for (int32_t d = 0; d < job->vectors.ndims; d++)
        for (int t = 0; t < tensors; t++)
            wide = wide && (job->vectors.count == 1 || job->vectors.strides[d][t] % lanes == 0);
    return wide;
}

/* Returns the kernel for rows: the smallest group of threads that holds a row, or else a block. */
static cuda_softmax_kernel rows_kernel(int64_t length, int32_t type, int backward, int wide)
{
    return length > CUDA_SOFTMAX_HELD * CUDA_THREADS
               ? cuda_softmax_long_kernel(type, backward, wide)
               : cuda_softmax_rows_kernel(type, backward, wide, length <= SHORT);
}

static void prepare_rows(cuda_softmax_packed *packed, int32_t type, int backward)
{
    int64_t length = packed->job.length;
    int64_t held = length <= SHORT ? CUDA_SOFTMAX_FEW : CUDA_SOFTMAX_HELD;
    int32_t log = 0;

    while (held << log < length && CUDA_THREADS >> log > 1)
        log++;
    packed->job.log_group = log;
    packed->job.blocks = cuda_blocks(packed->job.vectors.count, CUDA_THREADS >> log);
    packed->wide_job = packed->job;
    packed->kernel = rows_kernel(length, type, backward, 0);
    if (are_wide(&packed->job, tensors_of(backward), 16 / cuda_type_size(type)))
        packed->wide_kernel = rows_kernel(length, type, backward, 1);
}

/* Chooses the threads side by side: as many as leave enough threads for the length. With fewer than
 * `least`, memory transactions would be used only in part. Returns 1 if the length fits. */
static int columns_job(cuda_softmax_job *job, int32_t lanes, int32_t least)
{
    int32_t rows = CUDA_SOFTMAX_HELD / lanes;

    job->log_group = 5;
    while (job->log_group > least && (int64_t)(CUDA_THREADS >> job->log_group) * rows < job->length)
        job->log_group--;
    job->blocks = cuda_blocks(job->vectors.count, INT64_C(1) << job->log_group);
    return (int64_t)(CUDA_THREADS >> job->log_group) * rows >= job->length;
}

static void prepare_columns(cuda_softmax_packed *packed, int32_t type, int backward)
{
    int32_t lanes = 16 / cuda_type_size(type);
    int tensors = tensors_of(backward);
    int wide = cuda_walk_vectors(&packed->wide_job.vectors, &packed->job.vectors, tensors, lanes) &&
               packed->wide_job.vectors.tail == 0;

    packed->wide_job.length = packed->job.length;
    for (int t = 0; t < tensors; t++) {
        packed->wide_job.stride[t] = packed->job.stride[t];
        wide = wide && packed->job.stride[t] % lanes == 0;
    }
    if (columns_job(&packed->job, 1, 3))
        packed->kernel = cuda_softmax_columns_kernel(type, backward, 0);
    if (wide && columns_job(&packed->wide_job, lanes, 1))
        packed->wide_kernel = cuda_softmax_columns_kernel(type, backward, 1);
}

void cuda_softmax_packed_prepare(cuda_softmax_packed *packed, const cuda_walk *vectors,
                                 const cuda_walk *vector, int32_t type, int backward)
{
    int are_rows = vector->ndims == 1, are_columns = vector->ndims == 1;

    packed->job.vectors = *vectors;
    packed->job.length = vector->count;
    for (int t = 0; t < tensors_of(backward); t++) {
        packed->job.stride[t] = vector->strides[0][t];
        are_rows = are_rows && vector->strides[0][t] == 1;
        are_columns = are_columns && cuda_walk_unit(vectors, t);
    }
    packed->tensors = tensors_of(backward);
    if (are_rows)
        prepare_rows(packed, type, backward);
    else if (are_columns)
        prepare_columns(packed, type, backward);
}

/* Returns 1 if all operands begin at multiples of 16 bytes. */
static int are_aligned(const cuda_softmax_packed *packed, void *const data[])
{
    uintptr_t addresses = 0;

    for (int t = 0; t < packed->tensors; t++)
        addresses |= (uintptr_t)data[t];
    return addresses % sizeof(uint4) == 0;
}

int cuda_softmax_packed_takes(const cuda_softmax_packed *packed, void *const data[])
{
    return packed->kernel || (packed->wide_kernel && are_aligned(packed, data));
}

int32_t cuda_softmax_packed_run(const cuda_softmax_packed *packed, const cuda_call *call,
                                void *const data[], const cuda_blend &blend, int32_t algorithm)
{
    int wide = packed->wide_kernel && are_aligned(packed, data);
    cuda_softmax_job job = wide ? packed->wide_job : packed->job;

    for (int t = 0; t < packed->tensors; t++)
        job.data[t] = data[t];
    job.blend = blend;
    job.algorithm = algorithm;
    return cuda_launch(call, wide ? packed->wide_kernel : packed->kernel, job.blocks, 1, job);
}
