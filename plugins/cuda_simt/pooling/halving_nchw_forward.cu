/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward that halves planes of NCHW. */
#include "halving_nchw.h"

/* Reduces one row of x over the windows of a row of y. */
template <class T, int K, int MODE>
__device__ static inline void row_of(const halving_raw<T> &raw, const pooling_shape &shape, int t,
                                     float to[])
{
    enum { LANES = cuda_vector<T>::LANES };
    float nothing = halving_nothing<MODE>(shape), x[2 * LANES + K - 2];

    halving_numbers<T, K>(raw, t, nothing, x);
#pragma unroll
    for (int j = 0; j < LANES; j++) {
        to[j] = nothing;
#pragma unroll
        for (int k = 0; k < K; k++)
            to[j] = halving_take<MODE>(to[j], x[2 * j + k]);
    }
}

template <class T, int K, int MODE>
__global__ void __launch_bounds__(CUDA_THREADS, 3) pooling_nchw_halving(pooling_job job)
{
    enum { LANES = cuda_vector<T>::LANES, LEAD = K - 2, AVERAGE = MODE == HALVING_AVERAGE };
    const pooling_shape &shape = job.packed.shape;
    halving_row_thread in_plane = halving_row_thread_of(job.packed);
    int high = shape.x_dims[1], wide = shape.x_dims[2], columns = in_plane.t * LANES;
    const T *x = (const T *)job.data.x + in_plane.plane * high * wide + 2 * columns;
    T *y = (T *)job.data.out + in_plane.plane * shape.y_dims[1] * shape.y_dims[2] + columns;
    float nothing = halving_nothing<MODE>(shape), above[LANES];

    if (K == 3) {
        halving_raw<T> raw;
        int h = 2 * in_plane.first - LEAD;

        halving_read(raw, x + h * wide, in_plane.there && h >= 0 && h < high, nothing);
        row_of<T, K, MODE>(raw, shape, in_plane.t, above);
    }
#pragma unroll 2
    for (int i = 0; i < job.packed.halving.rows; i++) {
        int o = in_plane.first + i, h = 2 * o;
        bool there = in_plane.there && o < shape.y_dims[1];
        halving_raw<T> raw[2];
        float upper[LANES], lower[LANES];

        halving_read(raw[0], x + h * wide, there, nothing);
        halving_read(raw[1], x + (h + 1) * wide, there && h + 1 < high, nothing);
        row_of<T, K, MODE>(raw[0], shape, in_plane.t, upper);
        row_of<T, K, MODE>(raw[1], shape, in_plane.t, lower);
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (K == 3)
                upper[j] = halving_take<MODE>(above[j], upper[j]);
            upper[j] = halving_take<MODE>(upper[j], lower[j]);
            above[j] = lower[j];
        }
        if (!there)
            continue;
        if (AVERAGE) {
            float inner = halving_share(shape, o, columns + 1);

            upper[0] *= halving_share(shape, o, columns);
#pragma unroll
            for (int j = 1; j < LANES; j++)
                upper[j] *= inner;
        }
        cuda_vector_store(y + o * shape.y_dims[2], upper, job.blend);
    }
}

template <class T, int K>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    int mode = packed->halving.mode;

    return cuda_launch(call,
                       mode == HALVING_AVERAGE ? pooling_nchw_halving<T, K, HALVING_AVERAGE>
                       : mode == HALVING_MAX   ? pooling_nchw_halving<T, K, HALVING_MAX>
                                               : pooling_nchw_halving<T, K, HALVING_MAX_OR_NAN>,
                       packed->blocks, 1, pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nchw_halving_launch(int32_t type, int32_t window)
{
    switch (type) {
#define CASE(T) return window == 3 ? launch<T, 3> : launch<T, 2>
        POOLING_CASES(CASE);
#undef CASE
    }
}
