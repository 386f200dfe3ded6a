/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of fprop and dgrad in the family hopper. Accumulators go through
 * shared memory, 64 rows at a time. TMA stores results that are only rounded, or first get a
 * bias and a ReLU. Threads store results with any other scaling, blending or activation, and the
 * zeros of classes without taps. */
#ifndef CUDA_TENSORCORE_HOPPER_EPILOGUE_H
#define CUDA_TENSORCORE_HOPPER_EPILOGUE_H

#include "shape.h"

/* ------------------------------------------------------------------ results */

/* Stores a slab to C. The rows of a class are not contiguous in C, so an im2col map stores them. */
template <class S>
__device__ static inline void tc_hopper_store_rows(const typename S::job &job, int32_t number,
                                                   uint32_t from, int32_t row, int32_t column)
{
    int32_t width = job.dim[TC_HOPPER_WIDTH].positions, line = row / width;
    int32_t height = job.dim[TC_HOPPER_HEIGHT].positions;

    if constexpr (S::CLASSES > 1)
        tc_tma_store_im2col(&job.c[number], from, column, row - line * width, line % height,
                            line / height);
    else
        tc_tma_store(&job.c[0], from, column, row);
}

/* Writes a line of columns of each row to shared memory, rounded to 16 bits. Lane 8 i + j of a
 * warp passes the address of row j of the 8 x 8 matrix i. The matrices are rows 0 to 7 and 8 to
 * 15 of 8 columns, then those of the next 8 columns. */
template <class E, class F>
__device__ static inline void tc_hopper_put_slab(E, uint32_t to, const float *sum, const F &with)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane % 16, swizzled = line % 8;

#pragma unroll
    for (int32_t c = 0; c < TC_HOPPER_SLAB; c += 16) {
        const float *of = sum + c / 2;
        uint32_t pairs[4];

#pragma unroll
        for (int32_t i = 0; i < 4; i++) {
            float2 bias = with.bias(c + i / 2 * 8 + lane % 4 * 2);

            pairs[i] = tc_round_pair(E(), with.finish(E(), of[2 * i], bias.x),
                                     with.finish(E(), of[2 * i + 1], bias.y));
        }
        tc_stmatrix(to + line * TC_LINE_BYTES + (((c / 8 + lane / 16) ^ swizzled) << 4), pairs);
    }
}

/* Writes a line of columns as floats. Thread t of four has columns 2 t and 2 t + 1 of every 8,
 * in two rows that are 8 apart. */
template <class F>
__device__ static inline void tc_hopper_put_slab(float, uint32_t to, const float *sum,
                                                 const F &with)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane / 4, swizzled = line % 8;

    to += line * TC_LINE_BYTES + lane % 2 * 8;
#pragma unroll
    for (int32_t c = 0; c < TC_LINE_BYTES / 4; c += 8) {
        uint32_t at = to + (((c / 4 + lane % 4 / 2) ^ swizzled) << 4);
        float2 bias = with.bias(c + lane % 4 * 2);
        const float *of = sum + c / 2;

        tc_store_pair(at, with.finish(0.f, of[0], bias.x), with.finish(0.f, of[1], bias.y));
        tc_store_pair(at + 8 * TC_LINE_BYTES, with.finish(0.f, of[2], bias.x),
                      with.finish(0.f, of[3], bias.y));
    }
}

/* Returns a sum saturated to 8 bits. */
__device__ static inline uint32_t tc_hopper_byte(int32_t sum)
{
    int32_t least = sum > INT8_MAX ? INT8_MAX : sum;

    return (uint32_t)(least < INT8_MIN ? INT8_MIN : least) & 0xff;
}

/* Writes a line of columns as 8-bit integers. */
__device__ static inline void tc_hopper_put_slab(int8_t, uint32_t to, const int32_t *sum,
                                                 const tc_as_they_are &)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane / 4, swizzled = line % 8;

    to += line * TC_LINE_BYTES + lane % 4 * 2;
#pragma unroll
    for (int32_t c = 0; c < TC_LINE_BYTES; c += 8)
#pragma unroll
        for (int32_t i = 0; i < 2; i++) {
            const int32_t *of = sum + c / 2 + 2 * i;

            tc_store_bytes(to + ((c / 16 ^ swizzled) << 4) + c % 16 + i * 8 * TC_LINE_BYTES,
                           tc_hopper_byte(of[0]) | tc_hopper_byte(of[1]) << 8);
        }
}

/* Writes the finished and rounded sums to one of a consumer's two buffers; the copy engine
 * stores them from there. */
template <class S, class F>
__device__ static inline void
tc_hopper_store_slab(const typename S::job &job, int32_t number, uint32_t to, int32_t consumer,
                     int32_t row, int32_t column, const typename S::sum *sum, const F &with)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP;

    if (thread == 0)
        tc_tma_store_wait_read<1>();
    tc_warpgroup_sync(1 + consumer);
    tc_hopper_put_slab(typename S::element(), to, sum, with);
    tc_fence_proxy_async();
    tc_warpgroup_sync(1 + consumer);
    if (thread == 0)
        tc_hopper_store_rows<S>(job, number, to, row, column);
}

/* Computes the offsets of a unit's rows in z, or of a class's rows in C. The offset of a row
 * beyond the last one is -1. */
__device__ static inline void tc_hopper_row_offsets(const tc_hopper_params &job,
                                                    const tc_hopper_class &of, int64_t *z,
                                                    int32_t first)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, row = first + thread;
    int32_t line = row / width.positions;

    if (thread < TC_WARPGROUP_ROWS)
        z[thread] = row < job.m ? of.first + row % width.positions * job.z_width +
                                      line % height.positions * job.z_height +
                                      line / height.positions * job.z_image
                                : -1;
}

/* Stores results that are blended, or need a bias and another activation. The sums go unchanged
 * to both buffers, from which adjacent threads read adjacent columns of a row. Lines are
 * swizzled to avoid bank conflicts. */
template <class S>
__device__ static inline void tc_hopper_blend_slab(const tc_hopper_params &job,
                                                   typename S::sum *sums, const int64_t *z,
                                                   int32_t consumer, int32_t row, int32_t column,
                                                   int32_t end, const typename S::sum *sum)
{
    typedef typename S::element element;
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane / 4, mine = thread % TC_HOPPER_SLAB;
    /* The rows between two of a thread, and the rows whose z it reads at once. */
    enum { STEP = TC_WARPGROUP / TC_HOPPER_SLAB, AHEAD = 4 };

    tc_warpgroup_sync(1 + consumer);
#pragma unroll
    for (int32_t i = 0; i < TC_HOPPER_SLAB / 2; i++) {
        int32_t at = line + i / 2 % 2 * 8, c = i / 4 * 8 + lane % 4 * 2 + i % 2;

        sums[at * TC_HOPPER_SLAB + (c ^ at % 8 * 8)] = sum[i];
    }
    tc_warpgroup_sync(1 + consumer);
    if (column + mine >= end)
        return;
#pragma unroll 1
    for (int32_t first = thread / TC_HOPPER_SLAB; first < TC_WARPGROUP_ROWS;
         first += STEP * AHEAD) {
        element summand[AHEAD] = {};

        /* A store may change what a later load reads, as far as the compiler knows. */
#pragma unroll
        for (int32_t j = 0; j < AHEAD; j++) {
            int64_t z_at = z[first + j * STEP];

            if (job.output.z && z_at >= 0 && !tc_is_integer<typename S::math>())
                summand[j] = ((const element *)job.output.z)[z_at + (column + mine) * job.z_step];
        }
#pragma unroll
        for (int32_t j = 0; j < AHEAD; j++) {
            int32_t i = first + j * STEP;
            int64_t at = (S::CLASSES > 1 ? z[i] : (row + i) * job.pitch) + column + mine;
            typename S::sum value = sums[i * TC_HOPPER_SLAB + (mine ^ i % 8 * 8)];

            if (z[i] < 0)
                continue;
            if constexpr (tc_is_integer<typename S::math>())
                conv_store_any(job.output, at, z[i] + (column + mine) * job.z_step, column + mine,
                               value);
            else
                conv_store_with(job.output, at, summand[j], column + mine, value);
        }
    }
}

/* Stores a tile's accumulators, 64 rows at a time. HOW is one of the values of job.results. */
template <class S, int HOW>
__device__ static inline void
tc_hopper_epilogue(const typename S::job &job, const tc_hopper_tile<S> &tile, int32_t consumer,
                   char *memory, int32_t *buffer,
                   const typename S::sum (&sum)[S::UNITS][S::TILE_N / 2])
{
    char *buffers = memory + S::BUFFERS_AT + consumer * 2 * TC_HOPPER_SLAB_BYTES;
    int64_t *z = (int64_t *)(memory + S::OFFSETS_AT) + consumer * TC_WARPGROUP_ROWS;
    int32_t row = tile.row + (S::PING_PONG ? 0 : consumer * S::OWN_M);
    int32_t first = tile.group * job.n, end = first + job.n;
    constexpr int32_t width = HOW == TC_HOPPER_BLENDED ? (int)TC_HOPPER_SLAB : (int)S::SLAB_COLUMNS;

#pragma unroll
    for (int32_t unit = 0; unit < S::UNITS; unit++, row += TC_WARPGROUP_ROWS) {
        if constexpr (HOW == TC_HOPPER_BLENDED) {
            tc_warpgroup_sync(1 + consumer);
            tc_hopper_row_offsets(job, job.of[tile.number], z, row);
        }
#pragma unroll
        for (int32_t slab = 0; slab < S::TILE_N / width; slab++) {
            int32_t column = first + tile.column + slab * width;
            const typename S::sum *of = &sum[unit][slab * width / 2];
            uint32_t to = tc_shared_address(buffers) + *buffer * TC_HOPPER_SLAB_BYTES;

            if (column >= end)
                break;
            if constexpr (HOW == TC_HOPPER_BLENDED)
                tc_hopper_blend_slab<S>(job, (typename S::sum *)buffers, z, consumer, row, column,
                                        end, of);
            else if constexpr (HOW == TC_HOPPER_BIASED)
                tc_hopper_store_slab<S>(
                    job, tile.number, to, consumer, row, column, of,
                    tc_biased<typename S::element>{job.output, job.bounds, column, end});
            else
                tc_hopper_store_slab<S>(job, tile.number, to, consumer, row, column, of,
                                        tc_as_they_are());
            *buffer ^= 1;
        }
    }
}

/* ------------------------------------------------------------------ classes without taps */

/* Stores zeros in columns `column` up to `end` of a unit's rows, 16 bytes at a time. */
template <class S>
__device__ static inline void tc_hopper_store_zeros(const tc_hopper_params &job, const int64_t *z,
                                                    int32_t column, int32_t end)
{
    enum { EACH = 16 / sizeof(typename S::element), CHUNKS = S::TILE_N / EACH };

#pragma unroll 1
    for (int32_t i = (int32_t)threadIdx.x % TC_WARPGROUP; i < TC_WARPGROUP_ROWS * CHUNKS;
         i += TC_WARPGROUP) {
        int32_t row = i / CHUNKS, at = column + i % CHUNKS * EACH;

        if (z[row] >= 0 && at < end)
            *(uint4 *)((typename S::element *)job.output.data + z[row] + at) = {0, 0, 0, 0};
    }
}

/* Stores sums of 0, blended. */
template <class S>
__device__ static inline void tc_hopper_blend_zeros(const tc_hopper_params &job, const int64_t *z,
                                                    int32_t column, int32_t end)
{
#pragma unroll 1
    for (int32_t i = (int32_t)threadIdx.x % TC_WARPGROUP; i < TC_WARPGROUP_ROWS * S::TILE_N;
         i += TC_WARPGROUP) {
        int32_t row = i / S::TILE_N, at = column + i % S::TILE_N;

        if (z[row] >= 0 && at < end)
            conv_store<typename S::element>(job.output, z[row] + at, z[row] + at * job.z_step, at,
                                            (typename S::sum)0);
    }
}

/* Stores a tile of a class without taps by threads. The copy engine stores the row of one pixel
 * at a time, and took longer than the memory traffic requires. */
template <class S>
__device__ static inline void tc_hopper_store_absent(const typename S::job &job,
                                                     const tc_hopper_tile<S> &tile,
                                                     int32_t consumer, char *memory)
{
    int64_t *z = (int64_t *)(memory + S::OFFSETS_AT) + consumer * TC_WARPGROUP_ROWS;
    int32_t row = tile.row + (S::PING_PONG ? 0 : consumer * S::OWN_M);
    int32_t first = tile.group * job.n, end = first + job.n;

#pragma unroll 1
    for (int32_t unit = 0; unit < S::UNITS; unit++, row += TC_WARPGROUP_ROWS) {
        tc_warpgroup_sync(1 + consumer);
        tc_hopper_row_offsets(job, job.of[tile.number], z, row);
        tc_warpgroup_sync(1 + consumer);
        if (job.results == TC_HOPPER_ROUNDED)
            tc_hopper_store_zeros<S>(job, z, first + tile.column, end);
        else
            tc_hopper_blend_zeros<S>(job, z, first + tile.column, end);
    }
}

#endif
