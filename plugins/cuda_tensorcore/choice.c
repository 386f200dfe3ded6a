/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernel runs a convolution, and in how many splits: what a rough count of cycles says. It
 * depends on shapes and the device alone, so that results are the same in every run on a device.
 */
#include "tensorcore.h"

#include "../cuda_common/walk.h"

/* Multiply-adds of 16-bit numbers that mma.sync gets out of a multiprocessor in a cycle, by the
 * generation of the device (NVIDIA's rates; on 9.0 five eighths of them, which is what mma.sync
 * reaches there); of TF32 half as many. */
static const struct {
    int32_t generation;
    double rate;
} rates[] = {{90, 1280}, {80, 1024}, {75, 512}};

/* Products of terms that make up one of floats. */
#define SPLIT_PRODUCTS 3

/* Of a block, to join warps that share 4096 results, for each beyond the first: what goes through
 * shared memory. */
#define JOIN_CYCLES 200

/* Threads of them. */
#define FOUR_WARPS 128

/*
 * What the rest costs, found by fitting the model to times measured on an H200. A block of four
 * warps alone on a multiprocessor waits as long as if there were `lone`, one of more warps less.
 * Cycles: of a block before and after its sums, of a launch, of the second stage of split sums
 * besides its bytes. Bytes that a multiprocessor has in a cycle: of operands and results, where
 * they count, and of partial sums.
 */
static const struct costs {
    double lone, block, launch, second, bytes, parts;
} filter_costs = {1.5, 3000, 4000, 4000, 0, 15}, position_costs = {1.2, 4200, 3300, 2900, 20, 12};

/* What hides behind the longer of multiplying and moving is not hidden altogether. */
#define OVERLAP 0.4
/* Of copies besides: of a launch; bytes in a cycle. Cycles of a microsecond. */
#define LAUNCH_CYCLES 4000
#define BYTES_A_CYCLE 15
#define CYCLES_A_US   1700

/* Partial sums take no more than this, in bytes; a split has at least so many tiles. */
#define WORKSPACE_MAX (INT64_C(256) << 20)
#define LEAST_TILES   4
#define SPLITS_MAX    0xffff
/* Waves of blocks that splits are tried for in direction filter; most splits in the others. */
#define SPLIT_WAVES     4
#define POSITION_SPLITS 32
/* Numbers of splits of a kernel that are offered, besides 1. */
#define SPLITS_KEPT 2

#define GRID_MAX INT64_C(0x7fffffff)

/* ------------------------------------------------------------------ one choice */

/* Forward and data in the family taps. */
static int lists_taps(const struct tc_kernel *kernel)
{
    return kernel->number >> 8 == TC_TAPS &&
           kernel->direction != ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
}

/* With the list of taps that some keep there. */
static int64_t shared_of(const struct tc_kernel *kernel, const struct conv *conv)
{
    return kernel->shared_bytes + (lists_taps(kernel) ? conv_taps(conv) * TC_TAP_BYTES : 0);
}

static int fits(const struct tc_kernel *kernel, const struct conv *conv, const struct tc_wish *wish)
{
    return kernel->type == wish->type && kernel->terms_of_float == wish->terms_of_float &&
           kernel->capability <= wish->capability &&
           (kernel->direction == 0 || kernel->direction == conv->direction) &&
           (kernel->how != TC_BY_16 || wish->by_16) &&
           shared_of(kernel, conv) <= wish->shared_bytes &&
           (!kernel->takes || kernel->takes(conv, wish));
}

/* Multiply-adds of the kernel's multiprocessor in a cycle. */
static double rate_of(const struct tc_kernel *kernel, const struct tc_wish *wish)
{
    double rate = 0;

    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && rate == 0; i++)
        rate = wish->generation >= rates[i].generation ? rates[i].rate : 0;
    if (kernel->type == ANYDNN_PLUGIN_FLOAT)
        rate /= kernel->terms_of_float ? 2 * SPLIT_PRODUCTS : 2;
    return rate * kernel->part;
}

/* Bytes of operands and results; of a gathered tensor with gaps between taps, what they touch. */
static double bytes_of(const struct conv *conv, int32_t type)
{
    double gathered = (double)conv->images * conv->groups * conv->depth;
    double results = (double)conv->images * conv->groups * conv->columns;
    double filters = (double)conv->groups * conv->columns * conv->depth;
    int data = conv_is_data(conv);
    double size = type == ANYDNN_PLUGIN_FLOAT ? 4 : type == ANYDNN_PLUGIN_INT8 ? 1 : 2;

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];
        int64_t touched = dim->taps == 1 && !data ? dim->positions : dim->gathered;

        gathered *= (double)touched;
        results *= (double)dim->positions;
        filters *= (double)dim->taps;
    }
    return size * (gathered + results + filters);
}

/* Of a wave of so many blocks on a multiprocessor, each of which takes `each` alone. */
static double wave_cycles(const struct costs *costs, const struct tc_kernel *kernel, double blocks,
                          double each)
{
    double joined = kernel->sharers > 1 ? kernel->rows * kernel->columns / 4096.0 : 0;
    double lone = costs->lone * FOUR_WARPS / kernel->threads;

    return costs->block + JOIN_CYCLES * joined * (kernel->sharers - 1) +
           each * (blocks > lone ? blocks : lone);
}

static double cycles_of(const struct tc_choice *choice, const struct conv *conv,
                        const struct tc_wish *wish, int64_t blocks, double mean)
{
    const struct tc_kernel *kernel = choice->kernel;
    const struct costs *costs = conv_is_filter(conv) ? &filter_costs : &position_costs;
    double tile = (double)kernel->rows * kernel->columns * kernel->terms / rate_of(kernel, wish);
    double share = wish->multiprocessors, cycles = 0, moving = 0;
    int64_t slots = (int64_t)wish->multiprocessors * kernel->resident;
    int64_t waves = blocks / slots, rest = cuda_ceil_div(blocks % slots, wish->multiprocessors);

    cycles += (double)waves * wave_cycles(costs, kernel, kernel->resident, mean * tile);
    if (rest > 0)
        cycles +=
            wave_cycles(costs, kernel, (double)rest, (waves > 0 ? mean : choice->each) * tile);
    if (costs->bytes > 0)
        moving = bytes_of(conv, wish->type) / (costs->bytes * share);
    cycles = cycles > moving ? cycles + OVERLAP * moving : moving + OVERLAP * cycles;
    if (choice->workspace > 0)
        cycles += costs->second + (double)choice->workspace / (costs->parts * share);
    return costs->launch + cycles;
}

double tc_memory_us(const struct tc_wish *wish, int32_t launches, double bytes)
{
    return (launches * LAUNCH_CYCLES + bytes / (BYTES_A_CYCLE * (double)wish->multiprocessors)) /
           CYCLES_A_US;
}

/* Classes of groups, by as many groups as a block works on. */
static int64_t units_of(const struct tc_kernel *kernel, const struct conv *conv)
{
    return cuda_ceil_div(conv->groups, kernel->groups ? kernel->groups : 1) * conv->classes;
}

/* Tiles along a sum. To the data the family taps begins a tile with every tap, whatever it has of
 * channels, but in narrow tiles. */
static int64_t tiles_of(const struct tc_kernel *kernel, const struct conv *conv, int64_t terms)
{
    int by_tap = lists_taps(kernel) && conv_is_data(conv) && kernel->columns > TC_PACKED_COLUMNS;

    return by_tap ? terms / conv->depth * cuda_ceil_div(conv->depth, kernel->terms)
                  : cuda_ceil_div(terms, kernel->terms);
}

/* Returns 0 if it cannot be. */
static int make(struct tc_choice *choice, const struct tc_kernel *kernel, const struct conv *conv,
                const struct tc_wish *wish, int64_t splits)
{
    struct conv_extents extents = conv_extents_of(conv);
    int64_t tiles = tiles_of(kernel, conv, extents.terms), units = units_of(kernel, conv);
    int64_t row_tiles = cuda_ceil_div(extents.rows, kernel->rows);
    int64_t column_tiles = cuda_ceil_div(conv->columns, kernel->columns), each, blocks;
    double mean; /* tiles along the sum in a part, over all classes */

    if (splits < 1 || splits > SPLITS_MAX || (splits > 1 && splits > tiles))
        return 0;
    /* Parts are floats. */
    if (splits > 1 && (kernel->type == ANYDNN_PLUGIN_INT8 || kernel->type == ANYDNN_PLUGIN_UINT8))
        return 0;
    each = tiles > 0 ? cuda_ceil_div(tiles, splits) : 1;
    if (splits > 1 && cuda_ceil_div(tiles, each) != splits)
        return 0;
    blocks = row_tiles * column_tiles * units;
    if (blocks > GRID_MAX / splits)
        return 0;
    *choice = (struct tc_choice){.kernel = kernel,
                                 .engine = (uint64_t)kernel->number << 16 | (uint64_t)splits,
                                 .splits = (int32_t)splits,
                                 .each = (int32_t)each,
                                 .row_tiles = (int32_t)row_tiles,
                                 .column_tiles = (int32_t)column_tiles,
                                 .rows = (int32_t)extents.rows};
    if (splits > 1)
        choice->workspace = splits * conv->groups * conv->classes * extents.rows * conv->columns *
                            (int64_t)sizeof(float);
    if (choice->workspace > WORKSPACE_MAX)
        return 0;
    mean = (double)each;
    if (conv_is_data(conv) && extents.terms > 0)
        mean *= (double)conv_taps(conv) * (double)conv->depth /
                ((double)conv->classes * (double)extents.terms);
    choice->expected_us = cycles_of(choice, conv, wish, blocks * splits, mean) / CYCLES_A_US;
    return 1;
}

int32_t tc_choice_of(const struct conv *conv, const struct tc_wish *wish, uint64_t engine,
                     struct tc_choice *choice)
{
    const struct tc_kernel *kernel = tc_kernel_find((int32_t)(engine >> 16));

    return kernel && engine >> 48 == 0 && fits(kernel, conv, wish) &&
           make(choice, kernel, conv, wish, (int64_t)(engine & 0xffff));
}

/* ------------------------------------------------------------------ all of them */

/* Best first; what has no place any more is dropped. */
static void insert(struct tc_choice *choices, int32_t *count, int32_t most,
                   const struct tc_choice *choice)
{
    int32_t at = *count < most ? (*count)++ : most;

    while (at > 0 && choices[at - 1].expected_us > choice->expected_us) {
        if (at < most)
            choices[at] = choices[at - 1];
        at--;
    }
    if (at < most)
        choices[at] = *choice;
}

/* Choices without workspace that have to be in a list: the best one, and the best one that takes
 * operands aligned to their elements alone. */
enum { ANY, UNALIGNED, NEEDED };

static void need(struct tc_choice needed[NEEDED], const struct tc_choice *choice)
{
    for (int32_t i = 0; i < NEEDED; i++) {
        if (i == UNALIGNED && choice->kernel->how != TC_BY_ELEMENT)
            continue;
        if (!needed[i].kernel || choice->expected_us < needed[i].expected_us)
            needed[i] = *choice;
    }
}

/* Puts what is needed and not there at the end, in the place of others if it must. */
static void complete(const struct tc_choice needed[NEEDED], struct tc_choice *choices,
                     int32_t *count, int32_t most)
{
    int32_t last = most;

    for (int32_t i = NEEDED - 1; i >= 0; i--) {
        int32_t at = 0;

        while (at < *count && choices[at].engine != needed[i].engine)
            at++;
        if (!needed[i].kernel || at < *count)
            continue;
        choices[*count < most ? (*count)++ : --last] = needed[i];
    }
}

/* Number `at` of the numbers of splits to try, of parts of equal length; 0: none. */
static int64_t splits_at(const struct conv *conv, int64_t at, int64_t slots, int64_t blocks,
                         int64_t tiles)
{
    int64_t splits = at + 2;

    if (conv_is_filter(conv))
        splits = (at + 1) * slots / blocks;
    else if (splits > tiles / LEAST_TILES)
        return 0;
    splits = splits > tiles / LEAST_TILES ? tiles / LEAST_TILES : splits;
    return splits > 1 ? cuda_ceil_div(tiles, cuda_ceil_div(tiles, splits)) : 0;
}

/* The kernel unsplit, and in the numbers of splits that are expected to be the best. */
static void try_kernel(const struct tc_kernel *kernel, const struct conv *conv,
                       const struct tc_wish *wish, struct tc_choice *choices, int32_t *count,
                       int32_t most, struct tc_choice needed[NEEDED])
{
    int filter = conv_is_filter(conv);
    int64_t slots = (int64_t)wish->multiprocessors * kernel->resident, blocks, tiles, last = 1;
    struct tc_choice choice, best[SPLITS_KEPT];
    int32_t kept = 0;

    if (!make(&choice, kernel, conv, wish, 1))
        return;
    insert(choices, count, most, &choice);
    need(needed, &choice);
    tiles = choice.each;
    blocks = (int64_t)choice.row_tiles * choice.column_tiles * units_of(kernel, conv);
    for (int64_t at = 0; at < (filter ? SPLIT_WAVES : POSITION_SPLITS - 1); at++) {
        int64_t splits = splits_at(conv, at, slots, blocks, tiles);

        if (splits <= last || !make(&choice, kernel, conv, wish, splits))
            continue;
        last = splits;
        insert(best, &kept, SPLITS_KEPT, &choice);
    }
    for (int32_t i = 0; i < kept; i++)
        insert(choices, count, most, &best[i]);
}

int32_t tc_choose(const struct conv *conv, const struct tc_wish *wish, struct tc_choice *choices,
                  int32_t most)
{
    struct tc_choice needed[NEEDED] = {{.kernel = NULL}};
    int32_t count = 0;

    for (int32_t t = 0; t < tc_table_count; t++) {
        for (int32_t i = 0; i < tc_tables[t]->count; i++) {
            const struct tc_kernel *kernel = &tc_tables[t]->kernels[i];

            if (fits(kernel, conv, wish))
                try_kernel(kernel, conv, wish, choices, &count, most, needed);
        }
    }
    complete(needed, choices, &count, most);
    return count;
}
