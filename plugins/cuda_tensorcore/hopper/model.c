/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the costs of the family hopper. Its blocks are persistent and process tiles in turn,
 * so a wave is one tile of each block. */
#include "model.h"

#include "../../cuda_common/divide.h"
#include "tensor_map.h"

/* The multiply-adds per cycle of wgmma with 16-bit numbers, and the cycles of a launch. */
#define RATE   2048
#define LAUNCH 2850

/* The costs of fprop and dgrad. STORE is the cycles to store 64 x 64 results of 16 bits. BYTES
 * and TILE_BYTES are bytes per cycle and multiprocessor: of operands and results from memory,
 * and of tiles from L2. OVERLAP is the part of the shorter time that the longer one does not
 * hide. A line along K takes the same time for every type. The values are fitted to times of 30
 * layers in half on an H200. The first choice is on average 1.3 % slower than the best tile. */
#define STORE      230
#define STORE_AREA 4096
#define BYTES      18.9
#define TILE_BYTES 58.6
#define OVERLAP    0.23

/* The costs of wgrad. WGRAD_REDUCTION and WGRAD_TILE are cycles: of the reduction besides its
 * bytes, and of a tile besides its sums. The others are bytes per cycle and multiprocessor: of
 * operands, of tiles from L2, and of partial sums written and read. The values are fitted to
 * times of 22 layers on an H200. The error is 8 %; the first choice is 0.4 % slower than the
 * best of the tiles and splits tried. */
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
    /* The lines of both operands per position, for all tiles of a split. Blocks that do not
     * exist have no lines. */
    double taps = (double)conv_taps(conv) * (double)cuda_round_up(conv->channels, TC_LINE_CHANNELS);
    double lines =
        taps * choice->n_tiles + (double)choice->m_tiles * choice->n_tiles * kernel->tile_n;
    double loads =
        (double)conv->groups * choice->splits * positions * lines * 2 / (WGRAD_TILE_BYTES * share);
    double moving = tc_traffic(conv, target->type) / (WGRAD_BYTES * share);
    double reduction = WGRAD_REDUCTION + (double)choice->workspace / (WGRAD_PARTIALS * share);

    (void)mean; /* every split counts as the longest one */
    cycles = cycles > loads ? cycles : loads;
    return LAUNCH + (reduction + (cycles > moving ? cycles + WGRAD_OVERLAP * moving
                                                  : moving + WGRAD_OVERLAP * cycles));
}
