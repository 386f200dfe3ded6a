/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization without means of packed planes, in windows of 5 x 5. A thread has 8
 * columns and iterates down a plane. The sums along this row and the four before are in registers,
 * and neighbours in a row exchange the values that their windows share. Each tensor is thus moved
 * once. A row has a group of threads: a power of two, at most a warp. */
#include "divisive_rows.h"
#include "divisive_tile.h"

#define ALL_LANES UINT32_MAX

/* The launch bounds of backward, whose values fill the registers. */
#define BACK_THREADS 128
#define BACK_BLOCKS  3

/* The rows in flight in registers in the forward pass. A row of floats has half as many elements
 * per vector and is faster without. */
template <class T> struct rows_ahead {
    enum { COUNT = sizeof(T) == sizeof(float) ? 0 : 2 };
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
    int t, threads; /* number in the row; threads of a row */
    bool there;
};

template <int THREADS>
__device__ static inline plane_thread plane_thread_of(const divisive_planes &p)
{
    int64_t plane = ((int64_t)blockIdx.x * THREADS + threadIdx.x) >> p.log_threads;
    int t = (int)threadIdx.x & ((1 << p.log_threads) - 1);

    return {plane, t, p.wide / LRN_RUN, plane < p.planes && t < p.wide / LRN_RUN};
}

/* Sums over the windows along a row, of which each thread has 8 elements. */
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

/* Reads eight elements of a row, or zeros. */
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

/* Sums the squares of a row, which may be outside the plane, over its windows. */
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

template <class T, bool USUAL>
__global__ void __launch_bounds__(CUDA_THREADS, 2) divisive_forward(divisive_planes p)
{
    if (USUAL)
        make_usual(p);
    plane_thread at = plane_thread_of<CUDA_THREADS>(p);
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

/* A row in flight: each thread reads what it copied itself. */
template <class T> using coming_row = uint4[lrn_run<T>::VECTORS][BACK_THREADS];

/* Starts copying a thread's elements of row h, or zeros if it is outside the plane. */
template <class T>
__device__ static inline void send_for(const divisive_planes &p, const plane_thread &at,
                                       const void *data, int64_t base, int h, coming_row<T> &to)
{
    const uint4 *from = (const uint4 *)((const T *)data + base + (int64_t)h * p.wide);

#pragma unroll
    for (int v = 0; v < lrn_run<T>::VECTORS; v++)
        copy_async<16>(&to[v][threadIdx.x], from + v, at.there && (uint32_t)h < (uint32_t)p.high);
}

/* Starts copying row h of x and row h - REACH of dy. */
template <class T>
__device__ static inline void send_for_both(const divisive_planes &p, const plane_thread &at,
                                            int64_t base, int h, coming_row<T> (&to)[2])
{
    send_for<T>(p, at, p.x, base, h, to[0]);
    send_for<T>(p, at, p.dy, base, h - REACH, to[1]);
    commit();
}

template <class T> __device__ static inline void take(const coming_row<T> &from, lrn_run<T> &to)
{
#pragma unroll
    for (int v = 0; v < lrn_run<T>::VECTORS; v++)
        to.whole[v] = from[v][threadIdx.x];
}

/* Computes dx. A row's dx is complete two rows after its sums, which are two rows behind x. For
 * rows outside the plane, dy is zero, so its factor is zero too. */
template <class T, bool USUAL>
__global__ void __launch_bounds__(BACK_THREADS, BACK_BLOCKS) divisive_backward(divisive_planes p)
{
    enum { AHEAD = backward_ahead<T>::ROWS_AHEAD };
    __shared__ coming_row<T> coming[AHEAD][2];
    __shared__ float4 direct[ROWS][2][BACK_THREADS];
    if (USUAL)
        make_usual(p);
    plane_thread at = plane_thread_of<BACK_THREADS>(p);
    int64_t base = at.plane * p.high * p.wide + at.t * LRN_RUN;
    float ring[ROWS][LRN_RUN] = {}, shared[ROWS][LRN_RUN] = {};
    lrn_run<T> x[ROWS] = {};

    for (int h = 0; h < AHEAD; h++)
        send_for_both<T>(p, at, base, h, coming[h]);
    for (int first = 0; first < p.high + 2 * REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, to = h - 2 * REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], give[LRN_RUN];
            const lrn_run<T> &here = x[(r + ROWS - REACH) % ROWS], &back = x[(r + 1) % ROWS];
            lrn_run<T> dy;

            wait<AHEAD - 1>();
            take<T>(coming[h & (AHEAD - 1)][0], x[r]);
            take<T>(coming[h & (AHEAD - 1)][1], dy);
            send_for_both<T>(p, at, base, h + AHEAD, coming[h & (AHEAD - 1)]);
            take_row<T>(p, at, x[r], ring[r]);
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++) {
                power[i][0] *= cuda_load(dy.lane[i]);
                give[i] = power[i][0] * (cuda_load(here.lane[i]) * inverse[i][0]);
            }
            keep(direct[r], power);
            sum_row(at, give, shared[r]);
            if (!at.there || to < 0 || to >= p.high)
                continue;
            sum_rows(shared, sum);
            fetch(direct[(r + ROWS - REACH) % ROWS], give);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                give[i] -= p.through * cuda_load(back.lane[i]) * sum[i][0];
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

template <class T, bool USUAL>
static int32_t run(const struct divisive_planes *planes, int backward, const cuda_call *call)
{
    int32_t threads = backward ? BACK_THREADS : CUDA_THREADS;

    return cuda_launch_threads(
        call, backward ? divisive_backward<T, USUAL> : divisive_forward<T, USUAL>,
        cuda_blocks(planes->planes << planes->log_threads, threads), 1, threads, *planes);
}

template <class T>
static int32_t by_factors(const struct divisive_planes *planes, int backward, const cuda_call *call)
{
    return planes->f.three_quarters && lrn_is_plain(planes->blend)
               ? run<T, true>(planes, backward, call)
               : run<T, false>(planes, backward, call);
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
    return type == ANYDNN_PLUGIN_FLOAT  ? by_factors<float>(&planes, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? by_factors<cuda_half>(&planes, backward, call)
                                        : by_factors<cuda_bfloat16>(&planes, backward, call);
}
