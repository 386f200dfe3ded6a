/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling backward of NCHW: a block has a tile of dx, and all of x that its windows cover. */
#include "stage.h"

#include <limits.h>

/* A position is packed into a number so that the first in d, h, w order is the least. */
#define PLACE_BITS  13u
#define PLACE_MASK  ((1u << PLACE_BITS) - 1)
#define NO_POSITION UINT_MAX

/* Computes the range of x that the windows need. */
__device__ static inline void needed(const pooling_packed &p, int s, const pooling_box &windows,
                                     pooling_box *box)
{
    pooling_box ends;

    pooling_cover(p.shape, s, windows.begin[s], box);
    pooling_cover(p.shape, s, windows.end[s] - 1, &ends);
    box->begin[s] = p.whole[s] ? 0 : pooling_least(box->begin[s], p.shape.x_dims[s]);
    box->end[s] = p.whole[s] ? p.shape.x_dims[s] : pooling_least(ends.end[s], p.shape.x_dims[s]);
    box->end[s] = pooling_most(box->end[s], box->begin[s]);
}

/* Returns the first element of a window that equals y. It searches every `window_threads`th column,
 * beginning `column` columns before the last. */
template <class T>
__device__ static inline unsigned find_first(const pooling_packed &p, const pooling_part<T> &part,
                                             const T *tile, int plane, const pooling_box &window,
                                             int column, float y)
{
    bool y_is_nan = isnan(y);
    unsigned found = NO_POSITION;

    for (int d = window.end[0] - 1; d >= window.begin[0]; d--)
        for (int h = window.end[1] - 1; h >= window.begin[1]; h--) {
            const T *row = tile + pooling_row(part, p.x, p.shape.x_dims, plane, d, h);
            unsigned here = ((unsigned)(d - part.box.begin[0]) << PLACE_BITS |
                             (unsigned)(h - part.box.begin[1]))
                            << PLACE_BITS;
            unsigned in_row = NO_POSITION;

            for (int w = window.end[2] - 1 - column; w >= window.begin[2];
                 w -= POOLING_BATCH * p.window_threads) {
#pragma unroll
                for (int i = 0; i < POOLING_BATCH; i++) {
                    int at = w - i * p.window_threads - part.box.begin[2];

                    if (w - i * p.window_threads >= window.begin[2] &&
                        pooling_same(cuda_load(row[at]), y, y_is_nan))
                        in_row = (unsigned)at;
                }
            }
            if (in_row != NO_POSITION)
                found = here | in_row;
        }
    return found;
}

/* Adds dy at the position if that is in the tile of dx. */
template <class T>
__device__ static inline void add_to(float *sums, const pooling_packed &p,
                                     const pooling_part<T> &dx, const pooling_part<T> &x, int plane,
                                     unsigned found, float dy)
{
    int d = (int)(found >> 2 * PLACE_BITS) + x.box.begin[0];
    int h = (int)(found >> PLACE_BITS & PLACE_MASK) + x.box.begin[1];
    int w = (int)(found & PLACE_MASK) + x.box.begin[2];

    if (d >= dx.box.begin[0] && d < dx.box.end[0] && h >= dx.box.begin[1] && h < dx.box.end[1] &&
        w >= dx.box.begin[2] && w < dx.box.end[2])
        sums[pooling_row(dx, p.dx, p.shape.x_dims, plane, d, h) + w - dx.box.begin[2]] += dy;
}

/* Adds the windows of one class, which do not overlap, so that no two threads add to the same sum.
 * The block synchronizes between classes. */
template <class T>
__device__ static void scatter_class(const pooling_job &job, const pooling_part<T> &x,
                                     const pooling_part<T> &dx, const pooling_box &windows,
                                     const T *tile, float *sums, unsigned *found, const int of[],
                                     int64_t first_plane)
{
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int items = p.planes * pooling_volume(p.of_class), thread = (int)threadIdx.x;
    int part = thread & (p.window_threads - 1);

    for (int i = 0; i < items; i += CUDA_THREADS / p.window_threads) {
        int o[POOLING_DIMS], item = i + thread / p.window_threads;
        int plane = pooling_position(p.of_class, p.by_class, item, o);
        bool inside = item < items && plane < x.planes;
        unsigned position = NO_POSITION;
        pooling_box window;
        float dy = 0;

#pragma unroll
        for (int s = 0; s < POOLING_DIMS; s++) {
            o[s] = windows.begin[s] + of[s] + o[s] * p.classes[s];
            inside = inside && o[s] < windows.end[s];
            pooling_cover(shape, s, o[s], &window);
        }
        if (inside) {
            int64_t at = (first_plane + plane) * pooling_volume(shape.y_dims) +
                         pooling_offset(shape.y_dims, o[0], o[1], o[2]);

            dy = cuda_load(((const T *)job.data.dy)[at]);
            position =
                find_first(p, x, tile, plane, window, part, cuda_load(((const T *)job.data.y)[at]));
        }
        if (p.window_threads > 1) {
            found[thread] = position;
            __syncthreads();
            for (int peer = 1; part == 0 && peer < p.window_threads; peer++)
                position = found[thread + peer] < position ? found[thread + peer] : position;
        }
        if (part == 0 && position != NO_POSITION)
            add_to(sums, p, dx, x, plane, position, dy);
        if (p.window_threads > 1)
            __syncthreads();
    }
}

/* Returns the index of the sum for the first element of a window of K x K that equals y. The index
 * is negative if the element is outside the tile of dx or does not exist. `target` has each
 * column's offset. */
template <class T, int K>
__device__ static inline int find_square(const pooling_packed &p, const pooling_part<T> &x,
                                         const pooling_part<T> &dx, const T *tile, int plane, int o,
                                         const int column[K], const int target[K], float y)
{
    const pooling_shape &shape = p.shape;
    bool y_is_nan = isnan(y);
    int found = INT_MIN / 2;

#pragma unroll
    for (int i = K - 1; i >= 0; i--) {
        int h = o * shape.stride[1] - shape.pad[1] + i;
        const T *row = tile + pooling_flat_row(x, p.x, shape.x_dims, plane, h - x.box.begin[1]) -
                       x.box.begin[2];
        int sums = h >= dx.box.begin[1] && h < dx.box.end[1]
                       ? pooling_flat_row(dx, p.dx, shape.x_dims, plane, h - dx.box.begin[1])
                       : INT_MIN / 2;

        if (h < 0 || h >= shape.x_end[1])
            continue;
#pragma unroll
        for (int j = K - 1; j >= 0; j--) {
            if (pooling_same(cuda_load(row[column[j]]), y, y_is_nan))
                found = sums + target[j];
        }
    }
    return found;
}

/* Does the same as scatter_class for windows of K x K. */
template <class T, int K>
__device__ static inline void scatter_squares(const pooling_job &job, const pooling_part<T> &x,
                                              const pooling_part<T> &dx, const pooling_box &windows,
                                              const T *tile, float *sums, const int of[],
                                              int64_t first_plane)
{
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int rows = x.planes * p.of_class[1], outputs = shape.y_dims[1] * shape.y_dims[2];
    const T *y = (const T *)job.data.y + first_plane * outputs;
    const T *dy = (const T *)job.data.dy + first_plane * outputs;

    pooling_each_column(
        (int)threadIdx.x, CUDA_THREADS, p.of_class[2], p.by_class[2],
        [&](int w, int row, int step) {
            int o2 = windows.begin[2] + of[2] + w * p.classes[2], column[K], target[K];
            bool any = pooling_columns<K>(shape, o2, column) && o2 < windows.end[2];

#pragma unroll
            for (int j = 0; j < K; j++)
                target[j] = column[j] >= dx.box.begin[2] && column[j] < dx.box.end[2]
                                ? column[j] - dx.box.begin[2]
                                : INT_MIN / 2;
            for (; any && row < rows; row += step) {
                int plane = (int)cuda_divide((unsigned)row, p.by_class[1]);
                int o1 = windows.begin[1] + of[1] + (row - plane * p.of_class[1]) * p.classes[1];
                int at = plane * outputs + o1 * shape.y_dims[2] + o2, found;
                float share;

                if (o1 >= windows.end[1])
                    continue;
                share = cuda_load(dy[at]);
                found =
                    find_square<T, K>(p, x, dx, tile, plane, o1, column, target, cuda_load(y[at]));
                if (found >= 0)
                    sums[found] += share;
            }
        });
}

template <class T, int K>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nchw_max_backward(pooling_job job)
{
    __shared__ uint4 staged[POOLING_PLANE_ELEMENTS * sizeof(T) / sizeof(uint4)];
    __shared__ float4 sums[POOLING_PLANE_ELEMENTS / 4];
    __shared__ unsigned found[K > 0 ? 1 : CUDA_THREADS];
    const pooling_packed &p = job.packed;
    const int32_t *dims = p.shape.x_dims;
    int first[POOLING_DIMS], of[POOLING_DIMS];
    int64_t plane = (int64_t)pooling_first(p.tile, blockIdx.x, first) * p.planes;
    pooling_gradient gradient = pooling_gradient_of(p, first);
    pooling_part<T> x, dx;

    x.planes = dx.planes = p.outer - plane < p.planes ? (int)(p.outer - plane) : p.planes;
#pragma unroll
    for (int s = 0; s < POOLING_DIMS; s++)
        needed(p, s, gradient.windows, &x.box);
    dx.box = gradient.box;
    pooling_begin(&x, (const T *)job.data.x, dims, plane);
    pooling_begin(&dx, (const T *)job.data.out, dims, plane);
    pooling_stage(staged, (const T *)job.data.x, x, p.x, dims);
    for (int i = (int)threadIdx.x; i < POOLING_PLANE_ELEMENTS / 4; i += CUDA_THREADS)
        sums[i] = {0, 0, 0, 0};
    pooling_wait();
    __syncthreads();
    for (of[0] = 0; of[0] < p.classes[0]; of[0]++)
        for (of[1] = 0; of[1] < p.classes[1]; of[1]++)
            for (of[2] = 0; of[2] < p.classes[2]; of[2]++) {
                if constexpr (K > 0)
                    scatter_squares<T, K>(job, x, dx, gradient.windows, (const T *)staged,
                                          (float *)sums, of, plane);
                else
                    scatter_class(job, x, dx, gradient.windows, (const T *)staged, (float *)sums,
                                  found, of, plane);
                __syncthreads();
            }
    pooling_unstage((T *)job.data.out, (const float *)sums, dx, p.dx, dims, job.blend);
}

template <class T>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    int size = pooling_square(packed->shape);

    return cuda_launch(call,
                       size == 3   ? pooling_nchw_max_backward<T, 3>
                       : size == 2 ? pooling_nchw_max_backward<T, 2>
                                   : pooling_nchw_max_backward<T, 0>,
                       packed->blocks, 1, pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nchw_max_launch(int32_t type)
{
    switch (type) {
#define CASE(T) return launch<T>
        POOLING_CASES(CASE);
#undef CASE
    }
}
