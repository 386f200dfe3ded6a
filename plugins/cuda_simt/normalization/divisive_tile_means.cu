/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization with means. No two elements share a difference from a mean, and computing
 * it from sums of x and of x^2 would cancel. A thread therefore iterates over the windows of a run
 * of 8 elements. */
#include "divisive_tile.h"

/* Reads eight elements of a row into the middle, scaled; with their neighbours if rows run along
 * w. */
template <class T, bool IN_ROWS>
__device__ static inline void read_values(const divisive_tiles &p, const void *data, int64_t offset,
                                          int64_t row, float value[LRN_SPAN][1])
{
    const T *from = (const T *)data + offset;

    if constexpr (IN_ROWS) {
        lrn_read_span(p.f, from, row, p.dims[DIVISIVE_ROW], p.vectors, value);
    } else {
        lrn_run<T> run;

        lrn_read_run(from, row, p.dims[DIVISIVE_ROW], p.vectors, &run);
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++)
            value[LRN_HALO + i][0] = lrn_take(p.f, run.lane[i]);
    }
}

template <class T>
__device__ static inline void read_middle(const divisive_tiles &p, const void *data, int64_t offset,
                                          int64_t row, float value[LRN_RUN])
{
    lrn_run<T> run;

    lrn_read_run((const T *)data + offset, row, p.dims[DIVISIVE_ROW], p.vectors, &run);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        value[i] = lrn_take(p.f, run.lane[i]);
}

/* The sums over the windows of a run. If the centers are means, they are the sums of x - mean and
 * of its square. In the gradient pass the centers are x, and the sum is of shared (x - mean). */
struct window_sums {
    float center[LRN_RUN], sum[LRN_RUN], squares[LRN_RUN];
};

/* Adds the positions of one row. */
template <class T, int PASS, bool IN_ROWS>
__device__ static inline void add_row(const divisive_tiles &p, int64_t offset, int64_t row,
                                      window_sums *sums)
{
    float value[LRN_SPAN][1], shared[LRN_SPAN][1];

    read_values<T, IN_ROWS>(p, PASS == DIVISIVE_GRADIENT ? p.means : p.x, offset, row, value);
    if constexpr (PASS == DIVISIVE_GRADIENT)
        read_values<float, IN_ROWS>(p, p.shared, offset, row, shared);
#pragma unroll
    for (int d = IN_ROWS ? -LRN_HALO : 0; d <= (IN_ROWS ? LRN_HALO : 0); d++) {
        if (d < -p.before[DIVISIVE_ROW] || d > p.after[DIVISIVE_ROW])
            continue;
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            float apart = value[LRN_HALO + i + d][0] - sums->center[i];

            if (row + i + d < 0 || row + i + d >= p.dims[DIVISIVE_ROW])
                continue;
            if constexpr (PASS == DIVISIVE_GRADIENT)
                sums->sum[i] = fmaf(shared[LRN_HALO + i + d][0], -apart, sums->sum[i]);
            else
                sums->squares[i] = fmaf(apart, apart, sums->squares[i]);
            if constexpr (PASS == DIVISIVE_FACTORS)
                sums->sum[i] += apart;
        }
    }
}

template <class T, int PASS, bool IN_ROWS>
__device__ static inline void add_windows(const divisive_tiles &p, const int64_t here[],
                                          window_sums *sums)
{
    int64_t at[DIVISIVE_DIMS] = {here[DIVISIVE_IMAGE]}, end[DIVISIVE_DIMS];

#pragma unroll
    for (int d = DIVISIVE_DEPTH; d < DIVISIVE_ROW; d++) {
        at[d] = divisive_window_begin(p, d, here[d]);
        end[d] = divisive_window_end(p, d, here[d]);
    }
    for (; at[DIVISIVE_DEPTH] < end[DIVISIVE_DEPTH]; at[DIVISIVE_DEPTH]++) {
        at[DIVISIVE_ACROSS] = divisive_window_begin(p, DIVISIVE_ACROSS, here[DIVISIVE_ACROSS]);
        for (; at[DIVISIVE_ACROSS] < end[DIVISIVE_ACROSS]; at[DIVISIVE_ACROSS]++) {
            at[DIVISIVE_ALONG] = divisive_window_begin(p, DIVISIVE_ALONG, here[DIVISIVE_ALONG]);
            for (; at[DIVISIVE_ALONG] < end[DIVISIVE_ALONG]; at[DIVISIVE_ALONG]++)
                add_row<T, PASS, IN_ROWS>(p, divisive_offset_of(p, at), here[DIVISIVE_ROW], sums);
        }
    }
}

/* Computes the results from the squares: y; or direct, shared, and dmeans = 2 a b shared (sum of x
 * - mean). */
template <class T, int PASS>
__device__ static inline void finish_squares(const divisive_tiles &p, int64_t offset, int64_t row,
                                             const window_sums &sums)
{
    int64_t elements = p.dims[DIVISIVE_ROW];
    float x[LRN_RUN], out[LRN_RUN], squares[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1];

#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        squares[i][0] = sums.squares[i];
    lrn_powers<1>(p.f, squares, power, inverse);
    read_middle<T>(p, p.x, offset, row, x);
    if constexpr (PASS == DIVISIVE_FORWARD) {
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++)
            out[i] = x[i] * p.f.unscale * power[i][0];
        lrn_write_run((T *)p.out + offset, row, elements, p.vectors, out, p.blend);
    } else {
        lrn_run<T> dy;
        float shared[LRN_RUN];

        lrn_read_run((const T *)p.dy + offset, row, elements, p.vectors, &dy);
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++) {
            out[i] = cuda_load(dy.lane[i]) * power[i][0];
            shared[i] = out[i] * (x[i] * p.f.unscale * inverse[i][0]);
        }
        lrn_write_run(p.direct + offset, row, elements, p.vectors, out, {1, 0});
        lrn_write_run(p.shared + offset, row, elements, p.vectors, shared, {1, 0});
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++)
            out[i] = p.through * shared[i] * (sums.sum[i] * p.f.unscale);
        if (p.dmeans)
            lrn_write_run((T *)p.dmeans + offset, row, elements, p.vectors, out, p.blend);
    }
}

template <class T, int PASS, bool IN_ROWS>
__device__ static inline void make_run(const divisive_tiles &p, int64_t at[])
{
    int64_t row = at[DIVISIVE_ROW], offset;
    window_sums sums = {};

    at[DIVISIVE_ROW] = 0;
    offset = divisive_offset_of(p, at);
    read_middle<T>(p, PASS == DIVISIVE_GRADIENT ? p.x : p.means, offset, row, sums.center);
    at[DIVISIVE_ROW] = row;
    add_windows<T, PASS, IN_ROWS>(p, at, &sums);
    if constexpr (PASS == DIVISIVE_GRADIENT) {
        float direct[LRN_RUN];

        read_middle<float>(p, p.direct, offset, row, direct);
#pragma unroll
        for (int i = 0; i < LRN_RUN; i++)
            direct[i] -= p.through * sums.sum[i];
        lrn_write_run((T *)p.out + offset, row, p.dims[DIVISIVE_ROW], p.vectors, direct, p.blend);
    } else {
        finish_squares<T, PASS>(p, offset, row, sums);
    }
}

template <class T, int PASS, bool IN_ROWS>
__global__ void __launch_bounds__(CUDA_THREADS, 2) divisive_means(divisive_tiles p)
{
    int runs = divisive_lanes_of(p) / LRN_RUN, lane = (int)threadIdx.x % runs * LRN_RUN;
    int64_t origin[DIVISIVE_DIMS], end;

    divisive_find_tile(p, origin);
    end = divisive_last_tile(p, origin);
    for (; origin[DIVISIVE_ALONG] < end; origin[DIVISIVE_ALONG] += 1 << p.log_positions) {
        int64_t at[DIVISIVE_DIMS];

#pragma unroll
        for (int d = 0; d < DIVISIVE_DIMS; d++)
            at[d] = origin[d];
        divisive_find_lane(p, lane, at);
        at[DIVISIVE_ALONG] += (int)threadIdx.x / runs;
        if (at[DIVISIVE_ALONG] < end && at[DIVISIVE_ACROSS] < p.dims[DIVISIVE_ACROSS] &&
            at[DIVISIVE_ROW] < p.dims[DIVISIVE_ROW])
            make_run<T, PASS, IN_ROWS>(p, at);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T, int PASS>
static int32_t launch(struct divisive_tiles *tiles, const cuda_call *call)
{
    return cuda_launch(
        call, tiles->along_rows ? divisive_means<T, PASS, true> : divisive_means<T, PASS, false>,
        divisive_blocks(tiles), 1, *tiles);
}

/* Launches the passes. The float buffers begin at multiples of 16 bytes where the elements' rows
 * do. */
template <class T>
static int32_t run(struct divisive_tiles *tiles, int backward, const cuda_call *call)
{
    const void *const read[] = {tiles->x,      tiles->means,  tiles->dy,    tiles->out,
                                tiles->dmeans, tiles->direct, tiles->shared};
    int32_t status;

    tiles->vectors = 1;
    for (const void *data : read)
        tiles->vectors &= lrn_has_vectors(data, tiles->strides, DIVISIVE_ROW, sizeof(T));
    if (!backward)
        return launch<T, DIVISIVE_FORWARD>(tiles, call);
    status = launch<T, DIVISIVE_FACTORS>(tiles, call);
    if (status)
        return status;
    divisive_reverse_windows(tiles);
    return launch<T, DIVISIVE_GRADIENT>(tiles, call);
}

int32_t divisive_means_run(struct divisive_tiles *tiles, int32_t type, int backward,
                           const cuda_call *call)
{
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(tiles, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(tiles, backward, call)
                                        : run<cuda_bfloat16>(tiles, backward, call);
}
