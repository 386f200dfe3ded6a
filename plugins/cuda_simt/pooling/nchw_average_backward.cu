/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling backward of NCHW: a block sums dy for a tile of dx, first along rows, then along
 * columns. */
#include "device.h"

/* Stages dy divided by its window's number of elements, for all windows over the tile. */
template <class T>
__device__ static void stage_shares(float *to, const pooling_job &job, const pooling_box &windows,
                                    int planes, int64_t first_plane)
{
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int rows = planes * p.windows[0] * p.windows[1], wide = p.windows[2];
    const T *dy = (const T *)job.data.dy + first_plane * pooling_volume(shape.y_dims);

    pooling_each_column(
        (int)threadIdx.x, CUDA_THREADS, wide, p.by_windows[2], [&](int w, int row, int step) {
            int o2 = windows.begin[2] + w, counted = pooling_counted(shape, 2, o2);

            for (; o2 < windows.end[2] && row < rows; row += step) {
                int slice = (int)cuda_divide((unsigned)row, p.by_windows[1]);
                int plane = (int)cuda_divide((unsigned)slice, p.by_windows[0]);
                int o0 = windows.begin[0] + slice - plane * p.windows[0];
                int o1 = windows.begin[1] + row - slice * p.windows[1];
                float volume = (float)pooling_counted(shape, 0, o0) *
                               (float)pooling_counted(shape, 1, o1) * (float)counted;

                if (o0 < windows.end[0] && o1 < windows.end[1])
                    to[row * wide + w] = cuda_load(dy[plane * pooling_volume(shape.y_dims) +
                                                      pooling_offset(shape.y_dims, o0, o1, o2)]) /
                                         volume;
            }
        });
}

/* Sums the shares along rows of windows, for every column of the tile. */
__device__ static void sum_rows(float *to, const float *shares, const pooling_packed &p,
                                const pooling_gradient &gradient, int planes)
{
    int rows = planes * p.windows[0] * p.windows[1];

    pooling_each_column((int)threadIdx.x, CUDA_THREADS, p.tile.size[2], p.tile.by_size[2],
                        [&](int w, int row, int step) {
                            int at = gradient.box.begin[2] + w;
                            pooling_box over;

                            pooling_over(p.shape, 2, at, at, &over);
                            over.end[2] = pooling_least(over.end[2], gradient.windows.end[2]);
                            for (; row < rows; row += step) {
                                const float *from =
                                    shares + row * p.windows[2] - gradient.windows.begin[2];
                                float sum = 0;

                                for (int o = over.begin[2]; o < over.end[2]; o++)
                                    sum += from[o];
                                to[row * p.dx.pitch + w] = sum;
                            }
                        });
}

/* Adds up the row sums that belong to row (d, h) of dx, beginning at column w. */
template <int LANES>
__device__ static inline void sum_columns(float sum[LANES], const float *rows,
                                          const pooling_packed &p, const pooling_box &windows,
                                          int plane, int d, int h, int w)
{
    pooling_box over;

    pooling_over(p.shape, 0, d, d, &over);
    pooling_over(p.shape, 1, h, h, &over);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        sum[lane] = 0;
    for (int i = over.begin[0]; i < over.end[0]; i++)
        for (int j = over.begin[1]; j < over.end[1]; j++) {
            int row =
                (plane * p.windows[0] + i - windows.begin[0]) * p.windows[1] + j - windows.begin[1];
            const float *from = rows + row * p.dx.pitch + w;

            if constexpr (LANES == 1) {
                sum[0] += *from;
            } else {
#pragma unroll
                for (int lane = 0; lane < LANES; lane += 4) {
                    float4 four = *(const float4 *)(from + lane);

                    sum[lane] += four.x;
                    sum[lane + 1] += four.y;
                    sum[lane + 2] += four.z;
                    sum[lane + 3] += four.w;
                }
            }
        }
}

template <class T, int LANES>
__device__ static inline void store_row(T *to, const float sum[LANES], const cuda_blend &blend)
{
    if constexpr (LANES == 1) {
        cuda_blend_store(to, sum[0], blend);
    } else {
        cuda_vector<T> out;

        if (blend.beta != 0)
            out.whole = *(const uint4 *)to;
        pooling_blend_lanes<T, LANES>(out.lane, sum, blend);
        *(uint4 *)to = out.whole;
    }
}

template <class T, int LANES>
__device__ static void
store_columns(const pooling_job &job, const float *rows, const pooling_gradient &gradient,
              int planes, int64_t first_plane, const int32_t size[], const cuda_divisor by_size[])
{
    const pooling_packed &p = job.packed;
    const int32_t *dims = p.shape.x_dims;
    T *dx = (T *)job.data.out + first_plane * pooling_volume(dims);

    int all = planes * size[0] * size[1];

    pooling_each_column(
        (int)threadIdx.x, CUDA_THREADS, size[2], by_size[2], [&](int vector, int row, int step) {
            int w = gradient.box.begin[2] + vector * LANES;

            for (; w < gradient.box.end[2] && row < all; row += step) {
                int slice = (int)cuda_divide((unsigned)row, by_size[1]);
                int plane = (int)cuda_divide((unsigned)slice, by_size[0]);
                int d = gradient.box.begin[0] + slice - plane * size[0];
                int h = gradient.box.begin[1] + row - slice * size[1];
                T *to = dx + plane * pooling_volume(dims) + pooling_offset(dims, d, h, w);
                float sum[LANES];

                if (d >= gradient.box.end[0] || h >= gradient.box.end[1])
                    continue;
                sum_columns<LANES>(sum, rows, p, gradient.windows, plane, d, h, vector * LANES);
                store_row<T, LANES>(to, sum, job.blend);
            }
        });
}

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) pooling_nchw_average_backward(pooling_job job)
{
    __shared__ float4 sums[POOLING_SUMS / 4];
    const pooling_packed &p = job.packed;
    int first[POOLING_DIMS];
    int64_t plane = (int64_t)pooling_first(p.tile, blockIdx.x, first) * p.planes;
    int planes = p.outer - plane < p.planes ? (int)(p.outer - plane) : p.planes;
    pooling_gradient gradient = pooling_gradient_of(p, first);
    int shares = (p.planes * pooling_volume(p.windows) + 3) / 4 * 4;
    float *rows = (float *)sums + shares;

    stage_shares<T>((float *)sums, job, gradient.windows, planes, plane);
    __syncthreads();
    sum_rows(rows, (const float *)sums, p, gradient, planes);
    __syncthreads();
    if (p.row_vectors && (uintptr_t)job.data.out % sizeof(uint4) == 0) {
        const int32_t size[] = {p.tile.size[0], p.tile.size[1], p.row_vectors};
        const cuda_divisor by_size[] = {p.tile.by_size[0], p.tile.by_size[1], p.by_row_vectors};

        store_columns<T, cuda_vector<T>::LANES>(job, rows, gradient, planes, plane, size, by_size);
    } else {
        store_columns<T, 1>(job, rows, gradient, planes, plane, p.tile.size, p.tile.by_size);
    }
}

template <class T>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    return cuda_launch(call, pooling_nchw_average_backward<T>, packed->blocks, 1,
                       pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nchw_average_launch(int32_t type)
{
    switch (type) {
#define CASE(T) return launch<T>
        POOLING_CASES(CASE);
#undef CASE
    }
}
