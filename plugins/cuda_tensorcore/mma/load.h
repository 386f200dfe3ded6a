/* SPDX-License-Identifier: Apache-2.0 */
/* Loads tiles of A and B into shared memory, for the family mma. The offset of an element of A is
 * the sum of the offsets of its m and its k. The offset of an element of B is that of its k, plus a
 * step per n (conv.h). Coordinates are computed once per block (m) or once per tile (k), and are
 * stored in shared memory.
 *
 * If 16 contiguous bytes in memory are also contiguous in the tile, cp.async copies them.
 * Otherwise, and in code without cp.async, values stay in registers between fetch() and put(),
 * while the previous tile is multiplied. Elements outside the tensor become 0 in both operands,
 * because 0 times Inf or NaN is not 0. */
#ifndef CUDA_TENSORCORE_MMA_LOAD_H
#define CUDA_TENSORCORE_MMA_LOAD_H

#include "../common/job.h"
#include "../common/tile.h"

/* The coordinates that the loads of a block use. */
struct tc_coords {
    const tc_block *block;
    const conv_coords *m; /* one per m of the tile */
    const conv_coords *k; /* one per UNIT k of the current tile */
};

/* A chunk of 16 bytes, held in registers during its load. */
template <class E> union tc_chunk {
    uint4 whole;
    E element[16 / sizeof(E)];
};

template <class T, class S, int MAJOR, int LOAD> struct tc_loader {
    typedef typename T::element element;
    enum {
        THREADS = S::THREADS,
        EACH = T::EACH,
        COUNT = T::LINES * T::CHUNKS / THREADS, /* chunks per thread */
        UNIT = S::UNIT,
        COPIES = LOAD == TC_LOAD_16_BYTES && TC_HAS_CP_ASYNC
    };
    static_assert(T::LINES * T::CHUNKS % THREADS == 0, "every thread has as many chunks");
    tc_chunk<element> held[COUNT];

    /* Computes the line and the chunk of this thread's item e. Adjacent threads process adjacent
     * lines if by_line is true, otherwise adjacent chunks of a line. */
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

/* The loader of operand A. */
template <class T, class S, int MAJOR, int LOAD> struct tc_loader_a : tc_loader<T, S, MAJOR, LOAD> {
    typedef tc_loader<T, S, MAJOR, LOAD> loader;
    typedef typename T::element element;

    __device__ void fetch(const tc_job &job, const tc_coords &coords, char *to)
    {
        const element *base = (const element *)job.a, *x = base + coords.block->a;
        bool by_line = LOAD == TC_LOAD_ELEMENTS && job.a_is_m_major;

#pragma unroll
        for (int e = 0; e < loader::COUNT; e++) {
            int line, chunk;

            loader::mine(e, by_line, &line, &chunk);
            if (LOAD == TC_LOAD_16_BYTES) {
                const conv_coords &m = coords.m[MAJOR == TC_K_MAJOR ? line : chunk * loader::EACH];
                const conv_coords &k = coords.k[MAJOR == TC_K_MAJOR ? chunk : line];

                loader::take(e, to, line, chunk, x + m.a + k.a, base,
                             conv_is_inside(job.conv, m, k));
            } else {
                const conv_coords m = coords.m[line];

#pragma unroll
                for (int i = 0; i < loader::EACH; i++) {
                    const conv_coords &k = coords.k[chunk * loader::EACH + i];

                    if (conv_is_inside(job.conv, m, k))
                        loader::held[e].element[i] = x[m.a + k.a];
                    else
                        loader::held[e].element[i] = {};
                }
            }
        }
    }

    __device__ void put(const tc_job &job, char *to) const
    {
        loader::put(to, LOAD == TC_LOAD_ELEMENTS && job.a_is_m_major);
    }
};

/* The loader of operand B. */
template <class T, class S, int MAJOR, int LOAD> struct tc_loader_b : tc_loader<T, S, MAJOR, LOAD> {
    typedef tc_loader<T, S, MAJOR, LOAD> loader;
    typedef typename T::element element;

    /* Begins the load of a tile. `first` is the tile's first k. */
    __device__ void fetch(const tc_job &job, const tc_coords &coords, int32_t first, char *to)
    {
        const tc_block &block = *coords.block;
        int32_t left = block.k - first;
        int64_t step = conv_job_is_wgrad(job) ? job.conv.position.step : job.conv.tap_n;
        const element *base = (const element *)job.b, *b_base = base + block.b;
        bool by_line = LOAD == TC_LOAD_ELEMENTS && job.b_is_n_major;

#pragma unroll
        for (int e = 0; e < loader::COUNT; e++) {
            int line, chunk;

            loader::mine(e, by_line, &line, &chunk);
            if (LOAD == TC_LOAD_16_BYTES && MAJOR == TC_K_MAJOR) {
                loader::take(e, to, line, chunk, b_base + coords.k[chunk].bc + line * step, base,
                             line < block.n && chunk * loader::EACH < left);
            } else if (LOAD == TC_LOAD_16_BYTES) {
                int64_t k =
                    coords.k[line / loader::UNIT].bc + line % loader::UNIT * job.conv.tap_channel;

                loader::take(e, to, line, chunk, b_base + k + chunk * loader::EACH, base,
                             line < left && chunk * loader::EACH < block.n);
            } else {
                const element *from = b_base + line * step;

#pragma unroll
                for (int i = 0; i < loader::EACH; i++) {
                    int k = chunk * loader::EACH + i;

                    if (line < block.n && k < left)
                        loader::held[e].element[i] = from[coords.k[k].bc];
                    else
                        loader::held[e].element[i] = {};
                }
            }
        }
    }

    __device__ void put(const tc_job &job, char *to) const
    {
        loader::put(to, LOAD == TC_LOAD_ELEMENTS && job.b_is_n_major);
    }
};

#endif
