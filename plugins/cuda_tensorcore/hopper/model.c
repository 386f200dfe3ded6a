/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The costs of the family hopper. Its blocks stay on their multiprocessor and take tiles by turns,
 * so a wave is one tile of each block.
 */
#include "model.h"

#include "../../cuda_common/divide.h"
#include "tensor_map.h"

/* Multiply-adds of 16 bits of wgmma in a cycle; cycles of a launch. */
#define RATE   2048
#define LAUNCH 2850

/*
 * fprop and dgrad. Cycles to store 64 x 64 results of 16 bits; bytes that a multiprocessor has in a
 * cycle: of operands and results, and of tiles out of the L2; and how much of the shorter is not
 * hidden behind the longer. A line along K takes the same time whatever its type. Fitted to times
 * of 30 layers in half on an H200: the first choice is 1.3 % behind the best tile in the mean.
 */
#define STORE      230
#define STORE_AREA 4096
#define BYTES      18.9
#define TILE_BYTES 58.6
#define OVERLAP    0.23

/*
 * wgrad. Cycles: of the reduction besides its bytes, of a tile besides its sums; bytes that a
 * multiprocessor has in a cycle: of operands, of tiles out of the L2, of partial sums there and
 * back. Fitted to times of 22 layers on an H200: off by 8 %, the first choice is 0.4 % behind the
 * best of the tiles and splits tried.
 */
#define WGRAD_REDUCTION  2300
#define WGRAD_TILE       2700
#define WGRAD_BYTES      20.1
#define WGRAD_TILE_BYTES 46.7
#define WGRAD_PARTIALS   8.6
#define WGRAD_OVERLAP    0.18

double tc_hopper_cycles_of_lines(const struct tc_choice *choice, const struct conv *conv,
                                 const struct tc_target *target, int64_t tiles, double mean,
                                 double lines)
{
    const struct tc_kernel *kernel = choice->kernel;
    int32_t multiprocessors = target->context->cuda.multiprocessors;
    double area = (double)kernel->tile_m * kernel->tile_n, share = multiprocessors;
    double size = cuda_type_size(target->type);
    double tile = mean * area * TC_LINE_CHANNELS / (RATE * kernel->mma_efficiency) +
                  STORE * area / STORE_AREA * size / 2;
    double cycles = (double)cuda_ceil_div(tiles, multiprocessors) * tile;
    double loads = (double)tiles * lines * TC_LINE_BYTES / (TILE_BYTES * share);
    double moving = tc_traffic(conv, target->type) / (BYTES * share);

    cycles = cycles > loads ? cycles : loads;
    return LAUNCH + (cycles > moving ? cycles + OVERLAP * moving : moving + OVERLAP * cycles);
}

double tc_hopper_cycles(const struct tc_choice *choice, const struct conv *conv,
                        const struct tc_target *target, int64_t tiles, double mean)
{
    double lines = mean * (choice->kernel->tile_m + choice->kernel->tile_n);

    return tc_hopper_cycles_of_lines(choice, conv, target, tiles, mean, lines);
}

double tc_hopper_wgrad_cycles(const struct tc_choice *choice, const struct conv *conv,
                              const struct tc_target *target, int64_t tiles, double mean)
{
    const struct tc_kernel *kernel = choice->kernel;
    int32_t multiprocessors = target->context->cuda.multiprocessors;
    double area = (double)kernel->tile_m * kernel->tile_n, share = multiprocessors;
    double positions = (double)choice->k_tiles * kernel->tile_k;
    double wave = positions * area / (RATE * kernel->mma_efficiency) + WGRAD_TILE;
    double cycles = (double)cuda_ceil_div(tiles, multiprocessors) * wave;
    /* Lines of both operands for a position, of all tiles of a split; absent blocks have none. */
    double taps = (double)conv_taps(conv) * (double)cuda_round_up(conv->channels, TC_LINE_CHANNELS);
    double lines =
        taps * choice->n_tiles + (double)choice->m_tiles * choice->n_tiles * kernel->tile_n;
    double loads =
        (double)conv->groups * choice->splits * positions * lines * 2 / (WGRAD_TILE_BYTES * share);
    double moving = tc_traffic(conv, target->type) / (WGRAD_BYTES * share);
    double reduction = WGRAD_REDUCTION + (double)choice->workspace / (WGRAD_PARTIALS * share);

    (void)mean; /* all splits are as long as the longest */
    cycles = cycles > loads ? cycles : loads;
    return LAUNCH + (reduction + (cycles > moving ? cycles + WGRAD_OVERLAP * moving
                                                  : moving + WGRAD_OVERLAP * cycles));
}
