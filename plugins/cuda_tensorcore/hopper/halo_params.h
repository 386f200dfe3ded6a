/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fprop and dgrad of 3 x 3 filters between at most 64 channels: the tile of pixels of a block, and
 * what its kernel is given. The halo of a tile is one box of the copy engine, its pixels lines one
 * behind the other, so under each tap the pixels of a tile are the same lines begun elsewhere. At
 * the end of each row there are lines that are computed for nothing.
 */
#ifndef CUDA_TENSORCORE_HOPPER_HALO_PARAMS_H
#define CUDA_TENSORCORE_HOPPER_HALO_PARAMS_H

#include "params.h"

/* Taps along either dim; channels and filters at most; pixels that a kernel is for. */
enum {
    TC_HOPPER_HALO_TAPS = 3,
    TC_HOPPER_HALO_CHANNELS = 64,
    TC_HOPPER_HALO_TILE_W = 56,
    TC_HOPPER_HALO_TILE_H = 4,
    TC_HOPPER_HALO_W = TC_HOPPER_HALO_TILE_W + TC_HOPPER_HALO_TAPS - 1,
    TC_HOPPER_HALO_H = TC_HOPPER_HALO_TILE_H + TC_HOPPER_HALO_TAPS - 1
};

struct tc_hopper_halo_params : tc_hopper_params_of<1> {
    int32_t tiles_h, tiles_w;
};

extern "C" int32_t tc_hopper_halo_takes(const struct conv *conv, const struct tc_target *target);

/* Counts the same as tc_hopper_cycles where a tile loads its halo once for all taps. */
extern "C" double tc_hopper_halo_cycles(const struct tc_choice *choice, const struct conv *conv,
                                        const struct tc_target *target, int64_t tiles, double mean);

/* The job without addresses and factors; 0 where the driver makes no maps of it. */
int32_t tc_hopper_halo_prepare(tc_hopper_halo_params *to, const tc_job &job);

#endif
