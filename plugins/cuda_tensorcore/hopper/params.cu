/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the problems of fprop and dgrad in the family hopper, and fills their parameters and
 * tensor maps (hopper/params.h). It runs on the host. */
#include "params.h"

#include "../common/launch.h"
#include "geometry.h"
#include "ptx.h"

static __global__ void tc_hopper_probe(int32_t)
{
    TC_HOPPER_CODE(__syncthreads();)
}

/* Returns the capability of the code, or 0 if the code does not load, since it is for 9.0 only.
 * It also returns 0 without tensor maps, which every kernel of this code needs. */
int32_t tc_code_90a_capability(int32_t generation)
{
    cudaFuncAttributes attributes = {};

    if (generation != TC_HOPPER_CAPABILITY || !tc_tensor_maps_exist())
        return 0;
    if (cudaFuncGetAttributes(&attributes, tc_hopper_probe) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return attributes.ptxVersion == TC_HOPPER_CAPABILITY ? TC_HOPPER_CAPABILITY : 0;
}

/* ------------------------------------------------------------------ limits */

/* Returns true if filters are MN-major, which wgmma supports for 16 bits in dgrad. Otherwise
 * they are K-major. */
static bool b_is_mn_major(const conv &conv, int32_t size)
{
    return conv_is_dgrad(&conv) && size == 2;
}

/* Returns true if maps support the filters. The lines of a group must follow those of the
 * previous group. */
static bool takes_filters(const conv &conv, int32_t size)
{
    bool mn_major = b_is_mn_major(conv, size);
    int64_t line = mn_major ? conv.tap_n : conv.tap_channel;
    int64_t apart = mn_major ? conv.tap_channel : conv.tap_n;
    int64_t lines = mn_major ? conv.channels : conv.n;

    return (line == 1 || line == 0) && tc_hopper_fits(apart, size) &&
           (conv.groups == 1 || conv.tap_group == lines * apart) &&
           tc_hopper_fits(tc_hopper_size_of(conv.dim[TC_CONV_HEIGHT].tap), size) &&
           tc_hopper_fits(tc_hopper_size_of(conv.dim[TC_CONV_WIDTH].tap), size);
}

static bool takes(const conv &conv, const tc_target &target)
{
    return tc_hopper_has_maps(conv, target) && !conv_is_wgrad(&conv) && tc_hopper_walks(conv) &&
           takes_filters(conv, cuda_type_size(target.type));
}

int32_t tc_hopper_takes(const struct conv *conv, const struct tc_target *target)
{
    return conv->classes == 1 && takes(*conv, *target);
}

int32_t tc_hopper_takes_classes(const struct conv *conv, const struct tc_target *target)
{
    return conv->classes > 1 && takes(*conv, *target);
}

/* int8 kernels require signed filters. */
int32_t tc_hopper_takes_signed(const struct conv *conv, const struct tc_target *target)
{
    return target->b_type == ANYDNN_PLUGIN_INT8 && tc_hopper_takes(conv, target);
}

/* ------------------------------------------------------------------ maps */

static int32_t map_a(tc_hopper_params *to, const conv &conv, int32_t type, int32_t rounds,
                     int32_t tile_m)
{
    int64_t pitch = tc_hopper_product_pitch(conv, to->size);

    to->is_product = pitch > 0;
    if (to->is_product)
        return tc_hopper_matrix_map(&to->a, type, rounds, conv.groups * conv.channels, to->m, pitch,
                                    tile_m, 1);
    return tc_hopper_im2col_map(&to->a, conv, to->dim, type, rounds, tile_m);
}

int32_t tc_hopper_map_b(tc_hopper_params *to, const conv &conv, int32_t type, int32_t rounds,
                        int32_t tile_n)
{
    int32_t size = to->size, each = tc_hopper_line(type);
    bool mn_major = b_is_mn_major(conv, size);
    int64_t line = mn_major ? conv.n : conv.channels;
    int64_t lines = conv.groups * (mn_major ? conv.channels : conv.n);
    int64_t apart = mn_major ? conv.tap_channel : conv.tap_n;
    tc_tiled_map of = {
        type,        rounds,
        TC_MAP_DIMS, {line, conv.dim[TC_CONV_WIDTH].taps, conv.dim[TC_CONV_HEIGHT].taps, lines},
        {},          {each, 1, 1, mn_major ? each : tile_n}};

    of.strides[0] = tc_hopper_bytes_of(conv.dim[TC_CONV_WIDTH].tap, line, size);
    of.strides[1] =
        tc_hopper_bytes_of(conv.dim[TC_CONV_HEIGHT].tap, of.strides[0] / size * of.dims[1], size);
    of.strides[2] = tc_hopper_bytes_of(apart, of.strides[1] / size * of.dims[2], size);
    return tc_make_tiled_map(&to->b, &of);
}

static int32_t map_c(tc_tensor_map *map, const tc_hopper_params &to, const conv &conv, int32_t type)
{
    tc_tiled_map of = {type,
                       0,
                       2,
                       {conv.groups * conv.n, to.m},
                       {to.size * to.pitch},
                       {tc_hopper_line(type), TC_HOPPER_SLAB}};

    return tc_make_tiled_map(map, &of);
}

/* Makes the map of a class: positions of C at the stride, from the class's first one on. */
static int32_t map_class(tc_tensor_map *map, const tc_hopper_params &to, const conv &conv,
                         int32_t type)
{
    int64_t height = to.dim[TC_HOPPER_HEIGHT].positions, width = to.dim[TC_HOPPER_WIDTH].positions;
    tc_im2col_map of = {{type, 0, TC_MAP_DIMS}};
    int64_t *strides = of.tensor.strides;

    of.tensor.dims[0] = conv.groups * conv.n;
    of.tensor.dims[1] = width;
    of.tensor.dims[2] = height;
    of.tensor.dims[3] = conv.images;
    strides[0] = tc_hopper_bytes_of(to.z_width, of.tensor.dims[0], to.size);
    strides[1] = tc_hopper_bytes_of(to.z_height, strides[0] / to.size * width, to.size);
    strides[2] = tc_hopper_bytes_of(to.z_image, strides[1] / to.size * height, to.size);
    of.channels = tc_hopper_line(type);
    of.pixels = TC_HOPPER_SLAB;
    of.step[0] = 1;
    of.step[1] = 1;
    return tc_make_im2col_map(map, &of);
}

/* ------------------------------------------------------------------ classes */

tc_hopper_class tc_hopper_class_of(const conv &conv, int32_t type, int64_t down, int64_t across)
{
    tc_hopper_class of = {};
    int32_t taps;

    of.taps[TC_HOPPER_HEIGHT] = tc_hopper_taps_of(conv, TC_CONV_HEIGHT, down);
    of.taps[TC_HOPPER_WIDTH] = tc_hopper_taps_of(conv, TC_CONV_WIDTH, across);
    of.channel_blocks = (int32_t)cuda_ceil_div(conv.channels, tc_hopper_line(type));
    taps = of.taps[TC_HOPPER_HEIGHT].count * of.taps[TC_HOPPER_WIDTH].count;
    of.blocks = taps * of.channel_blocks;
    of.first = down * conv.dim[TC_CONV_HEIGHT].position + across * conv.dim[TC_CONV_WIDTH].position;
    return of;
}

/* Makes all classes, those with many taps first. */
static void make_classes(tc_hopper_class *of, const conv &conv, int32_t type)
{
    int64_t across = conv.dim[TC_CONV_WIDTH].stride;

    for (int32_t i = 0; i < conv.classes; i++) {
        tc_hopper_class made = tc_hopper_class_of(conv, type, i / across, i % across);
        int32_t at = i;

        for (; at > 0 && of[at - 1].blocks < made.blocks; at--)
            of[at] = of[at - 1];
        of[at] = made;
    }
}

/* ------------------------------------------------------------------ the parameters */

static void place_z(tc_hopper_params *to, const conv &conv)
{
    const conv_dim &height = conv.dim[TC_CONV_HEIGHT], &width = conv.dim[TC_CONV_WIDTH];

    to->z_step = conv.z.step;
    to->z_image = conv.z_image;
    to->z_height = height.z;
    to->z_width = width.z;
    if (conv.classes > 1) {
        to->z_image = conv.position_image;
        to->z_height = height.stride * height.position;
        to->z_width = width.stride * width.position;
    }
}

void tc_hopper_describe(tc_hopper_params *to, const tc_job &job)
{
    const conv &conv = job.conv;

    to->m_tiles = job.m_tiles;
    to->n_tiles = job.n_tiles;
    to->class_tiles = (int32_t)(job.m_tiles * job.n_tiles * conv.groups);
    to->classes = (int32_t)conv.classes;
    to->tiles = to->class_tiles * to->classes;
    to->m = job.m;
    to->n = (int32_t)conv.n;
    to->channels = (int32_t)conv.channels;
    to->dim[TC_HOPPER_HEIGHT] = tc_hopper_dim_of(conv, TC_CONV_HEIGHT);
    to->dim[TC_HOPPER_WIDTH] = tc_hopper_dim_of(conv, TC_CONV_WIDTH);
    to->size = cuda_type_size(job.a_type);
    to->pitch = tc_hopper_position_pitch(conv, to->size);
    to->output = job.output;
    place_z(to, conv);
}

int32_t tc_hopper_prepare(tc_hopper_params *to, tc_hopper_class *of, tc_tensor_map *c,
                          const tc_job &job, int32_t tile_m, int32_t tile_n, int32_t rounds)
{
    const conv &conv = job.conv;

    tc_hopper_describe(to, job);
    if (conv.classes == 1) {
        of[0] = tc_hopper_class_of(conv, job.a_type, 0, 0);
        return map_a(to, conv, job.a_type, rounds, tile_m) &&
               tc_hopper_map_b(to, conv, job.a_type, rounds, tile_n) &&
               map_c(c, *to, conv, job.a_type);
    }
    make_classes(of, conv, job.a_type);
    for (int32_t i = 0; i < to->classes; i++) {
        if (!map_class(&c[i], *to, conv, job.a_type))
            return 0;
    }
    return map_a(to, conv, job.a_type, rounds, tile_m) &&
           tc_hopper_map_b(to, conv, job.a_type, rounds, tile_n);
}

/* Returns true if results are sums with a bias and a ReLU, which the kernel supports. */
static bool is_biased(const tc_hopper_params &job)
{
    return tc_is_biased_by(job.output, TC_MAP_ALIGNMENT) && job.classes == 1 &&
           job.output.type != ANYDNN_PLUGIN_INT8;
}

int32_t tc_hopper_bind(tc_hopper_params *job, const tc_hopper_class *of, tc_tensor_map *c,
                       const struct tc_arguments &args)
{
    job->output.data = args.output;
    job->output.z = args.z;
    job->output.bias = args.bias;
    job->output.blend = args.blend;
    /* If a row had an odd number of halves, the copy engine wrote beyond the row (H200).
     * Therefore threads store rows that do not end at a multiple of 16 bytes, and outputs that
     * do not begin at one. */
    job->results = job->size * job->n % TC_MAP_ALIGNMENT                      ? TC_HOPPER_BLENDED
                   : job->size == 1 && job->output.type != ANYDNN_PLUGIN_INT8 ? TC_HOPPER_BLENDED
                   : tc_is_plain_by(job->output, TC_MAP_ALIGNMENT)            ? TC_HOPPER_ROUNDED
                   : is_biased(*job)                                          ? TC_HOPPER_BIASED
                                                                              : TC_HOPPER_BLENDED;
    job->bounds = tc_bounds_of(job->output.f);
    for (int32_t i = 0; i < job->classes && job->results != TC_HOPPER_BLENDED; i++) {
        if (!tc_bind_map(&c[i], (const char *)args.output + job->size * of[i].first))
            return 0;
    }
    return tc_bind_map(&job->a, args.a) && tc_bind_map(&job->b, args.b);
}
