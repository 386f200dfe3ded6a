/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of few channels: fprop and dgrad with up to 64 channels in and out, filters of 1 x 1 or
 * 3 x 3, strides and dilation of 1. A block keeps a halo of A and all filters in shared memory; a
 * tap is the same halo, read one line on.
 */
#ifndef CUDA_TENSORCORE_NARROW_PARAMS_H
#define CUDA_TENSORCORE_NARROW_PARAMS_H

#include "../common/biased.h"
#include "../common/launch.h"

/* How filters are read: 8 channels of A at once, 8 results at once, or element by element. */
enum { TC_NARROW_K_MAJOR, TC_NARROW_N_MAJOR, TC_NARROW_ELEMENTS };
/* What results are: blended, by conv_store; or sums, rounded, alone or with a bias and a ReLU. */
enum { TC_NARROW_BLENDED, TC_NARROW_ROUNDED, TC_NARROW_BIASED };

/* The filter of `conv` lies as the halo does: its first tap is over a tile's first pixel. */
struct tc_narrow_params : tc_slim_params {
    int32_t out_height, out_width;
    int32_t lead_h, lead_w;          /* of the halo before the results */
    int32_t tiles_h, tiles_w, tiles; /* a block goes from tile to tile */
    int32_t a_by_16; /* A is read by 16 bytes; else by elements so far apart along channels */
    int32_t a_step;
    int32_t filters;  /* TC_NARROW_xxx, as they are read */
    int32_t results;  /* TC_NARROW_xxx; of the plan, what they may be */
    tc_bounds bounds; /* of biased ones */
};

/* What a kernel has: channels, results and taps along a dim at most; its tile. */
struct tc_narrow_limits {
    int32_t channels, n, taps, height, occupancy;
    int32_t stays; /* a block may stay for several tiles */
};

int32_t tc_narrow_takes(const conv &conv, const tc_target &target, const tc_narrow_limits &limits);

/* Fills the parameters; returns how many blocks there are. */
int64_t tc_narrow_prepare(tc_narrow_params *params, const tc_job &job,
                          const tc_narrow_limits &limits);

/* Which way results go, once pointers and factors are known. */
int32_t tc_settle(tc_narrow_params *job);

#endif
