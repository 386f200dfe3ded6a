/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of the kernels for layers with few channels. They run fprop and dgrad
 * with up to 64 channels in and out. Filters are 1 x 1 or 3 x 3, and strides and dilations are
 * 1. A block loads a halo of A and all filters into shared memory. Another tap reads the same
 * halo at another offset. */
#ifndef CUDA_TENSORCORE_NARROW_PARAMS_H
#define CUDA_TENSORCORE_NARROW_PARAMS_H

#include "../common/biased.h"
#include "../common/launch.h"

/* The ways to load filters: 8 channels of A at once, 8 results at once, or single elements. */
enum { TC_NARROW_K_MAJOR, TC_NARROW_N_MAJOR, TC_NARROW_ELEMENTS };
/* The forms of results: blended by conv_store, or rounded sums, unchanged or with a bias and a
 * ReLU. */
enum { TC_NARROW_BLENDED, TC_NARROW_ROUNDED, TC_NARROW_BIASED };

/* The parameters of the kernels. The filter of `conv` has the orientation of the halo: its first
 * tap reads a tile's first pixel. */
struct tc_narrow_params : tc_slim_params {
    int32_t out_height, out_width;
    int32_t lead_h, lead_w;          /* rows and columns of the halo before the results */
    int32_t tiles_h, tiles_w, tiles; /* a block may process several tiles */
    int32_t a_by_16; /* 1 if A is loaded by 16 bytes; 0 if by elements, a_step apart */
    int32_t a_step;
    int32_t filters;  /* TC_NARROW_xxx: how filters are loaded */
    int32_t results;  /* TC_NARROW_xxx: form of results; in a plan, the possible one */
    tc_bounds bounds; /* used by biased results */
};

/* The limits of a kernel: the most channels, results and taps along a dim, and its tile and
 * occupancy. */
struct tc_narrow_limits {
    int32_t channels, n, taps, height, occupancy;
    int32_t stays; /* 1 if a block may process several tiles */
};

int32_t tc_narrow_takes(const conv &conv, const tc_target &target, const tc_narrow_limits &limits);

/* Fills the parameters, and returns the number of blocks. */
int64_t tc_narrow_prepare(tc_narrow_params *params, const tc_job &job,
                          const tc_narrow_limits &limits);

/* Selects the form of the results, when pointers and factors are known. */
int32_t tc_settle(tc_narrow_params *job);

#endif
