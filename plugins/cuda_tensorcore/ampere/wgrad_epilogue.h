/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of wgrad in the family ampere. Partial sums of split-K go from
 * registers to workspace, where common/wgrad_reduce.h adds them. Results go through shared
 * memory, with one line per filter of the tile. They are either rounded and stored by 16 bytes,
 * or kept as floats, to be blended or stored one by one. A thread handles the same m of every
 * filter. The block computed the offset of that m when it began. */
#ifndef CUDA_TENSORCORE_AMPERE_WGRAD_EPILOGUE_H
#define CUDA_TENSORCORE_AMPERE_WGRAD_EPILOGUE_H

#include "epilogue.h"
#include "wgrad_shape.h"

template <class S>
__device__ static inline void tc_ampere_wgrad_store_partials(
    const tc_ampere_wgrad_params &job, const tc_ampere_wgrad_block &block,
    const tc_ampere_wgrad_iterators<S> &read, const float (&sum)[S::FRAGS_M][S::FRAGS_N][4])
{
    const tc_wgrad_output &results = job.results;
    int32_t m = block.first_m + read.m_of(0);

#pragma unroll
    for (int e = 0; e < S::FRAGS_M * 2; e++) {
        int32_t n = block.first_n + read.n_of(e / 2, e % 2);
        float *to = job.partial + tc_wgrad_partial_at(job.groups, results.n, results.m, block.split,
                                                      block.group, n, m);

        if (n >= results.n)
            continue;
#pragma unroll
        for (int j = 0; j < S::FRAGS_N; j++) {
            if (m + j * 8 < results.m)
                *(float2 *)(to + j * 8) = {sum[e / 2][j][e % 2 * 2], sum[e / 2][j][e % 2 * 2 + 1]};
        }
    }
}

/* The sums of a block as numbers of type T in shared memory. */
template <class S, class T> struct tc_ampere_wgrad_tile_out {
    typedef typename S::element element;
    enum {
        /* The bytes from filter to filter. Lanes that write at the same time use different
         * banks. */
        LINE = S::TILE_M * (int)sizeof(T) + (sizeof(T) > sizeof(element) ? 32 : 16)
    };
    static_assert(S::TILE_N * LINE <= S::BLOCK_AT, "results fit where tiles and positions were");

    __device__ static void put(const tc_ampere_wgrad_iterators<S> &read,
                               const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
    {
#pragma unroll
        for (int e = 0; e < S::FRAGS_M * 2; e++) {
            char *to = memory + read.n_of(e / 2, e % 2) * LINE + read.m_of(0) * sizeof(T);

#pragma unroll
            for (int j = 0; j < S::FRAGS_N; j++)
                tc_ampere_put_pair<T>(to + j * 8 * sizeof(T), sum[e / 2][j][e % 2 * 2],
                                      sum[e / 2][j][e % 2 * 2 + 1]);
        }
    }

    /* Stores the tile, V results at a time. */
    template <int V>
    __device__ static void out(const tc_wgrad_output &results, const tc_ampere_wgrad_block &block,
                               const int32_t *offsets, const char *memory)
    {
        struct alignas(V * sizeof(T) < 16 ? V * sizeof(T) : 16) vector {
            T value[V];
        };
        enum {
            ACROSS = S::TILE_M / V,
            APART = S::THREADS / ACROSS,
            AT_ONCE = sizeof(T) < sizeof(float) ? 4 : 1
        };
        static_assert(S::THREADS % ACROSS == 0, "a thread has the same m of every filter");
        int m = (int)threadIdx.x % ACROSS * V;
        int32_t left = conv_least(results.n - block.first_n, S::TILE_N);
        int32_t at = offsets[m / S::EACH];
        element *to = (element *)results.data + block.group * results.group + at +
                      m % S::EACH * results.channel;

        if (at < 0)
            return;
#pragma unroll AT_ONCE
        for (int c = (int)threadIdx.x / ACROSS; c < left; c += APART) {
            const vector *from = (const vector *)(memory + c * LINE + m * (int)sizeof(T));
            element *filter = to + (block.first_n + c) * results.filter;

            if constexpr (sizeof(T) < sizeof(float))
                *(vector *)filter = *from;
            else
                tc_wgrad_store_vector<element, V>(filter, from->value, results.blend);
        }
    }
};

template <class S>
__device__ static inline void
tc_ampere_wgrad_epilogue(const tc_ampere_wgrad_params &job,
                         const tc_ampere_wgrad_iterators<S> &read,
                         const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    typedef typename S::element element;
    typedef tc_ampere_wgrad_tile_out<S, element> rounded;
    typedef tc_ampere_wgrad_tile_out<S, float> floats;
    bool rounds = sizeof(element) < sizeof(float) && job.results.how == TC_WGRAD_STORE_ROUNDED;
    const tc_ampere_wgrad_block block = *(const tc_ampere_wgrad_block *)(memory + S::BLOCK_AT);
    const int32_t *offsets = (const int32_t *)(memory + S::RESULTS_AT);

    if (job.partial) {
        tc_ampere_wgrad_store_partials<S>(job, block, read, sum);
        return;
    }
    __syncthreads();
    if (rounds)
        rounded::put(read, sum, memory);
    else
        floats::put(read, sum, memory);
    __syncthreads();
    if (rounds)
        rounded::template out<S::EACH>(job.results, block, offsets, memory);
    else if (job.results.how != TC_WGRAD_STORE_ELEMENTS)
        floats::template out<S::EACH>(job.results, block, offsets, memory);
    else
        floats::template out<1>(job.results, block, offsets, memory);
}

#endif
