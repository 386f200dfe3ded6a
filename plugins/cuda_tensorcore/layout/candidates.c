/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether operands can be loaded by 16 bytes without a copy, and lists the layouts to try
 * for a problem. */
#include "layout.h"

#include "../../cuda_common/divide.h"

#define LAST (CONV_DIMS_MAX - 1)

/* The largest N of all taps of a row (dgrad) and the most lanes of all taps of a plane for which
 * folding is tried. */
#define FOLD_S_N      64
#define FOLD_RS_LANES 128

/* Returns the number of elements in 16 bytes. */
static int64_t chunk_of(int32_t type)
{
    return 16 / cuda_type_size(type);
}

/* ------------------------------------------------------------------ reading by 16 bytes */

/* Returns 1 if channels are contiguous, either as elements or as lanes of vectors. */
static int lie_side_by_side(const struct conv_channels *channels, int64_t step, int64_t chunk)
{
    return channels->shift == 0 ? step == 1
                                : (channels->mask + 1) % chunk == 0 && step % chunk == 0;
}

int tc_a_reads_by_16(const struct conv *conv, int32_t type)
{
    int64_t chunk = chunk_of(type);
    int good = lie_side_by_side(&conv->a, conv->a.step, chunk) && conv->channels % chunk == 0 &&
               conv->a_image % chunk == 0;

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        good &= conv->dim[d].a % chunk == 0;
    return good;
}

int tc_b_reads_by_16(const struct conv *conv, int32_t type)
{
    int wgrad = conv_is_wgrad(conv), dgrad = conv_is_dgrad(conv);
    int64_t chunk = chunk_of(type), group = wgrad ? conv->position_image : conv->tap_group;
    int64_t step = wgrad ? conv->position.step : dgrad ? conv->tap_n : conv->tap_channel;
    int64_t line = wgrad ? 0 : dgrad ? conv->tap_channel : conv->tap_n;
    int good = lie_side_by_side(wgrad ? &conv->position : &conv->tap, step, chunk) &&
               group % chunk == 0 && line % chunk == 0;

    if (dgrad || wgrad)
        good &= conv->n % chunk == 0;
    if (!wgrad)
        good &= conv->channels % chunk == 0;
    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        good &= (wgrad ? conv->dim[d].position : conv->dim[d].tap) % chunk == 0;
    return good;
}

int tc_reads_by_16(const struct conv *conv, int32_t type)
{
    return tc_a_reads_by_16(conv, type) && tc_b_reads_by_16(conv, type);
}

/* ------------------------------------------------------------------ useful layouts */

/* Returns the copies that are needed to load operands by 16 bytes. If the channels of a sum need
 * padding, both operands are copied. */
static int32_t needed_of(const struct conv *conv, int32_t type)
{
    int32_t a = tc_a_reads_by_16(conv, type) ? 0 : TC_LAYOUT_A;

    return a | (tc_b_reads_by_16(conv, type) ? 0 : TC_LAYOUT_B);
}

/* Returns 1 if turning a filter's row into channels shortens the sums, or in dgrad fills N. */
static int gains_by_fold_s(const struct conv *conv, int32_t type)
{
    int64_t chunk = chunk_of(type), taps = conv->dim[LAST].taps;

    if (taps < 2)
        return 0;
    if (conv_is_dgrad(conv))
        return conv->n < chunk && taps * conv->n <= FOLD_S_N;
    return cuda_round_up(taps * conv->channels, chunk) <
           taps * cuda_round_up(conv->channels, chunk);
}

/* Returns 1 if a tile along K can hold all taps of few channels. Unless they are folded, each
 * row of the filter fills a tile. */
static int gains_by_fold_rs(const struct conv *conv, int32_t type)
{
    int64_t taps = conv->dim[LAST].taps * conv->dim[LAST - 1].taps;

    return !conv_is_dgrad(conv) && !conv_is_wgrad(conv) && conv->dim[LAST - 1].taps > 1 &&
           conv->channels < chunk_of(type) && taps * conv->channels <= FOLD_RS_LANES;
}

/* Returns 1 if K-major filters are useful. TMA kernels read floats only along K. */
static int gains_by_k_major(const struct conv *conv, int32_t type)
{
    return type == ANYDNN_PLUGIN_FLOAT && conv_is_dgrad(conv) && conv->groups == 1 &&
           conv->dim[LAST - 2].taps == 1 && conv->tap_channel != 1;
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
    if (gains_by_fold_s(conv, type))
        bits[count++] = TC_LAYOUT_FOLD_S | copied | needed;
    if (gains_by_fold_rs(conv, type))
        bits[count++] = TC_LAYOUT_FOLD_RS | both;
    if (cuda_type_size(type) == 2 && conv->channels <= TC_PIXEL && conv->groups == 1 &&
        !conv_is_dgrad(conv))
        bits[count++] = TC_LAYOUT_PIXELS | copied | (needed & ~TC_LAYOUT_A);
    if (gains_by_k_major(conv, type))
        bits[count++] = TC_LAYOUT_B_K_MAJOR | TC_LAYOUT_B | (needed & TC_LAYOUT_A);
    return count;
}
