/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the problems of wgrad in the family hopper, and fills its parameters and tensor maps
 * (hopper/wgrad_params.h). It runs on the host. */
#include "wgrad_params.h"

#include "../common/wgrad_reduce.h"
#include "geometry.h"

/* Returns 1 if the kernels support a problem. dy must have an even stride, and x is traversed as
 * in fprop. Partial sums are added in groups of four. */
int32_t tc_hopper_wgrad_takes(const struct conv *conv, const struct tc_target *target)
{
    return conv_is_wgrad(conv) && tc_hopper_has_maps(*conv, *target) && tc_hopper_walks(*conv) &&
           conv->channels % TC_WGRAD_REDUCE_EACH == 0;
}

/* Returns the blocks of 64 channels per copy: all of a tile if tiles begin and end with blocks,
 * otherwise 1. */
static int32_t box_of(int64_t channels, int32_t tile_blocks)
{
    return channels % (tile_blocks * TC_HOPPER_BLOCK) == 0 ? tile_blocks : 1;
}

static int32_t map_x(tc_hopper_wgrad_params *to, const conv &conv, int32_t type, int32_t positions,
                     int32_t blocks, int32_t all)
{
    int64_t pitch = tc_hopper_product_pitch(conv, cuda_type_size(type));

    to->is_product = pitch > 0;
    if (!to->is_product)
        return tc_hopper_im2col_map(&to->x, conv, to->dim, type, 0, positions);
    to->x_box = box_of(conv.channels, blocks);
    return tc_hopper_matrix_map(&to->x, type, 0, conv.groups * conv.channels, all, pitch, positions,
                                to->x_box);
}

int32_t tc_hopper_wgrad_prepare(tc_hopper_wgrad_params *to, const tc_job &job, int32_t positions,
                                int32_t x_blocks, int32_t filter_blocks)
{
    const conv &conv = job.conv;
    int32_t all = (int32_t)(conv.images * conv_positions(&conv));

    to->items = (int32_t)(job.m_tiles * job.n_tiles * job.splits * conv.groups);
    to->x_tiles = job.m_tiles;
    to->filter_tiles = job.n_tiles;
    to->groups = (int32_t)conv.groups;
    to->k_per_split = job.k_per_split;
    to->stages = (all + positions - 1) / positions;
    to->channels = (int32_t)conv.channels;
    to->filters = (int32_t)conv.n;
    to->channel_blocks = (to->channels + TC_HOPPER_BLOCK - 1) / TC_HOPPER_BLOCK;
    to->blocks = to->channel_blocks * (int32_t)conv_taps(&conv);
    to->m = job.m;
    to->dim[TC_HOPPER_HEIGHT] = tc_hopper_dim_of(conv, TC_CONV_HEIGHT);
    to->dim[TC_HOPPER_WIDTH] = tc_hopper_dim_of(conv, TC_CONV_WIDTH);
    to->taps[TC_HOPPER_HEIGHT] = tc_hopper_taps_of(conv, TC_CONV_HEIGHT, 0);
    to->taps[TC_HOPPER_WIDTH] = tc_hopper_taps_of(conv, TC_CONV_WIDTH, 0);
    to->dy_box = box_of(conv.n, filter_blocks);
    return map_x(to, conv, job.a_type, positions, x_blocks, all) &&
           tc_hopper_matrix_map(&to->dy, job.a_type, 0, conv.groups * conv.n, all,
                                tc_hopper_position_pitch(conv, cuda_type_size(job.a_type)),
                                positions, to->dy_box);
}
