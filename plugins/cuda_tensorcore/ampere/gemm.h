/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the main loop and the kernels of fprop and dgrad in the family ampere. They run
 * implicit GEMM by mma.sync in a multistage pipeline of cp.async. M counts positions, N output
 * channels, and K taps and channels; channels vary fastest. */
#ifndef CUDA_TENSORCORE_AMPERE_GEMM_H
#define CUDA_TENSORCORE_AMPERE_GEMM_H

#include "epilogue.h"
#include "load.h"
#include "sliced_k.h"

/* The fragments that a warp multiplies. A step is multiplied one row of fragments at a time.
 * Between the rows, the warp reads the fragments of the next step and issues copies of a later
 * tile. Accesses to shared memory stay in the order written here, and the products of each row
 * hide some of them. If there are many rows, a row's registers are reloaded as soon as it is
 * multiplied. */
template <class S> struct tc_ampere_fragments {
    enum {
        STEP = S::a_tile::STEP,
        WHOLE = S::math::SPLITS, /* 1 if a step is multiplied at once */
        KEPT = WHOLE || S::FRAGS_M < 4 ? 2 : 1,
        PAIRS = S::FRAGS_N / 2,
        PAIRS_PER_LOAD = (PAIRS + S::FRAGS_M - 1) / S::FRAGS_M
    };
    tc_ampere_iterator<typename S::a_tile, S::A_MAJOR, true> a_iterator;
    tc_ampere_iterator<typename S::b_tile, S::B_MAJOR, false> b_iterator;
    uint32_t a[KEPT][S::FRAGS_M][4], b[2][S::FRAGS_N][2];

    __device__ void begin(const tc_ampere_warp<S> &warp)
    {
        int first = warp.k_slice * (S::TILE_K / S::K_SLICES);

        a_iterator.begin(warp.m * S::WARP_M, first);
        b_iterator.begin(warp.n * S::WARP_N, first);
    }

    __device__ void load_a(int set, int i, uint32_t stage, int k)
    {
        a_iterator.load(a[set % KEPT][i], stage, i * 16, k);
    }

    /* Loads the part of operand B that is read with row `i`. */
    __device__ void load_b(int set, int i, uint32_t stage, int k)
    {
#pragma unroll
        for (int p = i * PAIRS_PER_LOAD; p < (i + 1) * PAIRS_PER_LOAD && p < PAIRS; p++)
            b_iterator.load(b[set][2 * p], stage + S::a_tile::BYTES, p * 16, k);
    }

    __device__ void load(int set, uint32_t stage, int k)
    {
#pragma unroll
        for (int i = 0; i < S::FRAGS_M; i++) {
            load_a(set, i, stage, k);
            load_b(set, i, stage, k);
        }
    }

    __device__ void mma(float (&sum)[S::FRAGS_M][S::FRAGS_N][4], int set, int i)
    {
        tc_mma_units<typename S::math>(*(float(*)[1][S::FRAGS_N][4]) & sum[i],
                                       *(const uint32_t(*)[1][4]) & a[set % KEPT][i], b[set]);
    }
};

/* The main loop of a block over `count` tiles. The first fragments of a tile need the copies of
 * all threads. */
template <class S> struct tc_ampere_mainloop {
    typedef tc_ampere_loader<S> loader;
    enum {
        STAGES = S::STAGES,
        STEP = S::a_tile::STEP,
        STEPS = S::TILE_K / STEP / S::K_SLICES, /* steps of a warp */
        /* Copies are issued in all steps except the last, after which they are awaited. If a
         * tile has one step, they are issued after the wait, with one tile less in flight. */
        LATE = STEPS == 1,
        SLOTS = (LATE ? 1 : STEPS - 1) * S::FRAGS_M
    };
    static_assert(STAGES > 1 + LATE, "tiles are on their way while others are multiplied");

    const loader &load;
    typename loader::next_tile &next;
    tc_ampere_fragments<S> fragments;
    int32_t channels;
    uint32_t memory, from, to; /* stages: the first tile's, multiplied, copied to */

    __device__ tc_ampere_mainloop(const tc_ampere_params &job, const loader &load,
                                  typename loader::next_tile &next, uint32_t memory)
        : load(load), next(next), channels((int32_t)job.conv.channels), memory(memory),
          from(memory), to((STAGES - 1) * S::STAGE_BYTES)
    {
    }

    /* Begins the copies of the first tiles, as far as tiles exist. The stages of missing tiles
     * are read but not multiplied. */
    __device__ void begin()
    {
#pragma unroll 1
        for (uint32_t stage = 0; stage < (STAGES - 1) * S::STAGE_BYTES; stage += S::STAGE_BYTES) {
            if (next.left > 0) {
                auto source = load.source(next, channels, stage);

#pragma unroll
                for (int i = 0; i < loader::COPIES; i++)
                    load.copy(source, i);
            }
            tc_cp_async_commit();
            next.advance(channels);
        }
    }

    /* Multiplies a tile. The fragments of its first step are in set SET. */
    template <int SET> __device__ void run_tile(float (&sum)[S::FRAGS_M][S::FRAGS_N][4])
    {
        auto source = load.source(next, channels, to);

        next.advance(channels);
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            int now = (step + SET) % 2, then = (now + 1) % 2, k = (step + 1) % STEPS * STEP;

            if (step == STEPS - 1) {
                tc_cp_async_wait<STAGES - 2 - LATE>();
                __syncthreads();
                from = from + S::STAGE_BYTES == memory + S::TILES_BYTES ? memory
                                                                        : from + S::STAGE_BYTES;
            }
#pragma unroll
            for (int i = 0; i < S::FRAGS_M; i++) {
                int slot = step * S::FRAGS_M + i;

                fragments.load_b(then, i, from, k);
                if (fragments.KEPT == 2)
                    fragments.load_a(then, i, from, k);
#pragma unroll
                for (int c = 0; c < loader::COPIES; c++) {
                    if (c * SLOTS / loader::COPIES == slot)
                        load.copy(source, c);
                }
                if constexpr (!tc_ampere_fragments<S>::WHOLE)
                    fragments.mma(sum, now, i);
                if (fragments.KEPT == 1)
                    fragments.load_a(then, i, from, k);
                if (slot == SLOTS - 1)
                    tc_cp_async_commit();
            }
            if constexpr (tc_ampere_fragments<S>::WHOLE)
                tc_mma_all<typename S::math>(sum, fragments.a[now % fragments.KEPT],
                                             fragments.b[now]);
        }
        to = to + S::STAGE_BYTES == S::TILES_BYTES ? 0 : to + S::STAGE_BYTES;
    }

    __device__ void run(float (&sum)[S::FRAGS_M][S::FRAGS_N][4], int32_t count)
    {
        fragments.begin(tc_ampere_warp<S>());
        tc_cp_async_wait<STAGES - 2>();
        __syncthreads();
        fragments.load(0, from, 0);
#pragma unroll 1
        for (; count > 0; count--) {
            run_tile<0>(sum);
            if (STEPS % 2 == 0)
                continue;
            if (--count == 0)
                break;
            run_tile<STEPS % 2>(sum);
        }
        tc_cp_async_wait<0>();
    }
};

/* Computes the sums of a block, from the first tile of its split on. */
template <class S>
__device__ static inline void
tc_ampere_accumulate(float (&sum)[S::FRAGS_M][S::FRAGS_N][4], const tc_ampere_params &job,
                     const tc_ampere_view &view, const tc_ampere_block &block,
                     tc_ampere_position *positions, const tc_ampere_tap *taps, char *memory)
{
    int32_t channels = job.conv.channels;
    int32_t tiles = S::PACKED ? (view.taps * channels + S::TILE_K - 1) / S::TILE_K
                              : view.taps * ((channels + S::TILE_K - 1) / S::TILE_K);
    int32_t begin = 0, count = tiles;
    tc_ampere_loader<S> load;
    typename tc_ampere_loader<S>::next_tile next;

    if (job.splits > 1) {
        int32_t per_split = (tiles + job.splits - 1) / job.splits;

        begin = conv_least(block.split * per_split, tiles);
        count = conv_least(begin + per_split, tiles) - begin;
    }
    load.begin(job, block, positions, tc_shared_address(memory));
    next.begin(taps, view.taps, channels, begin, count, load.chunk(), load.line(), load.B_APART);
    tc_ampere_mainloop<S> mainloop(job, load, next, tc_shared_address(memory));
    tc_wait_on_dependent_grids();
    mainloop.begin();
    tc_ampere_fill_output_offsets<S>(job, view, block.first_m, positions);
    mainloop.run(sum, count);
}

/* Computes a block's tile. The block's coordinates stay in shared memory while the sums occupy
 * all registers. */
template <class S>
__device__ static inline void tc_ampere_gemm(const tc_ampere_params &job,
                                             const tc_ampere_view &view,
                                             const tc_ampere_block &block, char *memory)
{
    typedef tc_ampere_reduced<S> reduced;
    tc_ampere_position *positions = (tc_ampere_position *)(memory + S::POSITIONS_AT);
    tc_ampere_tap *taps = (tc_ampere_tap *)(memory + S::TAPS_AT);
    tc_ampere_block &kept = *(tc_ampere_block *)(memory + S::BLOCK_AT);
    float sum[S::FRAGS_M][S::FRAGS_N][4] = {};

    if (block.first_m >= view.view.positions)
        return;
    if (threadIdx.x == 0)
        kept = block;
    tc_ampere_list_taps<S>(view, taps);
    tc_ampere_fill_positions<S>(job, view, block.first_m, positions);
    __syncthreads();
    tc_ampere_accumulate<S>(sum, job, view, block, positions, taps, memory);
    tc_launch_dependent_grids();
    if constexpr (S::K_SLICES > 1) {
        float own[reduced::FRAGS_M][S::FRAGS_N][4];

        tc_ampere_reduce_slices<S>(own, sum, memory);
        tc_ampere_epilogue<reduced>(job, view, kept, positions, own, memory);
    } else {
        tc_ampere_epilogue<S>(job, view, kept, positions, sum, memory);
    }
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::OCCUPANCY)
    tc_ampere_gemm_kernel(const __grid_constant__ tc_ampere_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_ampere_gemm<S>(job, job.class_of[0],
                          tc_ampere_block_at(job, (int32_t)blockIdx.x, S::TILE_M, S::TILE_N),
                          (char *)memory);
    }
}

/* Runs dgrad with several classes. A block makes the view of its own class. */
template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::OCCUPANCY)
    tc_ampere_classes_kernel(const __grid_constant__ tc_ampere_classes_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_ampere_view &view = *(tc_ampere_view *)((char *)memory + S::VIEW_AT);
        tc_ampere_block block = tc_ampere_block_at(job, (int32_t)blockIdx.x, S::TILE_M, S::TILE_N);
        const tc_ampere_class &of = job.classes.class_of[block.number];

        block.number = of.number;
        tc_ampere_make_view(&view, job, of);
        __syncthreads();
        tc_ampere_gemm<S>(job, view, block, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_ampere_gemm_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    int32_t shared =
        S::SHARED_BYTES + (int32_t)conv_taps(&job->conv) * (int32_t)sizeof(tc_ampere_tap);
    tc_ampere_params params;

    tc_ampere_prepare(&params, *job, (int32_t)sizeof(typename S::element));
    if constexpr (S::CLASSES) {
        static uint8_t classes_asked[TC_DEVICES_SEEN];
        tc_ampere_classes_params classes;

        if (job->conv.classes > 1) {
            *(tc_ampere_params *)&classes = params;
            tc_ampere_list_classes(&classes.classes, *job, true);
            tc_step_make(step, tc_ampere_classes_kernel<S>, classes_asked, S::THREADS, shared,
                         tc_blocks(*job), classes);
            return;
        }
    }
    tc_step_make(step, tc_ampere_gemm_kernel<S>, asked, S::THREADS, shared, tc_blocks(*job),
                 params);
}

#endif
