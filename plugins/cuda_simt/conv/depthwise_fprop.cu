/* SPDX-License-Identifier: Apache-2.0 */
/* Computes depthwise fprop. Dgrad with a stride of 1 is the same with the filter rotated by half a
 * turn. */
#include "depthwise_device.h"

/* Adds column u of step k to the sums of the ring. */
template <int V, int S, int U, int TILE, int RING, int ROWS>
__device__ static inline void add_column(float (&sum)[RING][TILE][V], const float (&x)[ROWS][V],
                                         const float (&w)[S][S][V], int k, int u)
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
                    sum[(k + RING - d) % RING][p][v] =
                        fmaf(x[p * U + r][v], w[r][s][v], sum[(k + RING - d) % RING][p][v]);
            }
        }
    }
}

/* The offsets of a strip's results. `rows` has the bits of the rows of the tile that exist. */
struct fprop_results {
    int64_t at, z;
    int32_t move, apart, z_move, z_apart;
    unsigned rows;
};

template <int TILE>
__device__ static inline fprop_results results_of(const depthwise_job &job,
                                                  const depthwise_strip &strip)
{
    const depthwise_line &across = job.across, &along = job.along;
    int32_t row = strip.across_class + strip.across_first * across.classes;
    int32_t column = strip.along_class + strip.along_first * along.classes;
    fprop_results to;

    to.at = strip.image * job.out.image + strip.channel * job.out.channel +
            (int64_t)row * job.out.across + (int64_t)column * job.out.along;
    to.z = strip.image * job.z.image + strip.channel * job.z.channel + (int64_t)row * job.z.across +
           (int64_t)column * job.z.along;
    to.move = along.classes * job.out.along;
    to.apart = across.classes * job.out.across;
    to.z_move = along.classes * job.z.along;
    to.z_apart = across.classes * job.z.across;
    to.rows = depthwise_inside<TILE>(row, across.classes, across.positions);
    return to;
}

/* Stores a column of results and sets its sums to zero. */
template <class T, int V, int TILE>
__device__ static inline void give_column(const depthwise_job &job, float (&sum)[TILE][V],
                                          fprop_results &to, int32_t channel, bool ready)
{
    if (ready) {
#pragma unroll
        for (int p = 0; p < TILE; p++) {
            if (to.rows >> p & 1)
                depthwise_store<T, V>(job, to.at + (int64_t)p * to.apart,
                                      to.z + (int64_t)p * to.z_apart, channel, sum[p]);
        }
        to.at += to.move;
        to.z += to.z_move;
    }
#pragma unroll
    for (int p = 0; p < TILE; p++) {
#pragma unroll
        for (int v = 0; v < V; v++)
            sum[p][v] = 0;
    }
}

/* Returns the number of resident blocks of a multiprocessor, which the registers for filters and
 * sums limit. */
constexpr int fprop_blocks(int bytes, int lanes, int taps, int stride)
{
    return taps == 3                                              ? bytes == 8 ? 2 : 3
           : (taps == 5 ? lanes == 2 || stride == 1 : lanes == 1) ? 2
                                                                  : 1;
}

template <class T, int V, int S, int U>
__global__ void __launch_bounds__(CUDA_THREADS, fprop_blocks(sizeof(T) * V, V, S, U))
    depthwise_fprop_kernel(const __grid_constant__ depthwise_job job)
{
    enum { TILE = DEPTHWISE_TILE(V, S, U), RING = (S - 1) / U + 1, ROWS = (TILE - 1) * U + S };
    int64_t thread = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    float sum[RING][TILE][V] = {}, w[S][S][V];
    depthwise_lanes<T, V> x[U][ROWS];

    if (thread >= job.threads)
        return;
    depthwise_strip strip = depthwise_strip_of(job, (uint32_t)thread, TILE, V);
    depthwise_x_columns<T> columns = depthwise_x_columns_of<T, S, U, TILE>(
        job, strip, (int32_t)cuda_divide((uint32_t)strip.channel, job.by_multiplier));
    fprop_results results = results_of<TILE>(job, strip);

#pragma unroll
    for (int u = 0; u < U; u++)
        columns.next(x[u]);
    depthwise_filters<T, V, S>(w, job, job.tap_first + strip.channel * job.tap_channel);
    DEPTHWISE_RING(m, k, strip.count)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            float column[ROWS][V];

            depthwise_numbers(column, x[u]);
            columns.next(x[u]);
            add_column<V, S, U, TILE, RING, ROWS>(sum, column, w, k, u);
        }
        give_column<T, V, TILE>(job, sum[(k + 1) % RING], results, strip.channel,
                                m + k >= 0 && m + k < strip.count);
    }
}

/* The number of columns that are loaded ahead. Rounding to bfloat16 leaves registers for only
 * one. */
template <class T> struct tall_ahead {
    enum { value = 3 };
};
template <> struct tall_ahead<cuda_bfloat16> {
    enum { value = 1 };
};

/* Computes fprop of 3 x 3 taps for 16-bit types, with tiles of DEPTHWISE_TALL rows. Such tiles need
 * fewer instructions per result and leave no partial tile. Only two blocks are resident on a
 * multiprocessor, so columns are loaded up to one turn of the ring ahead. */
template <class T>
__global__ void __launch_bounds__(CUDA_THREADS, 2)
    depthwise_fprop_tall(const __grid_constant__ depthwise_job job)
{
    enum { V = 2, S = 3, TILE = DEPTHWISE_TALL, RING = S, ROWS = TILE - 1 + S };
    enum { AHEAD = tall_ahead<T>::value };
    int64_t thread = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    float sum[RING][TILE][V] = {}, w[S][S][V];
    depthwise_lanes<T, V> x[AHEAD][ROWS];

    if (thread >= job.threads)
        return;
    depthwise_strip strip = depthwise_strip_of(job, (uint32_t)thread, TILE, V);
    depthwise_x_columns<T> columns =
        depthwise_x_columns_of<T, S, 1, TILE>(job, strip, strip.channel);
    fprop_results results = results_of<TILE>(job, strip);

#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        columns.next(x[a]);
    depthwise_filters<T, V, S>(w, job, job.tap_first + strip.channel * job.tap_channel);
    DEPTHWISE_RING(m, k, strip.count)
    {
        float column[ROWS][V];

        if (m + k >= strip.count)
            break;
        depthwise_numbers(column, x[k % AHEAD]);
        columns.next(x[k % AHEAD]);
        add_column<V, S, 1, TILE, RING, ROWS>(sum, column, w, k, 0);
        give_column<T, V, TILE>(job, sum[(k + 1) % RING], results, strip.channel,
                                m + k >= 0 && m + k < strip.count);
    }
}

/* Computes dgrad where a result sums several channels of dy. Each column is added channel by
 * channel, with filters that stay in the cache. */
template <class T, int S>
__global__ void __launch_bounds__(CUDA_THREADS)
    depthwise_fprop_deep(const __grid_constant__ depthwise_job job)
{
    enum { TILE = DEPTHWISE_TILE(1, S, 1), RING = S, ROWS = TILE - 1 + S };
    int64_t thread = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    float sum[RING][TILE][1] = {};

    if (thread >= job.threads)
        return;
    depthwise_strip strip = depthwise_strip_of(job, (uint32_t)thread, TILE, 1);
    depthwise_x_columns<T> columns =
        depthwise_x_columns_of<T, S, 1, TILE>(job, strip, strip.channel * job.depth);
    fprop_results results = results_of<TILE>(job, strip);

    DEPTHWISE_RING(m, k, strip.count)
    {
        depthwise_x_columns<T> here = columns;

        for (int c = 0; c < job.depth; c++) {
            depthwise_lanes<T, 1> x[ROWS];
            float column[ROWS][1], w[S][S][1];

            depthwise_filters<T, 1, S>(
                w, job, job.tap_first + strip.channel * job.tap_channel + c * job.tap_depth);
            columns = here;
            columns.at += c * job.x.channel;
            columns.next(x);
            depthwise_numbers(column, x);
            add_column<1, S, 1, TILE, RING, ROWS>(sum, column, w, k, 0);
        }
        columns.at -= (job.depth - 1) * job.x.channel;
        give_column<T, 1, TILE>(job, sum[(k + 1) % RING], results, strip.channel,
                                m + k >= 0 && m + k < strip.count);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T, int V, int S>
static int32_t by_stride(const depthwise_state *state, const cuda_call *call,
                         const depthwise_job &job)
{
    return cuda_launch(call,
                       state->stride == 1 ? depthwise_fprop_kernel<T, V, S, 1>
                                          : depthwise_fprop_kernel<T, V, S, 2>,
                       cuda_blocks(job.threads, CUDA_THREADS), 1, job);
}

template <class T, int S>
static int32_t by_lanes(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job)
{
    if constexpr (S == 3 && sizeof(T) == 2) {
        if (state->form == DEPTHWISE_BY_TALL)
            return cuda_launch(call, depthwise_fprop_tall<T>,
                               cuda_blocks(job.threads, CUDA_THREADS), 1, job);
    }
    if (state->deep)
        return cuda_launch(call, depthwise_fprop_deep<T, S>, cuda_blocks(job.threads, CUDA_THREADS),
                           1, job);
    return state->lanes == 2 ? by_stride<T, 2, S>(state, call, job)
                             : by_stride<T, 1, S>(state, call, job);
}

int32_t depthwise_fprop(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job)
{
    return depthwise_launch(state, [&](auto made_for) {
        typedef decltype(made_for) kernel;

        return by_lanes<typename kernel::T, kernel::S>(state, call, job);
    });
}
