/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the convolutions for the halo kernel with 64 channels, and fills its parameters and
 * tensor maps (hopper/halo_params.h). It runs on the host. */
#include "halo_params.h"

#include "../common/tiled_image.h"
#include "geometry.h"

/* Returns true if channels fill more than half of a line. */
static bool fills_lines(int64_t channels)
{
    return channels <= TC_HOPPER_HALO_CHANNELS && channels > TC_HOPPER_HALO_CHANNELS / 2;
}

/* Returns true if at least two thirds of the tiles are used. Otherwise other kernels are as
 * fast. */
static bool fills_tiles(const conv_dim &h, const conv_dim &w)
{
    return h.positions * w.positions * 3 >=
           tc_tiled_area(h, w, TC_HOPPER_HALO_TILE_H, TC_HOPPER_HALO_TILE_W) * 2;
}

int32_t tc_hopper_halo_takes(const struct conv *conv, const struct tc_target *target)
{
    const conv_dim &h = conv->dim[TC_CONV_HEIGHT], &w = conv->dim[TC_CONV_WIDTH];

    return tc_hopper_takes(conv, target) && conv->groups == 1 &&
           tc_is_plain_dim(h, TC_HOPPER_HALO_TAPS) && tc_is_plain_dim(w, TC_HOPPER_HALO_TAPS) &&
           fills_lines(conv->channels) && fills_lines(conv->n) && fills_tiles(h, w);
}

double tc_hopper_halo_cycles(const struct tc_choice *choice, const struct conv *conv,
                             const struct tc_target *target, int64_t tiles, double mean)
{
    return tc_hopper_cycles_of_lines(choice, conv, target, tiles, mean,
                                     TC_HOPPER_HALO_H * TC_HOPPER_HALO_W);
}

static int32_t map_a(tc_hopper_params *to, const conv &conv, int32_t type)
{
    tc_tiled_map of = tc_hopper_tensor_a(conv, type, 0);

    of.box[0] = TC_HOPPER_HALO_CHANNELS;
    of.box[1] = TC_HOPPER_HALO_W;
    of.box[2] = TC_HOPPER_HALO_H;
    of.box[3] = 1;
    return tc_make_tiled_map(&to->a, &of);
}

/* Makes the map of C, with boxes of one row of a tile. */
static int32_t map_c(tc_tensor_map *map, const tc_hopper_params &to, const conv &conv, int32_t type)
{
    int64_t width = to.dim[TC_HOPPER_WIDTH].positions, height = to.dim[TC_HOPPER_HEIGHT].positions;
    int64_t pitch = to.pitch * to.size;
    tc_tiled_map of = {type,
                       0,
                       TC_MAP_DIMS,
                       {conv.n, width, height, conv.images},
                       {pitch, pitch * width, pitch * width * height},
                       {TC_HOPPER_HALO_CHANNELS, TC_HOPPER_HALO_TILE_W, 1, 1}};

    return tc_make_tiled_map(map, &of);
}

int32_t tc_hopper_halo_prepare(tc_hopper_halo_params *to, const tc_job &job)
{
    const conv &conv = job.conv;
    const conv_dim &h = conv.dim[TC_CONV_HEIGHT], &w = conv.dim[TC_CONV_WIDTH];

    tc_hopper_describe(to, job);
    to->of[0] = tc_hopper_class_of(conv, job.a_type, 0, 0);
    to->tiles_h = (int32_t)cuda_ceil_div(h.positions, TC_HOPPER_HALO_TILE_H);
    to->tiles_w = (int32_t)cuda_ceil_div(w.positions, TC_HOPPER_HALO_TILE_W);
    to->tiles = (int32_t)conv.images * to->tiles_h * to->tiles_w;
    return map_a(to, conv, job.a_type) &&
           tc_hopper_map_b(to, conv, job.a_type, 0, TC_HOPPER_HALO_CHANNELS) &&
           map_c(to->c, *to, conv, job.a_type);
}
