/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling backward that halves planes of NHWC. Column 2 j of x is under window j only; if K is 3,
 * the next column is under window j + 1 too. The same holds for rows. */
#include "halving_nhwc.h"

/* Stores two pixels of dx, the second only if it exists. */
template <class T, int LANES>
__device__ static inline void store_pixels(T *to, const float sum[2][LANES], int channels,
                                           bool second, const cuda_blend &blend)
{
    cuda_vector_store(to, sum[0], blend);
    if (second)
        cuda_vector_store(to + channels, sum[1], blend);
}

/* ------------------------------------------------------------------ averages */

/* Computes the contributions of row o of y to the two columns of a row of dx. */
template <class T, int K>
__device__ static inline void shares_of(const pooling_job &job, const T *dy, int column, int o,
                                        float to[2][cuda_vector<T>::LANES])
{
    const pooling_shape &shape = job.packed.shape;
    bool there = o < shape.y_dims[1];
    cuda_vector<T> raw[K - 1];
    float share[K - 1];

    halving_pixels<T, K - 1>(raw, dy + o * shape.y_dims[2] * job.packed.channels, column,
                             shape.y_dims[2], job.packed.channels, there, 0);
#pragma unroll
    for (int k = 0; k < K - 1; k++)
        share[k] = there && column + k < shape.y_dims[2] ? halving_share(shape, o, column + k) : 0;
#pragma unroll
    for (int lane = 0; lane < cuda_vector<T>::LANES; lane++) {
        to[0][lane] = to[1][lane] = cuda_load(raw[0].lane[lane]) * share[0];
        if (K == 3)
            to[1][lane] += cuda_load(raw[K - 2].lane[lane]) * share[K - 2];
    }
}

template <class T, int K>
__global__ void __launch_bounds__(CUDA_THREADS, 3) pooling_nhwc_halving_average(pooling_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int high = shape.x_dims[1], wide = shape.x_dims[2], pitch = wide * p.channels;
    halving_channels_thread in_plane;
    float here[2][LANES];

    if (!halving_channels_thread_of(p, LANES, &in_plane))
        return;
    const T *dy = (const T *)job.data.dy +
                  in_plane.sample * shape.y_dims[1] * shape.y_dims[2] * p.channels +
                  in_plane.channel;
    T *dx = (T *)job.data.out + in_plane.sample * high * pitch + 2 * in_plane.column * p.channels +
            in_plane.channel;
    bool second = 2 * in_plane.column + 1 < wide;

    shares_of<T, K>(job, dy, in_plane.column, in_plane.first, here);
#pragma unroll 2
    for (int i = 0; i < p.halving.rows; i++) {
        int o = in_plane.first + i, h = 2 * o;
        float next[2][LANES];

        if (h >= high)
            break;
        shares_of<T, K>(job, dy, in_plane.column, o + 1, next);
        store_pixels<T, LANES>(dx + h * pitch, here, p.channels, second, job.blend);
        if (K == 3) {
#pragma unroll
            for (int c = 0; c < 2 * LANES; c++)
                here[c / LANES][c % LANES] += next[c / LANES][c % LANES];
        }
        if (h + 1 < high)
            store_pixels<T, LANES>(dx + (h + 1) * pitch, here, p.channels, second, job.blend);
#pragma unroll
        for (int c = 0; c < 2 * LANES; c++)
            here[c / LANES][c % LANES] = next[c / LANES][c % LANES];
    }
}

/* ------------------------------------------------------------------ maxima */

/* The windows over a thread's columns, and the rest of their gradients. */
template <class T, int K> struct nhwc_windows {
    enum { LANES = cuda_vector<T>::LANES, WINDOWS = K - 1, PIXELS = 3 * K - 4 };
    cuda_vector<T> y[WINDOWS];
    float left[WINDOWS][LANES];
    bool nans;

    /* Loads the windows of a row of y. */
    __device__ void begin(const pooling_job &job, int64_t at, int column, bool there)
    {
        int wide = job.packed.shape.y_dims[2], channels = job.packed.channels;
        cuda_vector<T> dy[WINDOWS];

        halving_pixels<T, WINDOWS>(y, (const T *)job.data.y + at, column, wide, channels, there, 0);
        halving_pixels<T, WINDOWS>(dy, (const T *)job.data.dy + at, column, wide, channels, there,
                                   0);
        nans = false;
#pragma unroll
        for (int w = 0; w < WINDOWS; w++) {
            nans = nans || halving_has_nan(y[w]);
            cuda_vector_numbers(dy[w], left[w]);
        }
    }

    /* Adds the windows' contributions to the two columns of a row; x begins with the first window's
     * column. */
    template <bool NANS>
    __device__ void give_lanes(const cuda_vector<T> x[], int column, int wide, bool inside,
                               float sum[2][LANES])
    {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
#pragma unroll
            for (int w = 0; w < WINDOWS; w++) {
                float of = cuda_load(y[w].lane[lane]);

#pragma unroll
                for (int k = 0; k < K; k++) {
                    int c = 2 * w + k; /* column of x */
                    float value = cuda_load(x[c].lane[lane]), nowhere = 0;
                    bool there = inside && column + c >= 0 && column + c < wide;
                    int to = c - (K - 2);

                    halving_give<NANS>(to == 0   ? sum[0][lane]
                                       : to == 1 ? sum[1][lane]
                                                 : nowhere,
                                       left[w][lane], value, of, there);
                }
            }
        }
    }

    __device__ void give(const cuda_vector<T> x[], int column, int wide, bool inside,
                         float sum[2][LANES])
    {
        if (nans)
            give_lanes<true>(x, column, wide, inside, sum);
        else
            give_lanes<false>(x, column, wide, inside, sum);
    }
};

template <int LANES> __device__ static inline void clear(float sum[2][LANES])
{
#pragma unroll
    for (int c = 0; c < 2 * LANES; c++)
        sum[c / LANES][c % LANES] = 0;
}

/* Computes dx; rows are handled as in halving_nchw_backward.cu. */
template <class T, int K>
__global__ void __launch_bounds__(CUDA_THREADS, 2) pooling_nhwc_halving_max(pooling_job job)
{
    typedef nhwc_windows<T, K> windows;
    enum { LANES = cuda_vector<T>::LANES, LEAD = K - 2, PIXELS = windows::PIXELS };
    const pooling_packed &p = job.packed;
    const pooling_shape &shape = p.shape;
    int high = shape.x_dims[1], wide = shape.x_dims[2], pitch = wide * p.channels;
    halving_channels_thread in_plane;
    cuda_vector<T> above[PIXELS];
    float sum[2][LANES];

    if (!halving_channels_thread_of(p, LANES, &in_plane))
        return;
    int column = 2 * in_plane.column - LEAD, rows = p.halving.rows,
        row = shape.y_dims[2] * p.channels;
    int64_t windows_at = in_plane.sample * shape.y_dims[1] * row + in_plane.channel;
    const T *x = (const T *)job.data.x + in_plane.sample * high * pitch + in_plane.channel;
    T *dx = (T *)job.data.out + in_plane.sample * high * pitch + 2 * in_plane.column * p.channels +
            in_plane.channel;
    bool second = 2 * in_plane.column + 1 < wide;

    if (K == 3) {
        int h = 2 * in_plane.first - LEAD;

        halving_pixels<T, PIXELS>(above, x + h * pitch, column, wide, p.channels,
                                  h >= 0 && h < high, NAN);
    }
    clear<LANES>(sum);
    for (int i = 0; i < rows + LEAD; i++) {
        int o = in_plane.first + i, h = 2 * o;
        cuda_vector<T> raw[2][PIXELS];
        windows walk;

        if (h - LEAD >= high)
            break;
#pragma unroll
        for (int r = 0; r < 2; r++)
            halving_pixels<T, PIXELS>(raw[r], x + (h + r) * pitch, column, wide, p.channels,
                                      i < rows && h + r < high, NAN);
        walk.begin(job, windows_at + (int64_t)o * row, in_plane.column, o < shape.y_dims[1]);
        if (K == 3) {
            walk.give(above, column, wide, h > 0, sum);
            if (i > 0)
                store_pixels<T, LANES>(dx + (h - 1) * pitch, sum, p.channels, second, job.blend);
        }
        if (i == rows)
            break;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            clear<LANES>(sum);
            walk.give(raw[r], column, wide, h + r < high, sum);
            if ((K == 2 || r == 0) && h + r < high)
                store_pixels<T, LANES>(dx + (h + r) * pitch, sum, p.channels, second, job.blend);
        }
#pragma unroll
        for (int c = 0; c < PIXELS; c++)
            above[c] = raw[1][c];
    }
}

template <class T, int K, bool MAX>
static int32_t launch(const pooling_packed *packed, const cuda_call *call,
                      const pooling_operands *operands)
{
    void (*kernel)(pooling_job) = pooling_nhwc_halving_average<T, K>;

    if constexpr (MAX)
        kernel = pooling_nhwc_halving_max<T, K>;
    return cuda_launch(call, kernel, packed->blocks, 1, pooling_job_of(packed, call, operands));
}

pooling_launch *pooling_nhwc_halving_backward_launch(int32_t type, int32_t window, int max)
{
    switch (type) {
#define CASE(T)                                                                                    \
    return window == 3 ? max ? launch<T, 3, true> : launch<T, 3, false>                            \
           : max ? launch<T, 2, true>                                                              \
                       : launch<T, 2, false>
        POOLING_CASES(CASE);
#undef CASE
    }
}
