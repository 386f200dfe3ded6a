/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of operands from memory to shared memory, a tile at a time. An element of the gathered
 * operand lies where its row's place and its term's place add up to; one of the other operand at
 * its term's place plus a step for each column (conv.h). Places are worked out once for a block
 * (rows) or once for a tile (terms), and kept in shared memory.
 *
 * By 16 bytes, where neighbours in memory are neighbours in the tile, the copy goes on by itself;
 * where the code has no such copies, and element by element, values stay in registers between
 * fetch() and put(), while the tile before is multiplied. What lies outside becomes 0, in both
 * operands: 0 times anything would not do.
 */
#ifndef CUDA_TENSORCORE_MMA_LOAD_H
#define CUDA_TENSORCORE_MMA_LOAD_H

#include "../common/job.h"
#include "../common/tile.h"

/* Where a block finds places and coordinates. */
struct tc_places {
    const tc_block *block;
    const conv_place *rows;  /* one for each */
    const conv_place *terms; /* of the tile at hand, one for each `UNIT` of them */
};

/* A chunk on its way through registers. */
template <class E> union tc_chunk {
    uint4 whole;
    E element[16 / sizeof(E)];
};

template <class T, class S, int LINE_IS, int HOW> struct tc_loader {
    typedef typename T::element element;
    enum {
        THREADS = S::THREADS,
        EACH = T::EACH,
        COUNT = T::LINES * T::CHUNKS / THREADS, /* chunks of a thread */
        UNIT = S::UNIT,
        COPIES = HOW == TC_BY_16 && TC_COPIES
    };
    static_assert(T::LINES * T::CHUNKS % THREADS == 0, "every thread has as many chunks");
    tc_chunk<element> held[COUNT];

    /* Line and chunk of this thread's number e. Neighbouring threads follow the chunks of a line,
     * or the lines. */
    __device__ static void mine(int e, bool by_line, int *line, int *chunk)
    {
        int i = (int)threadIdx.x + e * THREADS;

        *line = by_line ? i % T::LINES : i / T::CHUNKS;
        *chunk = by_line ? i / T::LINES : i % T::CHUNKS;
    }

    __device__ void take(int e, char *to, int line, int chunk, const element *from,
                         const element *base, bool inside)
    {
        if (COPIES)
            tc_copy(to + T::chunk_at(line, chunk), inside ? from : base, inside);
        else if (inside)
            held[e].whole = *(const uint4 *)from;
        else
            held[e].whole = {0, 0, 0, 0};
    }

    __device__ void put(char *to, bool by_line) const
    {
        if constexpr (!COPIES) {
#pragma unroll
            for (int e = 0; e < COUNT; e++) {
                int line, chunk;

                mine(e, by_line, &line, &chunk);
                *(uint4 *)(to + T::chunk_at(line, chunk)) = held[e].whole;
            }
        }
    }
};

/* The gathered operand. */
template <class T, class S, int LINE_IS, int HOW>
struct tc_gathered : tc_loader<T, S, LINE_IS, HOW> {
    typedef tc_loader<T, S, LINE_IS, HOW> loader;
    typedef typename T::element element;

    __device__ void fetch(const tc_job &job, const tc_places &places, char *to)
    {
        const element *base = (const element *)job.x, *x = base + places.block->x;
        bool by_line = HOW == TC_BY_ELEMENT && job.gathers_by_row;

#pragma unroll
        for (int e = 0; e < loader::COUNT; e++) {
            int line, chunk;

            loader::mine(e, by_line, &line, &chunk);
            if (HOW == TC_BY_16) {
                const conv_place &row =
                    places.rows[LINE_IS == TC_LINE_IS_ROW ? line : chunk * loader::EACH];
                const conv_place &term = places.terms[LINE_IS == TC_LINE_IS_ROW ? chunk : line];

                loader::take(e, to, line, chunk, x + row.x + term.x, base,
                             conv_is_inside(job.conv, row, term));
            } else {
                const conv_place row = places.rows[line];

#pragma unroll
                for (int i = 0; i < loader::EACH; i++) {
                    const conv_place &term = places.terms[chunk * loader::EACH + i];

                    if (conv_is_inside(job.conv, row, term))
                        loader::held[e].element[i] = x[row.x + term.x];
                    else
                        loader::held[e].element[i] = {};
                }
            }
        }
    }

    __device__ void put(const tc_job &job, char *to) const
    {
        loader::put(to, HOW == TC_BY_ELEMENT && job.gathers_by_row);
    }
};

/* The other operand. */
template <class T, class S, int LINE_IS, int HOW> struct tc_other : tc_loader<T, S, LINE_IS, HOW> {
    typedef tc_loader<T, S, LINE_IS, HOW> loader;
    typedef typename T::element element;

    /* `first` is the tile's first term. */
    __device__ void fetch(const tc_job &job, const tc_places &places, int32_t first, char *to)
    {
        const tc_block &block = *places.block;
        int32_t left = block.summed - first;
        int64_t step = conv_rows_are_taps(job) ? job.conv.position.step : job.conv.tap_column;
        const element *base = (const element *)job.other, *others = base + block.other;
        bool by_line = HOW == TC_BY_ELEMENT && job.other_by_column;

#pragma unroll
        for (int e = 0; e < loader::COUNT; e++) {
            int line, chunk;

            loader::mine(e, by_line, &line, &chunk);
            if (HOW == TC_BY_16 && LINE_IS == TC_LINE_IS_ROW) {
                loader::take(e, to, line, chunk, others + places.terms[chunk].other + line * step,
                             base, line < block.columns && chunk * loader::EACH < left);
            } else if (HOW == TC_BY_16) {
                int64_t term = places.terms[line / loader::UNIT].other +
                               line % loader::UNIT * job.conv.tap_depth;

                loader::take(e, to, line, chunk, others + term + chunk * loader::EACH, base,
                             line < left && chunk * loader::EACH < block.columns);
            } else {
                const element *from = others + line * step;

#pragma unroll
                for (int i = 0; i < loader::EACH; i++) {
                    int term = chunk * loader::EACH + i;

                    if (line < block.columns && term < left)
                        loader::held[e].element[i] = from[places.terms[term].other];
                    else
                        loader::held[e].element[i] = {};
                }
            }
        }
    }

    __device__ void put(const tc_job &job, char *to) const
    {
        loader::put(to, HOW == TC_BY_ELEMENT && job.other_by_column);
    }
};

#endif
