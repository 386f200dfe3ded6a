/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How operands come to shared memory in direction filter of the family taps. A thread copies the
 * same chunk of every line, so its tap and channels stay what they are; places of positions are
 * worked out by all threads together, those of several tiles at a time, and lie in shared memory.
 */
#ifndef CUDA_TENSORCORE_TAPS_FILTER_LOAD_H
#define CUDA_TENSORCORE_TAPS_FILTER_LOAD_H

#include "taps_filter_shape.h"

/* Bit of a thread that has no row: no place has it. */
#define TC_FILTER_NEVER (1u << 31)

/* ------------------------------------------------------------------ places */

/* Bits of a dim's taps that lie inside, the first one being over coordinate `at`. */
__device__ static inline uint32_t
tc_filter_inside(const conv_view_dim &dim, const cuda_divisor &by_tap, int32_t gathered, int32_t at)
{
    int32_t room = gathered - at, up = dim.at_tap - 1;
    int32_t before = at < 0 ? (int32_t)cuda_divide((uint32_t)(up - at), by_tap) : 0;
    int32_t until = room > 0 ? (int32_t)cuda_divide((uint32_t)(room + up), by_tap) : 0;

    return ((1u << conv_least(until, dim.taps)) - 1) & (~0u << conv_least(before, dim.taps));
}

__device__ static inline tc_filter_place
tc_filter_place_at(const tc_conv &conv, const tc_taps_view &view, int32_t index, int32_t each)
{
    tc_filter_place place = {{0, 0}, 0, 0};
    uint32_t left = (uint32_t)index;
    int64_t position = 0;

#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.view.dim[d];
        uint32_t next = cuda_divide(left, view.by[d]);
        int32_t along = (int32_t)(left - next * (uint32_t)dim.positions);
        int32_t at = dim.at + along * dim.at_position;

        left = next;
        place.x.at += at * (int32_t)conv.dim[CONV_FIRST + d].x;
        place.x.inside |=
            tc_filter_inside(dim, view.by_tap[d], (int32_t)conv.dim[CONV_FIRST + d].gathered, at)
            << (TC_TAPS_BITS * d);
        position += along * conv.dim[CONV_FIRST + d].position;
    }
    place.x.at += (int32_t)left * (int32_t)conv.x_image;
    place.position = (int32_t)((position + left * conv.position_image) / each);
    return place;
}

/* ------------------------------------------------------------------ copies */

template <class S> struct tc_filter_loader {
    typedef typename S::element element;
    typedef typename S::gathered_tile gathered_tile;
    typedef typename S::other_tile other_tile;
    enum {
        GATHERED_APART = S::THREADS / gathered_tile::CHUNKS, /* lines */
        OTHER_APART = S::THREADS / other_tile::CHUNKS,
        GATHERED = (S::TERMS + GATHERED_APART - 1) / GATHERED_APART,
        COPIES = GATHERED + (S::TERMS + OTHER_APART - 1) / OTHER_APART,
        PARTS = S::STEPS - 1, /* a part of the copies in each step but a tile's last */
        MOST = (COPIES + PARTS - 1) / PARTS
    };
    static_assert(S::THREADS % gathered_tile::CHUNKS == 0 && S::THREADS % other_tile::CHUNKS == 0,
                  "a thread's chunks lie in one column");
    static_assert(GATHERED_APART % S::EACH == 0 && OTHER_APART % S::EACH == 0,
                  "chunks of a thread's lines have one place in them");

    int32_t gathered, other;        /* offset of the thread's tap and channels; chunk */
    uint32_t gathered_to, other_to; /* of the first line, in a stage */
    uint32_t inside;                /* bits of the thread's tap */
    int32_t least;                  /* position that is one */

    __device__ void begin(const tc_taps_job &job, const tc_taps_view &view,
                          const tc_taps_block &block, uint32_t shared)
    {
        const auto &conv = job.conv;
        int32_t row = block.first_row + (int)threadIdx.x % gathered_tile::CHUNKS * S::EACH;
        int32_t column = block.first_column + (int)threadIdx.x % other_tile::CHUNKS * S::EACH;
        int32_t tap = row / (int32_t)conv.depth;

        gathered = block.group * (int32_t)conv.depth + row - tap * (int32_t)conv.depth;
        other = (block.group * (int32_t)conv.columns + column) / S::EACH;
        gathered_to = shared + (uint32_t)gathered_tile::chunk_at(
                                   line(0), (int)threadIdx.x % gathered_tile::CHUNKS);
        other_to =
            shared + gathered_tile::BYTES +
            (uint32_t)other_tile::chunk_at(line(GATHERED), (int)threadIdx.x % other_tile::CHUNKS);
        inside = row < view.view.taps ? 0 : TC_FILTER_NEVER;
#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            int32_t taps = view.view.dim[d].taps, t = tap % taps;

            tap /= taps;
            gathered += t * view.tap_x[d];
            inside |= 1u << (TC_TAPS_BITS * d + t);
        }
        least = column < (int32_t)conv.columns ? 0 : INT32_MAX;
    }

    __device__ static bool is_in(int copy, int part)
    {
        return copy * PARTS / COPIES == part;
    }

    __device__ static int line(int copy)
    {
        return copy < GATHERED
                   ? (int)threadIdx.x / gathered_tile::CHUNKS + copy * GATHERED_APART
                   : (int)threadIdx.x / other_tile::CHUNKS + (copy - GATHERED) * OTHER_APART;
    }

    /* Whether every thread has a line of that copy; what lies beyond the last is not copied. */
    __device__ static constexpr bool is_whole(int copy)
    {
        return S::TERMS % (copy < GATHERED ? (int)GATHERED_APART : (int)OTHER_APART) == 0;
    }

    /* The places that a part's copies need. */
    __device__ void read(tc_filter_from (&places)[MOST], const tc_filter_place *of, int part) const
    {
        int n = 0;

#pragma unroll
        for (int copy = 0; copy < COPIES; copy++) {
            if (!is_in(copy, part))
                continue;
            const tc_filter_place *place =
                of + (is_whole(copy) ? line(copy) : conv_least(line(copy), S::TERMS - 1));

            if (copy < GATHERED)
                places[n++] = place->x;
            else
                places[n++].at = place->position;
        }
    }

    /* Where a copy is not wanted its address is not looked at. */
    __device__ void send(const tc_taps_job &job, const tc_filter_from (&places)[MOST],
                         uint32_t stage, int part) const
    {
        int n = 0;

#pragma unroll
        for (int copy = 0; copy < COPIES; copy++) {
            if (!is_in(copy, part))
                continue;
            const tc_filter_from place = places[n++];

            if (!is_whole(copy) && line(copy) >= S::TERMS)
                continue;
            if (copy < GATHERED)
                tc_copy(gathered_to + stage + copy * GATHERED_APART * gathered_tile::CHUNKS * 16,
                        (const element *)job.x + (gathered + place.at),
                        (place.inside & inside) == inside);
            else
                tc_copy(other_to + stage +
                            (copy - GATHERED) * OTHER_APART * other_tile::CHUNKS * 16,
                        (const uint4 *)job.other + (other + place.at), place.at >= least);
        }
    }
};

#endif
