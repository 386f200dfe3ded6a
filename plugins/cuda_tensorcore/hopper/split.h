/* SPDX-License-Identifier: Apache-2.0 */
/* Implements float as sums of two TF32 numbers (common/split.h) for fprop and dgrad of the family
 * hopper. The other warps of the producer's warpgroup make the high and low parts of B in shared
 * memory, once per stage for both consumers. A consumer makes the parts of A in registers, from
 * which wgmma reads them. The small products of a stage come first, in a separate sum that is then
 * added in float. The truncation error of the unit therefore does not grow with the length of the
 * sum.
 *
 * A stage with numbers of TC_SPLIT_LIMIT and more is multiplied in float, from the original A
 * and B. */
#ifndef CUDA_TENSORCORE_HOPPER_SPLIT_H
#define CUDA_TENSORCORE_HOPPER_SPLIT_H

#include "../common/split.h"
#include "shape.h"

/* The k of a product, and the products of a stage along K. */
#define TC_SPLIT_K     8
#define TC_SPLIT_STEPS (TC_LINE_BYTES / TC_STEP_BYTES)

template <class S> __device__ static inline void tc_hopper_split_init(uint32_t memory)
{
    for (int32_t stage = 0; stage < S::STAGES; stage++)
        tc_barrier_init(memory + S::READY_AT + stage * 8, TC_SPLIT_WARPS);
}

/* Returns the flags of a stage, which are 1 if a splitter's warp found a number of TC_SPLIT_LIMIT
 * or more. Each thread that writes or reads these flags waits and arrives itself. Lane 0 of a
 * splitter's warp writes a flag after its own wait for `empty`, and arrives on `ready`. Lane 0 of a
 * consumer's warp reads all flags after its own wait for `ready`. It passes the result to the other
 * lanes, and arrives on `empty`.
 *
 * The splitter's wait never blocks, since the stage is full. The order would also hold without
 * it, or if other lanes read and lane 0 arrived for them. It would then depend on the producer
 * and on __syncwarp, which racecheck does not track. */
template <class S> __device__ static inline int32_t *tc_hopper_large(char *shared, int32_t stage)
{
    return (int32_t *)(shared + S::LARGE_AT) + stage * TC_SPLIT_WARPS;
}

/* ------------------------------------------------------------------ the splitters */

/* Returns the largest magnitude in 16 bytes. */
__device__ static inline float tc_hopper_largest(const uint4 &from)
{
    const uint32_t words[1][4] = {{from.x, from.y, from.z, from.w}};

    return tc_split_largest(words);
}

/* Splits B. The parts have the same layout as B. */
template <class S> __device__ static inline float tc_hopper_split_b(char *b, int32_t thread)
{
    float largest = 0;

#pragma unroll 4
    for (int32_t i = thread; i < S::B_BYTES / 16; i += TC_SPLIT_WARPS * 32) {
        uint4 *at = (uint4 *)b + i;
        const uint4 from = *at;
        const uint32_t words[4] = {from.x, from.y, from.z, from.w};
        uint32_t high[4], low[4];

        largest = fmaxf(largest, tc_hopper_largest(from));
        tc_split_words(high, low, words);
        at[S::B_BYTES / 16] = {high[0], high[1], high[2], high[3]};
        at[2 * S::B_BYTES / 16] = {low[0], low[1], low[2], low[3]};
    }
    return largest;
}

template <class S>
__device__ static inline void tc_hopper_splitter(const typename S::job &job, char *shared,
                                                 const tc_hopper_barriers<S> &barriers)
{
    int32_t thread = (int32_t)threadIdx.x - 32;
    tc_hopper_pipeline_state<S> state;

    for (int32_t number = (int32_t)blockIdx.x; number < job.tiles; number += (int32_t)gridDim.x) {
        int32_t blocks = job.of[tc_hopper_tile<S>(job, number).number].blocks;

#pragma unroll 1
        for (int32_t block = 0; block < blocks; block++, state.next()) {
            char *stage = shared + state.stage * S::STAGE_BYTES;
            float largest;
            int32_t some;

            tc_barrier_wait(barriers.full(state.stage), state.phase);
            largest = tc_hopper_split_b<S>(stage + S::A_BYTES, thread);
#pragma unroll 4
            for (int32_t i = thread; i < S::A_BYTES / 16; i += TC_SPLIT_WARPS * 32)
                largest = fmaxf(largest, tc_hopper_largest(((const uint4 *)stage)[i]));
            tc_fence_proxy_async();
            some = __any_sync(UINT32_MAX, largest >= TC_SPLIT_LIMIT);
            if (thread % 32 == 0) {
                tc_barrier_wait(barriers.empty(state.stage), state.phase ^ 1);
                tc_hopper_large<S>(shared, state.stage)[thread / 32] = some;
                tc_barrier_arrive(tc_shared_address(shared) + S::READY_AT + state.stage * 8);
            }
        }
    }
}

/* ------------------------------------------------------------------ the consumers */

/* Returns the address of word `k` in a line of a tile. */
__device__ static inline uint32_t tc_hopper_word_at(uint32_t tile, int32_t line, int32_t k)
{
    return tile + line * TC_LINE_BYTES + ((k / 4 ^ line % 8) << 4) + k % 4 * 4;
}

/* Multiplies a stage in float, one k after another. */
template <class S>
__device__ static inline void tc_hopper_mainloop_float(float (&sum)[S::TILE_N / 2], uint32_t a,
                                                       uint32_t b)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t row = thread / 32 * 16 + lane / 4;

#pragma unroll 1
    for (int32_t k = 0; k < TC_LINE_BYTES / 4; k++) {
        float first = cuda_float_of(tc_load_word(tc_hopper_word_at(a, row, k)));
        float second = cuda_float_of(tc_load_word(tc_hopper_word_at(a, row + 8, k)));

#pragma unroll
        for (int32_t i = 0; i < S::TILE_N / 4; i++) {
            int32_t column = i / 2 * 8 + lane % 4 * 2 + i % 2, at = i / 2 * 4 + i % 2;
            float other = cuda_float_of(tc_load_word(tc_hopper_word_at(b, column, k)));

            sum[at] = fmaf(first, other, sum[at]);
            sum[at + 2] = fmaf(second, other, sum[at + 2]);
        }
    }
}

/* Computes the products of a stage, small ones first. */
template <class S>
__device__ static inline void tc_hopper_split_products(float (&stage_sum)[S::TILE_N / 2],
                                                       uint32_t a, uint32_t b)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane % 16;
    uint32_t high[TC_SPLIT_STEPS][4], low[TC_SPLIT_STEPS][4];
    uint64_t high_b = tc_descriptor_k_major(b + S::B_BYTES);
    uint64_t low_b = tc_descriptor_k_major(b + 2 * S::B_BYTES);

#pragma unroll
    for (int32_t step = 0; step < TC_SPLIT_STEPS; step++) {
        uint32_t words[4];

        tc_ldmatrix(words, tc_hopper_word_at(a, line, step * TC_SPLIT_K + lane / 16 * 4));
        tc_split_words(high[step], low[step], words);
    }
    tc_wgmma_hold(stage_sum);
    tc_wgmma_fence();
#pragma unroll
    for (int32_t step = 0; step < TC_SPLIT_STEPS; step++) {
        tc_wgmma_rs<S::TILE_N>(stage_sum, low[step], tc_descriptor_at(high_b, step * TC_STEP_BYTES),
                               step > 0);
        tc_wgmma_rs<S::TILE_N>(stage_sum, high[step], tc_descriptor_at(low_b, step * TC_STEP_BYTES),
                               1);
    }
#pragma unroll
    for (int32_t step = 0; step < TC_SPLIT_STEPS; step++)
        tc_wgmma_rs<S::TILE_N>(stage_sum, high[step],
                               tc_descriptor_at(high_b, step * TC_STEP_BYTES), 1);
    tc_wgmma_commit();
    tc_wgmma_wait<0>();
    tc_wgmma_hold(stage_sum);
}

template <class S>
__device__ static inline void tc_hopper_split_mainloop(float (&sum)[S::TILE_N / 2], int32_t blocks,
                                                       char *shared, int32_t consumer,
                                                       const tc_hopper_barriers<S> &barriers,
                                                       tc_hopper_pipeline_state<S> *state)
{
    static_assert(S::UNITS == 1 && !S::PING_PONG, "a consumer has 64 rows of the tile");
    const uint32_t memory = tc_shared_address(shared);

#pragma unroll
    for (int32_t i = 0; i < S::TILE_N / 2; i++)
        sum[i] = 0;
#pragma unroll 1
    for (int32_t block = 0; block < blocks; block++, state->next()) {
        uint32_t stage = memory + state->stage * S::STAGE_BYTES;
        uint32_t a = stage + consumer * S::OWN_M * TC_LINE_BYTES, b = stage + S::A_BYTES;
        const int32_t *large = tc_hopper_large<S>(shared, state->stage);
        int32_t some = 0;

        tc_barrier_wait(barriers.full(state->stage), state->phase);
        tc_barrier_wait(memory + S::READY_AT + state->stage * 8, state->phase);
        if (threadIdx.x % 32 == 0) {
#pragma unroll
            for (int32_t i = 0; i < TC_SPLIT_WARPS; i++)
                some |= large[i];
        }
        if (__any_sync(UINT32_MAX, some)) {
            tc_hopper_mainloop_float<S>(sum, a, b);
        } else {
            float stage_sum[S::TILE_N / 2];

            tc_hopper_split_products<S>(stage_sum, a, b);
#pragma unroll
            for (int32_t i = 0; i < S::TILE_N / 2; i++)
                sum[i] = fmaf(stage_sum[i], TC_SPLIT_UNSCALE, sum[i]);
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            tc_barrier_arrive(barriers.empty(state->stage));
    }
}

#endif
