/* SPDX-License-Identifier: Apache-2.0 */
/* Direction filter of the family taps (ampere/params.h): rows are taps of channels, columns
 * filters, terms positions. */
#ifndef CUDA_TENSORCORE_AMPERE_WGRAD_H
#define CUDA_TENSORCORE_AMPERE_WGRAD_H

#include "wgrad_epilogue.h"
#include "wgrad_load.h"

/* ------------------------------------------------------------------ sums */

/* What a block goes through: tiles `begin` to `end`, and places of them. */
template <class S> struct tc_filter_walk {
    const tc_filter_job &job;
    tc_filter_place *places;
    int32_t begin, end;

    /* Places of the tiles of a turn; beyond the last there are none. */
    __device__ void make(int32_t turn) const
    {
        int32_t tile = begin + turn * S::TURN + (int)threadIdx.x / S::TERMS;
        uint32_t index = (uint32_t)tile * S::TERMS + threadIdx.x % S::TERMS;
        tc_filter_place place = {{0, 0}, -1, 0};

        if (tile < end && index < (uint32_t)job.positions)
            place = tc_filter_place_at(job, (int32_t)index);
        places[turn % 2 * S::THREADS + (int)threadIdx.x] = place;
    }
};

/* Multiplies the fragments of a step, and reads those of the next one, which lie at `term` of the
 * tile at `next`: of filters into the place of those that are done with. */
template <class S>
__device__ static inline void
tc_filter_step(float (&sum)[S::DOWN][S::RIGHT][4], tc_filter_fragments<S> &fragments,
               const tc_filter_readers<S> &read, int turn, uint32_t next, int term)
{
    enum {
        WHOLE = S::math::SPLITS, /* what columns are made into is worth making once */
        ROWS = WHOLE ? S::DOWN : 1,
        PAIRS = S::RIGHT / 2
    };

#pragma unroll
    for (int i = 0; i < S::DOWN; i++) {
#pragma unroll
        for (int pair = i * PAIRS / S::DOWN; pair < (i + 1) * PAIRS / S::DOWN; pair++)
            read.load_right(fragments, !turn, next, pair * 2, term);
        if (i % ROWS == 0)
            tc_multiply_all<typename S::math>(*(float(*)[ROWS][S::RIGHT][4]) & sum[i],
                                              *(const uint32_t(*)[ROWS][4]) & fragments.a[i],
                                              fragments.b[turn]);
        read.load_down(fragments, next, i, term);
    }
}

/*
 * The sums of a block. A tile's first fragments need the whole block's copies. A turn's places are
 * made anew when its last tile has been asked for by all threads.
 */
template <class S>
__device__ static inline void
tc_filter_sum(float (&sum)[S::DOWN][S::RIGHT][4], const tc_filter_walk<S> &walk,
              const tc_filter_loader<S> &load, const tc_filter_readers<S> &read, uint32_t memory)
{
    enum { STAGES = S::STAGES, STEPS = S::STEPS, TURN = S::TURN };
    tc_filter_fragments<S> fragments;
    tc_filter_from places[tc_filter_loader<S>::MOST];
    uint32_t from = memory, to = (STAGES - 1) * S::STAGE_BYTES;
    int32_t asked = STAGES - 1; /* tiles */

    walk.make(0);
    tc_wait_for_last();
    __syncthreads();
#pragma unroll
    for (int t = 0; t < STAGES - 1; t++) {
        if (t == TURN) {
            walk.make(1);
            __syncthreads();
        }
#pragma unroll
        for (int part = 0; part < STEPS - 1; part++) {
            load.read(places, walk.places + t * S::TERMS, part);
            load.send(walk.job, places, (uint32_t)(t * S::STAGE_BYTES), part);
        }
        tc_copy_commit();
    }
    if (TURN >= STAGES - 1)
        walk.make(1); /* while the first tiles are on their way */
    tc_copy_wait<STAGES - 2>();
    __syncthreads();
    if (TURN <= STAGES - 1)
        walk.make(2);
#pragma unroll
    for (int j = 0; j < S::RIGHT; j += 2)
        read.load_right(fragments, 0, from, j, 0);
#pragma unroll
    for (int i = 0; i < S::DOWN; i++)
        read.load_down(fragments, from, i, 0);
    for (int32_t last = walk.end - walk.begin + STAGES - 1; asked < last;) {
        const tc_filter_place *of = walk.places + asked % (2 * TURN) * S::TERMS;

#pragma unroll
        for (int k = 0; k < STEPS - 1; k++) {
            load.read(places, of, k);
            tc_filter_step<S>(sum, fragments, read, k % 2, from, (k + 1) * S::STEP);
            load.send(walk.job, places, to, k);
        }
        tc_copy_commit();
        tc_copy_wait<STAGES - 2>();
        __syncthreads();
        from = from + S::STAGE_BYTES == memory + S::TILES_BYTES ? memory : from + S::STAGE_BYTES;
        to = to + S::STAGE_BYTES == S::TILES_BYTES ? 0 : to + S::STAGE_BYTES;
        if (++asked % TURN == 0)
            walk.make(asked / TURN + 1);
        tc_filter_step<S>(sum, fragments, read, (STEPS - 1) % 2, from, 0);
    }
    tc_copy_wait<0>();
}

template <class S> __device__ static inline void tc_filter(const tc_filter_job &job, char *memory)
{
    tc_filter_block block = tc_filter_block_at(job, blockIdx.x, S::ROWS, S::COLUMNS);
    int32_t tiles = (job.positions + S::TERMS - 1) / S::TERMS;
    int32_t begin = conv_least(block.split * job.each, tiles);
    tc_filter_walk<S> walk = {job, (tc_filter_place *)(memory + S::PLACES_AT), begin,
                              conv_least(begin + job.each, tiles)};
    float sum[S::DOWN][S::RIGHT][4] = {};
    tc_filter_loader<S> load;
    tc_filter_readers<S> read;

    load.begin(job, block, tc_shared_address(memory), (int32_t *)(memory + S::RESULTS_AT));
    read.begin();
    if (threadIdx.x == 0)
        *(tc_filter_block *)(memory + S::BLOCK_AT) = block; /* not in the way till it is needed */
    tc_filter_sum<S>(sum, walk, load, read, tc_shared_address(memory));
    tc_let_next_begin();
    tc_filter_store<S>(job, read, sum, memory);
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::RESIDENT)
    tc_filter_kernel(const __grid_constant__ tc_filter_job job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_filter<S>(job, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_filter_step_of(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];

    tc_step_make(step, tc_filter_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, tc_blocks(*job),
                 tc_filter_prepare(*job, (int32_t)sizeof(typename S::element)));
}

#endif
