/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the host fills the parameters of wgrad in the family ampere (ampere/wgrad_params.h).
 */
#include "wgrad_params.h"

tc_wgrad_output tc_wgrad_output_of(const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;
    int64_t each = 16 / element;
    int64_t steps = conv.n > 1 ? conv.tap_n : 0;
    tc_wgrad_output results = {};

    steps |= conv.tap_first | (conv.groups > 1 ? conv.tap_group : 0);
    results.group = conv.tap_group;
    results.first = (int32_t)conv.tap_first;
    results.channel = (int32_t)conv.tap_depth;
    results.filter = (int32_t)conv.tap_n;
    results.m = job.m;
    results.n = (int32_t)conv.n;
    results.depth = (int32_t)conv.depth;
    results.by_m = cuda_divisor_of(job.m);
    results.by_n = cuda_divisor_of(conv.n);
    results.by_depth = cuda_divisor_of(conv.depth);
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = conv.dim[CONV_FIRST + d];

        results.tap[d] = (int32_t)dim.tap;
        results.taps[d] = (int32_t)dim.taps;
        results.by_taps[d] = cuda_divisor_of(dim.taps);
        steps |= dim.taps > 1 ? dim.tap : 0;
    }
    results.lined = conv.tap_depth == 1 && steps % each == 0;
    return results;
}

bool tc_wgrad_is_packed(const tc_wgrad_output &results)
{
    int32_t apart = results.depth;
    bool packed = results.channel == 1 && results.first == 0;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        packed &= results.taps[d] == 1 || results.tap[d] == apart;
        apart *= results.taps[d];
    }
    return packed && results.filter == results.m && results.group == (int64_t)results.n * results.m;
}

static tc_ampere_wgrad_dim dim_of(const conv_dim &dim, int64_t each)
{
    tc_ampere_wgrad_dim made = {};

    made.positions = (int32_t)dim.positions;
    made.taps = (int32_t)dim.taps;
    made.a_extent = (int32_t)dim.a_extent;
    made.at = -(int32_t)dim.pad;
    made.at_position = (int32_t)dim.stride;
    made.at_tap = (int32_t)dim.dilation;
    made.a = (int32_t)dim.a;
    made.tap_a = (int32_t)(dim.dilation * dim.a);
    made.b = (int32_t)(dim.position / each);
    made.by_positions = cuda_divisor_of(dim.positions);
    made.by_at_tap = cuda_divisor_of(dim.dilation);
    return made;
}

/* Whether a dim's positions are all of its coordinates, each under one tap. */
static bool is_whole(const tc_ampere_wgrad_dim &dim)
{
    return dim.taps == 1 && dim.at == 0 && dim.at_position == 1 && dim.positions == dim.a_extent;
}

static int32_t places_of(const tc_ampere_wgrad_params &filter)
{
    int64_t positions = 1;
    bool even = true, dense = true;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const tc_ampere_wgrad_dim &dim = filter.dim[d], &last = filter.dim[CONV_DIMS - 1];

        even &= is_whole(dim) && (dim.positions == 1 ||
                                  (dim.a == positions * last.a && dim.b == positions * last.b));
        dense &= dim.taps == 1 || dim.at_tap == 1;
        positions *= dim.positions;
        if (d == 0 && even &&
            (filter.positions == positions ||
             (filter.a_image == positions * last.a && filter.b_image == positions * last.b)))
            return TC_AMPERE_WGRAD_EVEN;
    }
    return dense && is_whole(filter.dim[0]) && filter.dim[0].positions == 1 ? TC_AMPERE_WGRAD_PLANES
                                                                            : TC_AMPERE_WGRAD_DIMS;
}

tc_ampere_wgrad_params tc_ampere_wgrad_prepare(const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;
    int64_t each = 16 / element;
    tc_ampere_wgrad_params filter = {};

    filter.m_tiles = job.m_tiles;
    filter.n_tiles = job.n_tiles;
    filter.groups = (int32_t)conv.groups;
    filter.by_m_tiles = cuda_divisor_of(job.m_tiles);
    filter.by_n_tiles = cuda_divisor_of(job.n_tiles);
    filter.k_per_split = job.k_per_split;
    filter.by_groups = cuda_divisor_of(conv.groups);
    filter.positions = (int32_t)(conv.images * conv_positions(&conv));
    filter.a_image = (int32_t)conv.a_image;
    filter.b_image = (int32_t)(conv.position_image / each);
    for (int d = 0; d < CONV_DIMS; d++)
        filter.dim[d] = dim_of(conv.dim[CONV_FIRST + d], each);
    filter.places = places_of(filter);
    filter.results = tc_wgrad_output_of(job, element);
    return filter;
}
