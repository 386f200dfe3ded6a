/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization without means of packed planes, in windows of 5 x 5: a thread has 8
 * columns and walks down a plane. Sums along rows, of this row and the four before, are in
 * registers, and neighbours in a row hand each other what their windows share; so each tensor is
 * moved once. A row has a group of threads, a power of two of them and not more than a warp. */
#include "divisive_tile.h"

/* What windows reach, and rows that they have. */
#define REACH 2
#define ROWS  5

#define ALL_LANES UINT32_MAX

/* Rows that are on their way while a thread computes: floats, whose rows have half the elements,
 * are faster without. */
template <class T> struct rows_ahead {
    enum { COUNT = sizeof(T) == sizeof(float) ? 0 : 2, KEPT = COUNT > 0 ? COUNT : 1 };
};

struct divisive_planes {
    const void *x, *dy;
    void *out;
    cuda_blend blend;
    lrn_factors f;
    float through;
    int64_t planes;
    int32_t high, wide, log_threads;
};

struct plane_thread {
    int64_t plane;
    int t, threads; /* of a row */
    bool there;
};

__device__ static inline plane_thread plane_thread_of(const divisive_planes &p)
{
    int64_t plane = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) >> p.log_threads;
    int t = (int)threadIdx.x & ((1 << p.log_threads) - 1);

    return {plane, t, p.wide / LRN_RUN, plane < p.planes && t < p.wide / LRN_RUN};
}

/* Sums over the windows along a row of what a thread has 8 neighbours of. */
__device__ static inline void sum_row(const plane_thread &at, const float value[LRN_RUN],
                                      float sum[LRN_RUN])
{
    float span[LRN_RUN + 2 * REACH];

#pragma unroll
    for (int i = 0; i < REACH; i++) {
        float left = __shfl_up_sync(ALL_LANES, value[LRN_RUN - REACH + i], 1);
        float right = __shfl_down_sync(ALL_LANES, value[i], 1);

        span[i] = at.t > 0 ? left : 0;
        span[REACH + LRN_RUN + i] = at.t < at.threads - 1 ? right : 0;
    }
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        span[REACH + i] = value[i];
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        sum[i] = span[i] + span[i + 1] + span[i + 2] + span[i + 3] + span[i + 4];
}

/* Eight elements of a row, or zeros. */
template <class T>
__device__ static inline void read_row(lrn_run<T> &to, const void *data, int64_t at, bool there)
{
#pragma unroll
    for (int v = 0; v < lrn_run<T>::VECTORS; v++) {
        to.whole[v] = {0, 0, 0, 0};
        if (there)
            to.whole[v] = ((const uint4 *)((const T *)data + at))[v];
    }
}

__device__ static inline void sum_rows(const float ring[ROWS][LRN_RUN], float sum[LRN_RUN][1])
{
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        sum[i][0] = ring[0][i] + ring[1][i] + ring[2][i] + ring[3][i] + ring[4][i];
}

/* The squares' sums of a row that comes in, which may lie outside. */
template <class T>
__device__ static inline void take_row(const divisive_planes &p, const plane_thread &at,
                                       const lrn_run<T> &x, float sum[LRN_RUN])
{
    float square[LRN_RUN];

#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        float value = lrn_take(p.f, x.lane[i]);
        square[i] = value * value;
    }
    sum_row(at, square, sum);
}

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS, 2) divisive_forward(divisive_planes p)
{
    plane_thread at = plane_thread_of(p);
    int64_t base = at.plane * p.high * p.wide + at.t * LRN_RUN;
    float ring[ROWS][LRN_RUN] = {};
    enum { AHEAD = rows_ahead<T>::COUNT };
    lrn_run<T> x[ROWS];

#pragma unroll
    for (int h = 0; h < AHEAD; h++)
        read_row(x[h], p.x, base + (int64_t)h * p.wide, at.there && h < p.high);
    for (int first = 0; first < p.high + REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, to = h - REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], y[LRN_RUN];
            const lrn_run<T> &here = x[(r + ROWS - REACH) % ROWS];

            read_row(x[(r + AHEAD) % ROWS], p.x, base + (int64_t)(h + AHEAD) * p.wide,
                     at.there && h + AHEAD < p.high);
            take_row<T>(p, at, x[r], ring[r]);
            if (!at.there || to < 0 || to >= p.high)
                continue;
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                y[i] = cuda_load(here.lane[i]) * power[i][0];
            lrn_write_run((T *)p.out + base + (int64_t)to * p.wide, 0, LRN_RUN, 1, y, p.blend);
        }
    }
}

/* Takes the next of the rows on their way, and sends for the one behind them, row h. */
template <class T>
__device__ static inline void next_row(const divisive_planes &p, const plane_thread &at,
                                       const void *data, int64_t base, int h,
                                       lrn_run<T> (&coming)[rows_ahead<T>::KEPT], lrn_run<T> &to)
{
    enum { KEPT = rows_ahead<T>::KEPT };

    if constexpr (rows_ahead<T>::COUNT > 0) {
        to = coming[0];
#pragma unroll
        for (int i = 0; i + 1 < KEPT; i++)
            coming[i] = coming[i + 1];
    }
    read_row(rows_ahead<T>::COUNT > 0 ? coming[KEPT - 1] : to, data, base + (int64_t)h * p.wide,
             at.there && h >= 0 && h < p.high);
}

/* dx of a row is there two rows after its sums, which are two rows behind x. */
template <class T>
__global__ void __launch_bounds__(CUDA_THREADS, 1) divisive_backward(divisive_planes p)
{
    plane_thread at = plane_thread_of(p);
    int64_t base = at.plane * p.high * p.wide + at.t * LRN_RUN;
    float ring[ROWS][LRN_RUN] = {}, shared[ROWS][LRN_RUN] = {}, direct[ROWS][LRN_RUN];
    enum { AHEAD = rows_ahead<T>::COUNT };
    lrn_run<T> x[ROWS], coming_x[rows_ahead<T>::KEPT], coming_dy[rows_ahead<T>::KEPT];

#pragma unroll
    for (int h = 0; h < AHEAD; h++) {
        read_row(coming_x[h], p.x, base + (int64_t)h * p.wide, at.there && h < p.high);
        read_row(coming_dy[h], p.dy, base, false);
    }
    for (int first = 0; first < p.high + 2 * REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, middle = h - REACH, to = middle - REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], give[LRN_RUN];
            const lrn_run<T> &here = x[(r + ROWS - REACH) % ROWS], &back = x[(r + 1) % ROWS];
            lrn_run<T> dy;

            next_row<T>(p, at, p.x, base, h + AHEAD, coming_x, x[r]);
            next_row<T>(p, at, p.dy, base, middle + AHEAD, coming_dy, dy);
            take_row<T>(p, at, x[r], ring[r]);
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++) {
                direct[r][i] = cuda_load(dy.lane[i]) * power[i][0];
                give[i] = middle >= 0 && middle < p.high
                              ? direct[r][i] * (cuda_load(here.lane[i]) * inverse[i][0])
                              : 0;
            }
            sum_row(at, give, shared[r]);
            if (!at.there || to < 0 || to >= p.high)
                continue;
            sum_rows(shared, sum);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                give[i] = direct[(r + ROWS - REACH) % ROWS][i] -
                          p.through * cuda_load(back.lane[i]) * sum[i][0];
            lrn_write_run((T *)p.out + base + (int64_t)to * p.wide, 0, LRN_RUN, 1, give, p.blend);
        }
    }
}

/* ------------------------------------------------------------------ on the host */

int divisive_planes_take(const struct divisive_tiles *tiles, int backward)
{
    uintptr_t addresses = (uintptr_t)tiles->x | (uintptr_t)tiles->out;

    if (backward)
        addresses |= (uintptr_t)tiles->dy;
    return tiles->along_rows && tiles->dims[DIVISIVE_DEPTH] == 1 &&
           addresses % sizeof(uint4) == 0 && tiles->dims[DIVISIVE_ROW] % LRN_RUN == 0 &&
           tiles->dims[DIVISIVE_ROW] / LRN_RUN <= 32 &&
           tiles->dims[DIVISIVE_ALONG] < INT32_MAX / 2 && tiles->before[DIVISIVE_ROW] == REACH &&
           tiles->after[DIVISIVE_ROW] == REACH && tiles->out != tiles->x && tiles->out != tiles->dy;
}

template <class T>
static int32_t run(const struct divisive_planes *planes, int backward, const cuda_call *call)
{
    return cuda_launch(call, backward ? divisive_backward<T> : divisive_forward<T>,
                       cuda_blocks(planes->planes << planes->log_threads, CUDA_THREADS), 1,
                       *planes);
}

int32_t divisive_planes_run(const struct divisive_tiles *tiles, int32_t type, int backward,
                            const cuda_call *call)
{
    struct divisive_planes planes = {tiles->x,
                                     tiles->dy,
                                     tiles->out,
                                     tiles->blend,
                                     tiles->f,
                                     tiles->through,
                                     tiles->dims[DIVISIVE_ACROSS],
                                     (int32_t)tiles->dims[DIVISIVE_ALONG],
                                     (int32_t)tiles->dims[DIVISIVE_ROW],
                                     0};

    while (LRN_RUN << planes.log_threads < planes.wide)
        planes.log_threads++;
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(&planes, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(&planes, backward, call)
                                        : run<cuda_bfloat16>(&planes, backward, call);
}
