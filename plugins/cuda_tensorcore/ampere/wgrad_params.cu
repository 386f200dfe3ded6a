/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the host fills the parameters of wgrad in the family ampere (ampere/wgrad_params.h).
 */
#include "wgrad_params.h"

tc_wgrad_output tc_wgrad_output_of(const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;
    int64_t each = 16 / element;
    int64_t steps = conv.columns > 1 ? conv.tap_column : 0;
    tc_wgrad_output results = {};

    steps |= conv.tap_first | (conv.groups > 1 ? conv.tap_group : 0);
    results.group = conv.tap_group;
    results.first = (int32_t)conv.tap_first;
    results.channel = (int32_t)conv.tap_depth;
    results.column = (int32_t)conv.tap_column;
    results.rows = job.rows;
    results.columns = (int32_t)conv.columns;
    results.depth = (int32_t)conv.depth;
    results.by_rows = cuda_divisor_of(job.rows);
    results.by_columns = cuda_divisor_of(conv.columns);
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
    return packed && results.column == results.rows &&
           results.group == (int64_t)results.columns * results.rows;
}

static tc_ampere_wgrad_dim dim_of(const conv_dim &dim, int64_t each)
{
    tc_ampere_wgrad_dim made = {};

    made.positions = (int32_t)dim.positions;
    made.taps = (int32_t)dim.taps;
    made.gathered = (int32_t)dim.gathered;
    made.at = -(int32_t)dim.pad;
    made.at_position = (int32_t)dim.stride;
    made.at_tap = (int32_t)dim.dilation;
    made.x = (int32_t)dim.x;
    made.tap_x = (int32_t)(dim.dilation * dim.x);
    made.other = (int32_t)(dim.position / each);
    made.by_positions = cuda_divisor_of(dim.positions);
    made.by_at_tap = cuda_divisor_of(dim.dilation);
    return made;
}

/* Whether a dim's positions are all of its coordinates, each under one tap. */
static bool is_whole(const tc_ampere_wgrad_dim &dim)
{
    return dim.taps == 1 && dim.at == 0 && dim.at_position == 1 && dim.positions == dim.gathered;
}

static int32_t places_of(const tc_ampere_wgrad_params &filter)
{
    int64_t positions = 1;
    bool even = true, dense = true;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const tc_ampere_wgrad_dim &dim = filter.dim[d], &last = filter.dim[CONV_DIMS - 1];

        even &= is_whole(dim) && (dim.positions == 1 || (dim.x == positions * last.x &&
                                                         dim.other == positions * last.other));
        dense &= dim.taps == 1 || dim.at_tap == 1;
        positions *= dim.positions;
        if (d == 0 && even &&
            (filter.positions == positions || (filter.x_image == positions * last.x &&
                                               filter.other_image == positions * last.other)))
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

    filter.row_tiles = job.row_tiles;
    filter.column_tiles = job.column_tiles;
    filter.groups = (int32_t)conv.groups;
    filter.by_row_tiles = cuda_divisor_of(job.row_tiles);
    filter.by_column_tiles = cuda_divisor_of(job.column_tiles);
    filter.each = job.each;
    filter.by_groups = cuda_divisor_of(conv.groups);
    filter.positions = (int32_t)(conv.images * conv_positions(&conv));
    filter.x_image = (int32_t)conv.x_image;
    filter.other_image = (int32_t)(conv.position_image / each);
    for (int d = 0; d < CONV_DIMS; d++)
        filter.dim[d] = dim_of(conv.dim[CONV_FIRST + d], each);
    filter.places = places_of(filter);
    filter.results = tc_wgrad_output_of(job, element);
    return filter;
}
