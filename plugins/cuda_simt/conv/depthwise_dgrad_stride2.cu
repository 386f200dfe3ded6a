/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise dgrad with a stride of 2. Each column of dy is added to the columns of dx that
 * its taps reach. Two of these are complete after each step.
 *
 * Padded positions i = h + pad begin at an even one. Tap r = i - 2 p of output p is thus a
 * compile-time constant.
 */
#include "depthwise_device.h"

/* An iterator over the columns of dy: the next column's coordinate, and their number. */
template <class T> struct dy_columns : depthwise_columns<T> {
    int32_t first, extent;

    template <int V, int COUNT> __device__ void next(depthwise_lanes<T, V> (&to)[COUNT])
    {
        depthwise_columns<T>::next(to, (uint32_t)first < (uint32_t)extent);
        first++;
    }
};

template <class T, int S, int TILE>
__device__ static inline dy_columns<T> columns_of(const depthwise_job &job,
                                                  const depthwise_strip &strip, int32_t channel)
{
    enum { BACK = (S - 1) / 2, ROWS = TILE / 2 + BACK };
    int32_t row = job.across.origin / 2 + strip.across_first / 2 - BACK;
    dy_columns<T> columns;

    columns.first = job.along.origin / 2 + strip.along_first - BACK;
    columns.at = (const T *)job.a + strip.image * job.x.image + channel * job.x.channel +
                 (int64_t)row * job.x.across + (int64_t)columns.first * job.x.along;
    columns.move = job.x.along;
    columns.apart = job.x.across;
    columns.extent = job.along.a_extent;
    columns.rows = depthwise_inside<ROWS>(row, 1, job.across.a_extent);
    return columns;
}

/* Adds the column of dy of step k to the sums of the ring. Each entry of the ring is a pair of
 * columns of dx. */
template <int V, int S, int TILE, int RING, int ROWS>
__device__ static inline void add_column(float (&sum)[RING][2][TILE][V], const float (&dy)[ROWS][V],
                                         const float (&w)[S][S][V], int k)
{
    enum { BACK = (S - 1) / 2 };

#pragma unroll
    for (int s = 0; s < S; s++) {
#pragma unroll
        for (int a = 0; a < TILE; a++) {
#pragma unroll
            for (int b = 0; b < ROWS; b++) {
                int r = a - 2 * (b - BACK);

                if (r < 0 || r >= S)
                    continue;
#pragma unroll
                for (int v = 0; v < V; v++)
                    sum[(k + s / 2) % RING][s % 2][a][v] =
                        fmaf(dy[b][v], w[r][s][v], sum[(k + s / 2) % RING][s % 2][a][v]);
            }
        }
    }
}

struct dx_results {
    int64_t at;
    int32_t first; /* next column of dx */
    unsigned rows;
};

template <int TILE>
__device__ static inline dx_results results_of(const depthwise_job &job,
                                               const depthwise_strip &strip)
{
    int32_t row = job.across.origin / 2 * 2 - job.across.origin + strip.across_first;
    dx_results to;

    to.first = job.along.origin / 2 * 2 - job.along.origin + 2 * strip.along_first;
    to.at = strip.image * job.out.image + strip.channel * job.out.channel +
            (int64_t)row * job.out.across + (int64_t)to.first * job.out.along;
    to.rows = depthwise_inside<TILE>(row, 1, job.across.positions);
    return to;
}

/* Stores two columns of dx and sets their sums to zero. */
template <class T, int V, int TILE>
__device__ static inline void give_columns(const depthwise_job &job, float (&sum)[2][TILE][V],
                                           dx_results &to, int32_t channel, bool ready)
{
#pragma unroll
    for (int j = 0; j < 2; j++) {
        bool there = ready && (uint32_t)(to.first + j) < (uint32_t)job.along.positions;

#pragma unroll
        for (int a = 0; a < TILE; a++) {
            if (there && (to.rows >> a & 1))
                depthwise_store<T, V>(job, to.at + (int64_t)a * job.out.across + j * job.out.along,
                                      0, channel, sum[j][a]);
#pragma unroll
            for (int v = 0; v < V; v++)
                sum[j][a][v] = 0;
        }
    }
    if (ready) {
        to.at += 2 * job.out.along;
        to.first += 2;
    }
}

template <class T, int V, int S>
__global__ void __launch_bounds__(CUDA_THREADS, S == 3       ? 3
                                                : S * V < 14 ? 2
                                                             : 1)
    depthwise_dgrad_stride2_kernel(const __grid_constant__ depthwise_job job)
{
    enum {
        TILE = DEPTHWISE_TILE_DGRAD_STRIDE2(V, S),
        RING = (S - 1) / 2 + 1,
        ROWS = TILE / 2 + (S - 1) / 2
    };
    int64_t thread = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    float sum[RING][2][TILE][V] = {}, w[S][S][V];
    depthwise_lanes<T, V> dy[ROWS];

    if (thread >= job.threads)
        return;
    depthwise_strip strip = depthwise_strip_of(job, (uint32_t)thread, TILE, V);
    dy_columns<T> columns = columns_of<T, S, TILE>(job, strip, strip.channel);
    dx_results results = results_of<TILE>(job, strip);

    columns.next(dy);
    depthwise_filters<T, V, S>(w, job, job.tap_first + strip.channel * job.tap_channel);
    DEPTHWISE_RING(m, k, strip.count)
    {
        float column[ROWS][V];

        depthwise_numbers(column, dy);
        columns.next(dy);
        add_column<V, S, TILE, RING, ROWS>(sum, column, w, k);
        /* The first RING - 1 steps complete no pair of columns. */
        give_columns<T, V, TILE>(job, sum[k], results, strip.channel,
                                 m + k >= 0 && m + k < strip.count);
    }
}

/* Computes dgrad where a result sums several channels of dy. */
template <class T, int S>
__global__ void __launch_bounds__(CUDA_THREADS)
    depthwise_dgrad_stride2_deep(const __grid_constant__ depthwise_job job)
{
    enum {
        TILE = DEPTHWISE_TILE_DGRAD_STRIDE2(1, S),
        RING = (S - 1) / 2 + 1,
        ROWS = TILE / 2 + (S - 1) / 2
    };
    int64_t thread = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    float sum[RING][2][TILE][1] = {};

    if (thread >= job.threads)
        return;
    depthwise_strip strip = depthwise_strip_of(job, (uint32_t)thread, TILE, 1);
    dy_columns<T> columns = columns_of<T, S, TILE>(job, strip, strip.channel * job.depth);
    dx_results results = results_of<TILE>(job, strip);

    DEPTHWISE_RING(m, k, strip.count)
    {
        dy_columns<T> here = columns;

        for (int c = 0; c < job.depth; c++) {
            depthwise_lanes<T, 1> dy[ROWS];
            float column[ROWS][1], w[S][S][1];

            depthwise_filters<T, 1, S>(
                w, job, job.tap_first + strip.channel * job.tap_channel + c * job.tap_depth);
            columns = here;
            columns.at += c * job.x.channel;
            columns.next(dy);
            depthwise_numbers(column, dy);
            add_column<1, S, TILE, RING, ROWS>(sum, column, w, k);
        }
        columns.at -= (job.depth - 1) * job.x.channel;
        give_columns<T, 1, TILE>(job, sum[k], results, strip.channel,
                                 m + k >= 0 && m + k < strip.count);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T, int S>
static int32_t by_lanes(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job)
{
    void (*kernel)(depthwise_job) = state->deep         ? depthwise_dgrad_stride2_deep<T, S>
                                    : state->lanes == 2 ? depthwise_dgrad_stride2_kernel<T, 2, S>
                                                        : depthwise_dgrad_stride2_kernel<T, 1, S>;

    return cuda_launch(call, kernel, cuda_blocks(job.threads, CUDA_THREADS), 1, job);
}

int32_t depthwise_dgrad_stride2(const depthwise_state *state, const cuda_call *call,
                                const depthwise_job &job)
{
    return depthwise_launch(state, [&](auto made_for) {
        typedef decltype(made_for) kernel;

        return by_lanes<typename kernel::T, kernel::S>(state, call, job);
    });
}
