/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the loads of A (x) and B (dy) for wgrad in the family ampere. A thread copies the
 * same chunk of every line, so its tap and channels do not change. All threads together compute
 * the offsets of positions for several tiles at a time, and store them in shared memory. */
#ifndef CUDA_TENSORCORE_AMPERE_WGRAD_LOAD_H
#define CUDA_TENSORCORE_AMPERE_WGRAD_LOAD_H

#include "wgrad_shape.h"

/* The bit of a thread without an m. No position has it. */
#define TC_AMPERE_WGRAD_NEVER (1u << 31)

/* ------------------------------------------------------------------ positions */

/* Returns the mask of a dim's taps that are inside. The first tap reads coordinate `at`. The
 * mask has the taps from `before` up to `until`. */
template <bool DENSE>
__device__ static inline uint32_t tc_ampere_wgrad_mask(const tc_ampere_wgrad_dim &dim, int32_t at)
{
    int32_t before = at < 0 ? -at : 0, until = dim.a_extent > at ? dim.a_extent - at : 0;

    if (!DENSE) {
        before = (int32_t)cuda_divide((uint32_t)(before + dim.at_tap - 1), dim.by_at_tap);
        until = (int32_t)cuda_divide((uint32_t)(until + dim.at_tap - 1), dim.by_at_tap);
    }
    return ((1u << conv_least(until, dim.taps)) - 1) & (~0u << conv_least(before, dim.taps));
}

/* Adds a dim's part to the offsets of a position. Returns the rest of the position's number,
 * which belongs to the earlier dims. */
template <bool DENSE>
__device__ static inline uint32_t tc_ampere_wgrad_walk_dim(tc_ampere_wgrad_position *position,
                                                           const tc_ampere_wgrad_params &job, int d,
                                                           uint32_t index)
{
    const tc_ampere_wgrad_dim &dim = job.dim[d];
    uint32_t left = cuda_divide(index, dim.by_positions);
    int32_t along = (int32_t)(index - left * (uint32_t)dim.positions);
    int32_t at = dim.at + along * dim.at_position;

    position->a.at += at * dim.a;
    position->a.inside |= tc_ampere_wgrad_mask<DENSE>(dim, at) << (TC_AMPERE_BITS * d);
    position->b += along * dim.b;
    return left;
}

__device__ static inline tc_ampere_wgrad_position
tc_ampere_wgrad_position_at(const tc_ampere_wgrad_params &job, int32_t index)
{
    enum { LAST = CONV_DIMS - 1, ALL = 1 | 1 << TC_AMPERE_BITS | 1 << 2 * TC_AMPERE_BITS };
    tc_ampere_wgrad_position position = {{0, 0}, 0, 0};
    uint32_t left = (uint32_t)index;

    if (job.walk == TC_AMPERE_WGRAD_EVEN)
        return {{index * job.dim[LAST].a, ALL}, index * job.dim[LAST].b, 0};
    if (job.walk == TC_AMPERE_WGRAD_PLANES) {
        position.a.inside = 1;
        left = tc_ampere_wgrad_walk_dim<true>(&position, job, LAST, left);
        left = tc_ampere_wgrad_walk_dim<true>(&position, job, LAST - 1, left);
    } else {
#pragma unroll 1
        for (int d = LAST; d >= 0; d--)
            left = tc_ampere_wgrad_walk_dim<false>(&position, job, d, left);
    }
    position.a.at += (int32_t)left * job.a_image;
    position.b += (int32_t)left * job.b_image;
    return position;
}

/* ------------------------------------------------------------------ copies */

template <class S> struct tc_ampere_wgrad_loader {
    typedef typename S::element element;
    typedef typename S::a_tile a_tile;
    typedef typename S::b_tile b_tile;
    enum {
        A_APART = S::THREADS / a_tile::CHUNKS, /* lines */
        B_APART = S::THREADS / b_tile::CHUNKS,
        A_COPIES = (S::TILE_K + A_APART - 1) / A_APART,
        COPIES = A_COPIES + (S::TILE_K + B_APART - 1) / B_APART,
        COPY_STEPS = S::STEPS - 1, /* all steps of a tile but the last */
        COPIES_PER_STEP = (COPIES + COPY_STEPS - 1) / COPY_STEPS
    };
    static_assert(S::THREADS % a_tile::CHUNKS == 0 && S::THREADS % b_tile::CHUNKS == 0,
                  "a thread's chunks have the same m or n");
    static_assert(A_APART % S::EACH == 0 && B_APART % S::EACH == 0,
                  "a thread's lines share a swizzle");

    int32_t a_offset, b_offset; /* offsets of the thread's tap and channels, and of its chunk */
    uint32_t a_to, b_to;        /* addresses of its first lines, within a stage */
    uint32_t inside;            /* bits of the thread's tap */
    int32_t least;              /* smallest offset of an existing position */

    /* Sets the thread's addresses. `results` receives the offset in a filter of each chunk of
     * the tile, or -1 if it has no m. */
    __device__ void begin(const tc_ampere_wgrad_params &job, const tc_ampere_wgrad_block &block,
                          uint32_t shared, int32_t *results)
    {
        const tc_wgrad_output &to = job.results;
        int chunk = (int)threadIdx.x % a_tile::CHUNKS;
        int32_t first = block.first_m + chunk * S::EACH;
        int32_t n = block.first_n + (int)threadIdx.x % b_tile::CHUNKS * S::EACH;
        tc_wgrad_m_index m = tc_wgrad_m_of(to, (uint32_t)first);

        a_offset = block.group * to.channels + m.channel;
        b_offset = (block.group * to.n + n) / S::EACH;
        a_to = shared + (uint32_t)a_tile::chunk_at(line(0), (int)threadIdx.x % a_tile::CHUNKS);
        b_to = shared + a_tile::BYTES +
               (uint32_t)b_tile::chunk_at(line(A_COPIES), (int)threadIdx.x % b_tile::CHUNKS);
        inside = first < to.m ? 0 : TC_AMPERE_WGRAD_NEVER;
#pragma unroll
        for (int d = 0; d < CONV_DIMS; d++) {
            a_offset += m.tap[d] * job.dim[d].tap_a;
            inside |= 1u << (TC_AMPERE_BITS * d + m.tap[d]);
        }
        least = n < to.n ? 0 : INT32_MAX;
        if ((int)threadIdx.x == chunk)
            results[chunk] = first < to.m ? tc_wgrad_m_offset(to, m) : -1;
    }

    __device__ static bool is_in(int copy, int step)
    {
        return copy * COPY_STEPS / COPIES == step;
    }

    __device__ static int line(int copy)
    {
        return copy < A_COPIES ? (int)threadIdx.x / a_tile::CHUNKS + copy * A_APART
                               : (int)threadIdx.x / b_tile::CHUNKS + (copy - A_COPIES) * B_APART;
    }

    /* Returns true if every thread has a line of that copy. Lines beyond the last one are not
     * copied. */
    __device__ static constexpr bool is_whole(int copy)
    {
        return S::TILE_K % (copy < A_COPIES ? (int)A_APART : (int)B_APART) == 0;
    }

    /* Reads the offsets for the copies of a step. */
    __device__ void read(tc_ampere_wgrad_offset (&offsets)[COPIES_PER_STEP],
                         const tc_ampere_wgrad_position *of, int step) const
    {
        int count = 0;

#pragma unroll
        for (int copy = 0; copy < COPIES; copy++) {
            if (!is_in(copy, step))
                continue;
            const tc_ampere_wgrad_position *position =
                of + (is_whole(copy) ? line(copy) : conv_least(line(copy), S::TILE_K - 1));

            if (copy < A_COPIES)
                offsets[count++] = position->a;
            else
                offsets[count++].at = position->b;
        }
    }

    /* Issues the copies of a step. If a copy is not needed, its address is ignored. */
    __device__ void send(const tc_ampere_wgrad_params &job,
                         const tc_ampere_wgrad_offset (&offsets)[COPIES_PER_STEP], uint32_t stage,
                         int step) const
    {
        int count = 0;

#pragma unroll
        for (int copy = 0; copy < COPIES; copy++) {
            if (!is_in(copy, step))
                continue;
            const tc_ampere_wgrad_offset offset = offsets[count++];

            if (!is_whole(copy) && line(copy) >= S::TILE_K)
                continue;
            if (copy < A_COPIES)
                tc_copy(a_to + stage + copy * A_APART * a_tile::CHUNKS * 16,
                        (const element *)job.a + (a_offset + offset.at),
                        (offset.inside & inside) == inside);
            else
                tc_copy(b_to + stage + (copy - A_COPIES) * B_APART * b_tile::CHUNKS * 16,
                        (const uint4 *)job.b + (b_offset + offset.at), offset.at >= least);
        }
    }
};

#endif
