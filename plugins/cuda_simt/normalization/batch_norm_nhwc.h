/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization in NHWC: a thread has 16 bytes of channels and iterates over rows. A row is
 * the channels of one position of an image. Eight consecutive rows form a group, whose signs are
 * one byte of the reserve per channel. The sums accumulate in float within a group, then in double.
 * Elements are computed in float with coefficients made in double. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_NHWC_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_NHWC_H

#include "../../cuda_common/table.h"
#include "batch_norm.h"

#define CUDA_NORM_GROUP 8
/* The maximum rows of a tile, if the tiles can begin at whole bytes of signs. */
#define CUDA_NORM_TILE 256
/* The bytes of signs in a block's shared memory. */
#define CUDA_NORM_SIGNS 16384
/* The blocks on a multiprocessor. */
#define CUDA_NORM_BLOCKS 2

struct cuda_norm_nhwc_job {
    cuda_norm_nhwc rows;
    const void *x, *beside; /* `beside` is dy, z or NULL */
    void *out, *out_z;      /* y; or dx, and dz or NULL */
    uint8_t *reserve;
    const cuda_norm_cell *cells;
    const float *mean;    /* used instead of the cells' means if they have none yet, or NULL */
    double *partial_sums; /* [stream][channel], pairs */
    cuda_blend blend;
    cuda_activation f;
};

/* A tile as one thread sees it. */
struct cuda_norm_tile {
    int64_t image, first; /* first row, within the image */
    int32_t count;        /* rows */
};

__device__ static inline int64_t cuda_norm_tiles(const cuda_norm_nhwc &rows)
{
    return rows.images * rows.chunks;
}

__device__ static inline cuda_norm_tile cuda_norm_tile_at(const cuda_norm_nhwc &rows, int64_t tile)
{
    cuda_norm_tile at;
    int64_t left;

    at.image = rows.images == 1 ? 0 : (int64_t)((uint32_t)tile / (uint32_t)rows.chunks);
    at.first = (tile - at.image * rows.chunks) * rows.chunk;
    left = rows.positions - at.first;
    at.count = (int32_t)(left < rows.chunk ? left : rows.chunk);
    return at;
}

__device__ static inline int cuda_norm_least(int a, int b)
{
    return a < b ? a : b;
}

/* Reads the vectors of up to N consecutive rows; only the first `count` exist. */
template <class T, int N>
__device__ static inline void cuda_norm_read(cuda_vector<T> (&to)[N], const T *from, int32_t stride,
                                             int count)
{
#pragma unroll
    for (int r = 0; r < N; r++) {
        if (r < count)
            cuda_vector_get(to[r], from + (int64_t)r * stride);
    }
}

/* Reads the signs of eight rows for each lane's channel. Bit `at` of the reserve is the first row
 * of the first lane. Bytes after the last row's are not read. */
template <int LANES>
__device__ static inline void cuda_norm_signs(unsigned to[LANES], const uint8_t *reserve,
                                              int64_t at, int64_t positions, int count)
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        const uint8_t *from = reserve + at / 8;
        int skip = (int)(at % 8);

        to[lane] = (unsigned)from[0] >> skip;
        if (skip + count > 8)
            to[lane] |= (unsigned)from[1] << (8 - skip);
        at += positions;
    }
}

/* ------------------------------------------------------------------ on the host */

static inline int cuda_norm_is_rows(const struct anydnn_plugin_tensor *tensor)
{
    int64_t stride = tensor->dims[1];

    if (tensor->ndims < 3 || (tensor->strides[1] != 1 && tensor->dims[1] != 1))
        return 0;
    for (int32_t i = tensor->ndims - 1; i >= 1; i--) {
        int32_t d = i == 1 ? 0 : i;

        if (tensor->dims[d] != 1 && tensor->strides[d] != stride)
            return 0;
        stride *= tensor->dims[d];
    }
    return 1;
}

/* Chooses the vectors of a slab: all if there are few, else the width that leaves the fewest
 * threads idle, and of equal ones the widest. */
static inline void cuda_norm_slabs(cuda_norm_nhwc *rows, int64_t vectors)
{
    int64_t least = INT64_MAX;

    while (rows->log_x < 3 && INT64_C(1) << rows->log_x < vectors)
        rows->log_x++;
    rows->slabs = 1;
    for (int32_t log_x = 5; log_x >= 3 && vectors > 8; log_x--) {
        int64_t slabs = cuda_blocks(vectors, INT64_C(1) << log_x);

        if (slabs << log_x < least) {
            least = slabs << log_x;
            rows->log_x = log_x;
            rows->slabs = (int32_t)slabs;
        }
    }
}

/* Chooses the rows of a tile. If signs are kept, a tile covers whole bytes of the reserve. */
static inline void cuda_norm_chunk(cuda_norm_nhwc *rows, int signs)
{
    if (signs && rows->positions % CUDA_NORM_GROUP) {
        rows->chunks = 1;
        rows->chunk = (int32_t)rows->positions;
        return;
    }
    rows->chunks = (int32_t)cuda_blocks(rows->positions, CUDA_NORM_TILE);
    rows->chunk =
        (int32_t)cuda_blocks(cuda_blocks(rows->positions, rows->chunks), CUDA_NORM_GROUP) *
        CUDA_NORM_GROUP;
    rows->chunks = (int32_t)cuda_blocks(rows->positions, rows->chunk);
}

/* Fills `rows`. `tensor` has x and the others of its shape, NULL where absent. */
static inline void cuda_norm_nhwc_prepare(cuda_norm_nhwc *rows,
                                          const struct anydnn_plugin_plan *plan, int signs,
                                          const struct anydnn_plugin_tensor *const tensor[],
                                          int tensors)
{
    const struct anydnn_plugin_tensor *x = tensor[0];
    int64_t lanes = 16 / cuda_type_size(x->type), count = cuda_tensor_count(x), vectors;

    *rows = {};
    if (cuda_norm_within(plan) == 1 || cuda_type_size(x->type) > 4 || !plan->context->has_pools ||
        x->dims[1] % CUDA_NORM_GROUP || x->dims[1] > 1 << 20 || count == 0)
        return;
    for (int t = 0; t < tensors; t++) {
        if (tensor[t] && !cuda_norm_is_rows(tensor[t]))
            return;
    }
    vectors = x->dims[1] / lanes;
    rows->channels = (int32_t)x->dims[1];
    rows->images = signs ? x->dims[0] : 1;
    rows->positions = count / x->dims[1] / rows->images;
    cuda_norm_slabs(rows, vectors);
    if (rows->positions > INT64_C(1) << 31)
        return;
    cuda_norm_chunk(rows, signs);
    if (signs &&
        ((cuda_blocks(rows->chunk, CUDA_NORM_GROUP) | 1) << rows->log_x) * lanes > CUDA_NORM_SIGNS)
        return;
    if (rows->images * rows->chunks > INT32_MAX)
        return;
    rows->streams = plan->context->multiprocessors * CUDA_NORM_BLOCKS / rows->slabs;
    if (rows->streams > rows->images * rows->chunks)
        rows->streams = (int32_t)(rows->images * rows->chunks);
    if (rows->streams < 1)
        rows->streams = 1;
    rows->is_possible = 1;
}

/* Returns 1 if the rows can be used with these pointers; NULL counts as aligned. */
static inline int cuda_norm_nhwc_taken(const cuda_norm_nhwc_job *job)
{
    uintptr_t all =
        (uintptr_t)job->x | (uintptr_t)job->beside | (uintptr_t)job->out | (uintptr_t)job->out_z;

    return job->rows.is_possible && all % sizeof(uint4) == 0;
}

/* Computes partial sums in pairs. Without dy, they are the sums of x - x[0] and of its square. With
 * dy, they are the sums of the gradient and of its product with x - mean. */
int32_t cuda_norm_nhwc_sums(const cuda_call *call, int32_t type, const cuda_norm_nhwc_job *job);
/* Launches the second step: y from x and optional z; or dx, and optional dz, from x and dy. A
 * reserve means that there is a ReLU. */
int32_t cuda_norm_nhwc_forward(const cuda_call *call, int32_t type, const cuda_norm_nhwc_job *job);
int32_t cuda_norm_nhwc_backward(const cuda_call *call, int32_t type, const cuda_norm_nhwc_job *job);

/* Returns the bytes of the partial sums of rows, a multiple of 16. */
static inline size_t cuda_norm_partial_size(const cuda_norm_nhwc *rows)
{
    return rows->is_possible ? (size_t)rows->streams * (size_t)rows->channels * 2 * sizeof(double)
                             : 0;
}

/* Joins the partial sums of rows into Op's cells. `job` has the pointers and parameters. */
template <class Op>
static int32_t cuda_norm_join(const cuda_reduce_plan *state, const cuda_call *call,
                              cuda_reduce_job<Op> *job, const cuda_norm_nhwc_job &rows)
{
    static_assert(sizeof(typename Op::sum) == 2 * sizeof(double), "pairs");

    job->kept = state->kept;
    job->partial_sums = (typename Op::sum *)rows.partial_sums;
    job->splits = rows.rows.streams;
    return cuda_reduce_join_run(call, job);
}

#endif
