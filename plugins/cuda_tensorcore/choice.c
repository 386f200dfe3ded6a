/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernel runs a convolution, and in how many splits: what a rough count of cycles says. It
 * depends on shapes and the device alone, so that results are the same in every run on a device.
 */
#include "tensorcore.h"

/* Multiply-adds of 16-bit numbers that mma.sync gets out of a multiprocessor in a cycle, by the
 * capability of the code (NVIDIA's rates; on 9.0 five eighths of them, which is what mma.sync
 * reaches there); of TF32 half as many. */
static const struct {
    int32_t capability;
    double rate;
} rates[] = {{90, 1280}, {80, 1024}, {75, 512}};

/* A block alone on a multiprocessor waits as long as if there were so many. */
#define LONE_BLOCKS 1.5
/* Cycles: of a launch; of a block before and after its sums; a multiprocessor's share of the
 * memory's bytes in one. Cycles of a microsecond. */
#define LAUNCH_CYCLES 4000
#define BLOCK_CYCLES  3000
#define BYTES_A_CYCLE 15
#define CYCLES_A_US   1700

/* Partial sums take no more than this, in bytes; a split has at least so many tiles. */
#define WORKSPACE_MAX (INT64_C(256) << 20)
#define LEAST_TILES   4
#define SPLITS_MAX    0xffff
/* Waves of blocks that splits are tried for. */
#define SPLIT_WAVES 4

#define GRID_MAX INT64_C(0x7fffffff)

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ------------------------------------------------------------------ reading by 16 bytes */

static int are_multiples(const struct conv *conv, int64_t each, int taps, int positions)
{
    int good = conv->x_image % each == 0;

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];

        good &= dim->x % each == 0 && (!taps || dim->tap % each == 0) &&
                (!positions || dim->position % each == 0);
    }
    if (taps)
        good &= conv->tap_group % each == 0;
    if (positions)
        good &= conv->position_image % each == 0;
    return good;
}

int tc_reads_by_16(const struct conv *conv, int32_t type)
{
    int64_t each = type == ANYDNN_PLUGIN_FLOAT ? 4 : 8;

    if (conv->x.step != 1 || conv->depth % each != 0)
        return 0;
    switch (conv->direction) {
    case ANYDNN_PLUGIN_CONVOLUTION_FORWARD:
        return conv->tap_depth == 1 && conv->tap_column % each == 0 &&
               are_multiples(conv, each, 1, 0);
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        return conv->tap_column == 1 && conv->columns % each == 0 && conv->tap_depth % each == 0 &&
               are_multiples(conv, each, 1, 0);
    default:
        return conv->position.step == 1 && conv->columns % each == 0 &&
               are_multiples(conv, each, 0, 1);
    }
}

/* ------------------------------------------------------------------ one choice */

/* Of the largest class: rows, terms. */
struct extents {
    int64_t rows, terms;
};

static struct extents extents_of(const struct conv *conv)
{
    int64_t positions = conv->images, taps = conv->depth;

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];
        int data = conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;

        positions *= data ? ceil_div(dim->positions, dim->stride) : dim->positions;
        taps *= data ? ceil_div(dim->taps, dim->period) : dim->taps;
    }
    if (conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER)
        return (struct extents){taps, positions};
    return (struct extents){positions, taps};
}

static int fits(const struct tc_kernel *kernel, const struct conv *conv, const struct tc_wish *wish)
{
    return kernel->type == wish->type && kernel->capability <= wish->capability &&
           (kernel->direction == 0 || kernel->direction == conv->direction) &&
           (kernel->how != TC_BY_16 || wish->by_16) && kernel->shared_bytes <= wish->shared_bytes &&
           (!kernel->takes || kernel->takes(conv, wish));
}

/* Multiply-adds of the kernel's multiprocessor in a cycle. */
static double rate_of(const struct tc_kernel *kernel, const struct tc_wish *wish)
{
    double rate = 0;

    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && rate == 0; i++)
        rate = wish->capability >= rates[i].capability ? rates[i].rate : 0;
    if (kernel->type == ANYDNN_PLUGIN_FLOAT)
        rate /= 2;
    return rate * kernel->part;
}

static double cycles_of(const struct tc_choice *choice, const struct tc_wish *wish, int64_t blocks)
{
    const struct tc_kernel *kernel = choice->kernel;
    double each = (double)choice->each * kernel->rows * kernel->columns * kernel->terms /
                  rate_of(kernel, wish);
    int64_t slots = (int64_t)wish->multiprocessors * kernel->resident;
    int64_t waves = blocks / slots, rest = ceil_div(blocks % slots, wish->multiprocessors);
    double cycles = LAUNCH_CYCLES;

    cycles += (double)waves * (kernel->resident * each + BLOCK_CYCLES);
    if (rest > 0)
        cycles += (rest > 1 ? (double)rest : LONE_BLOCKS) * each + BLOCK_CYCLES;
    if (choice->workspace > 0)
        cycles += LAUNCH_CYCLES +
                  (double)choice->workspace / (BYTES_A_CYCLE * (double)wish->multiprocessors);
    return cycles;
}

/* Returns 0 if it cannot be. */
static int make(struct tc_choice *choice, const struct tc_kernel *kernel, const struct conv *conv,
                const struct tc_wish *wish, int64_t splits)
{
    struct extents extents = extents_of(conv);
    int64_t tiles = ceil_div(extents.terms, kernel->terms), units = conv->groups * conv->classes;
    int64_t row_tiles = ceil_div(extents.rows, kernel->rows);
    int64_t column_tiles = ceil_div(conv->columns, kernel->columns), each, blocks;

    if (splits < 1 || splits > SPLITS_MAX || (splits > 1 && splits > tiles))
        return 0;
    each = tiles > 0 ? ceil_div(tiles, splits) : 1;
    if (splits > 1 && ceil_div(tiles, each) != splits)
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
        choice->workspace = splits * units * extents.rows * conv->columns * (int64_t)sizeof(float);
    if (choice->workspace > WORKSPACE_MAX)
        return 0;
    choice->expected_us = cycles_of(choice, wish, blocks * splits) / CYCLES_A_US;
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

/* The kernel unsplit, and in the number of splits that is expected to be the best. */
static void try_kernel(const struct tc_kernel *kernel, const struct conv *conv,
                       const struct tc_wish *wish, struct tc_choice *choices, int32_t *count,
                       int32_t most, struct tc_choice needed[NEEDED])
{
    int64_t slots = (int64_t)wish->multiprocessors * kernel->resident, blocks, tiles;
    struct tc_choice choice, best = {.splits = 0};

    if (!make(&choice, kernel, conv, wish, 1))
        return;
    insert(choices, count, most, &choice);
    need(needed, &choice);
    tiles = choice.each;
    blocks = (int64_t)choice.row_tiles * choice.column_tiles * conv->groups * conv->classes;
    for (int64_t wave = 1; wave <= SPLIT_WAVES; wave++) {
        int64_t splits = wave * slots / blocks;

        splits = splits > tiles / LEAST_TILES ? tiles / LEAST_TILES : splits;
        if (splits <= 1)
            continue;
        /* The number that parts of equal length come out at. */
        splits = ceil_div(tiles, ceil_div(tiles, splits));
        if (make(&choice, kernel, conv, wish, splits) &&
            (best.splits == 0 || choice.expected_us < best.expected_us))
            best = choice;
    }
    if (best.splits > 1)
        insert(choices, count, most, &best);
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
