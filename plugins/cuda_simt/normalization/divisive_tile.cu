/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization without means. A sum over a window of two or three dims is a sum of sums
 * along lines. A block fills a tile of shared memory with sums over all dims but one, from runs of
 * rows. Then a thread computes 8 neighbouring positions along the last dim. With means, every
 * element has a sum of its own (divisive_tile_means.cu). */
#include "divisive_tile.h"

/* The floats of a tile with its borders; the largest is a tile of 8 positions. */
#define TILE_FLOATS (LRN_SPAN * CUDA_THREADS)

/* Adds up lines for the 8 elements of a run: the part of their windows at their position along
 * DIVISIVE_ALONG. */
template <class T, bool SQUARES, bool IN_ROWS>
__device__ static inline void sum_lines(const divisive_tiles &p, const T *data, int64_t at[],
                                        float line[LRN_RUN])
{
    int64_t here = at[DIVISIVE_ACROSS], across_end = divisive_window_end(p, DIVISIVE_ACROSS, here);
    int64_t depth_end = divisive_window_end(p, DIVISIVE_DEPTH, at[DIVISIVE_DEPTH]),
            row = at[DIVISIVE_ROW];
    int64_t elements = p.dims[DIVISIVE_ROW];

    at[DIVISIVE_ROW] = 0;
    at[DIVISIVE_DEPTH] = divisive_window_begin(p, DIVISIVE_DEPTH, at[DIVISIVE_DEPTH]);
    for (; at[DIVISIVE_DEPTH] < depth_end; at[DIVISIVE_DEPTH]++) {
        at[DIVISIVE_ACROSS] = divisive_window_begin(p, DIVISIVE_ACROSS, here);
        for (; at[DIVISIVE_ACROSS] < across_end; at[DIVISIVE_ACROSS]++) {
            const T *from = data + divisive_offset_of(p, at);

            if constexpr (IN_ROWS) {
                float span[LRN_SPAN][1], sum[LRN_RUN][1];

                lrn_read_span(p.f, from, row, elements, p.vectors, span);
                lrn_window_sums<1, SQUARES>(span, p.before[DIVISIVE_ROW], p.after[DIVISIVE_ROW],
                                            sum);
#pragma unroll
                for (int i = 0; i < LRN_RUN; i++)
                    line[i] += sum[i][0];
            } else {
                lrn_run<T> run;

                lrn_read_run(from, row, elements, p.vectors, &run);
#pragma unroll
                for (int i = 0; i < LRN_RUN; i++) {
                    float value = lrn_take(p.f, run.lane[i]);
                    line[i] = SQUARES ? fmaf(value, value, line[i]) : line[i] + value;
                }
            }
        }
    }
}

/* Fills the tile's positions from .. to - 1; position LRN_HALO is the origin. */
template <class T, bool SQUARES, bool IN_ROWS>
__device__ static inline void fill_tile(const divisive_tiles &p, const T *data,
                                        const int64_t origin[], int from, int to, float4 tile[])
{
    int runs = divisive_lanes_of(p) / LRN_RUN;

    for (int i = (int)threadIdx.x; i < (to - from) * runs; i += CUDA_THREADS) {
        int lane = i % runs * LRN_RUN, position = from + i / runs;
        int64_t at[DIVISIVE_DIMS];
        float line[LRN_RUN] = {0};

#pragma unroll
        for (int d = 0; d < DIVISIVE_DIMS; d++)
            at[d] = origin[d];
        divisive_find_lane(p, lane, at);
        at[DIVISIVE_ALONG] += position - LRN_HALO;
        if (at[DIVISIVE_ALONG] >= 0 && at[DIVISIVE_ALONG] < p.dims[DIVISIVE_ALONG] &&
            at[DIVISIVE_ACROSS] < p.dims[DIVISIVE_ACROSS] &&
            at[DIVISIVE_ROW] < p.dims[DIVISIVE_ROW])
            sum_lines<T, SQUARES, IN_ROWS>(p, data, at, line);
#pragma unroll
        for (int h = 0; h < LRN_RUN; h += 4)
            tile[(position * divisive_lanes_of(p) + lane + h) / 4] = {line[h], line[h + 1],
                                                                      line[h + 2], line[h + 3]};
    }
}

/* A thread's elements, and for each the value that is added to its sum: dy, or dy s^-b. All are
 * read before any is written, so that the reads overlap. */
struct elements {
    float x[LRN_RUN], dy[LRN_RUN];
};

template <class T, int PASS>
__device__ static inline void read_elements(const divisive_tiles &p, int64_t offset, int count,
                                            elements *read)
{
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        if (i < count) {
            int64_t from = offset + i * p.strides[DIVISIVE_ALONG];

            read->x[i] = cuda_load(((const T *)p.x)[from]);
            if (PASS == DIVISIVE_FACTORS)
                read->dy[i] = cuda_load(((const T *)p.dy)[from]);
            if (PASS == DIVISIVE_GRADIENT)
                read->dy[i] = p.direct[from];
        }
    }
}

template <class T, int PASS>
__device__ static inline void finish_element(const divisive_tiles &p, int64_t offset, bool plain,
                                             float x, float dy, float sum, float power,
                                             float inverse)
{
    if constexpr (PASS == DIVISIVE_FACTORS) {
        float direct = dy * power;

        p.direct[offset] = direct;
        p.shared[offset] = direct * (x * inverse);
    } else {
        float result = PASS == DIVISIVE_FORWARD ? x * power : dy - p.through * x * sum;

        if (plain)
            cuda_store((T *)p.out + offset, result);
        else
            cuda_blend_store((T *)p.out + offset, result, p.blend);
    }
}

/* Computes a thread's run of positions in its lane. */
template <class T, int PASS>
__device__ static inline void use_tile(const divisive_tiles &p, const int64_t origin[],
                                       const float tile[])
{
    int lanes = divisive_lanes_of(p), lane = (int)threadIdx.x % lanes;
    int run = (int)threadIdx.x / lanes * LRN_RUN, needed_from, needed_to;
    float span[LRN_SPAN][1], sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1];
    int64_t at[DIVISIVE_DIMS], offset, left;
    bool plain = lrn_is_plain(p.blend);
    elements read;
    int count;

#pragma unroll
    for (int d = 0; d < DIVISIVE_DIMS; d++)
        at[d] = origin[d];
    divisive_find_lane(p, lane, at);
    at[DIVISIVE_ALONG] += run;
    left = p.dims[DIVISIVE_ALONG] - at[DIVISIVE_ALONG];
    if (at[DIVISIVE_ACROSS] >= p.dims[DIVISIVE_ACROSS] ||
        at[DIVISIVE_ROW] >= p.dims[DIVISIVE_ROW] || left <= 0)
        return;
    count = left < LRN_RUN ? (int)left : LRN_RUN;
    offset = divisive_offset_of(p, at);
    read_elements<T, PASS>(p, offset, count, &read);
    needed_from = LRN_HALO - p.before[DIVISIVE_ALONG];
    needed_to = LRN_HALO + LRN_RUN + p.after[DIVISIVE_ALONG];
#pragma unroll
    for (int j = 0; j < LRN_SPAN; j++)
        span[j][0] = j >= needed_from && j < needed_to ? tile[(run + j) * lanes + lane] : 0;
    lrn_window_sums<1, false>(span, p.before[DIVISIVE_ALONG], p.after[DIVISIVE_ALONG], sum);
    if constexpr (PASS != DIVISIVE_GRADIENT)
        lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        if (i < count)
            finish_element<T, PASS>(p, offset + i * p.strides[DIVISIVE_ALONG], plain, read.x[i],
                                    read.dy[i], sum[i][0], power[i][0], inverse[i][0]);
    }
}

/* Keeps the `count` positions that the tile shares with the next one: moves them from the tile's
 * end to `from`. */
__device__ static inline void keep_positions(const divisive_tiles &p, int from, int count,
                                             float4 tile[])
{
    int quarters = divisive_lanes_of(p) / 4;

    for (int i = (int)threadIdx.x; i < count * quarters; i += CUDA_THREADS)
        tile[from * quarters + i] = tile[(from + (1 << p.log_positions)) * quarters + i];
    __syncthreads();
}

template <class T, int PASS, bool IN_ROWS>
__global__ void __launch_bounds__(CUDA_THREADS, 3) divisive_tile(divisive_tiles p)
{
    __shared__ float4 tile[TILE_FLOATS / 4];
    int64_t origin[DIVISIVE_DIMS], end;
    int shared = p.before[DIVISIVE_ALONG] + p.after[DIVISIVE_ALONG], kept = 0;
    int first = LRN_HALO - p.before[DIVISIVE_ALONG], last = first + (1 << p.log_positions) + shared;

    divisive_find_tile(p, origin);
    end = divisive_last_tile(p, origin);
    for (; origin[DIVISIVE_ALONG] < end; origin[DIVISIVE_ALONG] += 1 << p.log_positions) {
        __syncthreads();
        if (kept)
            keep_positions(p, first, kept, tile);
        if constexpr (PASS == DIVISIVE_GRADIENT)
            fill_tile<float, false, IN_ROWS>(p, p.shared, origin, first + kept, last, tile);
        else
            fill_tile<T, true, IN_ROWS>(p, (const T *)p.x, origin, first + kept, last, tile);
        kept = shared <= 1 << p.log_positions ? shared : 0;
        __syncthreads();
        use_tile<T, PASS>(p, origin, (const float *)tile);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T, int PASS>
static int32_t launch(struct divisive_tiles *tiles, const cuda_call *call)
{
    const void *read = PASS == DIVISIVE_GRADIENT ? tiles->shared : tiles->x;
    size_t size = PASS == DIVISIVE_GRADIENT ? sizeof(float) : sizeof(T);

    tiles->vectors = lrn_has_vectors(read, tiles->strides, DIVISIVE_ROW, size);
    return cuda_launch(
        call, tiles->along_rows ? divisive_tile<T, PASS, true> : divisive_tile<T, PASS, false>,
        divisive_blocks(tiles), 1, *tiles);
}

template <class T>
static int32_t run(struct divisive_tiles *tiles, int backward, const cuda_call *call)
{
    int32_t status;

    if (!backward)
        return launch<T, DIVISIVE_FORWARD>(tiles, call);
    status = launch<T, DIVISIVE_FACTORS>(tiles, call);
    if (status)
        return status;
    divisive_reverse_windows(tiles);
    return launch<T, DIVISIVE_GRADIENT>(tiles, call);
}

int32_t divisive_tiles_run(struct divisive_tiles *tiles, int32_t type, int backward,
                           const cuda_call *call)
{
    if (divisive_planes_take(tiles, backward))
        return divisive_planes_run(tiles, type, backward, call);
    if (divisive_channels_take(tiles, backward))
        return divisive_channels_run(tiles, type, backward, call);
    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(tiles, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(tiles, backward, call)
                                        : run<cuda_bfloat16>(tiles, backward, call);
}
