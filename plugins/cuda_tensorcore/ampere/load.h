/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the operands of directions forward and data come to shared memory: the taps of a block's
 * class, the tile that is asked for next, a thread's copies. Terms are taps of channels, channels
 * inside.
 */
#ifndef CUDA_TENSORCORE_AMPERE_LOAD_H
#define CUDA_TENSORCORE_AMPERE_LOAD_H

#include "shape.h"

/* A tap's own bit in the masks of tc_taps_place; of no tap at all, which lies outside of every row.
 */
#define TC_TAPS_NOWHERE (UINT32_C(1) << 31)

/* A tap: places of its channel 0, and one bit of each dim's in the masks of tc_taps_place. */
struct alignas(16) tc_taps_tap {
    int32_t x, other;
    uint32_t inside;
};
static_assert(sizeof(tc_taps_tap) == TC_TAP_BYTES, "the choice counts them");

/* Puts the taps of a class in shared memory. A thread has those of one number along the last dim,
 * which masks have bits for; the last threads begin, since the first ones have rows to place. */
template <class S>
__device__ static inline void tc_taps_note(const tc_taps_view &view, tc_taps_tap *taps)
{
    enum { ALONG = 16, LAST = CONV_DIMS - 1, MIDDLE = LAST - 1 };
    static_assert((int)ALONG >= TC_TAPS_BITS && CONV_DIMS == 3, "a thread a tap of the last dim");
    int32_t along = view.view.dim[LAST].taps, down = view.view.dim[MIDDLE].taps;
    int32_t thread = S::THREADS - 1 - (int32_t)threadIdx.x, t = thread % ALONG;

    if (t >= along)
        return;
#pragma unroll 1
    for (int32_t k = 0; k < view.view.dim[0].taps; k++) {
#pragma unroll 1
        for (int32_t r = thread / ALONG; r < down; r += S::THREADS / ALONG)
            taps[(k * down + r) * along + t] = {
                k * view.tap_x[0] + r * view.tap_x[MIDDLE] + t * view.tap_x[LAST],
                view.first_other + k * view.tap_other[0] + r * view.tap_other[MIDDLE] +
                    t * view.tap_other[LAST],
                1u << k | 1u << (TC_TAPS_BITS * MIDDLE + r) | 1u << (TC_TAPS_BITS * LAST + t)};
    }
}

/* Places of a block's rows. */
template <class S>
__device__ static inline void tc_taps_place_rows(const tc_taps_job &job, const tc_taps_view &view,
                                                 int32_t first, tc_taps_place *rows)
{
    for (int r = (int)threadIdx.x; r < S::ROWS; r += S::THREADS)
        rows[r] = tc_taps_place_at(job.conv, view, first + r);
}

/* Where a block's rows lie in the tensor by position; those of a thread are the same. */
template <class S>
__device__ static inline void tc_taps_position_rows(const tc_taps_job &job,
                                                    const tc_taps_view &view, int32_t first,
                                                    tc_taps_place *rows)
{
    for (int r = (int)threadIdx.x; r < S::ROWS; r += S::THREADS)
        rows[r].position = first + r < view.view.positions
                               ? tc_taps_position(job.conv, view, first + r, false)
                               : -1;
}

/* A term, or the first of a chunk: its tap and channel. */
struct tc_taps_term {
    const tc_taps_tap *at;
    int32_t channel;

    __device__ void begin(const tc_taps_tap *taps, int32_t depth, int32_t term)
    {
        int32_t index = term < depth ? 0 : term / depth;

        at = taps + index;
        channel = term - index * depth;
    }

    /* On by so many whole taps, and less channels than a tap has. */
    __device__ void step(int32_t depth, int32_t taps, int32_t channels)
    {
        channel += channels;
        at += taps;
        if (channel >= depth) {
            channel -= depth;
            at++;
        }
    }
};

/*
 * The tile that is asked for next. PACKED: terms follow each other without gaps, so that every
 * chunk of a line has a tap and a channel of its own, those of this thread's chunk; and to the data
 * so has each of the thread's LINES of filters. Otherwise a tap begins with a tile, and the channel
 * is the tile's first.
 */
template <class S, int LINES> struct tc_taps_next {
    enum { TERMS = S::TERMS, PACKED = S::PACKED };

    tc_taps_term term, line[LINES > 0 ? LINES : 1];
    const tc_taps_tap *end;
    int32_t left;           /* tiles */
    int32_t taps, channels; /* that a tile goes on by */
    tc_taps_tap tap;

    __device__ void look()
    {
        if (left > 0 && term.at < end)
            tap = *term.at;
        else
            tap.inside = TC_TAPS_NOWHERE;
    }

    /* First terms in a tile: `chunk` of this thread's chunk, `first` of its first line; others
     * follow `apart`. */
    __device__ void begin(const tc_taps_tap *list, int32_t count, int32_t depth, int32_t tile,
                          int32_t tiles, int32_t chunk, int32_t first, int32_t apart)
    {
        left = tiles;
        end = list + count;
        tap = {0, 0, 0};
        if (PACKED) {
            taps = depth > TERMS ? 0 : depth == TERMS ? 1 : TERMS / depth;
            channels = TERMS - taps * depth;
            term.begin(list, depth, tile * TERMS + chunk);
#pragma unroll
            for (int i = 0; i < LINES; i++)
                line[i].begin(list, depth, tile * TERMS + first + i * apart);
        } else {
            int32_t each = (depth + TERMS - 1) / TERMS, index = tile > 0 ? tile / each : 0;

            term = {list + index, (tile - index * each) * TERMS};
        }
        look();
    }

    __device__ void step(int32_t depth)
    {
        left--;
        if (PACKED) {
            term.step(depth, taps, channels);
#pragma unroll
            for (int i = 0; i < LINES; i++)
                line[i].step(depth, taps, channels);
        } else {
            term.channel += TERMS;
            if (term.channel >= depth) {
                term.channel = 0;
                term.at++;
            }
        }
        look();
    }
};

/* Where a tile is copied from, and how much of it there is; of lines that have a tap each, which of
 * them. */
template <class E, int LINES> struct tc_taps_source {
    const E *rows, *line;
    uint32_t need; /* bits that rows must have inside */
    int32_t lines; /* of the other operand, from the thread's first on */
    uint32_t stage;
    const E *each[LINES > 0 ? LINES : 1];
    bool real[LINES > 0 ? LINES : 1];
};

/* Copies of a thread: the same chunk of so many lines of either operand. What lies outside has an
 * address that is not read. */
template <class S> struct tc_taps_loader {
    typedef typename S::element element;
    typedef typename S::gathered_tile gathered_tile;
    typedef typename S::other_tile other_tile;
    enum {
        CHUNKS = other_tile::CHUNKS,
        ROWS_APART = S::THREADS / gathered_tile::CHUNKS,
        LINES_APART = S::THREADS / CHUNKS,
        ROWS = S::ROWS / ROWS_APART,
        LINES = other_tile::LINES / LINES_APART,
        COPIES = ROWS + LINES,
        LINE_IS_COLUMN = (int)S::OTHER_LINE == (int)TC_LINE_IS_ROW,
        LINE_IS_TERM = S::PACKED && !LINE_IS_COLUMN, /* and has a tap of its own */
        TERM_LINES = LINE_IS_TERM ? LINES : 0,
        TURNS = LINE_IS_COLUMN || S::EACH == 8 ? 8 : 4 /* lines after which chunks lie alike */
    };
    static_assert(ROWS_APART % 8 == 0 && S::ROWS % ROWS_APART == 0, "rows share a turn");
    static_assert(LINES_APART % TURNS == 0 && other_tile::LINES % LINES_APART == 0,
                  "lines share a turn, and every thread has as many");
    typedef tc_taps_next<S, TERM_LINES> next_tile;
    typedef tc_taps_source<element, TERM_LINES> source_tile;

    const element *gathered, *other;
    uint32_t row_at, line_at; /* in shared memory */
    int32_t columns, step;    /* behind the thread's first line or chunk; from line to line */
    int32_t x[ROWS];          /* rows' places, and their taps inside */
    uint32_t inside[ROWS];

    /* What is easily had again takes no registers. */
    __device__ static int32_t chunk()
    {
        return (int32_t)threadIdx.x % gathered_tile::CHUNKS * S::EACH;
    }

    __device__ static int32_t line()
    {
        return (int32_t)threadIdx.x / CHUNKS;
    }

    __device__ static int32_t along()
    {
        return (int32_t)threadIdx.x % CHUNKS * S::EACH;
    }

    __device__ void begin(const tc_taps_job &job, const tc_taps_block &block,
                          const tc_taps_place *places, uint32_t memory)
    {
        const auto &conv = job.conv;
        int row = (int)threadIdx.x / gathered_tile::CHUNKS;
        int64_t first = block.group * conv.tap_group + block.first_column * conv.tap_column;

        gathered = (const element *)job.x + block.group * conv.depth + (S::PACKED ? 0 : chunk());
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            x[i] = places[row + i * ROWS_APART].x;
            inside[i] = places[row + i * ROWS_APART].inside;
        }
        row_at = memory + (uint32_t)gathered_tile::chunk_at(row, chunk() / S::EACH);
        columns = (int32_t)conv.columns - block.first_column - (LINE_IS_COLUMN ? line() : along());
        step = (int32_t)(LINE_IS_COLUMN ? conv.tap_column : conv.tap_depth);
        other = (const element *)job.other + first + (LINE_IS_COLUMN && S::PACKED ? 0 : along()) +
                (LINE_IS_TERM ? 0 : (int64_t)line() * step);
        line_at = memory + (uint32_t)other_tile::chunk_at(line(), along() / S::EACH) +
                  gathered_tile::BYTES;
    }

    __device__ source_tile source(const next_tile &next, int32_t depth, uint32_t stage) const
    {
        int32_t channel = next.term.channel, left = depth - channel;
        bool real = next.tap.inside != TC_TAPS_NOWHERE;
        source_tile from = {};

        from.rows = gathered + (next.tap.x + channel);
        from.need = S::PACKED || chunk() < left ? next.tap.inside : TC_TAPS_NOWHERE;
        from.stage = stage;
        from.line = other + (next.tap.other + channel * (LINE_IS_COLUMN ? 1 : step));
        if (LINE_IS_COLUMN)
            from.lines = real && (S::PACKED || along() < left) ? columns : 0;
        else
            from.lines = real && columns > 0 ? left - line() : 0;
#pragma unroll
        for (int i = 0; i < TERM_LINES; i++) {
            const tc_taps_term &term = next.line[i];

            from.real[i] = next.left > 0 && term.at < next.end && columns > 0;
            from.each[i] = from.real[i] ? other + (term.at->other + term.channel * step) : other;
        }
        return from;
    }

    /* Number `i` of COPIES, in order. */
    __device__ void copy(source_tile &from, int i) const
    {
        int n = i - ROWS;

        if (i < ROWS) {
            tc_copy(row_at + from.stage + i * ROWS_APART * gathered_tile::CHUNKS * 16,
                    tc_address(from.rows, x[i], (int32_t)sizeof(element)),
                    (from.need & ~inside[i]) == 0);
            return;
        }
        if constexpr (LINE_IS_TERM) {
            tc_copy(line_at + from.stage + n * LINES_APART * CHUNKS * 16, from.each[n],
                    from.real[n]);
        } else {
            tc_copy(line_at + from.stage + n * LINES_APART * CHUNKS * 16, from.line,
                    n * LINES_APART < from.lines);
            from.line = (const element *)tc_address(from.line, step,
                                                    LINES_APART * (int32_t)sizeof(element));
        }
    }
};

#endif
