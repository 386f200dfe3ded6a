/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The persistent GEMM of the family hopper. A block a multiprocessor takes tiles by turns; of its
 * three warpgroups one (the producer, one thread of it) fills a ring of stages by the copy engine,
 * two (the consumers) multiply. Cooperative: the consumers share a tile, half of its rows each.
 * Ping-pong: each has tiles of its own, and while one multiplies the other one stores. Results
 * leave through shared memory, 64 x 64 at a time, while the producer is already at the next tile.
 */
#ifndef CUDA_TENSORCORE_HOPPER_GEMM_H
#define CUDA_TENSORCORE_HOPPER_GEMM_H

#include "hopper.h"
#include "hopper_job.h"
#include "launch.h"

enum { TC_COOPERATIVE, TC_PING_PONG };

/* Registers of a thread: of the producer, and of the consumers, out of 168 at the launch. */
#define TC_PRODUCER_REGISTERS 40
#define TC_CONSUMER_REGISTERS 232

/* B_LINES_ARE_TERMS: dgrad, whose filters have their columns side by side. */
template <class MATH, int R, int C, int SCHEDULE, int N, int B_LINES_ARE_TERMS>
struct tc_hopper_shape {
    typedef typename MATH::element element;
    enum {
        ROWS = R,
        COLUMNS = C,
        STAGES = N,
        B_LINES = B_LINES_ARE_TERMS,
        PING_PONG = SCHEDULE,
        CONSUMERS = 2,
        THREADS = (1 + CONSUMERS) * TC_WARPGROUP,
        OWN_ROWS = PING_PONG ? ROWS : ROWS / CONSUMERS, /* of a consumer */
        UNITS = OWN_ROWS / TC_WARPGROUP_ROWS,
        SLABS = COLUMNS / TC_HOPPER_SLAB,
        WARPS_OF_A_STAGE = (PING_PONG ? 1 : CONSUMERS) * TC_WARPGROUP / 32,
        A_BYTES = ROWS * TC_LINE_BYTES,
        STAGE_BYTES = A_BYTES + COLUMNS * TC_LINE_BYTES,
        BUFFERS_AT = STAGES * STAGE_BYTES, /* two a consumer */
        ROWS_AT = BUFFERS_AT + CONSUMERS * 2 * TC_HOPPER_SLAB_BYTES,
        BARRIERS_AT = ROWS_AT + CONSUMERS * TC_WARPGROUP_ROWS * 8,
        SHARED_BYTES = BARRIERS_AT + (2 * STAGES + CONSUMERS) * 8
    };
};

/* A place in the ring of stages, and the parity of its phase. */
template <class S> struct tc_hopper_ring {
    int32_t stage = 0;
    uint32_t parity = 0;

    __device__ void next()
    {
        if (++stage == S::STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }

    /* As many as a tile has. */
    __device__ void skip(int32_t count)
    {
        for (stage += count % (2 * S::STAGES); stage >= S::STAGES; stage -= S::STAGES)
            parity ^= 1;
    }
};

/* Barriers: stages filled, stages read, and in turns a consumer that may multiply. */
template <class S> struct tc_hopper_barriers {
    uint32_t first;

    __device__ uint32_t full(int32_t stage) const
    {
        return first + stage * 8;
    }
    __device__ uint32_t empty(int32_t stage) const
    {
        return first + (S::STAGES + stage) * 8;
    }
    __device__ uint32_t turn(int32_t consumer) const
    {
        return first + (2 * S::STAGES + consumer) * 8;
    }

    __device__ void init() const
    {
        for (int32_t stage = 0; stage < S::STAGES; stage++) {
            tc_barrier_init(full(stage), 1);
            tc_barrier_init(empty(stage), S::WARPS_OF_A_STAGE);
        }
        for (int32_t consumer = 0; consumer < S::CONSUMERS; consumer++)
            tc_barrier_init(turn(consumer), TC_WARPGROUP);
        tc_barrier_init_done();
    }
};

/* Fastest the columns, so that A comes from memory once. */
template <class S> struct tc_hopper_tile {
    int32_t row, column, group;

    __device__ tc_hopper_tile(const tc_hopper_job &job, int32_t number)
    {
        column = number % job.column_tiles * S::COLUMNS;
        number /= job.column_tiles;
        row = number % job.row_tiles * S::ROWS;
        group = number / job.row_tiles;
    }
};

/* ------------------------------------------------------------------ the producer */

/* Block `depth` of the tap (r, s) of a tile's columns. */
template <class S>
__device__ static inline void tc_hopper_load_b(const tc_hopper_job &job, uint32_t to,
                                               uint32_t barrier, const tc_hopper_tile<S> &tile,
                                               int32_t depth, int32_t r, int32_t s)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];

    r = height.flipped ? height.taps - 1 - r : r;
    s = width.flipped ? width.taps - 1 - s : s;
    if constexpr (S::B_LINES) {
#pragma unroll
        for (int32_t i = 0; i < S::SLABS; i++)
            tc_map_load(to + i * TC_HOPPER_SLAB_BYTES, &job.b, barrier,
                        tile.column + i * TC_HOPPER_SLAB, s, r, tile.group * job.depth + depth);
    } else {
        tc_map_load(to, &job.b, barrier, depth, s, r, tile.group * job.columns + tile.column);
    }
}

template <class S>
__device__ static inline void tc_hopper_produce(const tc_hopper_job &job, uint32_t memory,
                                                const tc_hopper_barriers<S> &barriers)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    tc_hopper_ring<S> ring;

    for (int32_t number = (int32_t)blockIdx.x; number < job.tiles; number += (int32_t)gridDim.x) {
        tc_hopper_tile<S> tile(job, number);
        int32_t line = tile.row / width.positions;
        int32_t w = tile.row % width.positions * width.step + width.lower;
        int32_t h = line % height.positions * height.step + height.lower;
        int32_t image = line / height.positions;

        for (int32_t r = 0; r < height.taps; r++)
            for (int32_t s = 0; s < width.taps; s++)
                for (int32_t block = 0; block < job.depth_blocks; block++, ring.next()) {
                    uint32_t full = barriers.full(ring.stage);
                    uint32_t to = memory + ring.stage * S::STAGE_BYTES;
                    int32_t depth = block * TC_HOPPER_DEPTH, c = tile.group * job.depth + depth;

                    tc_barrier_wait(barriers.empty(ring.stage), ring.parity ^ 1);
                    tc_barrier_expect(full, S::STAGE_BYTES);
                    if (job.is_product)
                        tc_map_load(to, &job.a, full, c, tile.row, 0, 0);
                    else
                        tc_map_load_pixels(to, &job.a, full, c, w, h, image, s * width.spacing,
                                           r * height.spacing);
                    tc_hopper_load_b<S>(job, to + S::A_BYTES, full, tile, depth, r, s);
                }
    }
    tc_let_next_begin();
}

/* ------------------------------------------------------------------ results */

/* The sums, rounded, to one of a consumer's two buffers, and from there by the copy engine. Lane
 * 8 i + j of a warp names row j of the 8 x 8 matrix i: rows 0 to 7 and 8 to 15 of 8 columns, then
 * of the next 8. */
template <class S>
__device__ static inline void tc_hopper_store_slab(const tc_hopper_job &job, uint32_t to,
                                                   int32_t consumer, int32_t row, int32_t column,
                                                   const float *sum)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane % 16, turned = line % 8;

    if (thread == 0)
        tc_map_store_wait_read<1>();
    tc_warpgroup_sync(1 + consumer);
#pragma unroll
    for (int32_t c = 0; c < TC_HOPPER_SLAB; c += 16) {
        const float *of = sum + c / 2;
        uint32_t pairs[4];

#pragma unroll
        for (int32_t i = 0; i < 4; i++)
            pairs[i] = tc_round_pair(typename S::element(), of[2 * i], of[2 * i + 1]);
        tc_store_matrices(to + line * TC_LINE_BYTES + (((c / 8 + lane / 16) ^ turned) << 4), pairs);
    }
    tc_shared_to_copies();
    tc_warpgroup_sync(1 + consumer);
    if (thread == 0)
        tc_map_store(&job.c, to, column, row);
}

/* Where the rows of a unit lie in z; -1 behind the last one. */
__device__ static inline void tc_hopper_place_rows(const tc_hopper_job &job, int64_t *z,
                                                   int32_t first)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, row = first + thread;
    int32_t line = row / width.positions;

    if (thread < TC_WARPGROUP_ROWS)
        z[thread] = row < job.rows ? row % width.positions * job.z_width +
                                         line % height.positions * job.z_height +
                                         line / height.positions * job.z_image
                                   : -1;
}

/* What is blended, or goes through bias and activation: sums as they are to both buffers, where
 * rows of a column follow each other in a thread. Lines are turned against conflicts of banks. */
template <class S>
__device__ static inline void tc_hopper_blend_slab(const tc_hopper_job &job, float *sums,
                                                   const int64_t *z, int32_t consumer, int32_t row,
                                                   int32_t column, int32_t end, const float *sum)
{
    typedef typename S::element element;
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane / 4, mine = thread % TC_HOPPER_SLAB;

    tc_warpgroup_sync(1 + consumer);
#pragma unroll
    for (int32_t i = 0; i < TC_HOPPER_SLAB / 2; i++) {
        int32_t at = line + i / 2 % 2 * 8, c = i / 4 * 8 + lane % 4 * 2 + i % 2;

        sums[at * TC_HOPPER_SLAB + (c ^ at % 8 * 8)] = sum[i];
    }
    tc_warpgroup_sync(1 + consumer);
    if (column + mine >= end)
        return;
#pragma unroll 1
    for (int32_t i = thread / TC_HOPPER_SLAB; i < TC_WARPGROUP_ROWS;
         i += TC_WARPGROUP / TC_HOPPER_SLAB) {
        int64_t at = (row + i) * job.pitch + column + mine;

        if (z[i] >= 0)
            conv_store<element>(job.output, at, z[i] + (column + mine) * job.z_step, column + mine,
                                sums[i * TC_HOPPER_SLAB + (mine ^ i % 8 * 8)]);
    }
}

/* Stores a tile's accumulators, 64 x 64 at a time. */
template <class S, bool BLENDS>
__device__ static inline void
tc_hopper_store(const tc_hopper_job &job, const tc_hopper_tile<S> &tile, int32_t consumer,
                char *memory, int32_t *buffer, const float (&sum)[S::UNITS][S::COLUMNS / 2])
{
    char *buffers = memory + S::BUFFERS_AT + consumer * 2 * TC_HOPPER_SLAB_BYTES;
    int64_t *z = (int64_t *)(memory + S::ROWS_AT) + consumer * TC_WARPGROUP_ROWS;
    int32_t row = tile.row + (S::PING_PONG ? 0 : consumer * S::OWN_ROWS);
    int32_t first = tile.group * job.columns, end = first + job.columns;

#pragma unroll
    for (int32_t unit = 0; unit < S::UNITS; unit++, row += TC_WARPGROUP_ROWS) {
        if constexpr (BLENDS) {
            tc_warpgroup_sync(1 + consumer);
            tc_hopper_place_rows(job, z, row);
        }
#pragma unroll
        for (int32_t slab = 0; slab < S::SLABS; slab++) {
            int32_t column = first + tile.column + slab * TC_HOPPER_SLAB;
            const float *of = &sum[unit][slab * TC_HOPPER_SLAB / 2];

            if (column >= end)
                break;
            if constexpr (BLENDS)
                tc_hopper_blend_slab<S>(job, (float *)buffers, z, consumer, row, column, end, of);
            else
                tc_hopper_store_slab<S>(job,
                                        tc_shared_address(buffers) + *buffer * TC_HOPPER_SLAB_BYTES,
                                        consumer, row, column, of);
            *buffer ^= 1;
        }
    }
}

/* ------------------------------------------------------------------ the consumers */

/* Sums up a tile; a stage is handed back when the products that follow it have been issued. */
template <class S>
__device__ static inline void
tc_hopper_multiply(float (&sum)[S::UNITS][S::COLUMNS / 2], int32_t blocks, uint32_t memory,
                   int32_t consumer, const tc_hopper_barriers<S> &barriers, tc_hopper_ring<S> *ring)
{
    const uint32_t own = S::PING_PONG ? 0 : consumer * S::OWN_ROWS * TC_LINE_BYTES;
    int32_t last = -1;

#pragma unroll 1
    for (int32_t block = 0; block < blocks; block++, ring->next()) {
        uint32_t stage = memory + ring->stage * S::STAGE_BYTES, b_at = stage + S::A_BYTES;
        uint64_t a = tc_tile_of_rows(stage + own);
        uint64_t b =
            S::B_LINES ? tc_tile_of_terms(b_at, TC_HOPPER_SLAB_BYTES) : tc_tile_of_rows(b_at);

        tc_barrier_wait(barriers.full(ring->stage), ring->parity);
#pragma unroll
        for (int32_t unit = 0; unit < S::UNITS; unit++)
            tc_wgmma_hold(sum[unit]);
        tc_wgmma_fence();
#pragma unroll
        for (int32_t step = 0; step < TC_LINE_BYTES / TC_STEP_BYTES; step++)
#pragma unroll
            for (int32_t unit = 0; unit < S::UNITS; unit++)
                tc_wgmma<typename S::element, S::COLUMNS, S::B_LINES>(
                    sum[unit],
                    tc_tile_at(a, step * TC_STEP_BYTES + unit * TC_WARPGROUP_ROWS * TC_LINE_BYTES),
                    tc_tile_at(b, step * (S::B_LINES ? 16 * TC_LINE_BYTES : TC_STEP_BYTES)),
                    block > 0 || step > 0);
        tc_wgmma_commit();
        tc_wgmma_wait<1>();
        if (last >= 0 && threadIdx.x % 32 == 0)
            tc_barrier_arrive(barriers.empty(last));
        last = ring->stage;
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
__device__ static inline void tc_hopper_consume(const tc_hopper_job &job, char *shared,
                                                const tc_hopper_barriers<S> &barriers)
{
    uint32_t memory = tc_shared_address(shared);
    int32_t consumer = (int32_t)threadIdx.x / TC_WARPGROUP - 1, buffer = 0;
    int32_t blocks =
        job.dim[TC_HOPPER_HEIGHT].taps * job.dim[TC_HOPPER_WIDTH].taps * job.depth_blocks;
    int32_t sharers = S::PING_PONG ? S::CONSUMERS : 1;
    uint32_t turn = consumer == 0; /* the first consumer is let in at once */
    tc_hopper_ring<S> ring;

    if (S::PING_PONG && consumer > 0)
        ring.skip(blocks);
    for (int32_t number = (int32_t)blockIdx.x + (S::PING_PONG ? consumer : 0) * (int32_t)gridDim.x;
         number < job.tiles; number += sharers * (int32_t)gridDim.x) {
        float sum[S::UNITS][S::COLUMNS / 2];

        if (S::PING_PONG) {
            tc_barrier_wait(barriers.turn(consumer), turn);
            turn ^= 1;
        }
        tc_hopper_multiply<S>(sum, blocks, memory, consumer, barriers, &ring);
        if (S::PING_PONG)
            ring.skip(blocks);
        if (job.stores_sums)
            tc_hopper_store<S, false>(job, tc_hopper_tile<S>(job, number), consumer, shared,
                                      &buffer, sum);
        else
            tc_hopper_store<S, true>(job, tc_hopper_tile<S>(job, number), consumer, shared, &buffer,
                                     sum);
    }
    if (threadIdx.x % TC_WARPGROUP == 0)
        tc_map_store_wait();
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, 1)
    tc_hopper_kernel(const __grid_constant__ tc_hopper_job job)
{
    TC_HOPPER_CODE({
        TC_SHARED(shared);
        uint32_t memory = tc_shared_address(shared);
        tc_hopper_barriers<S> barriers = {memory + (uint32_t)S::BARRIERS_AT};

        if (threadIdx.x == 0) {
            barriers.init();
            tc_map_prefetch(&job.a);
            tc_map_prefetch(&job.b);
            tc_map_prefetch(&job.c);
        }
        __syncthreads();
        tc_wait_for_last();
        if (threadIdx.x < TC_WARPGROUP) {
            tc_registers_drop<TC_PRODUCER_REGISTERS>();
            if (threadIdx.x == 0)
                tc_hopper_produce<S>(job, memory, barriers);
        } else {
            tc_registers_take<TC_CONSUMER_REGISTERS>();
            tc_hopper_consume<S>(job, (char *)shared, barriers);
        }
    })
}

/* ------------------------------------------------------------------ on the host */

static inline int32_t tc_hopper_refused(const struct cuda_call *, const tc_step *, const tc_given &)
{
    return cuda_fail(CUDA_NOT_SUPPORTED, "the driver made no tensor maps of the operands");
}

template <class S>
static int32_t tc_hopper_run(const struct cuda_call *call, const tc_step *step,
                             const tc_given &given)
{
    tc_hopper_job job;

    memcpy(&job, step->parameters, sizeof job);
    if (!tc_hopper_give(&job, given))
        return tc_hopper_refused(call, step, given);
    return tc_launch(call, step, 0, job);
}

template <class S> static void tc_hopper_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_hopper_job hopper = {};
    int32_t made = tc_hopper_prepare(&hopper, *job, S::ROWS, S::COLUMNS);
    int32_t blocks = hopper.tiles < job->multiprocessors ? hopper.tiles : job->multiprocessors;

    tc_step_fill(step, tc_hopper_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, blocks, hopper);
    step->run = made ? tc_hopper_run<S> : tc_hopper_refused;
}

#endif
