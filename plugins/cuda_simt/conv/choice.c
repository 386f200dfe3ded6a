/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the kernel of a convolution and the number of splits from a rough count of cycles. The
 * count depends only on shapes and the number of multiprocessors, so that results are the same in
 * every run on a device.
 */
#include "choice.h"
#include "../../cuda_common/divide.h"

/* The multiply-adds per cycle that a multiprocessor reaches, of 128 possible. tile_rate applies to
 * two resident blocks. Kernels without tiles load two operands for each multiply-add. A
 * multiprocessor with a single block waits for memory more often and reaches only lone_part of its
 * rate. */
static const double tile_rate[CONV_TILES] = {90, 70, 40, 50};
static const double direct_rate = 10, wgrad_rate = 12, lone_part = 0.6;
/* The factor by which loads slow down if adjacent threads read scattered addresses. */
static const double scattered = 4;
/* Costs in cycles: a launch, with the work of a block before and after its sums; a step in a chain
 * of dependent loads. bytes_a_cycle is a multiprocessor's share of the memory bandwidth. */
static const double launch_cycles = 4000, step_cycles = 25, bytes_a_cycle = 15;

/* Limit of the workspace for partial sums, in bytes. */
#define WORKSPACE_MAX (INT64_C(256) << 20)
/* Limit of the blocks per multiprocessor that splits may create. */
#define SPLIT_BLOCKS 16
/* The least work of a split: tiles of K; without tiles, its positions and the positions of each
 * thread. */
#define LEAST_K_TILES         8
#define LEAST_POSITIONS       256
#define LEAST_POSITIONS_SPLIT 8
/* Positions that each thread should have where there are few. */
#define LEAST_POSITIONS_EACH 4

static const int32_t tile_size[CONV_TILES][2] = CONV_TILE_SIZES;

/* Returns the number of classes in all groups. */
static int64_t units_of(const struct conv *conv)
{
    return conv->groups * conv->classes;
}

/* Returns the cycles of the stage that adds up the splits. */
static double stage_cycles(const struct conv_target *target, int64_t bytes)
{
    return launch_cycles + (double)bytes / (bytes_a_cycle * target->multiprocessors);
}

/* ------------------------------------------------------------------ tiles */

static double tile_cycles(const struct conv_target *target, const struct conv_choice *choice,
                          int64_t blocks)
{
    const int32_t *size = tile_size[choice->tile];
    double tile = 256.0 * size[0] * size[1] * CONV_TILE_K / tile_rate[choice->tile];
    int64_t each = cuda_ceil_div(blocks, target->multiprocessors);
    double part = each > 1 ? 1 : lone_part;

    return launch_cycles + (double)each * choice->k_per_split * tile / part +
           (choice->workspace ? stage_cycles(target, choice->workspace) : 0);
}

/* Fills in the members that follow from the tile and the number of splits. Returns the cycles, or
 * -1 if the blocks or the workspace exceed a limit. */
static double try_tile(const struct conv *conv, const struct conv_target *target,
                       const struct conv_gemm *gemm, struct conv_choice *choice)
{
    const int32_t *size = tile_size[choice->tile];
    int64_t k_tiles = cuda_ceil_div(gemm->k, CONV_TILE_K);
    int64_t m_tiles = cuda_ceil_div(gemm->m, (int64_t)16 * size[0]);
    int64_t n_tiles = cuda_ceil_div(conv->n, (int64_t)16 * size[1]);
    double blocks = (double)m_tiles * (double)n_tiles * (double)units_of(conv);

    choice->k_per_split = (int32_t)cuda_ceil_div(k_tiles, choice->splits);
    choice->splits = (int32_t)cuda_ceil_div(k_tiles, choice->k_per_split);
    choice->m_tiles = (int32_t)m_tiles;
    choice->n_tiles = (int32_t)n_tiles;
    choice->workspace = choice->splits == 1 ? 0
                                            : choice->splits * units_of(conv) * gemm->m * conv->n *
                                                  (int64_t)sizeof(float);
    blocks *= choice->splits;
    if (blocks > (double)CUDA_BLOCKS_MAX || choice->workspace > WORKSPACE_MAX ||
        (choice->splits > 1 && blocks > (double)SPLIT_BLOCKS * target->multiprocessors))
        return -1;
    return tile_cycles(target, choice, (int64_t)blocks);
}

static double best_tile(const struct conv *conv, const struct conv_target *target,
                        const struct conv_gemm *gemm, struct conv_choice *best)
{
    int64_t k_tiles = cuda_ceil_div(gemm->k, CONV_TILE_K);
    double least = -1;

    for (int32_t tile = 0; tile < CONV_TILES; tile++) {
        for (int32_t splits = 1;
             splits == 1 || (target->splits && k_tiles / splits >= LEAST_K_TILES);
             splits = splits < 4 ? splits + 1 : splits + splits / 4) {
            struct conv_choice choice = {
                .kernel = CONV_BY_TILES, .tile = tile, .splits = splits, .m = best->m};
            double cycles = try_tile(conv, target, gemm, &choice);

            if (cycles >= 0 && (least < 0 || cycles < least)) {
                least = cycles;
                *best = choice;
            }
        }
    }
    return least;
}

/* ------------------------------------------------------------------ without tiles */

/* Returns the cycles of the direct kernel. If adjacent threads compute adjacent channels, each
 * reads a filter of its own. Unless those filters are adjacent in memory, a load of a warp needs
 * many transactions. */
static double direct_cycles(const struct conv *conv, const struct conv_target *target,
                            const struct conv_gemm *gemm)
{
    double slower = conv->position.step == 1 && conv->n > 1 && conv->tap_n != 1 ? scattered : 1;
    double sums = (double)gemm->m * (double)units_of(conv) * (double)conv->n;
    double work = sums * (double)gemm->k / (direct_rate * target->multiprocessors);
    double chain = (double)gemm->k * step_cycles;

    return launch_cycles + (work > chain ? work : chain) * slower;
}

/* Returns the number of filters of a block, a power of two. It is at least a warp if adjacent
 * filters have adjacent dy. It grows until each thread has a few positions. */
static int32_t lanes_of(const struct conv *conv, int64_t positions)
{
    int64_t filters = conv->groups * conv->n;
    int32_t lanes = conv->position.step == 1 && filters >= CONV_WGRAD_LANES ? CONV_WGRAD_LANES : 1;

    while (lanes < CONV_WGRAD_LANES_MAX && lanes < filters &&
           CONV_WGRAD_LANES_MAX / lanes * LEAST_POSITIONS_EACH > positions)
        lanes *= 2;
    return lanes;
}

static double wgrad_choice(const struct conv *conv, const struct conv_target *target,
                           const struct conv_gemm *gemm, struct conv_choice *choice)
{
    int64_t filters = conv->groups * conv->n, taps = conv_taps(conv);
    int64_t positions = gemm->k, splits = 1, blocks;
    double work;

    choice->lanes = lanes_of(conv, positions);
    blocks = cuda_ceil_div(taps, CONV_WGRAD_TAPS) * conv->channels *
             cuda_ceil_div(filters, choice->lanes);
    if (target->splits) {
        int64_t least = CONV_WGRAD_LANES_MAX / choice->lanes * LEAST_POSITIONS_SPLIT;
        int64_t most = positions / (least > LEAST_POSITIONS ? least : LEAST_POSITIONS);

        splits = cuda_ceil_div((int64_t)8 * target->multiprocessors, blocks);
        splits = splits > most ? most : splits;
        splits = splits < 1 ? 1 : splits;
    }
    choice->k_per_split = (int32_t)cuda_ceil_div(positions, splits);
    choice->splits = (int32_t)cuda_ceil_div(positions, choice->k_per_split);
    choice->workspace = choice->splits == 1 ? 0
                                            : choice->splits * filters * conv->channels * taps *
                                                  (int64_t)sizeof(float);
    blocks *= choice->splits;
    work = (double)cuda_ceil_div(blocks, target->multiprocessors) * (double)choice->k_per_split *
           CONV_WGRAD_TAPS * choice->lanes /
           (blocks > (int64_t)2 * target->multiprocessors ? wgrad_rate : wgrad_rate / 4);
    return launch_cycles + work + (choice->workspace ? stage_cycles(target, choice->workspace) : 0);
}

/* The last block may have threads beyond the last result. */
int conv_counts_directly(const struct conv *conv)
{
    double results = (double)conv->images * (double)conv->groups * (double)conv->n *
                     (double)conv_positions(conv);

    return conv_is_wgrad(conv) || results < (double)(INT32_MAX - CUDA_THREADS);
}

void conv_choose(const struct conv *conv, const struct conv_target *target,
                 struct conv_choice *choice)
{
    struct conv_gemm gemm = conv_gemm_of(conv);
    struct conv_choice tiled = {0}, direct = {.kernel = CONV_DIRECTLY, .splits = 1};
    double tiled_cycles, cycles;

    tiled.m = direct.m = (int32_t)gemm.m;
    if (conv_is_wgrad(conv))
        cycles = wgrad_choice(conv, target, &gemm, &direct);
    else
        cycles = direct_cycles(conv, target, &gemm);
    tiled_cycles = best_tile(conv, target, &gemm, &tiled);
    *choice = tiled_cycles >= 0 && (tiled_cycles <= cycles || !conv_counts_directly(conv)) ? tiled
                                                                                           : direct;
}
