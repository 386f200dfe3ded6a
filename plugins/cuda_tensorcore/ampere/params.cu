/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the problems of fprop and dgrad in the family ampere, and fills their parameters
 * (ampere/params.h). It runs on the host. */
#include "params.h"

/* The limit of offsets and steps. They have 31 bits, so sums of two values below 2^30 fit. In
 * wgrad, offsets in the position tensor count chunks of at least 4 elements. */
#define TC_AMPERE_OFFSETS (INT64_C(1) << 30)
#define TC_AMPERE_CHUNKS  4

static int64_t size_of(int64_t n)
{
    return n < 0 ? -n : n;
}

extern "C" int32_t tc_ampere_takes(const struct conv *conv, const struct tc_target *target)
{
    int64_t a = conv->images * conv->a_image;
    int64_t filters = conv->n * size_of(conv->tap_n) + conv->channels * conv->tap_channel;
    int64_t positions = conv->images * size_of(conv->position_image);

    (void)target;
    if (!conv->narrow || conv->classes > TC_AMPERE_CLASSES)
        return 0;
    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];

        if (dim->taps > TC_AMPERE_BITS)
            return 0;
        a += (dim->a_extent + dim->pad + dim->taps * dim->dilation) * size_of(dim->a);
        filters += dim->taps * size_of(dim->tap);
        positions += dim->positions * size_of(dim->position);
    }
    if (conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER &&
        positions / TC_AMPERE_CHUNKS >= TC_AMPERE_OFFSETS)
        return 0;
    return a < TC_AMPERE_OFFSETS && filters < TC_AMPERE_OFFSETS;
}

extern "C" int32_t tc_ampere_takes_one_class(const struct conv *conv,
                                             const struct tc_target *target)
{
    return conv->classes == 1 && tc_ampere_takes(conv, target);
}

static bool is_one(const conv_dim &dim)
{
    return dim.positions == 1 && dim.taps == 1 && dim.a_extent == 1 && dim.pad == 0;
}

int32_t tc_ampere_is_packed(const conv &conv, int32_t width)
{
    int packed = conv.position.step == 1 && conv.n % width == 0 && conv.position_image % width == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        packed &= conv.dim[d].position % width == 0;
    return packed;
}

static void fill_view(tc_ampere_view *to, const conv &conv, int32_t number)
{
    conv_view_make(&to->view, conv, number);
    to->taps = 1;
    to->first_b = (int32_t)conv.tap_first;
    to->images = (int32_t)conv.images;
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_view_dim &dim = to->view.dim[d];
        const conv_dim &of = conv.dim[CONV_FIRST + d];

        to->by[d] = cuda_divisor_of(dim.positions > 0 ? dim.positions : 1);
        to->by_tap[d] = cuda_divisor_of(size_of(dim.at_tap));
        to->tap_a[d] = dim.at_tap * (int32_t)of.a;
        to->tap_b[d] = dim.tap_step * (int32_t)of.tap;
        to->first_b += dim.tap_first * (int32_t)of.tap;
        to->taps *= dim.taps;
    }
    while (to->begin < CONV_DIMS - 1 && is_one(conv.dim[CONV_FIRST + to->begin]))
        to->inside |= 1u << TC_AMPERE_BITS * to->begin++;
}

void tc_ampere_prepare(tc_ampere_params *taps, const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;

    *taps = {};
    tc_slim_of(taps, job);
    taps->stores_by_16 = tc_ampere_is_packed(conv, 16 / element);
    taps->by_n_tiles = cuda_divisor_of(job.n_tiles);
    taps->by_m_tiles = cuda_divisor_of(job.m_tiles);
    taps->by_groups = cuda_divisor_of(conv.groups);
    taps->by_classes = cuda_divisor_of(conv.classes);
    fill_view(&taps->class_of[0], conv, 0);
}

void tc_ampere_list_classes(tc_ampere_classes *classes, const tc_job &job, bool in_order)
{
    const conv &conv = job.conv;
    bool is_dgrad = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
    int32_t begin[CONV_DIMS + 1] = {0};

    *classes = {};
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = conv.dim[CONV_FIRST + d];

        begin[d + 1] =
            begin[d] + (is_dgrad ? conv_least((int32_t)dim.stride, (int32_t)dim.positions) : 1);
    }
    for (int32_t i = 0; i < conv.classes; i++) {
        tc_ampere_class *to = &classes->class_of[i];
        int32_t left;
        conv_view view;

        to->number = in_order ? job.order[i] : (uint8_t)i;
        conv_view_make(&view, conv, to->number);
        left = to->number;
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            const conv_view_dim &dim = view.dim[d];
            int32_t count = begin[d + 1] - begin[d];

            to->choice[d] = (uint8_t)(begin[d] + left % count);
            left /= count;
            classes->choices[to->choice[d]] = {dim.positions, dim.first,
                                               dim.at,        dim.taps,
                                               dim.tap_first, cuda_divisor_of(dim.positions)};
        }
    }
}
