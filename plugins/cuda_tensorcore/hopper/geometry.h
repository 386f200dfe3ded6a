/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tensor maps (tiled and im2col) hold of a convolution, for every direction of the family
 * hopper: limits of the walk through A, of strides, and the maps of it. Two spatial dims.
 */
#ifndef CUDA_TENSORCORE_HOPPER_GEOMETRY_H
#define CUDA_TENSORCORE_HOPPER_GEOMETRY_H

#include "../../cuda_common/divide.h"
#include "params.h"

/* Height and width in struct conv; depth in front of them must be trivial. */
#define TC_CONV_HEIGHT (CONV_FIRST + 1)
#define TC_CONV_WIDTH  (CONV_FIRST + 2)

/* Limits of im2col maps of rank 4: corners of 8 bits, offsets of 8 bits without sign, steps. */
#define TC_CORNER_LEAST (-128)
#define TC_CORNER_MOST  127
#define TC_OFFSET_MOST  255
#define TC_STEP_MOST    8

/* Whether the device has the family, and the problem has two dims, whose groups end where boxes do,
 * and two tensors that maps hold. */
bool tc_hopper_has_maps(const conv &conv, const tc_target &target);

/* Whether a map walks along both dims. */
bool tc_hopper_walks(const conv &conv);

/* The walk along one dim, by its number in struct conv, and the taps that reach its positions with
 * that residue by the stride; residues are of dgrad. */
tc_hopper_dim tc_hopper_dim_of(const conv &conv, int32_t d);
tc_hopper_taps tc_hopper_taps_of(const conv &conv, int32_t d, int64_t residue);

/* Channels in a line of a tile, of a type. */
static inline int32_t tc_hopper_line(int32_t type)
{
    return TC_LINE_BYTES / cuda_type_size(type);
}

/* A stride in elements of `size` bytes that a map takes: there is none where it is 0. */
bool tc_hopper_fits(int64_t stride, int32_t size);

static inline int64_t tc_hopper_size_of(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Bytes of a stride; of a dim of one, what it would be. */
int64_t tc_hopper_bytes_of(int64_t stride, int64_t otherwise, int32_t size);

/* Elements from position to position of all images, of A under the one tap that
 * lies on its position, and of the tensor by position; 0: there are no such even steps. */
int64_t tc_hopper_product_pitch(const conv &conv, int32_t size);
int64_t tc_hopper_position_pitch(const conv &conv, int32_t size);

/* All of A, without a box: its dims and strides, channels first. */
tc_tiled_map tc_hopper_tensor_a(const conv &conv, int32_t type, int32_t rounds);

/* So many pixels of a line of channels at a time, in the order of positions; `rounds` as in struct
 * tc_tiled_map. 0: the driver refuses. */
int32_t tc_hopper_im2col_map(tc_tensor_map *map, const conv &conv,
                             const tc_hopper_dim dim[TC_HOPPER_DIMS], int32_t type, int32_t rounds,
                             int32_t pixels);

/* hopper/params.cu: filters, a box of `tile_n` filters under one tap; 0: the driver refuses. */
int32_t tc_hopper_map_b(tc_hopper_params *to, const conv &conv, int32_t type, int32_t rounds,
                        int32_t tile_n);

/* What reaches a class of positions, by its residues along height and width. */
tc_hopper_class tc_hopper_class_of(const conv &conv, int32_t type, int64_t down, int64_t across);

/* The job without maps and classes. */
void tc_hopper_describe(tc_hopper_params *to, const tc_job &job);

/*
 * A matrix of `rows` rows of channels, a line of `box_rows` rows at a time; with `blocks` more than
 * 1 so many lines, which the channels are a multiple of: dims are then line, rows, blocks.
 */
int32_t tc_hopper_matrix_map(tc_tensor_map *map, int32_t type, int32_t rounds, int64_t channels,
                             int64_t rows, int64_t pitch, int32_t box_rows, int32_t blocks);

#endif
