/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The persistent GEMM of the family hopper. A block a multiprocessor takes tiles by turns; of its
 * three warpgroups one (the producer, one thread of it) fills a ring of stages by the copy engine,
 * two (the consumers) multiply. Cooperative: the consumers share a tile, half of its rows each.
 * Ping-pong: each has tiles of its own, and while one multiplies the other one stores. Results
 * leave through shared memory, 64 lines at a time, while the producer is already at the next tile.
 */
#ifndef CUDA_TENSORCORE_HOPPER_GEMM_H
#define CUDA_TENSORCORE_HOPPER_GEMM_H

#include "hopper_ring.h"

enum { TC_COOPERATIVE, TC_PING_PONG };

/* B_LINES_ARE_TERMS: dgrad of 16 bits, whose filters have their columns side by side. CLASSES_MOST:
 * 1, or more for dgrad with strides. */
template <class MATH, int R, int C, int SCHEDULE, int N, int B_LINES_ARE_TERMS, int CLASSES_MOST>
struct tc_hopper_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    typedef typename MATH::sum sum;
    typedef tc_hopper_job_of<CLASSES_MOST> job;
    enum {
        CLASSES = CLASSES_MOST,
        ROWS = R,
        COLUMNS = C,
        STAGES = N,
        B_LINES = B_LINES_ARE_TERMS,
        PING_PONG = SCHEDULE,
        CONSUMERS = 2,
        THREADS = (1 + CONSUMERS) * TC_WARPGROUP,
        OWN_ROWS = PING_PONG ? ROWS : ROWS / CONSUMERS, /* of a consumer */
        UNITS = OWN_ROWS / TC_WARPGROUP_ROWS,
        DEPTH = TC_LINE_BYTES / sizeof(element), /* channels of a block along K */
        SLAB_COLUMNS = DEPTH,                    /* that are stored at once */
        WARPS_OF_A_STAGE = (PING_PONG ? 1 : CONSUMERS) * TC_WARPGROUP / 32,
        A_BYTES = ROWS * TC_LINE_BYTES,
        STAGE_BYTES = A_BYTES + COLUMNS * TC_LINE_BYTES,
        BUFFERS_AT = STAGES * STAGE_BYTES, /* two a consumer */
        ROWS_AT = BUFFERS_AT + CONSUMERS * 2 * TC_HOPPER_SLAB_BYTES,
        BARRIERS_AT = ROWS_AT + CONSUMERS * TC_WARPGROUP_ROWS * 8,
        SHARED_BYTES = BARRIERS_AT + (2 * STAGES + CONSUMERS) * 8
    };
};

/*
 * Fastest the columns, so that A comes from memory once. Of several classes blocks take one tile of
 * each in turn, so that A is still near when the next class reads it; of the tiles that do not go
 * round, those with many taps come first.
 */
template <class S> struct tc_hopper_tile {
    int32_t row, column, group;
    int32_t number = 0; /* of the class */

    __device__ tc_hopper_tile(const tc_hopper_job &job, int32_t id)
    {
        if (S::CLASSES > 1)
            id = find_class(job, id);
        column = id % job.column_tiles * S::COLUMNS;
        id /= job.column_tiles;
        row = id % job.row_tiles * S::ROWS;
        group = id / job.row_tiles;
    }

    __device__ int32_t find_class(const tc_hopper_job &job, int32_t id)
    {
        int32_t grid = (int32_t)gridDim.x, round = job.class_tiles / grid * grid;
        int32_t rest = job.class_tiles - round, turn = id / grid;

        if (id < round * job.classes) {
            number = turn % job.classes;
            return turn / job.classes * grid + id % grid;
        }
        id -= round * job.classes;
        number = id / rest;
        return round + id % rest;
    }
};

/* ------------------------------------------------------------------ the producer */

/* Channels `depth` on of the filters' tap (r, s), for a tile's columns. */
template <class S>
__device__ static inline void tc_hopper_load_b(const tc_hopper_job &job, uint32_t to,
                                               uint32_t barrier, const tc_hopper_tile<S> &tile,
                                               int32_t depth, int32_t r, int32_t s)
{
    if constexpr (S::B_LINES) {
#pragma unroll
        for (int32_t i = 0; i < S::COLUMNS / TC_HOPPER_SLAB; i++)
            tc_map_load(to + i * TC_HOPPER_SLAB_BYTES, &job.b, barrier,
                        tile.column + i * TC_HOPPER_SLAB, s, r, tile.group * job.depth + depth);
    } else {
        tc_map_load(to, &job.b, barrier, depth, s, r, tile.group * job.columns + tile.column);
    }
}

template <class S>
__device__ static inline void tc_hopper_produce(const typename S::job &job, uint32_t memory,
                                                const tc_hopper_barriers<S> &barriers)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    tc_hopper_ring<S> ring;

    for (int32_t number = (int32_t)blockIdx.x; number < job.tiles; number += (int32_t)gridDim.x) {
        tc_hopper_tile<S> tile(job, number);
        const tc_hopper_class &of = job.of[tile.number];
        const tc_hopper_taps &down = of.taps[TC_HOPPER_HEIGHT], &across = of.taps[TC_HOPPER_WIDTH];
        int32_t line = tile.row / width.positions;
        int32_t w = tile.row % width.positions * width.step + width.lower;
        int32_t h = line % height.positions * height.step + height.lower;
        int32_t image = line / height.positions;
        int32_t first = S::CLASSES > 1 && of.absent ? job.channels : 0;

        for (int32_t r = 0; r < down.count; r++)
            for (int32_t s = 0; s < across.count; s++)
                for (int32_t block = 0; block < of.depth_blocks; block++, ring.next()) {
                    uint32_t full = barriers.full(ring.stage);
                    uint32_t to = memory + ring.stage * S::STAGE_BYTES;
                    int32_t depth = first + block * S::DEPTH;
                    int32_t c = tile.group * job.depth + depth;

                    tc_barrier_wait(barriers.empty(ring.stage), ring.parity ^ 1);
                    tc_barrier_expect(full, S::STAGE_BYTES);
                    if (job.is_product)
                        tc_map_load(to, &job.a, full, c, tile.row, 0, 0);
                    else
                        tc_map_load_pixels(to, &job.a, full, c, w, h, image,
                                           across.offset + s * across.spacing,
                                           down.offset + r * down.spacing);
                    tc_hopper_load_b<S>(job, to + S::A_BYTES, full, tile, depth,
                                        down.filter + r * down.filter_step,
                                        across.filter + s * across.filter_step);
                }
    }
    tc_let_next_begin();
}

/* ------------------------------------------------------------------ results */

/* A class's rows lie apart in C. */
template <class S>
__device__ static inline void tc_hopper_store_rows(const typename S::job &job, int32_t number,
                                                   uint32_t from, int32_t row, int32_t column)
{
    int32_t width = job.dim[TC_HOPPER_WIDTH].positions, line = row / width;
    int32_t height = job.dim[TC_HOPPER_HEIGHT].positions;

    if constexpr (S::CLASSES > 1)
        tc_map_store_pixels(&job.c[number], from, column, row - line * width, line % height,
                            line / height);
    else
        tc_map_store(&job.c[0], from, column, row);
}

/* A line of columns of each row, rounded to 16 bits. Lane 8 i + j of a warp names row j of the
 * 8 x 8 matrix i: rows 0 to 7 and 8 to 15 of 8 columns, then of the next 8. */
template <class E>
__device__ static inline void tc_hopper_fill_slab(E, uint32_t to, const float *sum)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane % 16, turned = line % 8;

#pragma unroll
    for (int32_t c = 0; c < TC_HOPPER_SLAB; c += 16) {
        const float *of = sum + c / 2;
        uint32_t pairs[4];

#pragma unroll
        for (int32_t i = 0; i < 4; i++)
            pairs[i] = tc_round_pair(E(), of[2 * i], of[2 * i + 1]);
        tc_store_matrices(to + line * TC_LINE_BYTES + (((c / 8 + lane / 16) ^ turned) << 4), pairs);
    }
}

/* As floats: thread t of four has columns 2 t and 2 t + 1 of every 8, of rows 8 apart. */
__device__ static inline void tc_hopper_fill_slab(float, uint32_t to, const float *sum)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane / 4, turned = line % 8;

    to += line * TC_LINE_BYTES + lane % 2 * 8;
#pragma unroll
    for (int32_t c = 0; c < TC_LINE_BYTES / 4; c += 8) {
        uint32_t at = to + (((c / 4 + lane % 4 / 2) ^ turned) << 4);

        tc_store_pair(at, sum[c / 2], sum[c / 2 + 1]);
        tc_store_pair(at + 8 * TC_LINE_BYTES, sum[c / 2 + 2], sum[c / 2 + 3]);
    }
}

/* The nearest integer of 8 bits. */
__device__ static inline uint32_t tc_hopper_byte(int32_t sum)
{
    int32_t least = sum > INT8_MAX ? INT8_MAX : sum;

    return (uint32_t)(least < INT8_MIN ? INT8_MIN : least) & 0xff;
}

/* As integers of 8 bits. */
__device__ static inline void tc_hopper_fill_slab(int8_t, uint32_t to, const int32_t *sum)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t line = thread / 32 * 16 + lane / 4, turned = line % 8;

    to += line * TC_LINE_BYTES + lane % 4 * 2;
#pragma unroll
    for (int32_t c = 0; c < TC_LINE_BYTES; c += 8)
#pragma unroll
        for (int32_t i = 0; i < 2; i++) {
            const int32_t *of = sum + c / 2 + 2 * i;

            tc_store_bytes(to + ((c / 16 ^ turned) << 4) + c % 16 + i * 8 * TC_LINE_BYTES,
                           tc_hopper_byte(of[0]) | tc_hopper_byte(of[1]) << 8);
        }
}

/* The sums, rounded, to one of a consumer's two buffers, and from there by the copy engine. */
template <class S>
__device__ static inline void tc_hopper_store_slab(const typename S::job &job, int32_t number,
                                                   uint32_t to, int32_t consumer, int32_t row,
                                                   int32_t column, const typename S::sum *sum)
{
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP;

    if (thread == 0)
        tc_map_store_wait_read<1>();
    tc_warpgroup_sync(1 + consumer);
    tc_hopper_fill_slab(typename S::element(), to, sum);
    tc_shared_to_copies();
    tc_warpgroup_sync(1 + consumer);
    if (thread == 0)
        tc_hopper_store_rows<S>(job, number, to, row, column);
}

/* Where the rows of a unit lie in z, or of a class in C; -1 behind the last one. */
__device__ static inline void
tc_hopper_place_rows(const tc_hopper_job &job, const tc_hopper_class &of, int64_t *z, int32_t first)
{
    const tc_hopper_dim &height = job.dim[TC_HOPPER_HEIGHT], &width = job.dim[TC_HOPPER_WIDTH];
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, row = first + thread;
    int32_t line = row / width.positions;

    if (thread < TC_WARPGROUP_ROWS)
        z[thread] = row < job.rows ? of.first + row % width.positions * job.z_width +
                                         line % height.positions * job.z_height +
                                         line / height.positions * job.z_image
                                   : -1;
}

/* What is blended, or goes through bias and activation: sums as they are to both buffers, where
 * rows of a column follow each other in a thread. Lines are turned against conflicts of banks. */
template <class S>
__device__ static inline void tc_hopper_blend_slab(const tc_hopper_job &job, typename S::sum *sums,
                                                   const int64_t *z, int32_t consumer, int32_t row,
                                                   int32_t column, int32_t end,
                                                   const typename S::sum *sum)
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
        int64_t at = (S::CLASSES > 1 ? z[i] : (row + i) * job.pitch) + column + mine;
        int64_t z_at = z[i] + (column + mine) * job.z_step;
        typename S::sum value = sums[i * TC_HOPPER_SLAB + (mine ^ i % 8 * 8)];

        if (z[i] < 0)
            continue;
        if constexpr (tc_is_integer<typename S::math>())
            conv_store_any(job.output, at, z_at, column + mine, value);
        else
            conv_store<element>(job.output, at, z_at, column + mine, value);
    }
}

/* Stores a tile's accumulators, 64 rows at a time. */
template <class S, bool BLENDS>
__device__ static inline void
tc_hopper_store(const typename S::job &job, const tc_hopper_tile<S> &tile, int32_t consumer,
                char *memory, int32_t *buffer,
                const typename S::sum (&sum)[S::UNITS][S::COLUMNS / 2])
{
    char *buffers = memory + S::BUFFERS_AT + consumer * 2 * TC_HOPPER_SLAB_BYTES;
    int64_t *z = (int64_t *)(memory + S::ROWS_AT) + consumer * TC_WARPGROUP_ROWS;
    int32_t row = tile.row + (S::PING_PONG ? 0 : consumer * S::OWN_ROWS);
    int32_t first = tile.group * job.columns, end = first + job.columns;
    constexpr int32_t width = BLENDS ? (int)TC_HOPPER_SLAB : (int)S::SLAB_COLUMNS;

#pragma unroll
    for (int32_t unit = 0; unit < S::UNITS; unit++, row += TC_WARPGROUP_ROWS) {
        if constexpr (BLENDS) {
            tc_warpgroup_sync(1 + consumer);
            tc_hopper_place_rows(job, job.of[tile.number], z, row);
        }
#pragma unroll
        for (int32_t slab = 0; slab < S::COLUMNS / width; slab++) {
            int32_t column = first + tile.column + slab * width;
            const typename S::sum *of = &sum[unit][slab * width / 2];

            if (column >= end)
                break;
            if constexpr (BLENDS)
                tc_hopper_blend_slab<S>(job, (typename S::sum *)buffers, z, consumer, row, column,
                                        end, of);
            else
                tc_hopper_store_slab<S>(job, tile.number,
                                        tc_shared_address(buffers) + *buffer * TC_HOPPER_SLAB_BYTES,
                                        consumer, row, column, of);
            *buffer ^= 1;
        }
    }
}

/* ------------------------------------------------------------------ the consumers */

/* Stages of a tile; 0 behind the last one. */
template <class S>
__device__ static inline int32_t tc_hopper_blocks_of(const typename S::job &job, int32_t number)
{
    if (S::CLASSES == 1)
        return job.of[0].blocks;
    return number < job.tiles ? job.of[tc_hopper_tile<S>(job, number).number].blocks : 0;
}

/* Sums up a tile; a stage is handed back when the products that follow it have been issued. */
template <class S>
__device__ static inline void tc_hopper_multiply(typename S::sum (&sum)[S::UNITS][S::COLUMNS / 2],
                                                 int32_t blocks, uint32_t memory, int32_t consumer,
                                                 const tc_hopper_barriers<S> &barriers,
                                                 tc_hopper_ring<S> *ring)
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
                tc_wgmma<typename S::math, S::COLUMNS, 0, S::B_LINES>(
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
__device__ static inline void tc_hopper_consume(const typename S::job &job, char *shared,
                                                const tc_hopper_barriers<S> &barriers)
{
    uint32_t memory = tc_shared_address(shared);
    int32_t consumer = (int32_t)threadIdx.x / TC_WARPGROUP - 1, buffer = 0;
    int32_t grid = (int32_t)gridDim.x, sharers = S::PING_PONG ? S::CONSUMERS : 1;
    uint32_t turn = consumer == 0; /* the first consumer is let in at once */
    tc_hopper_ring<S> ring;

    if (S::PING_PONG && consumer > 0)
        ring.skip(tc_hopper_blocks_of<S>(job, (int32_t)blockIdx.x));
    for (int32_t number = (int32_t)blockIdx.x + (S::PING_PONG ? consumer : 0) * grid;
         number < job.tiles; number += sharers * grid) {
        typename S::sum sum[S::UNITS][S::COLUMNS / 2];

        if (S::PING_PONG) {
            tc_barrier_wait(barriers.turn(consumer), turn);
            turn ^= 1;
        }
        tc_hopper_multiply<S>(sum, tc_hopper_blocks_of<S>(job, number), memory, consumer, barriers,
                              &ring);
        if (S::PING_PONG)
            ring.skip(tc_hopper_blocks_of<S>(job, number + grid));
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
    tc_hopper_kernel(const __grid_constant__ typename S::job job)
{
    TC_HOPPER_CODE({
        TC_SHARED(shared);
        uint32_t memory = tc_shared_address(shared);
        tc_hopper_barriers<S> barriers = {memory + (uint32_t)S::BARRIERS_AT};

        if (threadIdx.x == 0) {
            barriers.init();
            tc_map_prefetch(&job.a);
            tc_map_prefetch(&job.b);
            tc_map_prefetch(&job.c[0]);
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

template <class S>
static int32_t tc_hopper_run(const struct cuda_call *call, const tc_step *step,
                             const tc_given &given)
{
    typename S::job job;

    memcpy(&job, step->parameters, sizeof job);
    if (!tc_hopper_give(&job, job.of, job.c, given))
        return tc_hopper_refused(call, step, given);
    return tc_launch(call, step, 0, job);
}

template <class S> static void tc_hopper_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    typename S::job hopper = {};
    int32_t made = tc_hopper_prepare(&hopper, hopper.of, hopper.c, *job, S::ROWS, S::COLUMNS);
    int32_t blocks = hopper.tiles < job->multiprocessors ? hopper.tiles : job->multiprocessors;

    tc_step_fill(step, tc_hopper_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, blocks, hopper);
    step->run = made ? tc_hopper_run<S> : tc_hopper_refused;
}

#endif
