/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what tensor maps (tiled and im2col) describe of a convolution, for every direction of
 * the family hopper: limits of the traversal of A and of strides, and the maps themselves. There
 * are two spatial dims. */
#ifndef CUDA_TENSORCORE_HOPPER_GEOMETRY_H
#define CUDA_TENSORCORE_HOPPER_GEOMETRY_H

#include "../../cuda_common/divide.h"
#include "params.h"

/* The indices of height and width in struct conv. The depth must be trivial. */
#define TC_CONV_HEIGHT (CONV_FIRST + 1)
#define TC_CONV_WIDTH  (CONV_FIRST + 2)

/* The limits of im2col maps of rank 4: signed 8-bit corners, unsigned 8-bit offsets, and steps. */
#define TC_CORNER_LEAST (-128)
#define TC_CORNER_MOST  127
#define TC_OFFSET_MOST  255
#define TC_STEP_MOST    8

/* Returns true if maps can describe the problem's tensors. It must have two spatial dims, and
 * groups must end where boxes end. */
bool tc_hopper_has_maps(const conv &conv, const tc_target &target);

/* Returns true if a map can traverse both dims. */
bool tc_hopper_walks(const conv &conv);

/* These functions return the traversal of a dim of struct conv, and the taps that contribute to
 * its positions with a residue modulo the stride. Only dgrad has several residues. */
tc_hopper_dim tc_hopper_dim_of(const conv &conv, int32_t d);
tc_hopper_taps tc_hopper_taps_of(const conv &conv, int32_t d, int64_t residue);

/* Returns the channels in a line of a tile. */
static inline int32_t tc_hopper_line(int32_t type)
{
    return TC_LINE_BYTES / cuda_type_size(type);
}

/* Returns true if a map supports a stride, in elements of `size` bytes. A stride of 0 means that
 * there is none. */
bool tc_hopper_fits(int64_t stride, int32_t size);

static inline int64_t tc_hopper_size_of(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Returns a stride in bytes. `otherwise` is the stride of a dim of size one, in elements. */
int64_t tc_hopper_bytes_of(int64_t stride, int64_t otherwise, int32_t size);

/* These functions return the stride from position to position over all images: of A with a
 * single tap at its position, and of the position tensor. They return 0 if there is no such even
 * stride. */
int64_t tc_hopper_product_pitch(const conv &conv, int32_t size);
int64_t tc_hopper_position_pitch(const conv &conv, int32_t size);

/* Returns all of A without a box: its dims and strides, channels first. */
tc_tiled_map tc_hopper_tensor_a(const conv &conv, int32_t type, int32_t rounds);

/* Makes a map that loads `pixels` pixels of a line of channels at a time, in the order of
 * positions. `rounds` is as in struct tc_tiled_map. Returns 0 if the driver refuses. */
int32_t tc_hopper_im2col_map(tc_tensor_map *map, const conv &conv,
                             const tc_hopper_dim dim[TC_HOPPER_DIMS], int32_t type, int32_t rounds,
                             int32_t pixels);

/* Makes the map of filters, with boxes of `tile_n` filters of one tap (hopper/params.cu).
 * Returns 0 if the driver refuses. */
int32_t tc_hopper_map_b(tc_hopper_params *to, const conv &conv, int32_t type, int32_t rounds,
                        int32_t tile_n);

/* Returns a class of positions and its taps, by its residues along height and width. */
tc_hopper_class tc_hopper_class_of(const conv &conv, int32_t type, int64_t down, int64_t across);

/* Fills in the job except for maps and classes. */
void tc_hopper_describe(tc_hopper_params *to, const tc_job &job);

/* Makes the map of a matrix with `rows` rows of channels, and boxes of a line of `box_rows`
 * rows. If `blocks` is more than 1, a box has that many lines, and the dims are line, row and
 * block. The channels must then be a multiple of the lines. */
int32_t tc_hopper_matrix_map(tc_tensor_map *map, int32_t type, int32_t rounds, int64_t channels,
                             int64_t rows, int64_t pitch, int32_t box_rows, int32_t blocks);

#endif
