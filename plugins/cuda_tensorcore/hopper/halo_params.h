/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of the halo kernel, which runs fprop and dgrad of 3 x 3 filters with at
 * most 64 channels in and out. The halo of a tile is one box of the copy engine, and its pixels
 * are consecutive lines. Each tap therefore reads the same lines from another start. The lines
 * at the end of each row are computed but not used. */
#ifndef CUDA_TENSORCORE_HOPPER_HALO_PARAMS_H
#define CUDA_TENSORCORE_HOPPER_HALO_PARAMS_H

#include "params.h"

/* The taps along either dim, the most channels and filters, and the pixels of a tile and of its
 * halo. */
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

/* Counts cycles like tc_hopper_cycles, for a tile that loads its halo once for all taps. */
extern "C" double tc_hopper_halo_cycles(const struct tc_choice *choice, const struct conv *conv,
                                        const struct tc_target *target, int64_t tiles, double mean);

/* Fills in the job without addresses and factors. Returns 0 if the driver makes no maps of it. */
int32_t tc_hopper_halo_prepare(tc_hopper_halo_params *to, const tc_job &job);

#endif
