/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward that halves planes of NHWC. */
#include "halving_nhwc.h"

/* Reduces one row of x over a window. */
template <class T, int K, int MODE>
__device__ static inline void row_of(const cuda_vector<T> x[], float nothing, float to[])
{
#pragma unroll
    for (int lane = 0; lane < cuda_vector<T>::LANES; lane++) {
        to[lane] = nothing;
#pragma unroll
        for (int k = 0; k < K; k++)
            to[lane] = halving_take<MODE>(to[lane], cuda_load(x[k].lane[lane]));
    }
}

template <class T, int K, int MODE>
__global__ void __launch_bounds__(CUDA_THREADS, 3) pooling_nhwc_halving(pooling_job job)
{
    enum { LANES = cuda_vector<T>::LANES, LEAD = K - 2, AVERAGE = MODE == HALVING_AVERAGE };
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int high = shape.x_dims[1], wide = shape.x_dims[2];
    float nothing = halving_nothing<MODE>(shape), above[LANES];
    halving_channels_thread in_plane;

    if (!halving_channels_thread_of(p, LANES, &in_plane) || in_plane.column >= shape.y_dims[2])
        return;
    int column = 2 * in_plane.column - LEAD, pitch = wide * p.channels;
    const T *x = (const T *)job.data.x + in_plane.sample * high * pitch + in_plane.channel;
    T *y = (T *)job.data.out +
           (in_plane.sample * shape.y_dims[1] * shape.y_dims[2] + in_plane.column) * p.channels +
           in_plane.channel;

    if (K == 3) {
        cuda_vector<T> raw[K];
        int h = 2 * in_plane.first - LEAD;

        halving_pixels<T, K>(raw, x + h * pitch, column, wide, p.channels, h >= 0 && h < high,
                             nothing);
        row_of<T, K, MODE>(raw, nothing, above);
    }
#pragma unroll 2
    for (int i = 0; i < p.halving.rows; i++) {
        int o = in_plane.first + i, h = 2 * o;
        cuda_vector<T> raw[2][K];
        float upper[LANES], lower[LANES];

        if (o >= shape.y_dims[1])
            break;
        halving_pixels<T, K>(raw[0], x + h * pitch, column, wide, p.channels, true, nothing);
        halving_pixels<T, K>(raw[1], x + (h + 1) * pitch, column, wide, p.channels, h + 1 < high,
                             nothing);
        row_of<T, K, MODE>(raw[0], nothing, upper);
        row_of<T, K, MODE>(raw[1], nothing, lower);
        float share = AVERAGE ? halving_share(shape, o, in_plane.column) : 1;
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            if (K == 3)
                upper[lane] = halving_take<MODE>(above[lane], upper[lane]);
            upper[lane] = halving_take<MODE>(upper[lane], lower[lane]);
            above[lane] = lower[lane];
            if (AVERAGE)
                upper[lane] *= share;
        }
        cuda_vector_store(y + o * shape.y_dims[2] * p.channels, upper, job.blend);
    }
}

template <class T, int K>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    int mode = packed->halving.mode;

    return cuda_launch(call,
                       mode == HALVING_AVERAGE ? pooling_nhwc_halving<T, K, HALVING_AVERAGE>
                       : mode == HALVING_MAX   ? pooling_nhwc_halving<T, K, HALVING_MAX>
                                               : pooling_nhwc_halving<T, K, HALVING_MAX_OR_NAN>,
                       packed->blocks, 1, pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nhwc_halving_launch(int32_t type, int32_t window)
{
    switch (type) {
#define CASE(T) return window == 3 ? launch<T, 3> : launch<T, 2>
        POOLING_CASES(CASE);
#undef CASE
    }
}
