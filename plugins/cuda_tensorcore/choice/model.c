/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a choice is expected to take: a rough count of cycles, by shapes and the device alone.
 */
#include "../tensorcore.h"

#include "../../cuda_common/divide.h"

/* Multiply-adds of 16-bit numbers that mma.sync gets out of a multiprocessor in a cycle, by the
 * generation of the device (NVIDIA's rates; on 9.0 five eighths of them, which is what mma.sync
 * reaches there); of TF32 half as many. */
static const struct {
    int32_t generation;
    double rate;
} rates[] = {{90, 1280}, {80, 1024}, {75, 512}};

/* Products of TF32 that make up one of floats. */
#define TF32_PRODUCTS 3

/* Of a block, to join warps that share 4096 results, for each beyond the first: what goes through
 * shared memory. */
#define K_SLICE_CYCLES 300

/* Threads of them. */
#define FOUR_WARPS 128

/*
 * What the rest costs, found by fitting the model to times measured on an H200. A block of four
 * warps alone on a multiprocessor waits as long as if there were `lone`, one of more warps less.
 * Cycles: of a block before and after its sums, of a launch, of the reduction of split-K
 * besides its bytes. Bytes that a multiprocessor has in a cycle: of operands and results, where
 * they count, and of partial sums.
 */
static const struct costs {
    double lone, block, launch, reduction, bytes, partials;
} wgrad_costs = {1.14, 2700, 3450, 2300, 0, 10.4}, gemm_costs = {1.21, 4250, 2850, 2250, 18, 9.4};

/* What hides behind the longer of multiplying and moving is not hidden altogether. */
#define OVERLAP 0.4
/* Of copies besides: of a launch; bytes in a cycle. Cycles of a microsecond. */
#define LAUNCH_CYCLES 4000
#define BYTES_A_CYCLE 15
#define CYCLES_A_US   1700

/* Multiply-adds of the kernel's multiprocessor in a cycle. */
static double rate_of(const struct tc_kernel *kernel, const struct tc_target *target)
{
    double rate = 0;

    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && rate == 0; i++)
        rate = target->context->generation >= rates[i].generation ? rates[i].rate : 0;
    if (kernel->type == ANYDNN_PLUGIN_FLOAT)
        rate /= kernel->tf32_split ? 2 * TF32_PRODUCTS : 2;
    return rate * kernel->mma_efficiency;
}

/* Bytes of operands and results; of an A with gaps between taps, what they touch. */
static double bytes_of(const struct conv *conv, int32_t type)
{
    double a = (double)conv->images * conv->groups * conv->depth;
    double results = (double)conv->images * conv->groups * conv->n;
    double filters = (double)conv->groups * conv->n * conv->depth;
    int is_dgrad = conv_is_dgrad(conv);
    double size = cuda_type_size(type);

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];
        int64_t touched = dim->taps == 1 && !is_dgrad ? dim->positions : dim->a_extent;

        a *= (double)touched;
        results *= (double)dim->positions;
        filters *= (double)dim->taps;
    }
    return size * (a + results + filters);
}

/*
 * The family hopper: multiply-adds of 16 bits of wgmma in a cycle, cycles to store 64 x 64 results
 * of 16 bits, bytes that a multiprocessor has in a cycle of operands and results, and of tiles out
 * of the L2; and how much of the shorter is not hidden behind the longer. A line along K takes the
 * same time whatever their type. Fitted to times of 30 layers in half on an H200: first choice 1.3
 * % behind the best tile in the mean.
 */
#define HOPPER_RATE       2048
#define HOPPER_STORE      230
#define HOPPER_STORE_AREA 4096
#define HOPPER_BYTES      18.9
#define HOPPER_TILE_BYTES 58.6
#define HOPPER_OVERLAP    0.23
#define HOPPER_LINE_BYTES 128

/* Blocks take tiles by turns, so that a wave is a tile of each. */
static double hopper_cycles(const struct tc_kernel *kernel, const struct conv *conv,
                            const struct tc_target *target, int64_t tiles, double k_tiles)
{
    int32_t multiprocessors = target->context->cuda.multiprocessors;
    double area = (double)kernel->tile_m * kernel->tile_n, share = multiprocessors;
    double size = cuda_type_size(target->type);
    double tile = k_tiles * area * TC_TMA_CHANNELS / (HOPPER_RATE * kernel->mma_efficiency) +
                  HOPPER_STORE * area / HOPPER_STORE_AREA * size / 2;
    double cycles = (double)cuda_ceil_div(tiles, multiprocessors) * tile;
    double lines =
        kernel->halo_lines > 0 ? kernel->halo_lines : k_tiles * (kernel->tile_m + kernel->tile_n);
    double loads = (double)tiles * lines * HOPPER_LINE_BYTES / (HOPPER_TILE_BYTES * share);
    double moving = bytes_of(conv, target->type) / (HOPPER_BYTES * share);

    cycles = cycles > loads ? cycles : loads;
    return cycles > moving ? cycles + HOPPER_OVERLAP * moving : moving + HOPPER_OVERLAP * cycles;
}

/*
 * wgrad of that family. Cycles: of a launch, of the reduction besides its bytes, of a tile besides
 * its sums; bytes that a multiprocessor has in a cycle: of operands, of tiles out of the L2, of
 * partial sums there and back. Fitted to times of 22 layers on an H200: off by 8 %, first choice
 * 0.4 % behind the best of the tiles and splits tried.
 */
#define WGRAD_LAUNCH     2850
#define WGRAD_REDUCTION  2300
#define WGRAD_TILE       2700
#define WGRAD_BYTES      20.1
#define WGRAD_TILE_BYTES 46.7
#define WGRAD_PARTIALS   8.6
#define WGRAD_OVERLAP    0.18

static double wgrad_cycles(const struct tc_choice *choice, const struct conv *conv,
                           const struct tc_target *target, int64_t tiles)
{
    const struct tc_kernel *kernel = choice->kernel;
    int32_t multiprocessors = target->context->cuda.multiprocessors;
    double area = (double)kernel->tile_m * kernel->tile_n, share = multiprocessors;
    double positions = (double)choice->k_tiles * kernel->tile_k;
    double wave = positions * area / (HOPPER_RATE * kernel->mma_efficiency) + WGRAD_TILE;
    double cycles = (double)cuda_ceil_div(tiles, multiprocessors) * wave;
    /* Lines of both operands for a position, of all tiles of a split; absent blocks have none. */
    double taps = (double)conv_taps(conv) * (double)cuda_round_up(conv->depth, TC_TMA_CHANNELS);
    double lines =
        taps * choice->n_tiles + (double)choice->m_tiles * choice->n_tiles * kernel->tile_n;
    double loads =
        (double)conv->groups * choice->splits * positions * lines * 2 / (WGRAD_TILE_BYTES * share);
    double moving = bytes_of(conv, target->type) / (WGRAD_BYTES * share);
    double reduction = WGRAD_REDUCTION + (double)choice->workspace / (WGRAD_PARTIALS * share);

    cycles = cycles > loads ? cycles : loads;
    return reduction +
           (cycles > moving ? cycles + WGRAD_OVERLAP * moving : moving + WGRAD_OVERLAP * cycles);
}

/* Of a wave of so many blocks on a multiprocessor, each of which takes `each` alone. */
static double wave_cycles(const struct costs *costs, const struct tc_kernel *kernel, double blocks,
                          double each)
{
    double joined = kernel->k_slices > 1 ? kernel->tile_m * kernel->tile_n / 4096.0 : 0;
    double lone = costs->lone * FOUR_WARPS / kernel->threads;

    return costs->block + K_SLICE_CYCLES * joined * (kernel->k_slices - 1) +
           each * (blocks > lone ? blocks : lone);
}

double tc_expected_us(const struct tc_choice *choice, const struct conv *conv,
                      const struct tc_target *target, int64_t blocks, double mean)
{
    const struct tc_kernel *kernel = choice->kernel;
    const struct costs *costs = conv_is_wgrad(conv) ? &wgrad_costs : &gemm_costs;
    double tile =
        (double)kernel->tile_m * kernel->tile_n * kernel->tile_k / rate_of(kernel, target);
    int32_t multiprocessors = target->context->cuda.multiprocessors;
    double share = multiprocessors, cycles = 0, moving = 0;
    int64_t slots = (int64_t)multiprocessors * kernel->occupancy;
    int64_t waves = blocks / slots, rest = cuda_ceil_div(blocks % slots, multiprocessors);

    if (kernel->load == TC_LOAD_TMA && conv_is_wgrad(conv))
        return (WGRAD_LAUNCH + wgrad_cycles(choice, conv, target, blocks)) / CYCLES_A_US;
    if (kernel->load == TC_LOAD_TMA)
        return (costs->launch + hopper_cycles(kernel, conv, target, blocks, mean)) / CYCLES_A_US;
    cycles += (double)waves * wave_cycles(costs, kernel, kernel->occupancy, mean * tile);
    if (rest > 0)
        cycles +=
            wave_cycles(costs, kernel, (double)rest, (waves > 0 ? mean : choice->k_tiles) * tile);
    if (costs->bytes > 0)
        moving = bytes_of(conv, target->type) / (costs->bytes * share);
    cycles = cycles > moving ? cycles + OVERLAP * moving : moving + OVERLAP * cycles;
    if (choice->workspace > 0)
        cycles += costs->reduction + (double)choice->workspace / (costs->partials * share);
    return (costs->launch + cycles) / CYCLES_A_US;
}

double tc_memory_us(const struct tc_target *target, int32_t launches, double bytes)
{
    return (launches * LAUNCH_CYCLES +
            bytes / (BYTES_A_CYCLE * (double)target->context->cuda.multiprocessors)) /
           CYCLES_A_US;
}
