/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise wgrad. A thread keeps the sums of all taps of its channels, and iterates over
 * strips of images. A block has `lanes` adjacent vectors of channels, and `slots` threads for each
 * vector that share the strips. The block adds their sums in the order of the slots; the results
 * are partial sums. A second kernel adds the partial sums in an order that is the same in every
 * run.
 */
#include "depthwise_device.h"

/* The columns of x and of dy in a strip. */
template <class T> struct wgrad_columns {
    depthwise_x_columns<T> x;
    depthwise_columns<T> dy;
    int32_t dy_left; /* columns of dy */

    /* Reads the next column of dy and the U columns of x under its first taps. Columns that do not
     * exist become zeros. */
    template <int V, int U, int ROWS, int TILE>
    __device__ void next(depthwise_lanes<T, V> (&to_x)[U][ROWS],
                         depthwise_lanes<T, V> (&to_dy)[TILE])
    {
        dy.next(to_dy, dy_left > 0);
        dy_left--;
#pragma unroll
        for (int u = 0; u < U; u++)
            x.next(to_x[u]);
    }
};

template <class T, int S, int U, int TILE>
__device__ static inline wgrad_columns<T>
columns_of(const depthwise_job &job, const depthwise_strip &strip, int32_t x_channel)
{
    const depthwise_line &across = job.across, &along = job.along;
    int32_t dy_row = strip.across_class + strip.across_first * across.classes;
    int32_t dy_column = strip.along_class + strip.along_first * along.classes;
    wgrad_columns<T> columns;

    columns.x = depthwise_x_columns_of<T, S, U, TILE>(job, strip, x_channel);
    columns.dy.at = (const T *)job.b + strip.image * job.out.image +
                    strip.channel * job.out.channel + (int64_t)dy_row * job.out.across +
                    (int64_t)dy_column * job.out.along;
    columns.dy.move = along.classes * job.out.along;
    columns.dy.apart = across.classes * job.out.across;
    columns.dy.rows = depthwise_inside<TILE>(dy_row, across.classes, across.positions);
    columns.dy_left = strip.count;
    return columns;
}

/* Adds the products of column u of x with the columns of dy in the ring, at step k. */
template <int V, int S, int U, int TILE, int RING, int ROWS>
__device__ static inline void add_products(float (&sum)[S][S][V], const float (&x)[ROWS][V],
                                           const float (&dy)[RING][TILE][V], int k, int u)
{
#pragma unroll
    for (int d = 0; d < RING; d++) {
        int s = u + d * U;

        if (s >= S)
            continue;
#pragma unroll
        for (int r = 0; r < S; r++) {
#pragma unroll
            for (int p = 0; p < TILE; p++) {
#pragma unroll
                for (int v = 0; v < V; v++)
                    sum[r][s][v] =
                        fmaf(x[p * U + r][v], dy[(k + RING - d) % RING][p][v], sum[r][s][v]);
            }
        }
    }
}

template <class T, int V, int S, int U>
__device__ static inline void walk_strip(float (&sum)[S][S][V], wgrad_columns<T> &columns,
                                         int32_t count)
{
    enum {
        TILE = DEPTHWISE_TILE_WGRAD(V, S, U),
        RING = (S - 1) / U + 1,
        ROWS = (TILE - 1) * U + S
    };
    depthwise_lanes<T, V> x[U][ROWS], dy[TILE];
    float ring[RING][TILE][V] = {};

    columns.next(x, dy);
    DEPTHWISE_RING(m, k, count)
    {
        float column[U][ROWS][V];

        depthwise_numbers(ring[k], dy);
#pragma unroll
        for (int u = 0; u < U; u++)
            depthwise_numbers(column[u], x[u]);
        columns.next(x, dy);
#pragma unroll
        for (int u = 0; u < U; u++)
            add_products<V, S, U, TILE, RING, ROWS>(sum, column[u], ring, k, u);
    }
}

/* Adds up a block's sums, a row of taps at a time, and stores them as partial sums. If the block
 * has one vector, each warp first adds up its own sums. All threads of the block must call this. */
template <int V, int S>
__device__ static inline void store_partials(const depthwise_job &job, float (&sum)[S][S][V])
{
    __shared__ float row[S * V][CUDA_THREADS];
    int local = (int)threadIdx.x, lanes = job.lanes, slots = job.slots, at = local;

    if (lanes == 1) {
        slots = CUDA_THREADS / 32;
        at = local / 32;
    }
#pragma unroll
    for (int r = 0; r < S; r++) {
        __syncthreads();
#pragma unroll
        for (int s = 0; s < S; s++) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                float value = sum[r][s][v];

                if (lanes == 1) {
#pragma unroll
                    for (int by = 16; by > 0; by /= 2)
                        value += __shfl_xor_sync(0xffffffffu, value, by);
                }
                if (lanes > 1 || local % 32 == 0)
                    row[s * V + v][at] = value;
            }
        }
        __syncthreads();
        for (int i = local; i < lanes * S * V; i += CUDA_THREADS) {
            int which = i / lanes, lane = i - which * lanes;
            int channel = ((int)blockIdx.x * lanes + lane) * V + which % V;
            float joined = 0;

            if (channel >= job.channels)
                continue;
            for (int y = 0; y < slots; y++)
                joined += row[which][y * lanes + lane];
            job.partials[((int64_t)blockIdx.y * S * S + r * S + which / V) * job.channels +
                         channel] = joined;
        }
    }
}

template <class T, int V, int S, int U>
__global__ void __launch_bounds__(CUDA_THREADS, S == 3 ? 2 : 1)
    depthwise_wgrad_kernel(const __grid_constant__ depthwise_job job)
{
    enum { TILE = DEPTHWISE_TILE_WGRAD(V, S, U) };
    int slot = (int)threadIdx.x / job.lanes, lane = (int)threadIdx.x - slot * job.lanes;
    int32_t vector = (int32_t)blockIdx.x * job.lanes + lane, channel = vector * V;
    float sum[S][S][V] = {};

    if (slot < job.slots && vector < job.vectors) {
        int32_t x_channel = (int32_t)cuda_divide((uint32_t)channel, job.by_multiplier);

        for (int64_t i = (int64_t)blockIdx.y * job.slots + slot; i < job.threads;
             i += (int64_t)job.streams * job.slots) {
            uint32_t left = (uint32_t)i;
            int32_t across = depthwise_split(left, job.by_first, job.first);
            int32_t along = depthwise_split(left, job.by_second, job.second);
            depthwise_strip strip;

            strip.channel = channel;
            strip.image = (int32_t)left;
            depthwise_pieces(strip, job, across, along, TILE);
            wgrad_columns<T> columns = columns_of<T, S, U, TILE>(job, strip, x_channel);
            walk_strip<T, V, S, U>(sum, columns, strip.count);
        }
    }
    store_partials<V, S>(job, sum);
}

/* ------------------------------------------------------------------ the partial sums */

/* Results of a block, and threads that share one result. */
enum { JOIN_RESULTS = 8, JOINERS = CUDA_THREADS / JOIN_RESULTS };

template <class T, int S>
__global__ void __launch_bounds__(CUDA_THREADS)
    depthwise_join(const __grid_constant__ depthwise_job job)
{
    __shared__ double share[JOINERS][JOIN_RESULTS];
    int x = (int)threadIdx.x % JOIN_RESULTS, y = (int)threadIdx.x / JOIN_RESULTS;
    int64_t count = (int64_t)S * S * job.channels;
    int64_t result = (int64_t)blockIdx.x * JOIN_RESULTS + x;
    double sum = 0;

    if (result < count) {
#pragma unroll 4
        for (int stream = y; stream < job.streams; stream += JOINERS)
            sum += (double)job.partials[stream * count + result];
    }
    share[y][x] = sum;
    __syncthreads();
    if (y > 0 || result >= count)
        return;
    for (int i = 1; i < JOINERS; i++)
        sum += share[i][x];
    int32_t tap = (int32_t)(result / job.channels);
    int32_t channel = (int32_t)(result - (int64_t)tap * job.channels);
    conv_store<T>(job.output,
                  job.tap_first + channel * job.tap_channel + tap / S * job.tap_across +
                      tap % S * job.tap_along,
                  0, channel, sum);
}

/* ------------------------------------------------------------------ on the host */

template <class T, int S>
static int32_t by_lanes(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job)
{
    void (*kernel)(depthwise_job) = state->lanes == 2    ? state->stride == 1
                                                               ? depthwise_wgrad_kernel<T, 2, S, 1>
                                                               : depthwise_wgrad_kernel<T, 2, S, 2>
                                       : state->stride == 1 ? depthwise_wgrad_kernel<T, 1, S, 1>
                                                         : depthwise_wgrad_kernel<T, 1, S, 2>;

    return cuda_launch(call, kernel, job.slabs, job.streams, job);
}

int32_t depthwise_wgrad_join(const depthwise_state *state, const cuda_call *call,
                             const depthwise_job &job)
{
    return depthwise_launch(state, [&](auto made_for) {
        typedef decltype(made_for) kernel;

        return cuda_launch(call, depthwise_join<typename kernel::T, kernel::S>,
                           cuda_blocks((int64_t)kernel::S * kernel::S * job.channels, JOIN_RESULTS),
                           1, job);
    });
}

int32_t depthwise_wgrad(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job)
{
    int32_t status = depthwise_launch(state, [&](auto made_for) {
        typedef decltype(made_for) kernel;

        return by_lanes<typename kernel::T, kernel::S>(state, call, job);
    });

    return status ? status : depthwise_wgrad_join(state, call, job);
}
