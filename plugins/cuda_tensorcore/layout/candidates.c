/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether operands can be loaded by 16 bytes as they are, and which layouts of them a problem may
 * be tried in.
 */
#include "layout.h"

#include "../../cuda_common/walk.h"

#define LAST (CONV_DIMS_MAX - 1)

/* In dgrad: results of all taps of a row that are worth having as columns. Lanes that are
 * worth having for all taps of a plane. */
#define ROW_COLUMNS 64
#define PLANE_LANES 128

/* Elements of 16 bytes. */
static int64_t each_of(int32_t type)
{
    return 16 / cuda_type_size(type);
}

/* ------------------------------------------------------------------ reading by 16 bytes */

/* Channels, or the lanes of vectors of them. */
static int lie_side_by_side(const struct conv_channels *channels, int64_t step, int64_t each)
{
    return channels->shift == 0 ? step == 1 : (channels->mask + 1) % each == 0 && step % each == 0;
}

int tc_a_reads_by_16(const struct conv *conv, int32_t type)
{
    int64_t each = each_of(type);
    int good = lie_side_by_side(&conv->a, conv->a.step, each) && conv->depth % each == 0 &&
               conv->a_image % each == 0;

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        good &= conv->dim[d].a % each == 0;
    return good;
}

int tc_b_reads_by_16(const struct conv *conv, int32_t type)
{
    int filter = conv_is_wgrad(conv), data = conv_is_dgrad(conv);
    int64_t each = each_of(type), group = filter ? conv->position_image : conv->tap_group;
    int64_t step = filter ? conv->position.step : data ? conv->tap_n : conv->tap_depth;
    int64_t line = filter ? 0 : data ? conv->tap_depth : conv->tap_n;
    int good = lie_side_by_side(filter ? &conv->position : &conv->tap, step, each) &&
               group % each == 0 && line % each == 0;

    if (data || filter)
        good &= conv->n % each == 0;
    if (!filter)
        good &= conv->depth % each == 0;
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        good &= (filter ? conv->dim[d].position : conv->dim[d].tap) % each == 0;
    return good;
}

int tc_reads_by_16(const struct conv *conv, int32_t type)
{
    return tc_a_reads_by_16(conv, type) && tc_b_reads_by_16(conv, type);
}

/* ------------------------------------------------------------------ what is worth trying */

/* What cannot be read as it is. What is padded in one operand is padded in the other. */
static int32_t needed_of(const struct conv *conv, int32_t type)
{
    int32_t x = tc_a_reads_by_16(conv, type) ? 0 : TC_LAYOUT_A;

    return x | (tc_b_reads_by_16(conv, type) ? 0 : TC_LAYOUT_B);
}

/* Whether a filter's row as channels makes sums shorter, or in dgrad fills columns. */
static int has_use_of_rows(const struct conv *conv, int32_t type)
{
    int64_t each = each_of(type), taps = conv->dim[LAST].taps;

    if (taps < 2)
        return 0;
    if (conv_is_dgrad(conv))
        return conv->n < each && taps * conv->n <= ROW_COLUMNS;
    return cuda_round_up(taps * conv->depth, each) < taps * cuda_round_up(conv->depth, each);
}

/* Few channels under few taps fill a tile along the sum together that each row would fill once. */
static int has_use_of_planes(const struct conv *conv, int32_t type)
{
    int64_t taps = conv->dim[LAST].taps * conv->dim[LAST - 1].taps;

    return !conv_is_dgrad(conv) && !conv_is_wgrad(conv) && conv->dim[LAST - 1].taps > 1 &&
           conv->depth < each_of(type) && taps * conv->depth <= PLANE_LANES;
}

/* Kernels by maps read floats along the sum alone. */
static int has_use_of_terms(const struct conv *conv, int32_t type)
{
    return type == ANYDNN_PLUGIN_FLOAT && conv_is_dgrad(conv) && conv->groups == 1 &&
           conv->dim[LAST - 2].taps == 1 && conv->tap_depth != 1;
}

int32_t tc_layout_candidates(const struct conv *conv, int32_t type, int32_t bits[TC_LAYOUTS])
{
    int32_t needed = needed_of(conv, type), both = TC_LAYOUT_A | TC_LAYOUT_B, count = 0;
    int32_t copied = conv_is_wgrad(conv) ? TC_LAYOUT_A : conv_is_dgrad(conv) ? TC_LAYOUT_B : both;

    if (conv->a.shift || conv->tap.shift || conv->position.shift)
        return 0;
    if (needed)
        bits[count++] = needed;
    if (needed != both)
        bits[count++] = both;
    if (has_use_of_rows(conv, type))
        bits[count++] = TC_LAYOUT_FOLD_S | copied | needed;
    if (has_use_of_planes(conv, type))
        bits[count++] = TC_LAYOUT_FOLD_RS | both;
    if (cuda_type_size(type) == 2 && conv->depth <= TC_PIXEL && conv->groups == 1 &&
        !conv_is_dgrad(conv))
        bits[count++] = TC_LAYOUT_PIXELS | copied | (needed & ~TC_LAYOUT_A);
    if (has_use_of_terms(conv, type))
        bits[count++] = TC_LAYOUT_B_K_MAJOR | TC_LAYOUT_B | (needed & TC_LAYOUT_A);
    return count;
}
