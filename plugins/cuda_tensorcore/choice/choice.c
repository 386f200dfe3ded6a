/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the kernels for a convolution and their numbers of splits of K, ordered by the time
 * that choice/model.c expects. The choice depends only on shapes and the device, so that results
 * are the same in every run on a device. */
#include "../tensorcore.h"

#include "../../cuda_common/divide.h"

/* The most bytes of partial sums, the fewest tiles per split, and the most splits. */
#define WORKSPACE_MAX (INT64_C(256) << 20)
#define LEAST_TILES   4
#define SPLITS_MAX    0xffff
/* The waves of blocks for which splits are tried in wgrad, and the most splits in the other
 * directions. */
#define SPLIT_WAVES     4
#define POSITION_SPLITS 32
/* The numbers of splits of a kernel that are offered besides 1. */
#define SPLITS_KEPT 2

/* ------------------------------------------------------------------ one choice */

static int64_t shared_of(const struct tc_kernel *kernel, const struct conv *conv)
{
    return kernel->shared_bytes + conv_taps(conv) * kernel->tap_bytes;
}

static int fits(const struct tc_kernel *kernel, const struct conv *conv,
                const struct tc_target *target)
{
    return kernel->type == target->type && kernel->tf32_split == target->tf32_split &&
           kernel->capability <= target->context->capability[kernel->code] &&
           (kernel->direction == 0 || kernel->direction == conv->direction) &&
           (kernel->load != TC_LOAD_16_BYTES || target->by_16) &&
           shared_of(kernel, conv) <= target->context->shared_bytes &&
           (!kernel->takes || kernel->takes(conv, target));
}

/* Returns the number of classes, times the sets of groups that one block processes. */
static int64_t units_of(const struct tc_kernel *kernel, const struct conv *conv)
{
    return cuda_ceil_div(conv->groups, kernel->groups ? kernel->groups : 1) * conv->classes;
}

/* Returns the number of classes with taps. The blocks of the other classes write only zeros, and
 * run last, in parallel with others. */
static int64_t tapped_of(const struct conv *conv)
{
    int64_t tapped = 1;

    for (int32_t d = 0; d < CONV_DIMS_MAX && conv_is_dgrad(conv); d++) {
        const struct conv_dim *dim = &conv->dim[d];
        int64_t most = dim->period < dim->positions ? dim->period : dim->positions;

        tapped *= dim->taps < most ? dim->taps : most;
    }
    return tapped < conv->classes ? tapped : conv->classes;
}

static int64_t k_tiles_of(const struct tc_kernel *kernel, const struct conv *conv, int64_t k)
{
    return kernel->k_by_tap ? k / conv->channels * cuda_ceil_div(conv->channels, kernel->tile_k)
                            : cuda_ceil_div(k, kernel->tile_k);
}

static int64_t m_tiles_of(const struct tc_kernel *kernel, const struct conv *conv, int64_t m)
{
    if (kernel->m_channels > 0)
        m = conv_taps(conv) * cuda_round_up(conv->channels, kernel->m_channels);
    return cuda_ceil_div(m, kernel->tile_m);
}

/* Makes a choice. Returns 0 if it is not possible. */
static int make(struct tc_choice *choice, const struct tc_kernel *kernel, const struct conv *conv,
                const struct tc_target *target, int64_t splits)
{
    struct conv_gemm gemm = conv_gemm_of(conv);
    int64_t tiles = k_tiles_of(kernel, conv, gemm.k), units = units_of(kernel, conv);
    int64_t m_tiles = m_tiles_of(kernel, conv, gemm.m);
    int64_t n_tiles = cuda_ceil_div(conv->n, kernel->tile_n), each, blocks;
    int64_t tapped = tapped_of(conv);
    double mean; /* tiles along K per split, averaged over classes with taps */

    if (splits < 1 || splits > SPLITS_MAX ||
        (splits > 1 && (splits > tiles || kernel->splits == TC_SPLITS_ONE)))
        return 0;
    each = tiles > 0 ? cuda_ceil_div(tiles, splits) : 1;
    if (splits > 1 && cuda_ceil_div(tiles, each) != splits)
        return 0;
    blocks = m_tiles * n_tiles * units;
    if (blocks > CUDA_BLOCKS_MAX / splits)
        return 0;
    *choice = (struct tc_choice){.kernel = kernel,
                                 .engine = (uint64_t)kernel->number << 16 | (uint64_t)splits,
                                 .splits = (int32_t)splits,
                                 .k_tiles = (int32_t)each,
                                 .m_tiles = (int32_t)m_tiles,
                                 .n_tiles = (int32_t)n_tiles,
                                 .m = (int32_t)gemm.m};
    if (splits > 1 || kernel->splits == TC_SPLITS_PARTIAL)
        choice->workspace =
            splits * conv->groups * conv->classes * gemm.m * conv->n * (int64_t)sizeof(float);
    if (choice->workspace > WORKSPACE_MAX)
        return 0;
    mean = (double)each;
    if (conv_is_dgrad(conv) && gemm.k > 0)
        mean *=
            (double)conv_taps(conv) * (double)conv->channels / ((double)tapped * (double)gemm.k);
    blocks = blocks / conv->classes * tapped * splits;
    choice->expected_us = tc_expected_us(choice, conv, target, blocks, mean);
    return 1;
}

int32_t tc_choice_of(const struct conv *conv, const struct tc_target *target, uint64_t engine,
                     struct tc_choice *choice)
{
    const struct tc_kernel *kernel = tc_kernel_find((int32_t)(engine >> 16));

    return kernel && engine >> 48 == 0 && fits(kernel, conv, target) &&
           make(choice, kernel, conv, target, (int64_t)(engine & 0xffff));
}

/* ------------------------------------------------------------------ all choices */

/* Inserts a choice into the list, best first. If the list is full, the worst choice is dropped. */
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

/* The choices without workspace that a list must contain: the best one, and the best one that
 * loads single elements, so that any alignment works. */
enum { ANY, UNALIGNED, NEEDED };

static void need(struct tc_choice needed[NEEDED], const struct tc_choice *choice)
{
    for (int32_t i = 0; i < NEEDED; i++) {
        if (i == UNALIGNED && choice->kernel->load != TC_LOAD_ELEMENTS)
            continue;
        if (!needed[i].kernel || choice->expected_us < needed[i].expected_us)
            needed[i] = *choice;
    }
}

/* Appends the needed choices that are missing. If the list is full, they replace the last ones. */
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

/* Returns the number of splits to try at index `at`, adjusted so that splits have equal lengths.
 * Returns 0 if there is none. */
static int64_t splits_at(const struct conv *conv, int64_t at, int64_t slots, int64_t blocks,
                         int64_t tiles)
{
    int64_t splits = at + 2;

    if (conv_is_wgrad(conv))
        splits = (at + 1) * slots / blocks;
    else if (splits > tiles / LEAST_TILES)
        return 0;
    splits = splits > tiles / LEAST_TILES ? tiles / LEAST_TILES : splits;
    return splits > 1 ? cuda_ceil_div(tiles, cuda_ceil_div(tiles, splits)) : 0;
}

/* Adds a kernel without splits, and with the numbers of splits that have the best expected
 * times. */
static void try_kernel(const struct tc_kernel *kernel, const struct conv *conv,
                       const struct tc_target *target, struct tc_choice *choices, int32_t *count,
                       int32_t most, struct tc_choice needed[NEEDED])
{
    int is_wgrad = conv_is_wgrad(conv);
    int64_t slots = (int64_t)target->context->cuda.multiprocessors * kernel->occupancy;
    int64_t blocks, tiles, last = 1;
    struct tc_choice choice, best[SPLITS_KEPT];
    int32_t kept = 0;

    if (!make(&choice, kernel, conv, target, 1))
        return;
    insert(choices, count, most, &choice);
    if (choice.workspace == 0)
        need(needed, &choice);
    tiles = choice.k_tiles;
    blocks = (int64_t)choice.m_tiles * choice.n_tiles * units_of(kernel, conv);
    for (int64_t at = 0; at < (is_wgrad ? SPLIT_WAVES : POSITION_SPLITS - 1); at++) {
        int64_t splits = splits_at(conv, at, slots, blocks, tiles);

        if (splits <= last || !make(&choice, kernel, conv, target, splits))
            continue;
        last = splits;
        insert(best, &kept, SPLITS_KEPT, &choice);
    }
    for (int32_t i = 0; i < kept; i++)
        insert(choices, count, most, &best[i]);
}

int32_t tc_choose(const struct conv *conv, const struct tc_target *target,
                  struct tc_choice *choices, int32_t most)
{
    struct tc_choice needed[NEEDED] = {{.kernel = NULL}};
    int32_t count = 0;

    for (int32_t t = 0; t < tc_table_count; t++) {
        for (int32_t i = 0; i < tc_tables[t]->count; i++) {
            const struct tc_kernel *kernel = &tc_tables[t]->kernels[i];

            if (fits(kernel, conv, target))
                try_kernel(kernel, conv, target, choices, &count, most, needed);
        }
    }
    complete(needed, choices, &count, most);
    return count;
}
