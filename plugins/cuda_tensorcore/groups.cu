/* SPDX-License-Identifier: Apache-2.0 */
/* Which grouped convolutions the family groups takes, its tiles, and what its kernels are given
 * (groups_job.h). */
#include "groups_job.h"

/* Elements of a tensor, so that sums of its steps have 31 bits. */
#define REACH (INT64_C(1) << 30)
/* Bytes of shared memory that a multiprocessor keeps for a block, and blocks that registers let it
 * have. */
#define SHARED_BLOCK 1024
#define BLOCKS_MAX   2
/* Parts that a dim is cut into, at most; images of a tile; stages. */
#define CUTS_MAX   16
#define IMAGES_MAX 8
#define STAGES_MIN 2
#define STAGES_MAX 4
/* Taps of a filter, so that with two more in each class they have room. */
#define TAPS_MAX (TC_GROUPS_TAPS - 2 * TC_GROUPS_CLASSES)

/* A job that is being made, with all of the geometry and of the device. */
struct making : tc_groups_job {
    struct conv conv;
    int32_t multiprocessors;
};

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static int32_t ceil_div(int32_t a, int32_t b)
{
    return (a + b - 1) / b;
}

static int64_t size_of(int64_t n)
{
    return n < 0 ? -n : n;
}

static int is_filter(const conv &conv)
{
    return conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
}

static int is_data(const conv &conv)
{
    return conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
}

/* ------------------------------------------------------------------ what they take */

static int takes_group(int64_t channels)
{
    return channels == 4 || channels == 8 || channels == 16 || channels == 32;
}

/* A dim in which positions are 1 or 2 pixels apart, and classes of positions 1 or 2. */
static int takes_dim(const conv_dim &dim)
{
    return dim.stride <= 2 && dim.gathered < INT16_MAX && dim.positions < INT16_MAX &&
           dim.pad < INT16_MAX && dim.taps * dim.dilation < INT16_MAX;
}

static int is_one(const conv_dim &dim)
{
    return dim.gathered == 1 && dim.positions == 1 && dim.taps == 1 && dim.pad == 0;
}

/* Packed channels, steps of whole pieces of 16 bytes, and 31 bits for every offset. */
static int reaches(const conv *conv)
{
    int64_t x = conv->images * size_of(conv->x_image), w = conv->groups * size_of(conv->tap_group);
    int64_t y = conv->images * size_of(conv->position_image);
    int good = conv->x.step == 1 && conv->x_image % 8 == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++) {
        const conv_dim &dim = conv->dim[d];

        x += (dim.gathered + dim.pad + dim.taps * dim.dilation) * size_of(dim.x);
        y += 2 * dim.positions * size_of(dim.position);
        w += dim.taps * size_of(dim.tap);
        good &= dim.x % 8 == 0;
    }
    return good && x < REACH && y < REACH && w < REACH;
}

/* Lines of filters in pieces of 16 bytes, of groups of 4 in pieces of 8. */
static int reads_filters(const conv *conv)
{
    int64_t each = conv->depth < 8 ? 4 : 8;
    int64_t within = is_data(*conv) ? conv->tap_column : conv->tap_depth;
    int64_t line = is_data(*conv) ? conv->tap_depth : conv->tap_column;
    int good = within == 1 && line % each == 0 && conv->tap_group % each == 0 &&
               conv->tap_first % each == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        good &= conv->dim[d].tap % each == 0;
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

/* The first and the last pixel that a tap reaches from the first position, in any class. */
struct range {
    int32_t low, high;
};

static range range_of(const making &groups, int d)
{
    range range = {INT16_MAX, -INT16_MAX};

    for (int32_t number = 0; number < groups.conv.classes; number++) {
        conv_view view;

        conv_view_make(&view, groups.conv, number);
        if (view.taps == 0)
            continue;
        const conv_view_dim &dim = view.dim[d];
        int32_t other = dim.at + (dim.taps - 1) * dim.at_tap;

        range.low = least(range.low, least(dim.at, other));
        range.high = -least(-range.high, -(dim.at > other ? dim.at : other));
    }
    if (range.low > range.high)
        range = {0, 0};
    return range;
}

/* All but what depends on the tile. */
static void fill(making *groups)
{
    const conv &conv = groups->conv;
    const conv_dim &h = conv.dim[CONV_FIRST + 1], &w = conv.dim[CONV_FIRST + 2];
    range rows = range_of(*groups, 1), columns = range_of(*groups, 2);

    groups->images = (int32_t)conv.images;
    groups->channels = (int32_t)(conv.groups * conv.depth);
    groups->slabs = ceil_div(groups->channels, TC_GROUPS_SLAB);
    groups->height = (int32_t)h.gathered;
    groups->width = (int32_t)w.gathered;
    groups->x_image = (int32_t)conv.x_image;
    groups->x_h = (int32_t)h.x;
    groups->x_w = (int32_t)w.x;
    groups->out_height = (int32_t)h.positions;
    groups->out_width = (int32_t)w.positions;
    groups->y_image = (int32_t)conv.position_image;
    groups->y_h = (int32_t)h.position;
    groups->y_w = (int32_t)w.position;
    groups->step_h = is_data(conv) ? (int32_t)h.stride : 1;
    groups->step_w = is_data(conv) ? (int32_t)w.stride : 1;
    groups->apart_h = is_data(conv) ? 1 : (int32_t)h.stride;
    groups->apart_w = is_data(conv) ? 1 : (int32_t)w.stride;
    groups->low_h = rows.low;
    groups->low_w = columns.low;
    groups->reach_h = rows.high - rows.low + 1;
    groups->reach_w = columns.high - columns.low + 1;
    groups->class_h = ceil_div(groups->out_height, groups->step_h);
    groups->class_w = ceil_div(groups->out_width, groups->step_w);
    groups->tap_line = (int32_t)(is_data(conv) ? conv.tap_depth : conv.tap_column);
    groups->classes = (int32_t)conv.classes;
    groups->entries = 0;
    for (int32_t number = 0; number < groups->classes; number++) {
        conv_view view;
        int32_t taps;

        conv_view_make(&view, conv, number);
        taps = view.taps / (int32_t)conv.depth;
        if (conv.depth <= 8 && !is_filter(conv))
            taps = conv.depth == 4 ? ceil_div(taps, 3) * 3 : ceil_div(taps, 2) * 2;
        groups->class_of[number] = {view.dim[1].first, view.dim[2].first, groups->entries, taps};
        groups->entries += taps;
    }
}

/* ------------------------------------------------------------------ tiles */

/* The least number of pieces of 16 bytes, at least `count`, that leaves this rest by 8. */
static int32_t padded(int32_t count, int32_t rest)
{
    return count + (rest % 8 - count % 8 + 8) % 8;
}

static int32_t filter_bytes(const making &groups)
{
    int32_t depth = (int32_t)groups.conv.depth;

    return groups.entries * (depth == 4   ? TC_GROUPS_FOURS
                             : depth == 8 ? TC_GROUPS_UNIT
                                          : depth / 8 * TC_GROUPS_UNIT);
}

/* Fills in what depends on the tile: in shared memory come filters, zeros, tables and the ring; in
 * a stage of direction filter dy's lines behind the halo. */
static void fill_tile(making *groups, const tc_groups_tile &tile)
{
    const conv &conv = groups->conv;
    int32_t positions = tile.images * tile.h * tile.w, row, image;

    groups->tile = tile;
    groups->tiles_h = ceil_div(groups->class_h, tile.h);
    groups->tiles_w = ceil_div(groups->class_w, tile.w);
    groups->tiles = ceil_div(groups->images, tile.images) * groups->tiles_h * groups->tiles_w;
    groups->halo_h = (tile.h - 1) * groups->apart_h + groups->reach_h;
    groups->halo_w = (tile.w - 1) * groups->apart_w + groups->reach_w;
    row = padded(groups->halo_w * (TC_GROUPS_PIXEL / 16), tile.w);
    image = padded(groups->halo_h * row, tile.h * tile.w);
    groups->row_bytes = row * 16;
    groups->image_bytes = image * 16;
    groups->pieces = ceil_div(positions, 16);
    groups->by_tiles_h = cuda_divisor_of(groups->tiles_h);
    groups->by_tiles_w = cuda_divisor_of(groups->tiles_w);
    groups->lines = tile.images * groups->halo_h * groups->halo_w;
    groups->dy_at = tile.images * groups->image_bytes;
    groups->stage_bytes = groups->dy_at;
    if (is_filter(conv))
        groups->stage_bytes += positions * TC_GROUPS_PIXEL;
    else
        groups->pieces = ceil_div(groups->pieces, TC_GROUPS_PASS) * TC_GROUPS_PASS;
    groups->zeros_at = is_filter(conv) ? 0 : filter_bytes(*groups);
    groups->lines_at = groups->zeros_at + TC_GROUPS_ZEROS;
    groups->table_at = groups->lines_at + groups->lines * (int32_t)sizeof(tc_groups_place);
    groups->ring_at = groups->table_at + groups->pieces * 16 * (int32_t)sizeof(tc_groups_place);
    groups->shared_bytes = groups->ring_at + tile.stages * groups->stage_bytes;
    if (is_filter(conv) && groups->shared_bytes < groups->ring_at + TC_GROUPS_JOIN_BYTES)
        groups->shared_bytes = groups->ring_at + TC_GROUPS_JOIN_BYTES;
}

/* What the model counts in cycles: of a multiprocessor, for a step of 16 terms of 8 channels of 16
 * positions; for a pixel's line on its way from the second-level cache; of a tile's turn. A block
 * alone on a multiprocessor has nobody to hide its waits. Fitted to times of the grouped layers of
 * ResNeXt-50 in all tiles on an H200, for their order alone. */
#define STEP_CYCLES 4
#define LINE_CYCLES 2
#define TURN_CYCLES 500
#define ALONE       1.15

static double cycles_of(const making &groups)
{
    const tc_groups_tile &tile = groups.tile;
    int32_t depth = (int32_t)groups.conv.depth;
    int32_t blocks = groups.multiprocessors * tile.resident / groups.slabs;
    int32_t turns = ceil_div(groups.tiles, blocks < 1 ? 1 : blocks);
    double steps = groups.entries * (depth == 4 ? 0.75 : depth == 8 ? 0.5 : depth / 16.0);
    double sums = groups.pieces * steps * TC_GROUPS_CHUNKS * STEP_CYCLES;
    double lines = (double)tile.images * groups.halo_h * groups.halo_w;
    double loads = (lines + (is_filter(groups.conv) ? groups.pieces * 16 : 0)) * LINE_CYCLES;
    double each = (sums + loads) * (tile.resident > 1 ? tile.resident : ALONE);

    return turns * (each + TURN_CYCLES);
}

static void try_tile(making *groups, tc_groups_tile tile, int32_t shared_bytes,
                     tc_groups_tile *best, double *least_cycles)
{
    for (tile.stages = STAGES_MIN; tile.stages <= STAGES_MAX; tile.stages++) {
        double cycles;

        fill_tile(groups, tile);
        if (groups->shared_bytes > shared_bytes)
            return;
        groups->tile.resident = least(
            (shared_bytes + SHARED_BLOCK) / (groups->shared_bytes + SHARED_BLOCK), BLOCKS_MAX);
        cycles = cycles_of(*groups);
        if (best->stages == 0 || cycles < *least_cycles) {
            *best = groups->tile;
            *least_cycles = cycles;
        }
    }
}

/* Tiles that a dim is cut into evenly; of whole images several. 0 if none fits. */
static int choose_tile(making *groups, int32_t shared_bytes, tc_groups_tile *best)
{
    double cycles = 0;
    int32_t last_h = 0;

    *best = {};
    for (int32_t cut_h = 1; cut_h <= CUTS_MAX; cut_h++) {
        int32_t h = ceil_div(groups->class_h, cut_h), last_w = 0;

        if (h == last_h)
            continue;
        last_h = h;
        for (int32_t cut_w = 1; cut_w <= CUTS_MAX; cut_w++) {
            int32_t w = ceil_div(groups->class_w, cut_w);
            int32_t most = cut_h == 1 && cut_w == 1 ? least(groups->images, IMAGES_MAX) : 1;

            if (w == last_w)
                continue;
            last_w = w;
            for (int32_t images = 1; images <= most; images++)
                try_tile(groups, {images, h, w, 0, 0}, shared_bytes, best, &cycles);
        }
    }
    return best->stages;
}

extern "C" int32_t tc_groups_takes(const struct conv *conv, const struct tc_wish *wish)
{
    making groups;
    tc_groups_tile tile;

    if (!conv->narrow || conv->groups < 2 || conv->depth != conv->columns ||
        !takes_group(conv->depth) || conv->groups * conv->depth % 8 != 0 ||
        !is_one(conv->dim[CONV_FIRST]) || !takes_dim(conv->dim[CONV_FIRST + 1]) ||
        !takes_dim(conv->dim[CONV_FIRST + 2]) || conv_taps(conv) > TAPS_MAX || !reaches(conv) ||
        !(is_filter(*conv) ? reads_dy(conv) : reads_filters(conv)))
        return 0;
    groups = {};
    groups.conv = *conv;
    groups.multiprocessors = wish->multiprocessors;
    fill(&groups);
    return choose_tile(&groups, wish->shared_bytes, &tile);
}

/* ------------------------------------------------------------------ jobs */

static making making_of(const tc_job &job)
{
    making groups = {};

    tc_slim(&groups, job);
    groups.conv = job.conv;
    groups.multiprocessors = job.multiprocessors;
    return groups;
}

extern "C" void tc_groups_plan(struct tc_job *job)
{
    making groups = making_of(*job);
    tc_groups_tile tile;

    fill(&groups);
    (void)choose_tile(&groups, job->shared_bytes, &tile);
    job->tile[0] = tile.images;
    job->tile[1] = tile.h;
    job->tile[2] = tile.w;
    job->tile[3] = tile.stages;
    job->tile[4] = tile.resident;
}

/* Where the taps are: in the halo, and in a line of filters. */
static void list_taps(making *groups)
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

            groups->tap_at[of.tap + t] = groups->tap_at[of.tap];
            groups->tap_w[of.tap + t] = -1;
            if (r >= h.taps)
                continue;
            groups->tap_at[of.tap + t] =
                tc_groups_sorted(row, groups->halo_h, groups->apart_h) * groups->row_bytes +
                tc_groups_sorted(column, groups->halo_w, groups->apart_w) * TC_GROUPS_PIXEL;
            groups->tap_w[of.tap + t] =
                (int32_t)(conv.tap_first +
                          (h.tap_first + r * h.tap_step) * conv.dim[CONV_FIRST + 1].tap +
                          (w.tap_first + s * w.tap_step) * conv.dim[CONV_FIRST + 2].tap);
        }
    }
}

/* Packed channels that begin at multiples of 8 bytes, if the tensor does. */
static int stores_by_8(const making &groups)
{
    return groups.conv.position.step == 1 && groups.y_image % 4 == 0 && groups.y_h % 4 == 0 &&
           groups.y_w % 4 == 0;
}

int64_t tc_groups_prepare(tc_groups_job *to, const tc_job &job)
{
    making groups = making_of(job);
    int32_t blocks;

    fill(&groups);
    fill_tile(&groups, {job.tile[0], job.tile[1], job.tile[2], job.tile[3], job.tile[4]});
    list_taps(&groups);
    groups.stores_by_8 = stores_by_8(groups);
    *to = groups;
    if (is_filter(job.conv))
        return (int64_t)groups.slabs * job.splits * ceil_div(groups.entries, TC_GROUPS_SET);
    blocks = job.multiprocessors * groups.tile.resident / groups.slabs;
    blocks = least(blocks < 1 ? 1 : blocks, groups.tiles);
    return (int64_t)blocks * groups.slabs;
}
