/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of the family ampere for results with contiguous positions, as in
 * NCHW. Results are rounded in registers and transposed in shared memory. They are stored by as
 * many positions at a time as the alignment permits. */
#ifndef CUDA_TENSORCORE_AMPERE_EPILOGUE_NCHW_H
#define CUDA_TENSORCORE_AMPERE_EPILOGUE_NCHW_H

#include "shape.h"

/* Returns true if results are stored unchanged along M. */
__device__ static inline bool tc_ampere_stores_nchw(const tc_ampere_params &job)
{
    return job.c_is_m_major && !job.partial && !job.output.bias && job.output.blend.alpha == 1 &&
           job.output.blend.beta == 0;
}

/* Returns true if every group of `count` consecutive m is contiguous and aligned in the output.
 * The positions of an image must be contiguous, and images and channels aligned. */
template <class E>
__device__ static inline bool tc_ampere_nchw_is_aligned(const tc_conv &conv,
                                                        const tc_ampere_view &view, const void *out,
                                                        int32_t count)
{
    int64_t positions = 1;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.view.dim[d];

        if (dim.positions > 1 && (dim.step != 1 || conv.dim[CONV_FIRST + d].position != positions))
            return false;
        positions *= dim.positions;
    }
    return positions % count == 0 && conv.position_image % count == 0 &&
           conv.position.step % count == 0 && (uintptr_t)out % (count * sizeof(E)) == 0;
}

template <class S> struct tc_ampere_nchw_tile {
    typedef typename S::element element;
    /* The bytes from one n to the next. The 16 extra bytes avoid bank conflicts. */
    enum { LINE = S::TILE_M * (int)sizeof(element) + 16 };
    static_assert(S::TILE_N * LINE <= S::POSITIONS_AT, "results fit where the tiles were");

    __device__ static void put(const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
    {
        int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
        int m = warp / S::WARPS_N * S::WARP_M + lane / 4;
        int n = warp % S::WARPS_N * S::WARP_N + lane % 4 * 2;

#pragma unroll
        for (int i = 0; i < S::FRAGS_M; i++) {
#pragma unroll
            for (int j = 0; j < S::FRAGS_N; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++)
                    cuda_store((element *)(memory + (n + j * 8 + e % 2) * LINE) + m + i * 16 +
                                   e / 2 * 8,
                               sum[i][j][e]);
            }
        }
    }

    /* Stores the tile, V positions at a time. */
    template <int V>
    __device__ static void out(const tc_ampere_params &job, const tc_ampere_block &block,
                               const tc_ampere_position *positions, const char *memory)
    {
        struct alignas(V * sizeof(element)) vector {
            element value[V];
        };
        enum { VECTORS = S::TILE_M / V };
        int32_t left = (int32_t)job.conv.n - block.first_n;
        int64_t step = job.conv.position.step;
        element *to =
            (element *)job.output.data + (block.group * job.conv.n + block.first_n) * step;

#pragma unroll 4
        for (int e = (int)threadIdx.x; e < VECTORS * S::TILE_N; e += S::THREADS) {
            int r = e % VECTORS * V, c = e / VECTORS;

            if (positions[r].c >= 0 && c < left)
                *(vector *)(to + positions[r].c + c * step) =
                    *(const vector *)(memory + c * LINE + r * (int)sizeof(element));
        }
    }
};

template <class S>
__device__ static inline void
tc_ampere_store_nchw(const tc_ampere_params &job, const tc_ampere_view &view,
                     const tc_ampere_block &block, const tc_ampere_position *positions,
                     const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    typedef typename S::element element;
    const void *out = job.output.data;

    __syncthreads();
    tc_ampere_nchw_tile<S>::put(sum, memory);
    __syncthreads();
    if (tc_ampere_nchw_is_aligned<element>(job.conv, view, out, S::EACH))
        tc_ampere_nchw_tile<S>::template out<S::EACH>(job, block, positions, memory);
    else if (S::EACH > 4 && tc_ampere_nchw_is_aligned<element>(job.conv, view, out, 4))
        tc_ampere_nchw_tile<S>::template out<4>(job, block, positions, memory);
    else
        tc_ampere_nchw_tile<S>::template out<1>(job, block, positions, memory);
}

#endif
