/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward of NCHW: a block copies a tile of planes to shared memory, and a thread computes
 * a window. */
#include "stage.h"

#include <math.h>

/* Computes the range of x that the outputs first .. last - 1 need. */
__device__ static inline void needed(const pooling_packed &p, int s, int first, int last,
                                     pooling_box *box)
{
    pooling_box ends;

    pooling_cover(p.shape, s, first, box);
    pooling_cover(p.shape, s, last - 1, &ends);
    if (p.whole[s]) {
        box->begin[s] = 0;
        box->end[s] = p.shape.x_dims[s];
    } else {
        box->begin[s] = pooling_least(box->begin[s], p.shape.x_dims[s]);
        box->end[s] = pooling_most(ends.end[s], box->begin[s]);
        box->end[s] = pooling_least(box->end[s], p.shape.x_dims[s]);
    }
}

/* The position of a tile: the outputs first .. last - 1 of the planes from `plane` on. */
struct forward_tile {
    int first[POOLING_DIMS], last[POOLING_DIMS];
    int64_t plane;
};

/* Returns the sum or the maximum of a window of K x K. If NaN propagates, a maximum with any NaN is
 * NaN. */
template <class T, bool MAX, int K>
__device__ static inline float square(const pooling_packed &p, const pooling_part<T> &part,
                                      const T *tile, int plane, int o, int begin,
                                      const int column[K])
{
    const pooling_shape &shape = p.shape;
    float result = MAX ? shape.lowest : 0;
    bool nan = false;

#pragma unroll
    for (int i = 0; i < K; i++) {
        int h = o * shape.stride[1] - shape.pad[1] + i;
        const T *row = tile +
                       pooling_flat_row(part, p.x, shape.x_dims, plane, h - part.box.begin[1]) -
                       part.box.begin[2];

        if (h < 0 || h >= shape.x_end[1])
            continue;
#pragma unroll
        for (int j = 0; j < K; j++) {
            if (MAX) {
                float value = cuda_load(row[column[j]]);

                result = fmaxf(result, value);
                nan = nan || isnan(value);
            } else if (column[j] == begin + j) {
                result += cuda_load(row[column[j]]);
            }
        }
    }
    return MAX && nan && shape.nan_propagate ? NAN : result;
}

/* Computes the tile's outputs for windows of K x K. */
template <class T, bool MAX, int K>
__device__ static inline void each_square(const pooling_job &job, const pooling_part<T> &part,
                                          const T *tile, const forward_tile &of)
{
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int rows = part.planes * p.tile.size[1], outputs = shape.y_dims[1] * shape.y_dims[2];
    T *y = (T *)job.data.out + of.plane * outputs;

    pooling_each_column((int)threadIdx.x, CUDA_THREADS, p.tile.size[2], p.tile.by_size[2],
                        [&](int w, int row, int step) {
                            int o2 = of.first[2] + w, begin = o2 * shape.stride[2] - shape.pad[2],
                                column[K];
                            bool any = pooling_columns<K>(shape, o2, column);
                            int counted = pooling_counted(shape, 2, o2);

                            for (; o2 < of.last[2] && row < rows; row += step) {
                                int plane = (int)cuda_divide((unsigned)row, p.tile.by_size[1]);
                                int o1 = of.first[1] + row - plane * p.tile.size[1];
                                float result = MAX ? shape.lowest : 0;

                                if (o1 >= of.last[1])
                                    continue;
                                if (any)
                                    result =
                                        square<T, MAX, K>(p, part, tile, plane, o1, begin, column);
                                if (!MAX)
                                    result /= (float)pooling_counted(shape, 1, o1) * (float)counted;
                                cuda_blend_store(y + plane * outputs + o1 * shape.y_dims[2] + o2,
                                                 result, job.blend);
                            }
                        });
}

/* Computes the tile's outputs for windows of any size. */
template <class T, bool MAX>
__device__ static inline void each_window(const pooling_job &job, const pooling_part<T> &part,
                                          const T *tile, const forward_tile &at)
{
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int items = p.planes * pooling_volume(p.tile.size), outputs = pooling_volume(shape.y_dims);

    for (int i = (int)threadIdx.x; i < items; i += CUDA_THREADS) {
        int o[POOLING_DIMS], of = pooling_position(p.tile.size, p.tile.by_size, i, o);
        float result = MAX ? shape.lowest : 0;
        pooling_box box;
        int inside = of < part.planes;

#pragma unroll
        for (int s = 0; s < POOLING_DIMS; s++) {
            o[s] += at.first[s];
            inside = inside && o[s] < at.last[s];
            pooling_cover(shape, s, o[s], &box);
        }
        if (!inside)
            continue;
        for (int d = box.begin[0]; d < box.end[0]; d++)
            for (int h = box.begin[1]; h < box.end[1]; h++) {
                const T *row = tile + pooling_row(part, p.x, shape.x_dims, of, d, h);

                for (int w = box.begin[2]; w < box.end[2]; w += POOLING_BATCH) {
#pragma unroll
                    for (int i = 0; i < POOLING_BATCH; i++) {
                        if (w + i < box.end[2])
                            pooling_take<MAX>(result, cuda_load(row[w + i - part.box.begin[2]]),
                                              shape.nan_propagate);
                    }
                }
            }
        if (!MAX)
            result /= pooling_divisor(shape, o);
        cuda_blend_store((T *)job.data.out + (at.plane + of) * outputs +
                             pooling_offset(shape.y_dims, o[0], o[1], o[2]),
                         result, job.blend);
    }
}

template <class T, bool MAX, int K>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nchw_forward(pooling_job job)
{
    __shared__ uint4 staged[POOLING_PLANE_ELEMENTS * sizeof(T) / sizeof(uint4)];
    const pooling_packed &p = job.packed;
    const int32_t *dims = p.shape.x_dims;
    const T *x = (const T *)job.data.x;
    pooling_part<T> part;
    forward_tile tile;

    tile.plane = (int64_t)pooling_first(p.tile, blockIdx.x, tile.first) * p.planes;
#pragma unroll
    for (int s = 0; s < POOLING_DIMS; s++) {
        tile.last[s] = pooling_least(tile.first[s] + p.tile.size[s], p.shape.y_dims[s]);
        needed(p, s, tile.first[s], tile.last[s], &part.box);
    }
    part.planes = p.outer - tile.plane < p.planes ? (int)(p.outer - tile.plane) : p.planes;
    pooling_begin(&part, x, dims, tile.plane);
    pooling_stage(staged, x, part, p.x, dims);
    pooling_wait();
    __syncthreads();
    if constexpr (K > 0)
        each_square<T, MAX, K>(job, part, (const T *)staged, tile);
    else
        each_window<T, MAX>(job, part, (const T *)staged, tile);
}

template <class T, bool MAX>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    int size = pooling_square(packed->shape);

    return cuda_launch(call,
                       size == 3   ? pooling_nchw_forward<T, MAX, 3>
                       : size == 2 ? pooling_nchw_forward<T, MAX, 2>
                                   : pooling_nchw_forward<T, MAX, 0>,
                       packed->blocks, 1, pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nchw_forward_launch(int32_t type, int32_t mode)
{
    switch (type) {
#define CASE(T) return pooling_is_max(mode) ? launch<T, true> : launch<T, false>
        POOLING_CASES(CASE);
#undef CASE
    }
}
