/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of wgrad in the family hopper: F filters x X taps and channels, summed
 * over the positions of all images. The lines of both operands are positions: those of dy with
 * its channels, and those of x as an im2col map gathers them. A block of X is 64 channels of one
 * tap. All sums are stored as partial sums, floats in workspace, which common/wgrad_reduce.h
 * adds. */
#ifndef CUDA_TENSORCORE_HOPPER_WGRAD_PARAMS_H
#define CUDA_TENSORCORE_HOPPER_WGRAD_PARAMS_H

#include "params.h"

/* The channels of a block. */
#define TC_HOPPER_BLOCK TC_LINE_CHANNELS

struct tc_hopper_wgrad_params {
    tc_tensor_map x, dy;
    float *partial;
    int32_t items; /* tiles of all splits and groups */
    int32_t x_tiles, filter_tiles, groups;
    int32_t k_per_split, stages;    /* stages per split, and of all of K */
    int32_t channels, filters;      /* channels and filters per group */
    int32_t channel_blocks, blocks; /* blocks per tap, and of all taps */
    int32_t m;                      /* X */
    int32_t x_box, dy_box;          /* blocks of 64 channels per copy */
    int32_t is_product;             /* 1 for one tap at its position: x is a plain matrix */
    tc_hopper_dim dim[TC_HOPPER_DIMS];
    tc_hopper_taps taps[TC_HOPPER_DIMS];
};

/* tc_hopper_wgrad_takes returns 1 if the kernels support a problem, apart from types.
 * tc_hopper_wgrad_prepare fills the parameters without addresses, and returns 0 if the driver
 * makes no maps. `positions` are those of a stage; the blocks are those of 64 channels and of 64
 * filters per tile (hopper/wgrad_params.cu). */
extern "C" int32_t tc_hopper_wgrad_takes(const struct conv *conv, const struct tc_target *target);
int32_t tc_hopper_wgrad_prepare(tc_hopper_wgrad_params *to, const tc_job &job, int32_t positions,
                                int32_t x_blocks, int32_t filter_blocks);

#endif
