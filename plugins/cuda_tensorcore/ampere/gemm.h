/* SPDX-License-Identifier: Apache-2.0 */
/* Directions forward and data of the family taps (ampere/params.h): rows are positions, terms taps
 * of channels, channels inside. */
#ifndef CUDA_TENSORCORE_AMPERE_GEMM_H
#define CUDA_TENSORCORE_AMPERE_GEMM_H

#include "epilogue.h"
#include "load.h"
#include "sliced_k.h"

/*
 * What a warp multiplies. While a step is multiplied, a row of fragments at a time, the fragments
 * of the next one are read and copies of a later tile go out between the rows: what goes to shared
 * memory stays in the order in which it is written here, and each row hides a little of it. Many
 * rows are read into the registers of the one that is done with.
 */
template <class S> struct tc_taps_fragments {
    enum {
        STEP = S::gathered_tile::STEP,
        WHOLE = S::math::SPLITS, /* a step is multiplied at once */
        KEPT = WHOLE || S::DOWN < 4 ? 2 : 1,
        PAIRS = S::RIGHT / 2,
        PAIRS_A_ROW = (PAIRS + S::DOWN - 1) / S::DOWN
    };
    tc_taps_reader<typename S::gathered_tile, S::GATHERED_LINE, true> gathered;
    tc_taps_reader<typename S::other_tile, S::OTHER_LINE, false> other;
    uint32_t a[KEPT][S::DOWN][4], b[2][S::RIGHT][2];

    __device__ void begin(const tc_taps_warp<S> &warp)
    {
        int first = warp.sharer * (S::TERMS / S::SHARERS);

        gathered.begin(warp.down * S::WARP_ROWS, first);
        other.begin(warp.right * S::WARP_COLUMNS, first);
    }

    __device__ void load_row(int set, int i, uint32_t stage, int term)
    {
        gathered.load(a[set % KEPT][i], stage, i * 16, term);
    }

    /* Of the other operand, what comes with row `i`. */
    __device__ void load_pairs(int set, int i, uint32_t stage, int term)
    {
#pragma unroll
        for (int p = i * PAIRS_A_ROW; p < (i + 1) * PAIRS_A_ROW && p < PAIRS; p++)
            other.load(b[set][2 * p], stage + S::gathered_tile::BYTES, p * 16, term);
    }

    __device__ void load(int set, uint32_t stage, int term)
    {
#pragma unroll
        for (int i = 0; i < S::DOWN; i++) {
            load_row(set, i, stage, term);
            load_pairs(set, i, stage, term);
        }
    }

    __device__ void multiply_row(float (&sum)[S::DOWN][S::RIGHT][4], int set, int i)
    {
        tc_multiply_units<typename S::math>(*(float(*)[1][S::RIGHT][4]) & sum[i],
                                            *(const uint32_t(*)[1][4]) & a[set % KEPT][i], b[set]);
    }
};

/* The sums of a block, of `count` tiles. A tile's first fragments need the whole block's copies. */
template <class S> struct tc_taps_summer {
    typedef tc_taps_loader<S> loader;
    enum {
        STAGES = S::STAGES,
        STEP = S::gathered_tile::STEP,
        STEPS = S::TERMS / STEP / S::SHARERS, /* of a warp */
        /* Copies go out in all steps but the last, behind which they are waited for; of one step,
         * behind the wait, with a tile less on its way. */
        LATE = STEPS == 1,
        SLOTS = (LATE ? 1 : STEPS - 1) * S::DOWN
    };
    static_assert(STAGES > 1 + LATE, "tiles are on their way while others are multiplied");

    const loader &load;
    typename loader::next_tile &next;
    tc_taps_fragments<S> fragments;
    int32_t depth;
    uint32_t memory, from, to; /* stages: of the first tile, multiplied, copied to */

    __device__ tc_taps_summer(const tc_taps_job &job, const loader &load,
                              typename loader::next_tile &next, uint32_t memory)
        : load(load), next(next), depth((int32_t)job.conv.depth), memory(memory), from(memory),
          to((STAGES - 1) * S::STAGE_BYTES)
    {
    }

    /* Asks for the first tiles, as far as there are any: what lies behind the last one is read, but
     * not multiplied. */
    __device__ void begin()
    {
#pragma unroll 1
        for (uint32_t stage = 0; stage < (STAGES - 1) * S::STAGE_BYTES; stage += S::STAGE_BYTES) {
            if (next.left > 0) {
                auto source = load.source(next, depth, stage);

#pragma unroll
                for (int i = 0; i < loader::COPIES; i++)
                    load.copy(source, i);
            }
            tc_copy_commit();
            next.step(depth);
        }
    }

    /* A tile, whose first step's fragments are in set `SET`. */
    template <int SET> __device__ void turn(float (&sum)[S::DOWN][S::RIGHT][4])
    {
        auto source = load.source(next, depth, to);

        next.step(depth);
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            int now = (k + SET) % 2, then = (now + 1) % 2, term = (k + 1) % STEPS * STEP;

            if (k == STEPS - 1) {
                tc_copy_wait<STAGES - 2 - LATE>();
                __syncthreads();
                from = from + S::STAGE_BYTES == memory + S::TILES_BYTES ? memory
                                                                        : from + S::STAGE_BYTES;
            }
#pragma unroll
            for (int i = 0; i < S::DOWN; i++) {
                int slot = k * S::DOWN + i;

                fragments.load_pairs(then, i, from, term);
                if (fragments.KEPT == 2)
                    fragments.load_row(then, i, from, term);
#pragma unroll
                for (int c = 0; c < loader::COPIES; c++) {
                    if (c * SLOTS / loader::COPIES == slot)
                        load.copy(source, c);
                }
                if constexpr (!tc_taps_fragments<S>::WHOLE)
                    fragments.multiply_row(sum, now, i);
                if (fragments.KEPT == 1)
                    fragments.load_row(then, i, from, term);
                if (slot == SLOTS - 1)
                    tc_copy_commit();
            }
            if constexpr (tc_taps_fragments<S>::WHOLE)
                tc_multiply_all<typename S::math>(sum, fragments.a[now % fragments.KEPT],
                                                  fragments.b[now]);
        }
        to = to + S::STAGE_BYTES == S::TILES_BYTES ? 0 : to + S::STAGE_BYTES;
    }

    __device__ void run(float (&sum)[S::DOWN][S::RIGHT][4], int32_t count)
    {
        fragments.begin(tc_taps_warp<S>());
        tc_copy_wait<STAGES - 2>();
        __syncthreads();
        fragments.load(0, from, 0);
#pragma unroll 1
        for (; count > 0; count--) {
            turn<0>(sum);
            if (STEPS % 2 == 0)
                continue;
            if (--count == 0)
                break;
            turn<STEPS % 2>(sum);
        }
        tc_copy_wait<0>();
    }
};

/* The sums of a block, from the first tile of its part on. */
template <class S>
__device__ static inline void tc_taps_add_up(float (&sum)[S::DOWN][S::RIGHT][4],
                                             const tc_taps_job &job, const tc_taps_view &view,
                                             const tc_taps_block &block, tc_taps_place *rows,
                                             const tc_taps_tap *taps, char *memory)
{
    int32_t depth = job.conv.depth;
    int32_t tiles = S::PACKED ? (view.taps * depth + S::TERMS - 1) / S::TERMS
                              : view.taps * ((depth + S::TERMS - 1) / S::TERMS);
    int32_t begin = 0, count = tiles;
    tc_taps_loader<S> load;
    typename tc_taps_loader<S>::next_tile next;

    if (job.splits > 1) {
        int32_t each = (tiles + job.splits - 1) / job.splits;

        begin = conv_least(block.split * each, tiles);
        count = conv_least(begin + each, tiles) - begin;
    }
    load.begin(job, block, rows, tc_shared_address(memory));
    next.begin(taps, view.taps, depth, begin, count, load.chunk(), load.line(), load.LINES_APART);
    tc_taps_summer<S> summer(job, load, next, tc_shared_address(memory));
    tc_wait_for_last();
    summer.begin();
    tc_taps_position_rows<S>(job, view, block.first_row, rows);
    summer.run(sum, count);
}

/* The block's coordinates wait in shared memory while sums take all registers. */
template <class S>
__device__ static inline void tc_taps_gemm(const tc_taps_job &job, const tc_taps_view &view,
                                           const tc_taps_block &block, char *memory)
{
    typedef tc_taps_joined<S> joined;
    tc_taps_place *rows = (tc_taps_place *)(memory + S::PLACES_AT);
    tc_taps_tap *taps = (tc_taps_tap *)(memory + S::TAPS_AT);
    tc_taps_block &kept = *(tc_taps_block *)(memory + S::BLOCK_AT);
    float sum[S::DOWN][S::RIGHT][4] = {};

    if (block.first_row >= view.view.positions)
        return;
    if (threadIdx.x == 0)
        kept = block;
    tc_taps_note<S>(view, taps);
    tc_taps_place_rows<S>(job, view, block.first_row, rows);
    __syncthreads();
    tc_taps_add_up<S>(sum, job, view, block, rows, taps, memory);
    tc_let_next_begin();
    if constexpr (S::SHARERS > 1) {
        float own[joined::DOWN][S::RIGHT][4];

        tc_taps_join<S>(own, sum, memory);
        tc_taps_store<joined>(job, view, kept, rows, own, memory);
    } else {
        tc_taps_store<S>(job, view, kept, rows, sum, memory);
    }
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::RESIDENT)
    tc_taps_gemm_kernel(const __grid_constant__ tc_taps_job job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_taps_gemm<S>(job, job.class_of[0],
                        tc_taps_block_at(job, (int32_t)blockIdx.x, S::ROWS, S::COLUMNS),
                        (char *)memory);
    }
}

/* Of direction data with several classes; a block makes the view of its own one. */
template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::RESIDENT)
    tc_taps_classes_kernel(const __grid_constant__ tc_taps_classes_job job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_taps_view &view = *(tc_taps_view *)((char *)memory + S::VIEW_AT);
        tc_taps_block block = tc_taps_block_at(job, (int32_t)blockIdx.x, S::ROWS, S::COLUMNS);
        const tc_taps_class &of = job.classes.class_of[block.number];

        block.number = of.number;
        tc_taps_make_view(&view, job, of);
        __syncthreads();
        tc_taps_gemm<S>(job, view, block, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_taps_gemm_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    int32_t shared = S::SHARED_BYTES + (int32_t)conv_taps(&job->conv) * TC_TAP_BYTES;
    tc_taps_job taps;

    tc_taps_prepare(&taps, *job, (int32_t)sizeof(typename S::element));
    if constexpr (S::CLASSES) {
        static uint8_t classes_asked[TC_DEVICES_SEEN];
        tc_taps_classes_job classes;

        if (job->conv.classes > 1) {
            *(tc_taps_job *)&classes = taps;
            tc_taps_list(&classes.classes, *job, true);
            tc_step_make(step, tc_taps_classes_kernel<S>, classes_asked, S::THREADS, shared,
                         tc_blocks(*job), classes);
            return;
        }
    }
    tc_step_make(step, tc_taps_gemm_kernel<S>, asked, S::THREADS, shared, tc_blocks(*job), taps);
}

#endif
