/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which convolutions go by halos of 64 channels, and how the host fills the parameters and tensor
 * maps of their kernels (hopper/halo_params.h).
 */
#include "halo_params.h"

#include "geometry.h"

static bool is_plain_dim(const conv_dim &dim)
{
    return dim.stride == 1 && dim.dilation == 1 && dim.taps == TC_HOPPER_HALO_TAPS;
}

/* More than half of the lines of an operand. */
static bool fills_lines(int64_t channels)
{
    return channels <= TC_HOPPER_HALO_CHANNELS && channels > TC_HOPPER_HALO_CHANNELS / 2;
}

static int64_t tiles_of(const conv_dim &dim, int64_t tile)
{
    return cuda_ceil_div(dim.positions, tile);
}

/* Some of a tile is for nothing, at the right and the bottom; with more than a third of all, other
 * kernels are as fast. */
static bool fills_tiles(const conv_dim &h, const conv_dim &w)
{
    int64_t area = tiles_of(h, TC_HOPPER_HALO_TILE_H) * TC_HOPPER_HALO_TILE_H *
                   tiles_of(w, TC_HOPPER_HALO_TILE_W) * TC_HOPPER_HALO_TILE_W;

    return h.positions * w.positions * 3 >= area * 2;
}

int32_t tc_hopper_halo_takes(const struct conv *conv, const struct tc_target *target)
{
    const conv_dim &h = conv->dim[TC_CONV_HEIGHT], &w = conv->dim[TC_CONV_WIDTH];

    return tc_hopper_takes(conv, target) && conv->groups == 1 && is_plain_dim(h) &&
           is_plain_dim(w) && fills_lines(conv->depth) && fills_lines(conv->n) && fills_tiles(h, w);
}

static int32_t map_a(tc_hopper_params *to, const conv &conv, int32_t type)
{
    const conv_dim &height = conv.dim[TC_CONV_HEIGHT], &width = conv.dim[TC_CONV_WIDTH];
    tc_tiled_map of = {
        type,        0,
        TC_MAP_DIMS, {conv.depth, width.a_extent, height.a_extent, conv.images},
        {},          {TC_HOPPER_HALO_CHANNELS, TC_HOPPER_HALO_W, TC_HOPPER_HALO_H, 1}};

    of.strides[0] = tc_hopper_bytes_of(width.a, conv.depth, to->size);
    of.strides[1] = tc_hopper_bytes_of(height.a, of.strides[0] / to->size * of.dims[1], to->size);
    of.strides[2] =
        tc_hopper_bytes_of(conv.a_image, of.strides[1] / to->size * of.dims[2], to->size);
    return tc_make_tiled_map(&to->a, &of);
}

/* A row of a tile at a time. */
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
    to->tiles_h = (int32_t)tiles_of(h, TC_HOPPER_HALO_TILE_H);
    to->tiles_w = (int32_t)tiles_of(w, TC_HOPPER_HALO_TILE_W);
    to->tiles = (int32_t)conv.images * to->tiles_h * to->tiles_w;
    return map_a(to, conv, job.a_type) &&
           tc_hopper_map_b(to, conv, job.a_type, 0, TC_HOPPER_HALO_CHANNELS) &&
           map_c(to->c, *to, conv, job.a_type);
}
