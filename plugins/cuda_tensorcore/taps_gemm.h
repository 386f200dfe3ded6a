/* SPDX-License-Identifier: Apache-2.0 */
/* Directions forward and data of the family taps (taps_job.h): rows are positions, terms taps of
 * channels, channels inside. */
#ifndef CUDA_TENSORCORE_TAPS_GEMM_H
#define CUDA_TENSORCORE_TAPS_GEMM_H

#include "taps_store.h"

/* The tile that is asked for next: a tap, and the first of its channels. A tap is one bit of each
 * dim's in the masks of tc_taps_place. */
struct tc_taps_next {
    int32_t channel, left; /* tiles */
    int32_t x, other;      /* places of the tap's channel 0 */
    uint32_t inside;       /* the tap's bits */

    __device__ void begin(const tc_taps_view &view, int32_t chunks, int terms, int32_t tile,
                          int32_t count)
    {
        int32_t index = tile / chunks;

        channel = (tile - index * chunks) * terms;
        left = count;
        x = 0;
        other = view.first_other;
        inside = 0;
#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            int32_t taps = view.view.dim[d].taps > 0 ? view.view.dim[d].taps : 1,
                    tap = index % taps;

            index /= taps;
            x += tap * view.tap_x[d];
            other += tap * view.tap_other[d];
            inside |= 1u << (TC_TAPS_BITS * d + tap);
        }
    }

    __device__ void step(const tc_taps_view &view, int32_t depth, int terms)
    {
        left--;
        channel += terms;
        if (channel < depth)
            return;
        channel = 0;
#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            uint32_t field = ((1u << TC_TAPS_BITS) - 1) << TC_TAPS_BITS * d;
            bool last = (inside & view.last[d]) != 0;

            x += last ? view.return_x[d] : view.tap_x[d];
            other += last ? view.return_other[d] : view.tap_other[d];
            inside = last ? (inside & ~field) | 1u << TC_TAPS_BITS * d : inside + (inside & field);
            if (!last)
                break;
        }
    }
};

/* Places of a block's rows. */
template <class S>
__device__ static inline void tc_taps_place_rows(const tc_taps_job &job, const tc_taps_view &view,
                                                 int32_t first, tc_taps_place *rows)
{
    for (int r = (int)threadIdx.x; r < S::ROWS; r += S::THREADS)
        rows[r] = tc_taps_place_at(job.conv, view, first + r);
}

/* Copies of a thread: the same chunk of so many lines of either operand. What lies outside has an
 * address that is not read. */
template <class S> struct tc_taps_loader {
    typedef typename S::element element;
    typedef typename S::gathered_tile gathered_tile;
    typedef typename S::other_tile other_tile;
    enum {
        CHUNKS = other_tile::CHUNKS,
        ROWS_APART = S::THREADS / gathered_tile::CHUNKS,
        LINES_APART = S::THREADS / CHUNKS,
        ROWS = S::ROWS / ROWS_APART,
        LINES = other_tile::LINES / LINES_APART,
        LINE_IS_COLUMN = (int)S::OTHER_LINE == (int)TC_LINE_IS_ROW,
        TURNS = LINE_IS_COLUMN || S::EACH == 8 ? 8 : 4 /* lines after which chunks lie alike */
    };
    static_assert(ROWS_APART % 8 == 0 && S::ROWS % ROWS_APART == 0, "rows share a turn");
    static_assert(LINES_APART % TURNS == 0 && other_tile::LINES % LINES_APART == 0,
                  "lines share a turn, and every thread has as many");

    const element *gathered, *other;
    uint32_t row_at, line_at; /* in shared memory */
    int32_t columns, step;    /* behind the thread's first line or chunk; from line to line */
    int32_t x[ROWS];          /* rows' places, and their taps inside */
    uint32_t inside[ROWS];

    /* What is easily had again takes no registers. */
    __device__ static int32_t chunk()
    {
        return (int32_t)threadIdx.x % gathered_tile::CHUNKS * S::EACH;
    }

    __device__ static int32_t line()
    {
        return (int32_t)threadIdx.x / CHUNKS;
    }

    __device__ static int32_t along()
    {
        return (int32_t)threadIdx.x % CHUNKS * S::EACH;
    }

    __device__ void begin(const tc_taps_job &job, const tc_taps_block &block,
                          const tc_taps_place *places, uint32_t memory)
    {
        const auto &conv = job.conv;
        int row = (int)threadIdx.x / gathered_tile::CHUNKS;
        int64_t first = block.group * conv.tap_group + block.first_column * conv.tap_column;

        gathered = (const element *)job.x + block.group * conv.depth + chunk();
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            x[i] = places[row + i * ROWS_APART].x;
            inside[i] = places[row + i * ROWS_APART].inside;
        }
        row_at = memory + (uint32_t)gathered_tile::chunk_at(row, chunk() / S::EACH);
        columns = (int32_t)conv.columns - block.first_column - (LINE_IS_COLUMN ? line() : along());
        step = LINE_IS_COLUMN ? tc_opaque((int32_t)conv.tap_column) : (int32_t)conv.tap_depth;
        other = (const element *)job.other + first + along() + (int64_t)line() * step;
        line_at = memory + (uint32_t)other_tile::chunk_at(line(), along() / S::EACH) +
                  gathered_tile::BYTES;
    }

    /* `left`: channels of the tap from the tile's first one on. */
    __device__ void fetch_gathered(const tc_taps_next &next, int32_t left, uint32_t stage) const
    {
        uint32_t need = next.inside | (chunk() < left ? 0 : 1u << 31);
        const element *from = gathered + (next.x + next.channel);

#pragma unroll
        for (int i = 0; i < ROWS; i++)
            tc_copy(row_at + stage + i * ROWS_APART * gathered_tile::CHUNKS * 16,
                    tc_address(from, x[i], (int32_t)sizeof(element)), (need & ~inside[i]) == 0);
    }

    __device__ void fetch_other(const tc_taps_next &next, int32_t left, int32_t depth_step,
                                uint32_t stage) const
    {
        bool real = LINE_IS_COLUMN ? along() < left : columns > 0;
        int32_t lines = LINE_IS_COLUMN ? columns : left - line();
        const element *from = other + (next.other + next.channel * depth_step);

#pragma unroll
        for (int i = 0; i < LINES; i++)
            tc_copy(line_at + stage + i * LINES_APART * CHUNKS * 16,
                    tc_address(from, step, i * LINES_APART * (int32_t)sizeof(element)),
                    real && i * LINES_APART < lines);
    }

    /* Half of a tile at a time: 0 or 1. Behind the last tile all is outside. */
    __device__ void fetch(const tc_taps_job &job, const tc_taps_next &next, uint32_t stage,
                          int half) const
    {
        int32_t left = next.left > 0 ? (int32_t)job.conv.depth - next.channel : 0;

        if (half == 0)
            fetch_gathered(next, left, stage);
        else
            fetch_other(next, left, LINE_IS_COLUMN ? 1 : step, stage);
    }
};

/* The sums of a block, of `count` tiles. Fragments of a step are read while the step before is
 * multiplied; a tile's first ones need the whole block's copies. */
template <class S>
__device__ static inline void
tc_taps_sum(float (&sum)[S::DOWN][S::RIGHT][4], const tc_taps_job &job, const tc_taps_view &view,
            const tc_taps_loader<S> &load, tc_taps_next &next, uint32_t memory, int32_t count)
{
    enum { STAGES = S::STAGES, STEP = S::gathered_tile::STEP, STEPS = S::TERMS / STEP };
    int warp = (int)threadIdx.x / 32;
    int32_t depth = (int32_t)job.conv.depth;
    tc_taps_readers<S> read;
    tc_taps_fragments<S> fragments[2];
    uint32_t from = memory, to = (STAGES - 1) * S::STAGE_BYTES;

    read.begin(warp / S::WARPS_RIGHT * S::WARP_ROWS, warp % S::WARPS_RIGHT * S::WARP_COLUMNS);
#pragma unroll
    for (int t = 0; t < STAGES - 1; t++) {
        load.fetch(job, next, (uint32_t)(t * S::STAGE_BYTES), 0);
        load.fetch(job, next, (uint32_t)(t * S::STAGE_BYTES), 1);
        next.step(view, depth, S::TERMS);
        tc_copy_commit();
    }
    tc_copy_wait<STAGES - 2>();
    __syncthreads();
    read.load(fragments[0], from, 0);
#pragma unroll 1
    for (; count > 0; count--) {
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            if (k == STEPS - 1) {
                tc_copy_wait<STAGES - 2>();
                __syncthreads();
                from += S::STAGE_BYTES;
                if (from == memory + S::TILES_BYTES)
                    from = memory;
            }
            read.load(fragments[(k + 1) % 2], from, (k + 1) % STEPS * STEP);
            if (k < 2)
                load.fetch(job, next, to, k);
            if (k == 1)
                tc_copy_commit();
            tc_multiply_all<typename S::math>(sum, fragments[k % 2].a, fragments[k % 2].b);
        }
        next.step(view, depth, S::TERMS);
        to = to + S::STAGE_BYTES == S::TILES_BYTES ? 0 : to + S::STAGE_BYTES;
    }
    tc_copy_wait<0>();
}

/* The sums of a block, from the first tile of its part on. */
template <class S>
__device__ static inline void
tc_taps_add_up(float (&sum)[S::DOWN][S::RIGHT][4], const tc_taps_job &job, const tc_taps_view &view,
               const tc_taps_block &block, const tc_taps_place *rows, char *memory)
{
    int32_t chunks = ((int32_t)job.conv.depth + S::TERMS - 1) / S::TERMS;
    int32_t tiles = view.taps * chunks, each = (tiles + job.splits - 1) / job.splits;
    int32_t begin = conv_least(block.split * each, tiles);
    int32_t count = conv_least(begin + each, tiles) - begin;
    tc_taps_loader<S> load;
    tc_taps_next next;

    load.begin(job, block, rows, tc_shared_address(memory));
    next.begin(view, chunks, S::TERMS, begin, count);
    tc_taps_sum<S>(sum, job, view, load, next, tc_shared_address(memory), count);
}

/* The block's coordinates wait in shared memory while sums take all registers. */
template <class S>
__device__ static inline void tc_taps_gemm(const tc_taps_job &job, const tc_taps_view &view,
                                           const tc_taps_block &block, char *memory)
{
    tc_taps_place *rows = (tc_taps_place *)(memory + S::PLACES_AT);
    tc_taps_block &kept = *(tc_taps_block *)(memory + S::BLOCK_AT);
    float sum[S::DOWN][S::RIGHT][4] = {};

    if (block.first_row >= view.view.positions)
        return;
    if (threadIdx.x == 0)
        kept = block;
    tc_taps_place_rows<S>(job, view, block.first_row, rows);
    __syncthreads();
    tc_taps_add_up<S>(sum, job, view, block, rows, memory);
    tc_taps_store<S>(job, view, kept, rows, sum, memory);
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::RESIDENT)
    tc_taps_gemm_kernel(const __grid_constant__ tc_taps_job job)
{
#ifdef __CUDA_ARCH__
    if constexpr (TC_CAPABILITY < 80)
        return;
    else
#endif
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
#ifdef __CUDA_ARCH__
    if constexpr (TC_CAPABILITY < 80)
        return;
    else
#endif
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
    tc_taps_job taps;

    tc_taps_prepare(&taps, *job, (int32_t)sizeof(typename S::element));
    if constexpr ((int)S::DIRECTION == (int)TC_DATA) {
        static uint8_t classes_asked[TC_DEVICES_SEEN];
        tc_taps_classes_job classes;

        if (job->conv.classes > 1) {
            *(tc_taps_job *)&classes = taps;
            tc_taps_list(&classes.classes, *job, true);
            tc_step_make(step, tc_taps_classes_kernel<S>, classes_asked, S::THREADS,
                         S::SHARED_BYTES, tc_blocks(*job), classes);
            return;
        }
    }
    tc_step_make(step, tc_taps_gemm_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, tc_blocks(*job),
                 taps);
}

#endif
