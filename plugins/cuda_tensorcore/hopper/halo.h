/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the kernel of the family hopper for 3 x 3 filters with at most 64 channels in and
 * out. If M were pixels and N 64 filters, wgmma would read as much as shared memory can deliver.
 * Therefore M are filters, and N the pixels of a tile under one tap. The nine taps of the
 * filters stay in shared memory. One thread loads halos by TMA. Two consumer warpgroups have
 * their own tiles. One multiplies while the other is in its epilogue, which writes results over
 * the halo that it has read. */
#ifndef CUDA_TENSORCORE_HOPPER_HALO_H
#define CUDA_TENSORCORE_HOPPER_HALO_H

#include "halo_epilogue.h"

/* ------------------------------------------------------------------ the producer */

template <class S>
__device__ static inline void tc_hopper_halo_load_filters(const tc_hopper_halo_params &job,
                                                          uint32_t memory, uint32_t barrier)
{
    const tc_hopper_taps &down = job.of[0].taps[TC_HOPPER_HEIGHT];
    const tc_hopper_taps &across = job.of[0].taps[TC_HOPPER_WIDTH];

    tc_barrier_expect(barrier, S::FILTERS_BYTES);
    for (int32_t r = 0; r < S::TAPS; r++)
        for (int32_t s = 0; s < S::TAPS; s++)
            tc_tma_load(memory + (r * S::TAPS + s) * S::TAP_BYTES, &job.b, barrier, 0,
                        across.filter + s * across.filter_step, down.filter + r * down.filter_step,
                        0);
}

template <class S>
__device__ static inline void tc_hopper_halo_producer(const tc_hopper_halo_params &job,
                                                      uint32_t memory,
                                                      const tc_hopper_halo_barriers<S> &barriers)
{
    tc_hopper_pipeline_state<S> state;

    tc_hopper_halo_load_filters<S>(job, memory, barriers.filters());
    for (int32_t number = (int32_t)blockIdx.x; number < job.tiles;
         number += (int32_t)gridDim.x, state.next()) {
        tc_hopper_halo_tile tile(job, number);
        uint32_t full = barriers.full(state.stage);

        tc_barrier_wait(barriers.empty(state.stage), state.phase ^ 1);
        tc_barrier_expect(full, S::HALO_BYTES);
        tc_tma_load(memory + S::STAGES_AT + state.stage * S::STAGE_BYTES, &job.a, full, 0,
                    tile.w + job.dim[TC_HOPPER_WIDTH].lower,
                    tile.h + job.dim[TC_HOPPER_HEIGHT].lower, tile.image);
    }
    tc_launch_dependent_grids();
}

/* ------------------------------------------------------------------ the consumers */

template <class S>
__device__ static inline void tc_hopper_halo_mma(float (&sum)[S::PIXELS / 2], uint32_t filters,
                                                 uint32_t halo)
{
    uint64_t a = S::A_MN_MAJOR ? tc_descriptor_mn_major(filters, S::TAP_BYTES)
                               : tc_descriptor_k_major(filters);
    uint64_t b = tc_descriptor_k_major(halo);

    tc_wgmma_hold(sum);
    tc_wgmma_fence();
#pragma unroll
    for (int32_t tap = 0; tap < S::TAPS * S::TAPS; tap++)
#pragma unroll
        for (int32_t step = 0; step < TC_LINE_BYTES / TC_STEP_BYTES; step++) {
            int32_t line = tap / S::TAPS * TC_HOPPER_HALO_W + tap % S::TAPS;

            tc_wgmma<typename S::math, S::PIXELS, S::A_MN_MAJOR, 0>(
                sum,
                tc_descriptor_at(a, tap * S::TAP_BYTES + step * (S::A_MN_MAJOR ? 16 * TC_LINE_BYTES
                                                                               : TC_STEP_BYTES)),
                tc_descriptor_at(b, line * TC_LINE_BYTES + step * TC_STEP_BYTES),
                tap > 0 || step > 0);
        }
    tc_wgmma_commit();
}

template <class S>
__device__ static inline void tc_hopper_halo_consumer(const tc_hopper_halo_params &job,
                                                      char *shared,
                                                      const tc_hopper_halo_barriers<S> &barriers)
{
    uint32_t memory = tc_shared_address(shared);
    int32_t consumer = (int32_t)threadIdx.x / TC_WARPGROUP - 1, grid = (int32_t)gridDim.x;
    uint32_t turn = consumer == 0; /* the first consumer may begin at once */
    tc_hopper_pipeline_state<S> state;

    state.skip(consumer);
    tc_barrier_wait(barriers.filters(), 0);
    for (int32_t number = (int32_t)blockIdx.x + consumer * grid; number < job.tiles;
         number += S::CONSUMERS * grid, state.skip(S::CONSUMERS)) {
        tc_hopper_halo_tile tile(job, number);
        char *halo = shared + S::STAGES_AT + state.stage * S::STAGE_BYTES;
        float sum[S::PIXELS / 2];

        tc_barrier_wait(barriers.turn(consumer), turn);
        turn ^= 1;
        tc_barrier_wait(barriers.full(state.stage), state.phase);
        tc_hopper_halo_mma<S>(sum, memory, tc_shared_address(halo));
        tc_barrier_arrive(barriers.turn(1 - consumer));
        tc_wgmma_wait<0>();
        tc_wgmma_hold(sum);
        tc_warpgroup_sync(1 + consumer);
        if (job.results == TC_HOPPER_BIASED)
            tc_hopper_halo_store<S>(
                job, tile, halo, consumer, sum,
                tc_biased<typename S::element>{job.output, job.bounds, 0, job.n});
        else if (job.results == TC_HOPPER_ROUNDED)
            tc_hopper_halo_store<S>(job, tile, halo, consumer, sum, tc_as_they_are());
        else
            tc_hopper_halo_blend<S>(job, tile, halo, consumer, sum);
        if (threadIdx.x % TC_WARPGROUP == 0) {
            tc_tma_store_wait_read<0>();
            tc_barrier_arrive(barriers.empty(state.stage));
        }
    }
    if (threadIdx.x % TC_WARPGROUP == 0)
        tc_tma_store_wait();
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, 1)
    tc_hopper_halo_kernel(const __grid_constant__ tc_hopper_halo_params job)
{
    TC_HOPPER_CODE({
        TC_SHARED(shared);
        uint32_t memory = tc_shared_address(shared);
        tc_hopper_halo_barriers<S> barriers = {{memory + (uint32_t)S::BARRIERS_AT}};

        if (threadIdx.x == 0) {
            tc_barrier_init(barriers.filters(), 1);
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
                tc_hopper_halo_producer<S>(job, memory, barriers);
        } else {
            tc_setmaxnreg_inc<TC_CONSUMER_REGISTERS>();
            tc_hopper_halo_consumer<S>(job, (char *)shared, barriers);
        }
    })
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_hopper_halo_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_hopper_halo_params halo = {};
    int32_t made = tc_hopper_halo_prepare(&halo, *job);
    int32_t blocks = conv_least(halo.tiles, job->context->cuda.multiprocessors);

    tc_step_fill(step, tc_hopper_halo_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, blocks, halo);
    step->run = made ? tc_hopper_run<tc_hopper_halo_params> : tc_hopper_refused;
}

#endif
