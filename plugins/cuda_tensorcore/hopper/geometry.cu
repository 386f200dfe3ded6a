/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what tensor maps describe of a convolution (hopper/geometry.h). */
#include "geometry.h"

static bool is_trivial(const conv_dim &dim)
{
    return dim.positions == 1 && dim.taps == 1 && dim.a_extent == 1 && dim.pad == 0;
}

/* Returns the residues of positions along a dim: the stride in dgrad, otherwise 1. Each residue
 * is a class. */
static int64_t residues_of(const conv &conv, int32_t d)
{
    return conv_is_dgrad(&conv) ? conv.dim[d].stride : 1;
}

/* Returns the taps that contribute to a residue, from the lowest coordinate in A on, where
 * offsets begin. In dgrad the tap at that coordinate is the last one. */
static tc_hopper_taps taps_of(const conv &conv, int32_t d, int64_t residue)
{
    const conv_dim &dim = conv.dim[d];
    conv_window<int64_t> line = conv_window_of<int64_t>(conv, d, residue);
    int64_t last = line.count > 0 ? line.count - 1 : 0;
    int64_t tap = line.first, step = line.step, at = line.at;

    if (line.move < 0) {
        tap += last * step;
        at += last * line.move;
        step = -step;
    }
    if (dim.tap < 0) {
        tap = dim.taps - 1 - tap;
        step = -step;
    }
    return {(int32_t)line.count, (int32_t)at, (int32_t)(line.move < 0 ? -line.move : line.move),
            (int32_t)tap, (int32_t)step};
}

tc_hopper_dim tc_hopper_dim_of(const conv &conv, int32_t d)
{
    const conv_dim &dim = conv.dim[d];
    int64_t residues = residues_of(conv, d), lower = INT32_MAX;

    for (int64_t residue = 0; residue < residues; residue++) {
        tc_hopper_taps taps = taps_of(conv, d, residue);

        if (taps.count > 0 && taps.offset < lower)
            lower = taps.offset;
    }
    return {(int32_t)(dim.positions / residues), (int32_t)lower,
            (int32_t)(conv_is_dgrad(&conv) ? 1 : dim.stride)};
}

tc_hopper_taps tc_hopper_taps_of(const conv &conv, int32_t d, int64_t residue)
{
    tc_hopper_taps taps = taps_of(conv, d, residue);

    taps.offset -= tc_hopper_dim_of(conv, d).lower;
    return taps;
}

/* Returns the coordinate at which the traversal of a dim turns to the next row, counted from the
 * end of the dim. */
static int64_t upper_of(const tc_hopper_dim &walk, int64_t extent)
{
    return walk.lower + (int64_t)(walk.positions - 1) * walk.step - (extent - 1);
}

/* Returns true if a map can traverse a dim. It first checks the strides and the reach of taps,
 * before values are narrowed to 32 bits. */
static bool walks(const conv &conv, int32_t d)
{
    const conv_dim &dim = conv.dim[d];
    int64_t residues = residues_of(conv, d), upper;
    tc_hopper_dim walk;

    if (dim.stride > TC_STEP_MOST || (dim.taps - 1) * dim.dilation > TC_OFFSET_MOST ||
        dim.pad > TC_CORNER_MOST + TC_OFFSET_MOST || dim.positions % residues != 0)
        return false;
    walk = tc_hopper_dim_of(conv, d);
    upper = upper_of(walk, dim.a_extent);
    for (int64_t residue = 0; residue < residues; residue++) {
        tc_hopper_taps taps = tc_hopper_taps_of(conv, d, residue);

        if (taps.count > 0 && taps.offset + (taps.count - 1) * taps.spacing > TC_OFFSET_MOST)
            return false;
    }
    return walk.lower >= TC_CORNER_LEAST && walk.lower <= TC_CORNER_MOST &&
           upper >= TC_CORNER_LEAST && upper <= TC_CORNER_MOST;
}

bool tc_hopper_walks(const conv &conv)
{
    return walks(conv, TC_CONV_HEIGHT) && walks(conv, TC_CONV_WIDTH);
}

bool tc_hopper_fits(int64_t stride, int32_t size)
{
    return stride >= 0 && stride < TC_MAP_STRIDES / size && stride * size % TC_MAP_ALIGNMENT == 0;
}

bool tc_hopper_has_maps(const conv &conv, const tc_target &target)
{
    int32_t size = cuda_type_size(target.type), line = tc_hopper_line(target.type);
    int64_t pitch = tc_hopper_position_pitch(conv, size);

    for (int32_t d = 0; d < TC_CONV_HEIGHT; d++) {
        if (!is_trivial(conv.dim[d]))
            return false;
    }
    if (!conv.narrow || conv.classes > TC_HOPPER_CLASSES)
        return false;
    if (conv.groups > 1 && (conv.channels % line != 0 || conv.n % line != 0))
        return false;
    return conv.a.step <= 1 && conv.a.shift == 0 && conv.position.step <= 1 &&
           conv.position.shift == 0 && tc_hopper_fits(conv.dim[TC_CONV_HEIGHT].a, size) &&
           tc_hopper_fits(conv.dim[TC_CONV_WIDTH].a, size) && tc_hopper_fits(conv.a_image, size) &&
           pitch > 0 && tc_hopper_fits(pitch, size);
}

/* ------------------------------------------------------------------ even strides */

static int64_t pitch_of(int64_t width, int64_t height, int64_t images, int64_t by_width,
                        int64_t by_height, int64_t by_image, int64_t packed)
{
    int64_t pitch = width > 1 ? by_width : height > 1 ? by_height : images > 1 ? by_image : packed;

    if ((height > 1 && by_height != pitch * width) ||
        (images > 1 && by_image != pitch * width * height))
        return 0;
    return pitch;
}

/* Returns the elements of a row, rounded up to where the next row may begin. */
static int64_t round_up(int64_t n, int32_t size)
{
    return cuda_round_up(n, TC_MAP_ALIGNMENT / size);
}

int64_t tc_hopper_position_pitch(const conv &conv, int32_t size)
{
    const conv_dim &height = conv.dim[TC_CONV_HEIGHT], &width = conv.dim[TC_CONV_WIDTH];

    return pitch_of(width.positions, height.positions, conv.images, width.position, height.position,
                    conv.position_image, round_up(conv.groups * conv.n, size));
}

int64_t tc_hopper_product_pitch(const conv &conv, int32_t size)
{
    const conv_dim &height = conv.dim[TC_CONV_HEIGHT], &width = conv.dim[TC_CONV_WIDTH];
    int64_t pitch;

    for (const conv_dim *dim : {&height, &width}) {
        if (dim->taps != 1 || dim->pad != 0 || dim->stride != 1 || dim->a_extent != dim->positions)
            return 0;
    }
    pitch = pitch_of(width.a_extent, height.a_extent, conv.images, width.a, height.a, conv.a_image,
                     round_up(conv.groups * conv.channels, size));
    return tc_hopper_fits(pitch, size) ? pitch : 0;
}

/* ------------------------------------------------------------------ maps */

int64_t tc_hopper_bytes_of(int64_t stride, int64_t otherwise, int32_t size)
{
    return size * (stride ? tc_hopper_size_of(stride) : round_up(otherwise, size));
}

tc_tiled_map tc_hopper_tensor_a(const conv &conv, int32_t type, int32_t rounds)
{
    const conv_dim &height = conv.dim[TC_CONV_HEIGHT], &width = conv.dim[TC_CONV_WIDTH];
    int64_t channels = conv.groups * conv.channels;
    int32_t size = cuda_type_size(type);
    tc_tiled_map a = {
        type, rounds, TC_MAP_DIMS, {channels, width.a_extent, height.a_extent, conv.images}};

    a.strides[0] = tc_hopper_bytes_of(width.a, channels, size);
    a.strides[1] = tc_hopper_bytes_of(height.a, a.strides[0] / size * width.a_extent, size);
    a.strides[2] = tc_hopper_bytes_of(conv.a_image, a.strides[1] / size * height.a_extent, size);
    return a;
}

int32_t tc_hopper_im2col_map(tc_tensor_map *map, const conv &conv,
                             const tc_hopper_dim dim[TC_HOPPER_DIMS], int32_t type, int32_t rounds,
                             int32_t pixels)
{
    const conv_dim &height = conv.dim[TC_CONV_HEIGHT], &width = conv.dim[TC_CONV_WIDTH];
    const tc_hopper_dim &h = dim[TC_HOPPER_HEIGHT], &w = dim[TC_HOPPER_WIDTH];
    tc_im2col_map of = {tc_hopper_tensor_a(conv, type, rounds)};

    of.channels = tc_hopper_line(type);
    of.pixels = pixels;
    of.lower[0] = w.lower;
    of.lower[1] = h.lower;
    of.upper[0] = (int32_t)upper_of(w, width.a_extent);
    of.upper[1] = (int32_t)upper_of(h, height.a_extent);
    of.step[0] = w.step;
    of.step[1] = h.step;
    return tc_make_im2col_map(map, &of);
}

int32_t tc_hopper_matrix_map(tc_tensor_map *map, int32_t type, int32_t rounds, int64_t channels,
                             int64_t rows, int64_t pitch, int32_t box_rows, int32_t blocks)
{
    int32_t line = tc_hopper_line(type);
    int64_t across = blocks > 1 ? line : channels, bytes = pitch * cuda_type_size(type);
    tc_tiled_map matrix = {type,
                           rounds,
                           TC_MAP_DIMS,
                           {across, rows, channels / across, 1},
                           {bytes, blocks > 1 ? TC_LINE_BYTES : bytes, bytes},
                           {line, box_rows, blocks, 1}};

    return tc_make_tiled_map(map, &matrix);
}
