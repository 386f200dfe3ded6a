/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the persistent, warp-specialized wgrad of the family hopper. One block per
 * multiprocessor processes work tiles in turn; a work tile is one tile in one split of K. One
 * thread fills a pipeline of stages of positions by TMA. Two warpgroups each multiply half of
 * the tile's M. The descriptors of both operands are MN-major. The work tiles of a split are
 * consecutive, so that blocks that run at the same time read the same positions. */
#ifndef CUDA_TENSORCORE_HOPPER_WGRAD_H
#define CUDA_TENSORCORE_HOPPER_WGRAD_H

#include "../ampere/wgrad_params.h"
#include "wgrad_epilogue.h"

/* ------------------------------------------------------------------ the producer */

/* The coordinates of a position. next() advances them by one stage without divisions. */
template <class S> struct tc_hopper_walk {
    int32_t w, h, image;
    int32_t by_w, by_h, by_image; /* distance of a stage */

    __device__ tc_hopper_walk(const tc_hopper_wgrad_params &job, int32_t position)
    {
        const int32_t height = job.dim[TC_HOPPER_HEIGHT].positions;
        const int32_t width = job.dim[TC_HOPPER_WIDTH].positions;

        w = position % width;
        h = position / width % height;
        image = position / width / height;
        by_w = S::POSITIONS % width;
        by_h = S::POSITIONS / width % height;
        by_image = S::POSITIONS / width / height;
    }

    __device__ void next(const tc_hopper_wgrad_params &job)
    {
        const int32_t height = job.dim[TC_HOPPER_HEIGHT].positions;
        const int32_t width = job.dim[TC_HOPPER_WIDTH].positions;
        int32_t over = (w += by_w) >= width;

        w -= over ? width : 0;
        h += by_h + over;
        over = h >= height;
        h -= over ? height : 0;
        image += by_image + over;
    }
};

/* The source of a tile's blocks in x: the channel of each block, and the offsets of its tap. */
template <class S> struct tc_hopper_wgrad_taps {
    int32_t count, channel[S::X_BLOCKS];
    uint32_t offsets[S::X_BLOCKS];

    __device__ tc_hopper_wgrad_taps(const tc_hopper_wgrad_params &job,
                                    const tc_hopper_wgrad_work_tile<S> &item)
    {
        const tc_hopper_taps &down = job.taps[TC_HOPPER_HEIGHT];
        const tc_hopper_taps &across = job.taps[TC_HOPPER_WIDTH];
        int32_t left = job.blocks - item.first_block;

        count = left < S::X_BLOCKS ? left : S::X_BLOCKS;
#pragma unroll
        for (int32_t i = 0; i < S::X_BLOCKS; i++) {
            int32_t block = item.first_block + i, tap = block / job.channel_blocks;
            int32_t r = tap / across.count, s = tap - r * across.count;

            channel[i] =
                item.group * job.channels + (block - tap * job.channel_blocks) * TC_HOPPER_BLOCK;
            offsets[i] = (uint32_t)(r * down.spacing) << 16 | (uint32_t)(s * across.spacing);
        }
    }
};

/* Loads blocks of 64 channels of consecutive positions, one by one. If `box` is more than 1, it
 * loads `box` blocks at a time by a map with blocks as its third dim. */
template <class S>
__device__ static inline void tc_hopper_wgrad_load(uint32_t to, const tc_tensor_map &map,
                                                   uint32_t full, int32_t count, int32_t box,
                                                   int32_t channel, int32_t position)
{
    for (int32_t i = 0; i < count; i += box, channel += box * TC_HOPPER_BLOCK)
        tc_tma_load(to + i * S::BLOCK_BYTES, &map, full, box > 1 ? 0 : channel, position,
                    box > 1 ? channel / TC_HOPPER_BLOCK : 0, 0);
}

template <class S>
__device__ static inline void
tc_hopper_wgrad_load_x(const tc_hopper_wgrad_params &job, uint32_t to, uint32_t full,
                       const tc_hopper_wgrad_taps<S> &taps, const tc_hopper_walk<S> &walk)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    int32_t w = walk.w * width.step + width.lower, h = walk.h * height.step + height.lower;

#pragma unroll
    for (int32_t i = 0; i < S::X_BLOCKS; i++) {
        if (i < taps.count)
            tc_tma_load_im2col(to + i * S::BLOCK_BYTES, &job.x, full, taps.channel[i], w, h,
                               walk.image, taps.offsets[i] & 0xffff, taps.offsets[i] >> 16);
    }
}

template <class S>
__device__ static inline void tc_hopper_wgrad_producer(const tc_hopper_wgrad_params &job,
                                                       uint32_t memory,
                                                       const tc_hopper_barriers<S> &barriers)
{
    tc_hopper_pipeline_state<S> state;

    for (int32_t number = (int32_t)blockIdx.x; number < job.items; number += (int32_t)gridDim.x) {
        tc_hopper_wgrad_work_tile<S> item(job, number);
        tc_hopper_wgrad_taps<S> taps(job, item);
        tc_hopper_walk<S> walk(job, item.begin * S::POSITIONS);
        int32_t filter = item.group * job.filters + item.first_filter;
        uint32_t bytes = (uint32_t)(taps.count + S::FILTER_BLOCKS) * S::BLOCK_BYTES;

        for (int32_t stage = item.begin; stage < item.end; stage++, state.next(), walk.next(job)) {
            uint32_t full = barriers.full(state.stage);
            uint32_t to = memory + state.stage * S::STAGE_BYTES;

            tc_barrier_wait(barriers.empty(state.stage), state.phase ^ 1);
            tc_barrier_expect(full, bytes);
            tc_hopper_wgrad_load<S>(to + S::DY_AT, job.dy, full, S::FILTER_BLOCKS, job.dy_box,
                                    filter, stage * S::POSITIONS);
            if (job.is_product)
                tc_hopper_wgrad_load<S>(to + S::X_AT, job.x, full, taps.count, job.x_box,
                                        taps.channel[0], stage * S::POSITIONS);
            else
                tc_hopper_wgrad_load_x<S>(job, to + S::X_AT, full, taps, walk);
        }
    }
    tc_launch_dependent_grids();
}

/* ------------------------------------------------------------------ the consumers */

/* Computes the sums of a work tile. A stage is released when the products of the next stage have
 * been issued. */
template <class S>
__device__ static inline void
tc_hopper_wgrad_mainloop(float (&sum)[S::UNITS][S::N / 2], int32_t stages, uint32_t memory,
                         int32_t consumer, const tc_hopper_barriers<S> &barriers,
                         tc_hopper_pipeline_state<S> *state)
{
    const uint32_t own = consumer * S::UNITS * S::BLOCK_BYTES;
    int32_t last = -1;

#pragma unroll 1
    for (int32_t i = 0; i < stages; i++, state->next()) {
        uint32_t stage = memory + state->stage * S::STAGE_BYTES;
        uint64_t a = tc_descriptor_mn_major(stage + own, S::BLOCK_BYTES);
        uint64_t b = tc_descriptor_mn_major(stage + S::N_AT, S::BLOCK_BYTES);

        tc_barrier_wait(barriers.full(state->stage), state->phase);
#pragma unroll
        for (int32_t unit = 0; unit < S::UNITS; unit++)
            tc_wgmma_hold(sum[unit]);
        tc_wgmma_fence();
#pragma unroll
        for (int32_t k = 0; k < S::POSITIONS / 16; k++)
#pragma unroll
            for (int32_t unit = 0; unit < S::UNITS; unit++)
                tc_wgmma<typename S::math, S::N, 1, 1>(
                    sum[unit], tc_descriptor_at(a, k * 16 * TC_LINE_BYTES + unit * S::BLOCK_BYTES),
                    tc_descriptor_at(b, k * 16 * TC_LINE_BYTES), i > 0 || k > 0);
        tc_wgmma_commit();
        tc_wgmma_wait<1>();
        if (last >= 0 && threadIdx.x % 32 == 0)
            tc_barrier_arrive(barriers.empty(last));
        last = state->stage;
    }
    tc_wgmma_wait<0>();
    if (threadIdx.x % 32 == 0)
        tc_barrier_arrive(barriers.empty(last));
#pragma unroll
    for (int32_t unit = 0; unit < S::UNITS; unit++)
        tc_wgmma_hold(sum[unit]);
}

template <class S>
__device__ static inline void tc_hopper_wgrad_consumer(const tc_hopper_wgrad_params &job,
                                                       uint32_t memory,
                                                       const tc_hopper_barriers<S> &barriers)
{
    int32_t consumer = (int32_t)threadIdx.x / TC_WARPGROUP - 1;
    tc_hopper_pipeline_state<S> state;

    for (int32_t number = (int32_t)blockIdx.x; number < job.items; number += (int32_t)gridDim.x) {
        tc_hopper_wgrad_work_tile<S> item(job, number);
        float *partial =
            job.partial + ((int64_t)item.split * job.groups + item.group) * job.filters * job.m;
        float sum[S::UNITS][S::N / 2];

        tc_hopper_wgrad_mainloop<S>(sum, item.end - item.begin, memory, consumer, barriers, &state);
        if constexpr (S::X_IS_M)
            tc_hopper_wgrad_epilogue_x_is_m<S>(job, item, partial, consumer, sum);
        else
            tc_hopper_wgrad_epilogue<S>(job, item, partial, consumer, sum);
    }
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, 1)
    tc_hopper_wgrad_kernel(const __grid_constant__ tc_hopper_wgrad_params job)
{
    TC_HOPPER_CODE({
        TC_SHARED(shared);
        uint32_t memory = tc_shared_address(shared);
        tc_hopper_barriers<S> barriers = {memory + (uint32_t)S::BARRIERS_AT};

        if (threadIdx.x == 0) {
            barriers.init();
            tc_tma_prefetch(&job.x);
            tc_tma_prefetch(&job.dy);
        }
        __syncthreads();
        tc_wait_on_dependent_grids();
        if (threadIdx.x < TC_WARPGROUP) {
            tc_setmaxnreg_dec<TC_PRODUCER_REGISTERS>();
            if (threadIdx.x == 0)
                tc_hopper_wgrad_producer<S>(job, memory, barriers);
        } else {
            tc_setmaxnreg_inc<TC_CONSUMER_REGISTERS>();
            tc_hopper_wgrad_consumer<S>(job, memory, barriers);
        }
    })
}

/* ------------------------------------------------------------------ on the host */

template <class S>
static int32_t tc_hopper_wgrad_run(const struct cuda_call *call, const tc_step *step,
                                   const tc_arguments &args)
{
    tc_hopper_wgrad_params job;

    memcpy(&job, step->parameters, sizeof job);
    job.partial = (float *)args.partial;
    if (!tc_bind_map(&job.x, args.a) || !tc_bind_map(&job.dy, args.b))
        return tc_hopper_refused(call, step, args);
    return tc_launch(call, step, 0, job);
}

template <class S> static void tc_hopper_wgrad_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_hopper_wgrad_params made = {};
    int32_t can = tc_hopper_wgrad_prepare(&made, *job, S::POSITIONS, S::X_BLOCKS, S::FILTER_BLOCKS);
    int32_t blocks = conv_least(made.items, job->context->cuda.multiprocessors);

    tc_step_fill(step, tc_hopper_wgrad_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, blocks, made);
    step->run = can ? tc_hopper_wgrad_run<S> : tc_hopper_refused;
}

#endif
