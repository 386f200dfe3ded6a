/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the grouped convolutions of the family groups, and fills their parameters
 * (groups/params.h, groups/tile.cu). It runs on the host. */
#include "params.h"

/* The limit of a tensor's elements, so that sums of its strides have 31 bits. */
#define REACH (INT64_C(1) << 30)
/* The most taps of a filter. The list holds two more taps per class. */
#define TAPS_MAX (TC_GROUPS_TAPS - 2 * TC_GROUPS_CLASSES)

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static int64_t size_of(int64_t n)
{
    return n < 0 ? -n : n;
}

/* ------------------------------------------------------------------ supported problems */

static int takes_group(int64_t channels)
{
    return channels == 4 || channels == 8 || channels == 16 || channels == 32;
}

/* Returns 1 if the kernels support a dim. Positions are 1 or 2 pixels apart, and there are 1 or
 * 2 classes. */
static int takes_dim(const conv_dim &dim)
{
    return dim.stride <= 2 && dim.a_extent < INT16_MAX && dim.positions < INT16_MAX &&
           dim.pad < INT16_MAX && dim.taps * dim.dilation < INT16_MAX;
}

static int is_one(const conv_dim &dim)
{
    return dim.a_extent == 1 && dim.positions == 1 && dim.taps == 1 && dim.pad == 0;
}

/* Returns 1 if channels are packed, strides are multiples of 16 bytes, and every offset has 31
 * bits. */
static int offsets_fit(const conv *conv)
{
    int64_t x = conv->images * size_of(conv->a_image), w = conv->groups * size_of(conv->tap_group);
    int64_t y = conv->images * size_of(conv->position_image);
    int good = conv->a.step == 1 && conv->a_image % 8 == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++) {
        const conv_dim &dim = conv->dim[d];

        x += (dim.a_extent + dim.pad + dim.taps * dim.dilation) * size_of(dim.a);
        y += 2 * dim.positions * size_of(dim.position);
        w += dim.taps * size_of(dim.tap);
        good &= dim.a % 8 == 0;
    }
    return good && x < REACH && y < REACH && w < REACH;
}

/* Returns 1 if lines of filters can be loaded by 16 bytes, or by 8 bytes in groups of 4. */
static int reads_filters(const conv *conv)
{
    int64_t width = conv->channels < 8 ? 4 : 8;
    int64_t within = conv_is_dgrad(conv) ? conv->tap_n : conv->tap_channel;
    int64_t line = conv_is_dgrad(conv) ? conv->tap_channel : conv->tap_n;
    int good = within == 1 && line % width == 0 && conv->tap_group % width == 0 &&
               conv->tap_first % width == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        good &= conv->dim[d].tap % width == 0;
    return good;
}

static int reads_dy(const conv *conv)
{
    int good = conv->position.step == 1 && conv->position_image % 8 == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        good &= conv->dim[d].position % 8 == 0;
    return good;
}

/* ------------------------------------------------------------------ geometry */

/* The first and the last pixel that the taps of any class read for the first position. */
struct range {
    int32_t low, high;
};

static range range_of(const tc_groups_making &groups, int d)
{
    range range = {INT16_MAX, -INT16_MAX};

    for (int32_t number = 0; number < groups.conv.classes; number++) {
        conv_view view;

        conv_view_make(&view, groups.conv, number);
        if (view.taps == 0)
            continue;
        const conv_view_dim &dim = view.dim[d];
        int32_t last = dim.at + (dim.taps - 1) * dim.at_tap;

        range.low = least(range.low, least(dim.at, last));
        range.high = -least(-range.high, -(dim.at > last ? dim.at : last));
    }
    if (range.low > range.high)
        range = {0, 0};
    return range;
}

/* Fills in all members that do not depend on the tile. */
static void fill(tc_groups_making *groups, int32_t slab)
{
    const conv &conv = groups->conv;
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];
    range along_h = range_of(*groups, 1), along_w = range_of(*groups, 2);

    groups->images = (int32_t)conv.images;
    groups->channels = (int32_t)(conv.groups * conv.channels);
    groups->slab = slab;
    groups->slabs = cuda_ceil_div(groups->channels, slab);
    groups->height = (int32_t)h.a_extent;
    groups->width = (int32_t)w.a_extent;
    groups->a_image = (int32_t)conv.a_image;
    groups->a_h = (int32_t)h.a;
    groups->a_w = (int32_t)w.a;
    groups->out_height = (int32_t)h.positions;
    groups->out_width = (int32_t)w.positions;
    groups->c_image = (int32_t)conv.position_image;
    groups->c_h = (int32_t)h.position;
    groups->c_w = (int32_t)w.position;
    groups->step_h = conv_is_dgrad(&conv) ? (int32_t)h.stride : 1;
    groups->step_w = conv_is_dgrad(&conv) ? (int32_t)w.stride : 1;
    groups->apart_h = conv_is_dgrad(&conv) ? 1 : (int32_t)h.stride;
    groups->apart_w = conv_is_dgrad(&conv) ? 1 : (int32_t)w.stride;
    groups->low_h = along_h.low;
    groups->low_w = along_w.low;
    groups->window_h = along_h.high - along_h.low + 1;
    groups->window_w = along_w.high - along_w.low + 1;
    groups->class_h = cuda_ceil_div(groups->out_height, groups->step_h);
    groups->class_w = cuda_ceil_div(groups->out_width, groups->step_w);
    groups->tap_line = (int32_t)(conv_is_dgrad(&conv) ? conv.tap_channel : conv.tap_n);
    groups->classes = (int32_t)conv.classes;
    groups->entries = 0;
    for (int32_t number = 0; number < groups->classes; number++) {
        conv_view view;
        int32_t taps;

        conv_view_make(&view, conv, number);
        taps = view.taps / (int32_t)conv.channels;
        groups->in_one = groups->classes == 1 && taps == TC_GROUPS_SET;
        if (conv.channels <= 8 && !conv_is_wgrad(&conv))
            taps = conv.channels == 4 ? cuda_ceil_div(taps, 3) * 3 : cuda_ceil_div(taps, 2) * 2;
        groups->class_of[number] = {view.dim[1].first, view.dim[2].first, groups->entries, taps};
        groups->entries += taps;
    }
}

static int32_t takes(const struct conv *conv, const struct tc_target *target, int32_t slab)
{
    tc_groups_making groups;

    if (!conv->narrow || conv->groups < 2 || conv->channels != conv->n ||
        !takes_group(conv->channels) || conv->groups * conv->channels % 8 != 0 ||
        !is_one(conv->dim[CONV_FIRST]) || !takes_dim(conv->dim[CONV_FIRST + 1]) ||
        !takes_dim(conv->dim[CONV_FIRST + 2]) || conv_taps(conv) > TAPS_MAX || !offsets_fit(conv) ||
        !(conv_is_wgrad(conv) ? reads_dy(conv) : reads_filters(conv)))
        return 0;
    groups = {};
    groups.conv = *conv;
    groups.multiprocessors = target->context->cuda.multiprocessors;
    fill(&groups, slab);
    return tc_groups_choose_tile(&groups, target->context->shared_bytes).stages;
}

extern "C" int32_t tc_groups_takes(const struct conv *conv, const struct tc_target *target)
{
    return takes(conv, target, TC_GROUPS_SLAB);
}

extern "C" int32_t tc_groups_takes_narrow(const struct conv *conv, const struct tc_target *target)
{
    return conv->channels >= 16 ? takes(conv, target, TC_GROUPS_NARROW) : 0;
}

/* ------------------------------------------------------------------ jobs */

static tc_groups_making making_of(const tc_job &job)
{
    tc_groups_making groups = {};

    tc_slim_of(&groups, job);
    groups.conv = job.conv;
    groups.multiprocessors = job.context->cuda.multiprocessors;
    return groups;
}

static void plan(struct tc_job *job, int32_t slab)
{
    tc_groups_making groups = making_of(*job);
    tc_groups_tile tile;

    fill(&groups, slab);
    tile = tc_groups_choose_tile(&groups, job->context->shared_bytes);
    job->tile[0] = tile.images;
    job->tile[1] = tile.h;
    job->tile[2] = tile.w;
    job->tile[3] = tile.stages;
    job->tile[4] = tile.resident;
}

extern "C" void tc_groups_plan(struct tc_job *job)
{
    plan(job, TC_GROUPS_SLAB);
}

extern "C" void tc_groups_plan_narrow(struct tc_job *job)
{
    plan(job, TC_GROUPS_NARROW);
}

/* Lists the offsets of the taps, in the halo and in a line of filters. */
static void list_taps(tc_groups_making *groups)
{
    const conv &conv = groups->conv;

    for (int32_t number = 0; number < groups->classes; number++) {
        const tc_groups_class &of = groups->class_of[number];
        conv_view view;

        conv_view_make(&view, conv, number);
        const conv_view_dim &h = view.dim[1], &w = view.dim[2];

        for (int32_t t = 0; t < of.taps; t++) {
            int32_t r = w.taps ? t / w.taps : 0, s = w.taps ? t % w.taps : 0;
            int32_t row = h.at + r * h.at_tap - groups->low_h;
            int32_t column = w.at + s * w.at_tap - groups->low_w;

            groups->tap_halo[of.tap + t] = groups->tap_halo[of.tap];
            groups->tap_b[of.tap + t] = -1;
            if (r >= h.taps)
                continue;
            groups->tap_halo[of.tap + t] =
                tc_groups_sorted(row, groups->halo_h, groups->apart_h) * groups->row_bytes +
                tc_groups_sorted(column, groups->halo_w, groups->apart_w) *
                    tc_groups_pixel(groups->slab);
            groups->tap_b[of.tap + t] =
                (int32_t)(conv.tap_first +
                          (h.tap_first + r * h.tap_step) * conv.dim[CONV_FIRST + 1].tap +
                          (w.tap_first + s * w.tap_step) * conv.dim[CONV_FIRST + 2].tap);
        }
    }
}

/* Returns 1 if the nine taps form rows of three, and all taps of the second row have the same
 * distance from the first row. */
static int in_rows(const tc_groups_making &groups)
{
    const int32_t *at = groups.tap_halo;

    return at[3] - at[0] == at[4] - at[1] && at[4] - at[1] == at[5] - at[2];
}

/* Returns 1 if results are contiguous in pieces of 8 bytes, or of the 16 bytes that a lane
 * stores. */
static int stores_by_8(const tc_groups_making &groups)
{
    const conv &conv = groups.conv;
    int32_t width =
        conv.direction == ANYDNN_PLUGIN_CONVOLUTION_FORWARD && conv.channels == 32 ? 8 : 4;
    int good;

    if (!conv_is_wgrad(&conv))
        return conv.position.step == 1 && groups.c_image % width == 0 && groups.c_h % width == 0 &&
               groups.c_w % width == 0;
    good = conv.tap_channel == 1 && conv.tap_n % width == 0 && conv.tap_group % width == 0 &&
           conv.tap_first % width == 0;
    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        good &= conv.dim[d].tap % width == 0;
    return good;
}

int64_t tc_groups_prepare(tc_groups_params *to, const tc_job &job, int32_t slab)
{
    tc_groups_making groups = making_of(job);
    int32_t blocks;

    fill(&groups, slab);
    tc_groups_fill_tile(&groups, {job.tile[0], job.tile[1], job.tile[2], job.tile[3], job.tile[4]});
    list_taps(&groups);
    groups.in_one &= !conv_is_wgrad(&job.conv) || in_rows(groups);
    groups.stores_by_8 = stores_by_8(groups);
    *to = groups;
    if (conv_is_wgrad(&job.conv))
        return (int64_t)groups.slabs * job.splits * cuda_ceil_div(groups.entries, TC_GROUPS_SET);
    blocks = job.context->cuda.multiprocessors * groups.tile.resident / groups.slabs;
    blocks = least(blocks < 1 ? 1 : blocks, groups.tiles);
    return (int64_t)blocks * groups.slabs;
}
