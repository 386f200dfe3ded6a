/* SPDX-License-Identifier: Apache-2.0 */
/* What the family hopper takes, and what its kernels are given (hopper_job.h). */
#include "hopper_job.h"

#include "hopper.h"
#include "launch.h"

/* Limits of im2col maps of rank 4: corners of 8 bits, offsets of 8 bits without sign, steps. */
#define CORNER_LEAST (-128)
#define CORNER_MOST  127
#define OFFSET_MOST  255
#define STEP_MOST    8

/* Elements that a stride has to be a multiple of. */
#define STRIDE_OF (TC_MAP_ALIGNMENT / 2)

/* Height and width in struct conv; depth in front of them must be trivial. */
#define CONV_DEPTH  CONV_FIRST
#define CONV_HEIGHT (CONV_FIRST + 1)
#define CONV_WIDTH  (CONV_FIRST + 2)

static __global__ void tc_hopper_probe(int32_t)
{
    TC_HOPPER_CODE(__syncthreads();)
}

/* The code is for 9.0 alone: elsewhere it does not load. */
int32_t tc_hopper_runs(int32_t generation)
{
    cudaFuncAttributes attributes = {};

    if (generation != TC_OVERLAP_CAPABILITY || !tc_map_can())
        return 0;
    if (cudaFuncGetAttributes(&attributes, tc_hopper_probe) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return attributes.ptxVersion == TC_OVERLAP_CAPABILITY;
}

/* ------------------------------------------------------------------ geometry */

static int64_t size_of(int64_t n)
{
    return n < 0 ? -n : n;
}

static bool is_trivial(const conv_dim &dim)
{
    return dim.positions == 1 && dim.taps == 1 && dim.gathered == 1 && dim.pad == 0;
}

/* The walk along one dim. To the data, tap t of a position reaches back by t spacings: taken from
 * the last one on, offsets grow, and so the filters' taps are passed the other way around. */
static tc_hopper_dim walk_of(const conv &conv, int32_t d)
{
    const conv_dim &dim = conv.dim[d];
    bool data = conv_is_data(&conv), reversed = dim.tap < 0;
    int64_t reach = (dim.taps - 1) * dim.dilation;

    return {(int32_t)dim.positions,
            (int32_t)dim.taps,
            (int32_t)(data ? dim.pad - reach : -dim.pad),
            (int32_t)(data ? 1 : dim.stride),
            (int32_t)dim.dilation,
            dim.taps > 1 && data != reversed};
}

/* Where the walk turns around, counted from the end of the dim. */
static int64_t upper_of(const tc_hopper_dim &walk, int64_t extent)
{
    return walk.lower + (int64_t)(walk.positions - 1) * walk.step - (extent - 1);
}

static bool walks(const conv &conv, int32_t d)
{
    const conv_dim &dim = conv.dim[d];
    int64_t lower = conv_is_data(&conv) ? dim.pad - (dim.taps - 1) * dim.dilation : -dim.pad;
    int64_t upper;

    if (lower < CORNER_LEAST || lower > CORNER_MOST || dim.stride > STEP_MOST ||
        (dim.taps - 1) * dim.dilation > OFFSET_MOST || (conv_is_data(&conv) && dim.stride != 1))
        return false;
    upper = upper_of(walk_of(conv, d), dim.gathered);
    return upper >= CORNER_LEAST && upper <= CORNER_MOST;
}

/* A stride that a map takes: there is none where it is 0. */
static bool fits(int64_t stride)
{
    return stride >= 0 && stride % STRIDE_OF == 0 && stride * 2 < TC_MAP_STRIDES;
}

/* Elements from position to position of all images, which lie evenly; 0: they do not. */
static int64_t pitch_of(int64_t width, int64_t height, int64_t images, int64_t by_width,
                        int64_t by_height, int64_t by_image, int64_t packed)
{
    int64_t pitch = width > 1 ? by_width : height > 1 ? by_height : images > 1 ? by_image : packed;

    if ((height > 1 && by_height != pitch * width) ||
        (images > 1 && by_image != pitch * width * height))
        return 0;
    return pitch;
}

static int64_t round_up(int64_t n)
{
    return (n + STRIDE_OF - 1) / STRIDE_OF * STRIDE_OF;
}

static int64_t result_pitch(const conv &conv)
{
    const conv_dim &height = conv.dim[CONV_HEIGHT], &width = conv.dim[CONV_WIDTH];

    return pitch_of(width.positions, height.positions, conv.images, width.position, height.position,
                    conv.position_image, round_up(conv.groups * conv.columns));
}

/* Rows of A that are its pixels one by one; 0: they are not. */
static int64_t product_pitch(const conv &conv)
{
    const conv_dim &height = conv.dim[CONV_HEIGHT], &width = conv.dim[CONV_WIDTH];

    for (const conv_dim *dim : {&height, &width}) {
        if (dim->taps != 1 || dim->pad != 0 || dim->stride != 1 || dim->gathered != dim->positions)
            return 0;
    }
    return pitch_of(width.gathered, height.gathered, conv.images, width.x, height.x, conv.x_image,
                    round_up(conv.groups * conv.depth));
}

static bool takes_filters(const conv &conv)
{
    int64_t line = conv_is_data(&conv) ? conv.tap_column : conv.tap_depth;
    int64_t other = conv_is_data(&conv) ? conv.tap_depth : conv.tap_column;

    return (line == 1 || line == 0) && fits(other) && fits(size_of(conv.dim[CONV_HEIGHT].tap)) &&
           fits(size_of(conv.dim[CONV_WIDTH].tap));
}

static bool takes_tensors(const conv &conv)
{
    int64_t pitch = result_pitch(conv);

    return conv.x.step <= 1 && conv.x.shift == 0 && conv.position.step <= 1 &&
           conv.position.shift == 0 && fits(conv.dim[CONV_HEIGHT].x) &&
           fits(conv.dim[CONV_WIDTH].x) && fits(conv.x_image) && pitch > 0 && fits(pitch);
}

int32_t tc_hopper_takes(const struct conv *conv, const struct tc_wish *wish)
{
    for (int32_t d = 0; d < CONV_HEIGHT; d++) {
        if (!is_trivial(conv->dim[d]))
            return 0;
    }
    if (!wish->hopper || !conv->narrow || conv_is_filter(conv) || conv->classes != 1)
        return 0;
    /* A box must not run into the next group. */
    if (conv->groups > 1 &&
        (conv->depth % TC_HOPPER_DEPTH != 0 || conv->columns % TC_HOPPER_SLAB != 0))
        return 0;
    return walks(*conv, CONV_HEIGHT) && walks(*conv, CONV_WIDTH) && takes_filters(*conv) &&
           takes_tensors(*conv);
}

/* ------------------------------------------------------------------ maps */

/* Bytes of a stride; of a dim of one, what it would be. */
static int64_t bytes_of(int64_t stride, int64_t otherwise)
{
    return 2 * (stride ? size_of(stride) : round_up(otherwise));
}

static int32_t map_a(tc_hopper_job *to, const conv &conv, int32_t type, int32_t rows)
{
    const conv_dim &height = conv.dim[CONV_HEIGHT], &width = conv.dim[CONV_WIDTH];
    const tc_hopper_dim &h = to->dim[TC_HOPPER_HEIGHT], &w = to->dim[TC_HOPPER_WIDTH];
    int64_t channels = conv.groups * conv.depth, pitch = product_pitch(conv);
    tc_map_pixels pixels = {{type, TC_MAP_DIMS}};
    tc_map_tensor &of = pixels.tensor;

    to->is_product = pitch > 0 && fits(pitch);
    if (to->is_product) {
        tc_map_tensor matrix = {type,
                                TC_MAP_DIMS,
                                {channels, to->rows, 1, 1},
                                {2 * pitch, 2 * pitch, 2 * pitch},
                                {TC_HOPPER_DEPTH, rows, 1, 1}};

        return tc_map_make(&to->a, &matrix);
    }
    of.dims[0] = channels;
    of.dims[1] = width.gathered;
    of.dims[2] = height.gathered;
    of.dims[3] = conv.images;
    of.strides[0] = bytes_of(width.x, channels);
    of.strides[1] = bytes_of(height.x, of.strides[0] / 2 * width.gathered);
    of.strides[2] = bytes_of(conv.x_image, of.strides[1] / 2 * height.gathered);
    pixels.channels = TC_HOPPER_DEPTH;
    pixels.pixels = rows;
    pixels.lower[0] = w.lower;
    pixels.lower[1] = h.lower;
    pixels.upper[0] = (int32_t)upper_of(w, width.gathered);
    pixels.upper[1] = (int32_t)upper_of(h, height.gathered);
    pixels.step[0] = w.step;
    pixels.step[1] = h.step;
    return tc_map_make_pixels(&to->a, &pixels);
}

/* Lines are channels of A in fprop, and columns in dgrad. */
static int32_t map_b(tc_hopper_job *to, const conv &conv, int32_t type, int32_t columns)
{
    bool data = conv_is_data(&conv);
    int64_t line = data ? conv.columns : conv.depth;
    int64_t lines = conv.groups * (data ? conv.depth : conv.columns);
    int64_t apart = data ? conv.tap_depth : conv.tap_column;
    tc_map_tensor of = {
        type,
        TC_MAP_DIMS,
        {line, to->dim[TC_HOPPER_WIDTH].taps, to->dim[TC_HOPPER_HEIGHT].taps, lines},
        {},
        {TC_HOPPER_DEPTH, 1, 1, data ? TC_HOPPER_DEPTH : columns}};

    of.strides[0] = bytes_of(conv.dim[CONV_WIDTH].tap, line);
    of.strides[1] = bytes_of(conv.dim[CONV_HEIGHT].tap, of.strides[0] / 2 * of.dims[1]);
    of.strides[2] = bytes_of(apart, of.strides[1] / 2 * of.dims[2]);
    return tc_map_make(&to->b, &of);
}

static int32_t map_c(tc_hopper_job *to, const conv &conv, int32_t type)
{
    tc_map_tensor of = {type,
                        2,
                        {conv.groups * conv.columns, to->rows},
                        {2 * to->pitch},
                        {TC_HOPPER_SLAB, TC_HOPPER_SLAB}};

    return tc_map_make(&to->c, &of);
}

int32_t tc_hopper_prepare(tc_hopper_job *to, const tc_job &job, int32_t rows, int32_t columns)
{
    const conv &conv = job.conv;

    to->row_tiles = job.row_tiles;
    to->column_tiles = job.column_tiles;
    to->tiles = (int32_t)(job.row_tiles * job.column_tiles * conv.groups);
    to->rows = job.rows;
    to->columns = (int32_t)conv.columns;
    to->depth = (int32_t)conv.depth;
    to->depth_blocks = (to->depth + TC_HOPPER_DEPTH - 1) / TC_HOPPER_DEPTH;
    to->dim[TC_HOPPER_HEIGHT] = walk_of(conv, CONV_HEIGHT);
    to->dim[TC_HOPPER_WIDTH] = walk_of(conv, CONV_WIDTH);
    to->pitch = result_pitch(conv);
    to->z_step = conv.z.step;
    to->z_image = conv.z_image;
    to->z_height = conv.dim[CONV_HEIGHT].z;
    to->z_width = conv.dim[CONV_WIDTH].z;
    to->output = job.output;
    return map_a(to, conv, job.x_type, rows) && map_b(to, conv, job.x_type, columns) &&
           map_c(to, conv, job.x_type);
}

int32_t tc_hopper_give(tc_hopper_job *job, const struct tc_given &given)
{
    job->output.data = given.output;
    job->output.z = given.z;
    job->output.bias = given.bias;
    job->output.blend = given.blend;
    job->stores_sums = tc_is_plain_by(job->output, TC_MAP_ALIGNMENT);
    return tc_map_place(&job->a, given.x) && tc_map_place(&job->b, given.other) &&
           tc_map_place(&job->c, given.output);
}
