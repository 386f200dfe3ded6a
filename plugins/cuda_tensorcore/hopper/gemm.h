/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the persistent, warp-specialized GEMM of fprop and dgrad in the family hopper. One
 * block per multiprocessor processes tiles in turn. One of its three warpgroups is the producer,
 * of which one thread fills the pipeline by TMA. The other two, the consumers, multiply by
 * wgmma. In the cooperative schedule, the consumers share a tile, and each has half of its M. In
 * the ping-pong schedule, each consumer has its own tiles. While one multiplies, the other one
 * is in its epilogue, and the producer already loads the next tile. */
#ifndef CUDA_TENSORCORE_HOPPER_GEMM_H
#define CUDA_TENSORCORE_HOPPER_GEMM_H

#include "epilogue.h"
#include "split.h"

/* ------------------------------------------------------------------ the producer */

/* Loads the filters of tap (r, s) from channel `channel` on, for a tile's N. */
template <class S>
__device__ static inline void tc_hopper_load_b(const tc_hopper_params &job, uint32_t to,
                                               uint32_t barrier, const tc_hopper_tile<S> &tile,
                                               int32_t channel, int32_t r, int32_t s)
{
    if constexpr (S::B_MN_MAJOR) {
#pragma unroll
        for (int32_t i = 0; i < S::TILE_N / TC_HOPPER_SLAB; i++)
            tc_tma_load(to + i * TC_HOPPER_SLAB_BYTES, &job.b, barrier,
                        tile.column + i * TC_HOPPER_SLAB, s, r,
                        tile.group * job.channels + channel);
    } else {
        tc_tma_load(to, &job.b, barrier, channel, s, r, tile.group * job.n + tile.column);
    }
}

template <class S>
__device__ static inline void tc_hopper_producer(const typename S::job &job, uint32_t memory,
                                                 const tc_hopper_barriers<S> &barriers)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    tc_hopper_pipeline_state<S> state;

    for (int32_t number = (int32_t)blockIdx.x; number < job.tiles; number += (int32_t)gridDim.x) {
        tc_hopper_tile<S> tile(job, number);
        const tc_hopper_class &of = job.of[tile.number];
        const tc_hopper_taps &down = of.taps[TC_HOPPER_HEIGHT], &across = of.taps[TC_HOPPER_WIDTH];
        int32_t line = tile.row / width.positions;
        int32_t w = tile.row % width.positions * width.step + width.lower;
        int32_t h = line % height.positions * height.step + height.lower;
        int32_t image = line / height.positions;
        for (int32_t r = 0; r < down.count; r++)
            for (int32_t s = 0; s < across.count; s++)
                for (int32_t block = 0; block < of.channel_blocks; block++, state.next()) {
                    uint32_t full = barriers.full(state.stage);
                    uint32_t to = memory + state.stage * S::STAGE_BYTES;
                    int32_t channel = block * S::TILE_K;
                    int32_t c = tile.group * job.channels + channel;

                    tc_barrier_wait(barriers.empty(state.stage), state.phase ^ 1);
                    tc_barrier_expect(full, S::LOADED_BYTES);
                    if (job.is_product)
                        tc_tma_load(to, &job.a, full, c, tile.row, 0, 0);
                    else
                        tc_tma_load_im2col(to, &job.a, full, c, w, h, image,
                                           across.offset + s * across.spacing,
                                           down.offset + r * down.spacing);
                    tc_hopper_load_b<S>(job, to + S::A_BYTES, full, tile, channel,
                                        down.filter + r * down.filter_step,
                                        across.filter + s * across.filter_step);
                }
    }
    tc_launch_dependent_grids();
}

/* ------------------------------------------------------------------ the consumers */

/* Returns the stages of a tile, or 0 beyond the last tile. */
template <class S>
__device__ static inline int32_t tc_hopper_blocks_of(const typename S::job &job, int32_t number)
{
    if (S::CLASSES == 1)
        return job.of[0].blocks;
    return number < job.tiles ? job.of[tc_hopper_tile<S>(job, number).number].blocks : 0;
}

/* Computes the sums of a tile. A stage is released when the products of the next stage have been
 * issued. */
template <class S>
__device__ static inline void tc_hopper_mainloop(typename S::sum (&sum)[S::UNITS][S::TILE_N / 2],
                                                 int32_t blocks, uint32_t memory, int32_t consumer,
                                                 const tc_hopper_barriers<S> &barriers,
                                                 tc_hopper_pipeline_state<S> *state)
{
    const uint32_t own = S::PING_PONG ? 0 : consumer * S::OWN_M * TC_LINE_BYTES;
    int32_t last = -1;

#pragma unroll 1
    for (int32_t block = 0; block < blocks; block++, state->next()) {
        uint32_t stage = memory + state->stage * S::STAGE_BYTES, b_at = stage + S::A_BYTES;
        uint64_t a = tc_descriptor_k_major(stage + own);
        uint64_t b = S::B_MN_MAJOR ? tc_descriptor_mn_major(b_at, TC_HOPPER_SLAB_BYTES)
                                   : tc_descriptor_k_major(b_at);

        tc_barrier_wait(barriers.full(state->stage), state->phase);
#pragma unroll
        for (int32_t unit = 0; unit < S::UNITS; unit++)
            tc_wgmma_hold(sum[unit]);
        tc_wgmma_fence();
#pragma unroll
        for (int32_t step = 0; step < TC_LINE_BYTES / TC_STEP_BYTES; step++)
#pragma unroll
            for (int32_t unit = 0; unit < S::UNITS; unit++)
                tc_wgmma<typename S::math, S::TILE_N, 0, S::B_MN_MAJOR>(
                    sum[unit],
                    tc_descriptor_at(a, step * TC_STEP_BYTES +
                                            unit * TC_WARPGROUP_ROWS * TC_LINE_BYTES),
                    tc_descriptor_at(b,
                                     step * (S::B_MN_MAJOR ? 16 * TC_LINE_BYTES : TC_STEP_BYTES)),
                    block > 0 || step > 0);
        tc_wgmma_commit();
        tc_wgmma_wait<1>();
        if (last >= 0 && threadIdx.x % 32 == 0)
            tc_barrier_arrive(barriers.empty(last));
        last = state->stage;
    }
    if (S::PING_PONG)
        tc_barrier_arrive(barriers.turn(1 - consumer));
    tc_wgmma_wait<0>();
    if (threadIdx.x % 32 == 0)
        tc_barrier_arrive(barriers.empty(last));
#pragma unroll
    for (int32_t unit = 0; unit < S::UNITS; unit++)
        tc_wgmma_hold(sum[unit]);
}

template <class S>
__device__ static inline void tc_hopper_consumer(const typename S::job &job, char *shared,
                                                 const tc_hopper_barriers<S> &barriers)
{
    uint32_t memory = tc_shared_address(shared);
    int32_t consumer = (int32_t)threadIdx.x / TC_WARPGROUP - 1, buffer = 0;
    int32_t grid = (int32_t)gridDim.x, taking_turns = S::PING_PONG ? S::CONSUMERS : 1;
    uint32_t turn = consumer == 0; /* the first consumer may begin at once */
    tc_hopper_pipeline_state<S> state;

    if (S::PING_PONG && consumer > 0)
        state.skip(tc_hopper_blocks_of<S>(job, (int32_t)blockIdx.x));
    for (int32_t number = (int32_t)blockIdx.x + (S::PING_PONG ? consumer : 0) * grid;
         number < job.tiles; number += taking_turns * grid) {
        typename S::sum sum[S::UNITS][S::TILE_N / 2];
        tc_hopper_tile<S> tile(job, number);
        int32_t blocks = job.of[tile.number].blocks;

        if (S::PING_PONG) {
            tc_barrier_wait(barriers.turn(consumer), turn);
            turn ^= 1;
        }
        if constexpr (S::CLASSES > 1) {
            if (blocks == 0) {
                if (S::PING_PONG) {
                    tc_barrier_arrive(barriers.turn(1 - consumer));
                    state.skip(tc_hopper_blocks_of<S>(job, number + grid));
                }
                tc_hopper_store_absent<S>(job, tile, consumer, shared);
                continue;
            }
        }
        if constexpr (S::SPLITS)
            tc_hopper_split_mainloop<S>(sum[0], blocks, shared, consumer, barriers, &state);
        else
            tc_hopper_mainloop<S>(sum, blocks, memory, consumer, barriers, &state);
        if (S::PING_PONG)
            state.skip(tc_hopper_blocks_of<S>(job, number + grid));
        if constexpr (S::CLASSES == 1 && !tc_is_integer<typename S::math>()) {
            if (job.results == TC_HOPPER_BIASED) {
                tc_hopper_epilogue<S, TC_HOPPER_BIASED>(job, tile, consumer, shared, &buffer, sum);
                continue;
            }
        }
        if (job.results == TC_HOPPER_ROUNDED)
            tc_hopper_epilogue<S, TC_HOPPER_ROUNDED>(job, tile, consumer, shared, &buffer, sum);
        else
            tc_hopper_epilogue<S, TC_HOPPER_BLENDED>(job, tile, consumer, shared, &buffer, sum);
    }
    if (threadIdx.x % TC_WARPGROUP == 0)
        tc_tma_store_wait();
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, 1)
    tc_hopper_kernel(const __grid_constant__ typename S::job job)
{
    TC_HOPPER_CODE({
        TC_SHARED(shared);
        uint32_t memory = tc_shared_address(shared);
        tc_hopper_barriers<S> barriers = {memory + (uint32_t)S::BARRIERS_AT};

        if (threadIdx.x == 0) {
            if constexpr (S::SPLITS)
                tc_hopper_split_init<S>(memory);
            barriers.init();
            tc_tma_prefetch(&job.a);
            tc_tma_prefetch(&job.b);
            tc_tma_prefetch(&job.c[0]);
        }
        __syncthreads();
        tc_wait_on_dependent_grids();
        if (threadIdx.x < TC_WARPGROUP) {
            tc_setmaxnreg_dec<TC_PRODUCER_REGISTERS>();
            if (threadIdx.x == 0)
                tc_hopper_producer<S>(job, memory, barriers);
            if constexpr (S::SPLITS) {
                if (threadIdx.x >= 32)
                    tc_hopper_splitter<S>(job, (char *)shared, barriers);
            }
        } else {
            tc_setmaxnreg_inc<TC_CONSUMER_REGISTERS>();
            tc_hopper_consumer<S>(job, (char *)shared, barriers);
        }
    })
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_hopper_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    typename S::job hopper = {};
    int32_t made = tc_hopper_prepare(&hopper, hopper.of, hopper.c, *job, S::TILE_M, S::TILE_N,
                                     S::math::ROUNDS);
    int32_t blocks = conv_least(hopper.tiles, job->context->cuda.multiprocessors);

    tc_step_fill(step, tc_hopper_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, blocks, hopper);
    step->run = made ? tc_hopper_run<typename S::job> : tc_hopper_refused;
}

#endif
