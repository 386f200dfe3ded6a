/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of a filter as a sum of parts. An element of dw is a sum over all images and places
 * of dy, which oneDNN adds up in float: with N(0,1) the relative error is 0.3 * 2^-24 *
 * sqrt(terms), and 1e-5 with 400,000. So the places are cut into parts of limited length, and their
 * sums are added up in double. The error is that of one part, however many there are.
 *
 * Parts that are alike but for their places share their steps (a shape): these are of a mode of
 * their own, and one step of ours runs that mode for each part, its operands moved to the part.
 */
#include "conv_axes.h"
#include "plan.h"

#include <string.h>

/*
 * Terms that one thread adds up. A part whose products are too few to share out has more: 25 us are
 * what threads cost to start and to wait for.
 */
#define TERMS_MIN           4096
#define TERMS_MAX           32768
#define PRODUCTS_PER_THREAD ((int64_t)1 << 20)

/* Channels that oneDNN works on at a time; threads share out such blocks, and images. */
#define CHANNEL_BLOCK 16

/* Parts at the edges have pads, the last of an axis may be shorter. */
#define SHAPES_MAX 9

struct parts {
    struct onednn_axes axes;
    int32_t x_slot, y_slot;
    int32_t shapes;
    struct onednn_block shape[SHAPES_MAX][ONEDNN_AXES_MAX];
};

/* ------------------------------------------------------------------ the way over the parts */

struct part {
    int64_t number[ONEDNN_AXES_MAX];
    struct onednn_block block[ONEDNN_AXES_MAX];
};

static void set_block(const struct onednn_axes *axes, struct part *part, int32_t i, int64_t number)
{
    part->number[i] = number;
    part->block[i] = onednn_axis_block(&axes->axis[i], number);
}

static void first_part(const struct onednn_axes *axes, struct part *part)
{
    for (int32_t i = 0; i < axes->count; i++)
        set_block(axes, part, i, 0);
}

/* 0 behind the last. */
static int next_part(const struct onednn_axes *axes, struct part *part)
{
    for (int32_t i = axes->count - 1; i >= 0; i--) {
        if (part->number[i] + 1 < onednn_axis_blocks(&axes->axis[i])) {
            set_block(axes, part, i, part->number[i] + 1);
            return 1;
        }
        set_block(axes, part, i, 0);
    }
    return 0;
}

/* Windows that lie in the padding add nothing. */
static int adds_nothing(const struct onednn_axes *axes, const struct part *part)
{
    int nothing = 0;

    for (int32_t i = 0; i < axes->count; i++)
        nothing = nothing || part->block[i].x_count < 1;
    return nothing;
}

/* The shape of a part; parts->shapes where it has none yet. */
static int32_t shape_of(const struct parts *parts, const struct part *part)
{
    int32_t shape = 0;

    for (; shape < parts->shapes; shape++) {
        int same = 1;

        for (int32_t i = 0; i < parts->axes.count; i++)
            same = same && onednn_same_block(&part->block[i], &parts->shape[shape][i]);
        if (same)
            break;
    }
    return shape;
}

/* ------------------------------------------------------------------ steps */

static void run_parts(const struct onednn_call *call, const void *data)
{
    const struct parts *parts = data;
    struct part part;

    first_part(&parts->axes, &part);
    do {
        struct anydnn_plugin_operands moved = *call->operands;
        char *x = moved.data[parts->x_slot], *y = moved.data[parts->y_slot];

        if (adds_nothing(&parts->axes, &part))
            continue;
        for (int32_t i = 0; i < parts->axes.count; i++) {
            x += part.block[i].x_first * parts->axes.axis[i].x_bytes;
            y += part.block[i].y_first * parts->axes.axis[i].y_bytes;
        }
        moved.data[parts->x_slot] = x;
        moved.data[parts->y_slot] = y;
        onednn_plan_part(call, ONEDNN_PART << shape_of(parts, &part), &moved);
    } while (next_part(&parts->axes, &part));
}

struct sums {
    struct onednn_place sums, part;
    int64_t count;
};

static void clear_sums(const struct onednn_call *call, const void *data)
{
    const struct sums *sums = data;
    memset(onednn_at(call, sums->sums), 0, (size_t)sums->count * sizeof(double));
}

static void add_part(const struct onednn_call *call, const void *data)
{
    const struct sums *sums = data;
    double *sum = onednn_at(call, sums->sums);
    const float *part = onednn_at(call, sums->part);

    for (int64_t i = 0; i < sums->count; i++)
        sum[i] += (double)part[i];
}

/* ------------------------------------------------------------------ the plan */

static void cut_conv(struct onednn_conv *conv, const struct onednn_axes *axes,
                     const struct onednn_block *block)
{
    for (int32_t i = 0; i < axes->count; i++) {
        int32_t d = i == 0 ? 0 : i + 1;

        conv->x.view.dims[d] = block[i].x_count;
        conv->y.view.dims[d] = block[i].y_count;
        if (i == 0)
            continue;
        conv->description.pad_before[i - 1] = block[i].before;
        conv->description.pad_after[i - 1] = block[i].after;
    }
}

/* Returns 0 where there are too many shapes. */
static int collect_shapes(struct parts *parts)
{
    struct part part;

    parts->shapes = 0;
    first_part(&parts->axes, &part);
    do {
        if (adds_nothing(&parts->axes, &part) || shape_of(parts, &part) < parts->shapes)
            continue;
        if (parts->shapes == SHAPES_MAX)
            return 0;
        memcpy(parts->shape[parts->shapes++], part.block, sizeof part.block);
    } while (next_part(&parts->axes, &part));
    return 1;
}

/* The steps of a shape, whose parts' sums go to `sums` in the order of `packed`. */
static void build_shape(struct onednn_build *build, const struct onednn_conv *conv,
                        const struct onednn_view *packed, struct sums sums)
{
    int x = onednn_conv_load(build, &conv->x), dy = onednn_conv_load(build, &conv->y);
    int dw = onednn_temporary(build, conv->w.layout);

    ONEDNN_RUN(build, conv->descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy},
               {DNNL_ARG_DIFF_WEIGHTS, onednn_conv_seen(build, &conv->w, dw)});
    dw = onednn_reorder(build, dw, conv->w.layout, onednn_layout_of(build, packed));
    sums.part = onednn_place_of(build, dw);
    onednn_run_own(build, add_part, &sums, sizeof sums);
}

/* Describes the convolution of each shape. Returns 0 where oneDNN has no kernel for one. */
static int describe_shapes(struct onednn_build *build, const struct onednn_conv_roles *roles,
                           const struct parts *parts, struct onednn_conv *conv)
{
    for (int32_t i = 0; i < parts->shapes; i++) {
        onednn_conv_prepare(build, &conv[i], roles, dnnl_backward_weights, NULL);
        cut_conv(&conv[i], &parts->axes, parts->shape[i]);
        onednn_conv_select(build, &conv[i], build->attributes);
        if (!conv[i].descriptor || onednn_is_reference(conv[i].descriptor))
            return 0;
    }
    return 1;
}

static void build_parts(struct onednn_build *build, const struct parts *parts,
                        const struct onednn_conv *conv)
{
    struct onednn_view packed = onednn_packed_like(&conv->w.view, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view total = packed;
    struct onednn_place dw = {.slot = conv->w.slot};
    struct sums sums = {.count = kit_count(packed.dims, packed.ndims)};
    size_t begin[ONEDNN_MODES], most[ONEDNN_MODES] = {0};

    total.type = ANYDNN_PLUGIN_DOUBLE;
    sums.sums = onednn_reserve(build, kit_bytes(sums.count, sizeof(double)));
    onednn_run_own(build, clear_sums, &sums, sizeof sums);
    onednn_run_own(build, run_parts, parts, sizeof *parts);
    memcpy(begin, build->used, sizeof begin);
    for (int32_t i = 0; i < parts->shapes; i++) {
        build->when = ONEDNN_PART << i;
        memcpy(build->used, begin, sizeof begin); /* one shape runs at a time */
        build_shape(build, &conv[i], &packed, sums);
        for (int32_t mode = 0; mode < ONEDNN_MODES; mode++)
            most[mode] = build->used[mode] > most[mode] ? build->used[mode] : most[mode];
    }
    memcpy(build->used, most, sizeof most);
    build->when = ONEDNN_FAST;
    onednn_copy(build, dw, &conv->w.view, sums.sums, &total);
    build->when = ONEDNN_GENERAL;
    onednn_blend(build, dw, &conv->w.view, sums.sums, &total, dw, &conv->w.view, 0);
}

static int64_t blocks_of(int64_t channels)
{
    return (channels + CHANNEL_BLOCK - 1) / CHANNEL_BLOCK;
}

/* How long a part shall be, and of how many images at least: threads for which there are no blocks
 * of channels sum over images of their own. */
struct length {
    int64_t terms, images;
};
static struct length length_of(const struct onednn_build *build, const struct onednn_conv *conv)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;
    const struct onednn_view *x = &conv->x.view, *w = &conv->w.view, *y = &conv->y.view;
    int64_t threads = build->plan->threads;
    int64_t blocks = params->groups * blocks_of(x->dims[1] / params->groups) *
                     blocks_of(y->dims[1] / params->groups);
    struct length length = {.terms = TERMS_MIN, .images = (threads + blocks - 1) / blocks};

    while (length.terms < TERMS_MAX &&
           length.terms * kit_count(w->dims, w->ndims) < threads * PRODUCTS_PER_THREAD)
        length.terms *= 2;
    if (length.images > TERMS_MAX / length.terms)
        length.images = TERMS_MAX / length.terms;
    return length;
}

/* oneDNN's products of matrices sum in blocks: their error is 1e-6 with 400,000 terms, and parts
 * would cost 3 times as much. Its reference code is slow enough. */
static int sums_well(const struct onednn_conv *conv)
{
    return onednn_is_gemm(conv->descriptor) || onednn_is_reference(conv->descriptor);
}

int onednn_conv_in_parts(struct onednn_build *build, const struct onednn_conv_roles *roles,
                         const struct onednn_conv *whole)
{
    struct onednn_conv conv[SHAPES_MAX];
    struct parts parts = {.x_slot = roles->x, .y_slot = roles->y};
    struct length length = length_of(build, whole);

    if (build->engine != ONEDNN_CONV_DIRECT || sums_well(whole))
        return 0;
    onednn_axes_of(whole, &parts.axes);
    do {
        if (!onednn_axes_cut(&parts.axes, length.terms, length.images))
            return 0;
        length.terms *= 2;
    } while (!collect_shapes(&parts));
    if (!describe_shapes(build, roles, &parts, conv))
        return 0;
    build_parts(build, &parts, conv);
    return 1;
}
