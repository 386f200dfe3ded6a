/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a layout: its copies, and the inner problem that the kernel runs. */
#include "layout.h"

#include "../../cuda_common/divide.h"

#define LAST (CONV_DIMS_MAX - 1)

/* The alignment of copies and of the workspace in bytes. */
#define COPY_ALIGNMENT 256
/* The bits that hold the number of chunks of a copy, and K. */
#define CHUNK_BITS 31
#define K_BITS     30

/* ------------------------------------------------------------------ copies */

/* Returns the number of elements in 16 bytes, or in a pixel. */
static int64_t each_of(int32_t type, int32_t bits)
{
    return bits & TC_LAYOUT_PIXELS ? TC_PIXEL : 16 / cuda_type_size(type);
}

/* Returns a copy with dims of 1, which the caller fills in. */
static struct tc_copy copy_of(int32_t type, int64_t lanes, int64_t channels, int64_t channel)
{
    return (struct tc_copy){.size = cuda_type_size(type),
                            .lanes = (int32_t)lanes,
                            .channels = (int32_t)channels,
                            .inner = 1,
                            .dims = {1, 1, 1, 1, 1, 1},
                            .channel = channel};
}

/* Returns a copy of images with groups of channels. */
static struct tc_copy copy_of_images(const struct conv *conv, int32_t type, int64_t lanes,
                                     int64_t channels, int64_t channel, int64_t image)
{
    struct tc_copy copy = copy_of(type, lanes, channels, channel);

    copy.dims[TC_OUTER] = conv->images;
    copy.strides[TC_OUTER] = image;
    copy.dims[TC_GROUP] = conv->groups;
    copy.strides[TC_GROUP] = channels * channel;
    return copy;
}

/* Returns 1 if the taps of a dim become channels. `which` is 0 for the height and 1 for the
 * width. */
static int is_folded(int32_t bits, int32_t which)
{
    return bits & TC_LAYOUT_FOLD_RS || (which == 1 && bits & TC_LAYOUT_FOLD_S);
}

static int64_t folded_taps(const struct conv *conv, int32_t bits)
{
    return (is_folded(bits, 0) ? conv->dim[LAST - 1].taps : 1) *
           (is_folded(bits, 1) ? conv->dim[LAST].taps : 1);
}

/* Returns a window that keeps coordinates unchanged. */
static struct tc_window window_all(int64_t extent)
{
    return (struct tc_window){.taps = 1, .step = 1, .extent = (int32_t)extent};
}

static struct tc_copy copy_a(const struct conv *conv, int32_t type, int32_t bits)
{
    int32_t folds = conv_is_dgrad(conv) ? 0 : bits;
    int64_t lanes = cuda_round_up(conv->channels * folded_taps(conv, folds), each_of(type, bits));
    struct tc_copy copy =
        copy_of_images(conv, type, lanes, conv->channels, conv->a.step, conv->a_image);

    for (int32_t d = 0; d < CONV_DIMS; d++) {
        copy.dims[TC_DEPTH + d] = conv->dim[CONV_FIRST + d].a_extent;
        copy.strides[TC_DEPTH + d] = conv->dim[CONV_FIRST + d].a;
    }
    if (bits & TC_LAYOUT_PIXELS)
        copy.dims[TC_WIDTH] = cuda_round_up(conv->dim[LAST].a_extent, TC_PIXEL);
    for (int32_t i = 0; i < 2; i++) {
        const struct conv_dim *dim = &conv->dim[LAST - 1 + i];

        copy.window[i] = window_all(dim->a_extent);
        if (!is_folded(folds, i))
            continue;
        copy.dims[TC_HEIGHT + i] = dim->positions;
        copy.window[i] = (struct tc_window){.taps = (int32_t)dim->taps,
                                            .step = (int32_t)dim->stride,
                                            .begin = -(int32_t)dim->pad,
                                            .tap = (int32_t)dim->dilation,
                                            .extent = (int32_t)dim->a_extent};
    }
    return copy;
}

static struct tc_copy copy_filters(const struct conv *conv, int32_t type, int32_t bits)
{
    int64_t each = each_of(type, bits);
    int data = conv_is_dgrad(conv);
    int64_t channels = data ? conv->n : conv->channels;
    struct tc_copy copy = copy_of(type, cuda_round_up(channels * folded_taps(conv, bits), each),
                                  channels, data ? conv->tap_n : conv->tap_channel);

    copy.dims[TC_OUTER] = conv->groups;
    copy.strides[TC_OUTER] = conv->tap_group;
    copy.inner = (int32_t)(data ? conv->channels : conv->n);
    copy.dims[TC_INNER] = data ? cuda_round_up(conv->channels, each) : conv->n;
    copy.strides[TC_INNER] = data ? conv->tap_channel : conv->tap_n;
    copy.first = conv->tap_first;
    for (int32_t d = 0; d < CONV_DIMS; d++) {
        copy.dims[TC_DEPTH + d] = conv->dim[CONV_FIRST + d].taps;
        copy.strides[TC_DEPTH + d] = conv->dim[CONV_FIRST + d].tap;
    }
    for (int32_t i = 0; i < 2; i++) {
        int32_t taps = (int32_t)conv->dim[LAST - 1 + i].taps;

        copy.window[i] = window_all(taps);
        if (!is_folded(bits, i))
            continue;
        copy.dims[TC_HEIGHT + i] = 1;
        copy.window[i] = (struct tc_window){.taps = taps, .tap = 1, .extent = taps};
    }
    return copy;
}

/* Returns the copy of the filters of one group and two dims as [height][width][n][k]. If n and
 * the taps are contiguous, they form one row, which is transposed as a whole. */
static struct tc_copy copy_k_major(const struct conv *conv, int32_t type)
{
    const struct conv_dim *height = &conv->dim[LAST - 1], *width = &conv->dim[LAST];
    struct tc_copy copy = copy_of(type, cuda_round_up(conv->channels, each_of(type, 0)),
                                  conv->channels, conv->tap_channel);

    copy.first = conv->tap_first;
    copy.dims[TC_DEPTH] = height->taps;
    copy.strides[TC_DEPTH] = height->tap;
    copy.dims[TC_HEIGHT] = width->taps;
    copy.strides[TC_HEIGHT] = width->tap;
    copy.dims[TC_WIDTH] = conv->n;
    copy.strides[TC_WIDTH] = conv->tap_n;
    copy.window[0] = window_all(width->taps);
    copy.window[1] = window_all(conv->n);
    return copy;
}

static struct tc_copy copy_positions(const struct conv *conv, int32_t type)
{
    struct tc_copy copy = copy_of_images(conv, type, cuda_round_up(conv->n, each_of(type, 0)),
                                         conv->n, conv->position.step, conv->position_image);

    for (int32_t d = 0; d < CONV_DIMS; d++) {
        copy.dims[TC_DEPTH + d] = conv->dim[CONV_FIRST + d].positions;
        copy.strides[TC_DEPTH + d] = conv->dim[CONV_FIRST + d].position;
    }
    for (int32_t i = 0; i < 2; i++)
        copy.window[i] = window_all(conv->dim[LAST - 1 + i].positions);
    return copy;
}

/* Returns the stride of a dim in the copy, in elements. */
static int64_t step_in(const struct tc_copy *copy, int32_t dim)
{
    int64_t step = copy->lanes;

    for (int32_t d = TC_COPY_DIMS - 1; d > dim; d--)
        step *= copy->dims[d];
    return step;
}

/* Computes the bytes of a copy. Returns 0 if the copy is too large. */
static int bytes_of(const struct tc_copy *copy, int64_t *bytes)
{
    int64_t count = copy->lanes;

    for (int32_t d = 0; d < TC_COPY_DIMS; d++) {
        if (copy->dims[d] > 0 && count > (INT64_C(1) << 40) / copy->dims[d])
            return 0;
        count *= copy->dims[d];
    }
    *bytes = cuda_round_up(count * copy->size, COPY_ALIGNMENT);
    return *bytes / 8 < INT64_C(1) << CHUNK_BITS;
}

/* ------------------------------------------------------------------ the inner problem */

static void set_a(struct conv *inner, const struct tc_copy *copy)
{
    inner->channels = copy->lanes;
    inner->a.step = 1;
    inner->a_image = step_in(copy, TC_OUTER);
    for (int32_t d = 0; d < CONV_DIMS; d++) {
        inner->dim[CONV_FIRST + d].a = step_in(copy, TC_DEPTH + d);
        inner->dim[CONV_FIRST + d].a_extent = copy->dims[TC_DEPTH + d];
    }
}

static void set_filters(struct conv *inner, const struct tc_copy *copy)
{
    int data = conv_is_dgrad(inner);

    inner->tap_first = 0;
    inner->tap_group = step_in(copy, TC_OUTER);
    inner->tap_channel = data ? step_in(copy, TC_INNER) : 1;
    inner->tap_n = data ? 1 : step_in(copy, TC_INNER);
    for (int32_t d = 0; d < CONV_DIMS; d++)
        inner->dim[CONV_FIRST + d].tap = step_in(copy, TC_DEPTH + d);
}

static void set_k_major(struct conv *inner, const struct tc_copy *copy)
{
    inner->tap_first = 0;
    inner->tap_group = step_in(copy, TC_OUTER);
    inner->tap_channel = 1;
    inner->tap_n = step_in(copy, TC_WIDTH);
    inner->dim[LAST].tap = step_in(copy, TC_HEIGHT);
    inner->dim[LAST - 1].tap = step_in(copy, TC_DEPTH);
}

static void set_positions(struct conv *inner, const struct tc_copy *copy)
{
    inner->n = copy->lanes;
    inner->position.step = 1;
    inner->position_image = step_in(copy, TC_OUTER);
    for (int32_t d = 0; d < CONV_DIMS; d++)
        inner->dim[CONV_FIRST + d].position = step_in(copy, TC_DEPTH + d);
}

/* Turns the taps of a dim into channels, or in dgrad into N. */
static void fold(struct conv *inner, struct conv_dim *dim)
{
    if (conv_is_dgrad(inner)) {
        inner->n *= dim->taps;
        inner->classes /= dim->stride < dim->positions ? dim->stride : dim->positions;
        dim->positions = dim->a_extent;
    } else {
        dim->a_extent = dim->positions;
    }
    dim->taps = dim->stride = dim->dilation = dim->common = dim->period = dim->back = 1;
    dim->pad = dim->inverse = 0;
}

static int counts(const struct conv *inner)
{
    int64_t k = inner->channels;

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++)
        k *= inner->dim[d].taps;
    return k < INT64_C(1) << K_BITS && inner->n < INT64_C(1) << K_BITS;
}

int tc_layout_make(struct tc_layout *to, const struct conv *conv, int32_t type, int32_t bits)
{
    int filter = conv_is_wgrad(conv), fits = 1;

    *to = (struct tc_layout){.bits = bits, .conv = *conv};
    for (int32_t i = 0; i < 2; i++) {
        if (is_folded(bits, i))
            fold(&to->conv, &to->conv.dim[LAST - 1 + i]);
    }
    if (bits & TC_LAYOUT_A) {
        to->a = copy_a(conv, type, bits);
        fits &= bytes_of(&to->a, &to->a_bytes);
        set_a(&to->conv, &to->a);
    }
    if (bits & TC_LAYOUT_B) {
        to->b = filter                       ? copy_positions(conv, type)
                : bits & TC_LAYOUT_B_K_MAJOR ? copy_k_major(conv, type)
                                             : copy_filters(conv, type, bits);
        fits &= bytes_of(&to->b, &to->b_bytes);
        if (filter)
            set_positions(&to->conv, &to->b);
        else if (bits & TC_LAYOUT_B_K_MAJOR)
            set_k_major(&to->conv, &to->b);
        else
            set_filters(&to->conv, &to->b);
    }
    to->through_workspace = filter ? to->conv.channels != conv->channels || to->conv.n != conv->n
                                   : bits & TC_LAYOUT_FOLD_S && conv_is_dgrad(conv);
    return fits && counts(&to->conv);
}

/* Returns the bytes that a copy reads and writes. An element that several taps read counts once,
 * because caches hold it. */
static double traffic_of(const struct tc_copy *copy)
{
    double each = (double)copy->dims[TC_OUTER] * (double)copy->dims[TC_INNER] *
                  (double)copy->dims[TC_DEPTH] * (double)copy->dims[TC_GROUP] * copy->size;
    double read = (double)copy->window[0].extent * copy->window[1].extent * copy->channels;
    double written =
        (double)copy->dims[TC_HEIGHT] * (double)copy->dims[TC_WIDTH] * (double)copy->lanes;

    return each * (read + written);
}

double tc_layout_traffic(const struct tc_layout *layout)
{
    return (layout->bits & TC_LAYOUT_A ? traffic_of(&layout->a) : 0) +
           (layout->bits & TC_LAYOUT_B ? traffic_of(&layout->b) : 0);
}
