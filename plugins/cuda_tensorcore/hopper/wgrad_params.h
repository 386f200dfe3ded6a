/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of wgrad in the family hopper are given: F filters x X taps of channels, summed
 * over positions (of all images). Both operands have positions as lines: dy by its channels, x as
 * an im2col map gathers it. Taps of channels go by blocks of 64 channels of one tap. All sums leave
 * as partial sums, floats in workspace, that common/wgrad_reduce.h adds up.
 */
#ifndef CUDA_TENSORCORE_HOPPER_WGRAD_PARAMS_H
#define CUDA_TENSORCORE_HOPPER_WGRAD_PARAMS_H

#include "params.h"

/* Channels of a block. */
#define TC_HOPPER_BLOCK TC_LINE_CHANNELS

struct tc_hopper_wgrad_params {
    tc_tensor_map x, dy;
    float *partial;
    int32_t items; /* tiles of all splits and groups */
    int32_t x_tiles, filter_tiles, groups;
    int32_t k_per_split, stages;    /* stages of a split, and of all of K */
    int32_t channels, filters;      /* channels and filters of a group */
    int32_t channel_blocks, blocks; /* of a tap, of all taps */
    int32_t m;                      /* X */
    int32_t x_box, dy_box;          /* blocks of 64 channels that a copy brings */
    int32_t is_product;             /* one tap that lies on its position: x is a plain matrix */
    tc_hopper_dim dim[TC_HOPPER_DIMS];
    tc_hopper_taps taps[TC_HOPPER_DIMS];
};

/* hopper/wgrad_params.cu: what the kernels take, beside types; the parameters without addresses, 0
 * where the driver makes no maps of it; positions of a stage, blocks of 64 channels and of 64
 * filters of a tile. */
extern "C" int32_t tc_hopper_wgrad_takes(const struct conv *conv, const struct tc_target *target);
int32_t tc_hopper_wgrad_prepare(tc_hopper_wgrad_params *to, const tc_job &job, int32_t positions,
                                int32_t x_blocks, int32_t filter_blocks);

#endif
