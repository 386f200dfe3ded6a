/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the loads of A and B for fprop and dgrad in the family ampere: the taps of a
 * block's class, the next tile along K, and a thread's copies by cp.async. K counts taps and
 * channels; channels vary fastest. */
#ifndef CUDA_TENSORCORE_AMPERE_LOAD_H
#define CUDA_TENSORCORE_AMPERE_LOAD_H

#include "shape.h"

/* The bit of a missing tap in the masks of tc_ampere_position. It is outside at every position. */
#define TC_AMPERE_OUTSIDE (UINT32_C(1) << 31)

/* A tap: the offsets of its channel 0 in A and B, and one bit per dim in the masks of
 * tc_ampere_position. */
struct alignas(16) tc_ampere_tap {
    int32_t a, b;
    uint32_t inside;
};

/* Writes the taps of a class to shared memory. A thread handles the taps of one index along the
 * last dim, for which masks have bits. The last threads do this, because the first ones compute
 * positions. */
template <class S>
__device__ static inline void tc_ampere_list_taps(const tc_ampere_view &view, tc_ampere_tap *taps)
{
    enum { ALONG = 16, LAST = CONV_DIMS - 1, MIDDLE = LAST - 1 };
    static_assert((int)ALONG >= TC_AMPERE_BITS && CONV_DIMS == 3, "a thread a tap of the last dim");
    int32_t taps_s = view.view.dim[LAST].taps, taps_r = view.view.dim[MIDDLE].taps;
    int32_t thread = S::THREADS - 1 - (int32_t)threadIdx.x, s = thread % ALONG;

    if (s >= taps_s)
        return;
#pragma unroll 1
    for (int32_t t = 0; t < view.view.dim[0].taps; t++) {
#pragma unroll 1
        for (int32_t r = thread / ALONG; r < taps_r; r += S::THREADS / ALONG)
            taps[(t * taps_r + r) * taps_s + s] = {
                t * view.tap_a[0] + r * view.tap_a[MIDDLE] + s * view.tap_a[LAST],
                view.first_b + t * view.tap_b[0] + r * view.tap_b[MIDDLE] + s * view.tap_b[LAST],
                1u << t | 1u << (TC_AMPERE_BITS * MIDDLE + r) | 1u << (TC_AMPERE_BITS * LAST + s)};
    }
}

/* Computes the positions of a block's M. */
template <class S>
__device__ static inline void tc_ampere_fill_positions(const tc_ampere_params &job,
                                                       const tc_ampere_view &view, int32_t first,
                                                       tc_ampere_position *positions)
{
    for (int r = (int)threadIdx.x; r < S::TILE_M; r += S::THREADS)
        positions[r] = tc_ampere_position_at(job.conv, view, first + r);
}

/* Computes the output offsets of a block's M. A thread handles the same m as in
 * tc_ampere_fill_positions. */
template <class S>
__device__ static inline void
tc_ampere_fill_output_offsets(const tc_ampere_params &job, const tc_ampere_view &view,
                              int32_t first, tc_ampere_position *positions)
{
    for (int r = (int)threadIdx.x; r < S::TILE_M; r += S::THREADS)
        positions[r].c = first + r < view.view.positions
                             ? tc_ampere_output_offset(job.conv, view, first + r, false)
                             : -1;
}

/* An index along K, or the first index of a chunk: its tap and channel. */
struct tc_ampere_k_index {
    const tc_ampere_tap *tap;
    int32_t channel;

    __device__ void begin(const tc_ampere_tap *taps, int32_t channels, int32_t k)
    {
        int32_t index = k < channels ? 0 : k / channels;

        tap = taps + index;
        channel = k - index * channels;
    }

    /* Advances by `taps` whole taps and by `rest` channels, which are less than a tap. */
    __device__ void advance(int32_t channels, int32_t taps, int32_t rest)
    {
        channel += rest;
        tap += taps;
        if (channel >= channels) {
            channel -= channels;
            tap++;
        }
    }
};

/* The next tile to load. If PACKED is 1, k has no gaps between taps. Each chunk of a line then
 * has its own tap and channel, and `k` is that of this thread's chunk. In dgrad, each of the
 * thread's LINES of filters also has its own. Otherwise a tap begins a new tile, and the channel
 * is the tile's first one. */
template <class S, int LINES> struct tc_ampere_next_tile {
    enum { TILE_K = S::TILE_K, PACKED = S::PACKED };

    tc_ampere_k_index k, line[LINES > 0 ? LINES : 1];
    const tc_ampere_tap *end;
    int32_t left;       /* tiles left */
    int32_t taps, rest; /* distance to the next tile */
    tc_ampere_tap tap;

    __device__ void look()
    {
        if (left > 0 && k.tap < end)
            tap = *k.tap;
        else
            tap.inside = TC_AMPERE_OUTSIDE;
    }

    /* Sets the first tile. In a tile, `chunk` is the k of this thread's chunk, and `first` the k
     * of its first line; further lines follow `apart` k later. */
    __device__ void begin(const tc_ampere_tap *list, int32_t count, int32_t channels, int32_t tile,
                          int32_t tiles, int32_t chunk, int32_t first, int32_t apart)
    {
        left = tiles;
        end = list + count;
        tap = {0, 0, 0};
        if (PACKED) {
            taps = channels > TILE_K ? 0 : channels == TILE_K ? 1 : TILE_K / channels;
            rest = TILE_K - taps * channels;
            k.begin(list, channels, tile * TILE_K + chunk);
#pragma unroll
            for (int i = 0; i < LINES; i++)
                line[i].begin(list, channels, tile * TILE_K + first + i * apart);
        } else {
            int32_t tiles_per_tap = (channels + TILE_K - 1) / TILE_K,
                    index = tile > 0 ? tile / tiles_per_tap : 0;

            k = {list + index, (tile - index * tiles_per_tap) * TILE_K};
        }
        look();
    }

    __device__ void advance(int32_t channels)
    {
        left--;
        if (PACKED) {
            k.advance(channels, taps, rest);
#pragma unroll
            for (int i = 0; i < LINES; i++)
                line[i].advance(channels, taps, rest);
        } else {
            k.channel += TILE_K;
            if (k.channel >= channels) {
                k.channel = 0;
                k.tap++;
            }
        }
        look();
    }
};

/* The source of a tile's copies and their number. If lines have their own taps, it holds an
 * address per line. */
template <class E, int LINES> struct tc_ampere_source {
    const E *a, *b;
    uint32_t need;   /* bits that positions must have in their masks */
    int32_t b_lines; /* lines of B, from the thread's first one on */
    uint32_t stage;
    const E *b_line[LINES > 0 ? LINES : 1];
    bool b_is_real[LINES > 0 ? LINES : 1];
};

/* The copies of a thread: the same chunk of several lines of either operand. Copies outside the
 * tensor have addresses that are not read. */
template <class S> struct tc_ampere_loader {
    typedef typename S::element element;
    typedef typename S::a_tile a_tile;
    typedef typename S::b_tile b_tile;
    enum {
        CHUNKS = b_tile::CHUNKS,
        A_APART = S::THREADS / a_tile::CHUNKS,
        B_APART = S::THREADS / CHUNKS,
        A_COPIES = S::TILE_M / A_APART,
        B_COPIES = b_tile::LINES / B_APART,
        COPIES = A_COPIES + B_COPIES,
        B_IS_K_MAJOR = (int)S::B_MAJOR == (int)TC_K_MAJOR,
        B_LINES_HAVE_TAPS = S::PACKED && !B_IS_K_MAJOR, /* 1 if each line has its own tap */
        TAP_LINES = B_LINES_HAVE_TAPS ? B_COPIES : 0,
        SWIZZLE_LINES =
            B_IS_K_MAJOR || S::EACH == 8 ? 8 : 4 /* lines after which the swizzle repeats */
    };
    static_assert(A_APART % 8 == 0 && S::TILE_M % A_APART == 0,
                  "lines of a thread share a swizzle");
    static_assert(B_APART % SWIZZLE_LINES == 0 && b_tile::LINES % B_APART == 0,
                  "lines of a thread share a swizzle, and every thread has as many");
    typedef tc_ampere_next_tile<S, TAP_LINES> next_tile;
    typedef tc_ampere_source<element, TAP_LINES> source_tile;

    const element *a_base, *b_base;
    uint32_t a_to, b_to;  /* addresses in shared memory */
    int32_t n_left, step; /* n from the thread's first line or chunk on; step per line */
    /* The offsets of the thread's positions, and the masks of taps inside. */
    int32_t a_offset[A_COPIES];
    uint32_t inside[A_COPIES];

    /* These functions recompute values that would otherwise occupy registers. */
    __device__ static int32_t chunk()
    {
        return (int32_t)threadIdx.x % a_tile::CHUNKS * S::EACH;
    }

    __device__ static int32_t line()
    {
        return (int32_t)threadIdx.x / CHUNKS;
    }

    __device__ static int32_t along()
    {
        return (int32_t)threadIdx.x % CHUNKS * S::EACH;
    }

    __device__ void begin(const tc_ampere_params &job, const tc_ampere_block &block,
                          const tc_ampere_position *positions, uint32_t memory)
    {
        const auto &conv = job.conv;
        int m = (int)threadIdx.x / a_tile::CHUNKS;
        int64_t first = block.group * conv.tap_group + block.first_n * conv.tap_n;

        a_base = (const element *)job.a + block.group * conv.channels + (S::PACKED ? 0 : chunk());
#pragma unroll
        for (int i = 0; i < A_COPIES; i++) {
            a_offset[i] = positions[m + i * A_APART].a;
            inside[i] = positions[m + i * A_APART].inside;
        }
        a_to = memory + (uint32_t)a_tile::chunk_at(m, chunk() / S::EACH);
        n_left = (int32_t)conv.n - block.first_n - (B_IS_K_MAJOR ? line() : along());
        step = (int32_t)(B_IS_K_MAJOR ? conv.tap_n : conv.tap_channel);
        b_base = (const element *)job.b + first + (B_IS_K_MAJOR && S::PACKED ? 0 : along()) +
                 (B_LINES_HAVE_TAPS ? 0 : (int64_t)line() * step);
        b_to = memory + (uint32_t)b_tile::chunk_at(line(), along() / S::EACH) + a_tile::BYTES;
    }

    __device__ source_tile source(const next_tile &next, int32_t channels, uint32_t stage) const
    {
        int32_t channel = next.k.channel, left = channels - channel;
        bool real = next.tap.inside != TC_AMPERE_OUTSIDE;
        source_tile from = {};

        from.a = a_base + (next.tap.a + channel);
        from.need = S::PACKED || chunk() < left ? next.tap.inside : TC_AMPERE_OUTSIDE;
        from.stage = stage;
        from.b = b_base + (next.tap.b + channel * (B_IS_K_MAJOR ? 1 : step));
        if (B_IS_K_MAJOR)
            from.b_lines = real && (S::PACKED || along() < left) ? n_left : 0;
        else
            from.b_lines = real && n_left > 0 ? left - line() : 0;
#pragma unroll
        for (int i = 0; i < TAP_LINES; i++) {
            const tc_ampere_k_index &k = next.line[i];

            from.b_is_real[i] = next.left > 0 && k.tap < next.end && n_left > 0;
            from.b_line[i] = from.b_is_real[i] ? b_base + (k.tap->b + k.channel * step) : b_base;
        }
        return from;
    }

    /* Issues copy `i` of COPIES. The copies must be issued in order. */
    __device__ void copy(source_tile &from, int i) const
    {
        int n = i - A_COPIES;

        if (i < A_COPIES) {
            tc_copy(a_to + from.stage + i * A_APART * a_tile::CHUNKS * 16,
                    tc_address(from.a, a_offset[i], (int32_t)sizeof(element)),
                    (from.need & ~inside[i]) == 0);
            return;
        }
        if constexpr (B_LINES_HAVE_TAPS) {
            tc_copy(b_to + from.stage + n * B_APART * CHUNKS * 16, from.b_line[n],
                    from.b_is_real[n]);
        } else {
            tc_copy(b_to + from.stage + n * B_APART * CHUNKS * 16, from.b,
                    n * B_APART < from.b_lines);
            from.b = (const element *)tc_address(from.b, step, B_APART * (int32_t)sizeof(element));
        }
    }
};

#endif
