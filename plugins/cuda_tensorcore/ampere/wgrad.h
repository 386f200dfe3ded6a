/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the main loop and the kernel of wgrad in the family ampere. M counts taps and
 * channels, N filters, and K positions. Tiles pass through a multistage pipeline of cp.async. */
#ifndef CUDA_TENSORCORE_AMPERE_WGRAD_H
#define CUDA_TENSORCORE_AMPERE_WGRAD_H

#include "wgrad_epilogue.h"
#include "wgrad_load.h"

/* ------------------------------------------------------------------ sums */

/* The iteration of a block over tiles `begin` to `end`, and the offsets of their positions. */
template <class S> struct tc_ampere_wgrad_walk {
    const tc_ampere_wgrad_params &job;
    tc_ampere_wgrad_position *positions;
    int32_t begin, end;

    /* Computes the offsets of the positions in a batch of tiles. Positions beyond the last one
     * do not exist. */
    __device__ void make(int32_t set) const
    {
        int32_t tile = begin + set * S::BATCH + (int)threadIdx.x / S::TILE_K;
        uint32_t index = (uint32_t)tile * S::TILE_K + threadIdx.x % S::TILE_K;
        tc_ampere_wgrad_position position = {{0, 0}, -1, 0};

        if (tile < end && index < (uint32_t)job.positions)
            position = tc_ampere_wgrad_position_at(job, (int32_t)index);
        positions[set % 2 * S::THREADS + (int)threadIdx.x] = position;
    }
};

/* Multiplies the fragments of a step, and reads those of the next step at `k` of the tile at
 * `next`. Fragments of filters replace those that are already multiplied. */
template <class S>
__device__ static inline void tc_ampere_wgrad_mma_step(float (&sum)[S::FRAGS_M][S::FRAGS_N][4],
                                                       tc_ampere_wgrad_fragments<S> &fragments,
                                                       const tc_ampere_wgrad_iterators<S> &read,
                                                       int set, uint32_t next, int k)
{
    enum {
        WHOLE = S::math::SPLITS, /* 1 if B is split once for all rows */
        AT_ONCE = WHOLE ? S::FRAGS_M : 1,
        PAIRS = S::FRAGS_N / 2
    };

#pragma unroll
    for (int i = 0; i < S::FRAGS_M; i++) {
#pragma unroll
        for (int pair = i * PAIRS / S::FRAGS_M; pair < (i + 1) * PAIRS / S::FRAGS_M; pair++)
            read.load_b(fragments, !set, next, pair * 2, k);
        if (i % AT_ONCE == 0)
            tc_mma_all<typename S::math>(*(float(*)[AT_ONCE][S::FRAGS_N][4]) & sum[i],
                                         *(const uint32_t(*)[AT_ONCE][4]) & fragments.a[i],
                                         fragments.b[set]);
        read.load_a(fragments, next, i, k);
    }
}

/* Computes the sums of a block. The first fragments of a tile need the copies of all threads.
 * The offsets of a batch are replaced when all threads have begun the loads of its last tile. */
template <class S>
__device__ static inline void
tc_ampere_wgrad_mainloop(float (&sum)[S::FRAGS_M][S::FRAGS_N][4],
                         const tc_ampere_wgrad_walk<S> &walk, const tc_ampere_wgrad_loader<S> &load,
                         const tc_ampere_wgrad_iterators<S> &read, uint32_t memory)
{
    enum { STAGES = S::STAGES, STEPS = S::STEPS, BATCH = S::BATCH };
    tc_ampere_wgrad_fragments<S> fragments;
    tc_ampere_wgrad_offset offsets[tc_ampere_wgrad_loader<S>::COPIES_PER_STEP];
    uint32_t from = memory, to = (STAGES - 1) * S::STAGE_BYTES;
    int32_t asked = STAGES - 1; /* tiles whose loads have begun */

    walk.make(0);
    tc_wait_on_dependent_grids();
    __syncthreads();
#pragma unroll
    for (int t = 0; t < STAGES - 1; t++) {
        if (t == BATCH) {
            walk.make(1);
            __syncthreads();
        }
#pragma unroll
        for (int step = 0; step < STEPS - 1; step++) {
            load.read(offsets, walk.positions + t * S::TILE_K, step);
            load.send(walk.job, offsets, (uint32_t)(t * S::STAGE_BYTES), step);
        }
        tc_cp_async_commit();
    }
    if (BATCH >= STAGES - 1)
        walk.make(1); /* runs while the first tiles are in flight */
    tc_cp_async_wait<STAGES - 2>();
    __syncthreads();
    if (BATCH <= STAGES - 1)
        walk.make(2);
#pragma unroll
    for (int j = 0; j < S::FRAGS_N; j += 2)
        read.load_b(fragments, 0, from, j, 0);
#pragma unroll
    for (int i = 0; i < S::FRAGS_M; i++)
        read.load_a(fragments, from, i, 0);
    for (int32_t last = walk.end - walk.begin + STAGES - 1; asked < last;) {
        const tc_ampere_wgrad_position *of = walk.positions + asked % (2 * BATCH) * S::TILE_K;

#pragma unroll
        for (int step = 0; step < STEPS - 1; step++) {
            load.read(offsets, of, step);
            tc_ampere_wgrad_mma_step<S>(sum, fragments, read, step % 2, from, (step + 1) * S::STEP);
            load.send(walk.job, offsets, to, step);
        }
        tc_cp_async_commit();
        tc_cp_async_wait<STAGES - 2>();
        __syncthreads();
        from = from + S::STAGE_BYTES == memory + S::TILES_BYTES ? memory : from + S::STAGE_BYTES;
        to = to + S::STAGE_BYTES == S::TILES_BYTES ? 0 : to + S::STAGE_BYTES;
        if (++asked % BATCH == 0)
            walk.make(asked / BATCH + 1);
        tc_ampere_wgrad_mma_step<S>(sum, fragments, read, (STEPS - 1) % 2, from, 0);
    }
    tc_cp_async_wait<0>();
}

template <class S>
__device__ static inline void tc_ampere_wgrad(const tc_ampere_wgrad_params &job, char *memory)
{
    tc_ampere_wgrad_block block = tc_ampere_wgrad_block_at(job, blockIdx.x, S::TILE_M, S::TILE_N);
    int32_t tiles = (job.positions + S::TILE_K - 1) / S::TILE_K;
    int32_t begin = conv_least(block.split * job.k_per_split, tiles);
    tc_ampere_wgrad_walk<S> walk = {job, (tc_ampere_wgrad_position *)(memory + S::POSITIONS_AT),
                                    begin, conv_least(begin + job.k_per_split, tiles)};
    float sum[S::FRAGS_M][S::FRAGS_N][4] = {};
    tc_ampere_wgrad_loader<S> load;
    tc_ampere_wgrad_iterators<S> read;

    load.begin(job, block, tc_shared_address(memory), (int32_t *)(memory + S::RESULTS_AT));
    read.begin();
    if (threadIdx.x == 0)
        *(tc_ampere_wgrad_block *)(memory + S::BLOCK_AT) =
            block; /* in shared memory until the epilogue */
    tc_ampere_wgrad_mainloop<S>(sum, walk, load, read, tc_shared_address(memory));
    tc_launch_dependent_grids();
    tc_ampere_wgrad_epilogue<S>(job, read, sum, memory);
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::OCCUPANCY)
    tc_ampere_wgrad_kernel(const __grid_constant__ tc_ampere_wgrad_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_ampere_wgrad<S>(job, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_ampere_wgrad_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];

    tc_step_make(step, tc_ampere_wgrad_kernel<S>, asked, S::THREADS, S::SHARED_BYTES,
                 tc_blocks(*job),
                 tc_ampere_wgrad_prepare(*job, (int32_t)sizeof(typename S::element)));
}

#endif
