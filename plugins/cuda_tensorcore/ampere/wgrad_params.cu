/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the parameters of wgrad in the family ampere (ampere/wgrad_params.h). It runs on the
 * host. */
#include "wgrad_params.h"

tc_wgrad_output tc_wgrad_output_of(const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;
    int64_t per_chunk = 16 / element;
    int64_t steps = conv.n > 1 ? conv.tap_n : 0;
    tc_wgrad_output results = {};

    steps |= conv.tap_first | (conv.groups > 1 ? conv.tap_group : 0);
    results.group = conv.tap_group;
    results.first = (int32_t)conv.tap_first;
    results.channel = (int32_t)conv.tap_channel;
    results.filter = (int32_t)conv.tap_n;
    results.m = job.m;
    results.n = (int32_t)conv.n;
    results.channels = (int32_t)conv.channels;
    results.by_m = cuda_divisor_of(job.m);
    results.by_n = cuda_divisor_of(conv.n);
    results.by_channels = cuda_divisor_of(conv.channels);
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = conv.dim[CONV_FIRST + d];

        results.tap[d] = (int32_t)dim.tap;
        results.taps[d] = (int32_t)dim.taps;
        results.by_taps[d] = cuda_divisor_of(dim.taps);
        steps |= dim.taps > 1 ? dim.tap : 0;
    }
    results.lined = conv.tap_channel == 1 && steps % per_chunk == 0;
    return results;
}

bool tc_wgrad_is_packed(const tc_wgrad_output &results)
{
    int32_t apart = results.channels;
    bool packed = results.channel == 1 && results.first == 0;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        packed &= results.taps[d] == 1 || results.tap[d] == apart;
        apart *= results.taps[d];
    }
    return packed && results.filter == results.m && results.group == (int64_t)results.n * results.m;
}

static tc_ampere_wgrad_dim dim_of(const conv_dim &dim, int64_t per_chunk)
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
    made.b = (int32_t)(dim.position / per_chunk);
    made.by_positions = cuda_divisor_of(dim.positions);
    made.by_at_tap = cuda_divisor_of(dim.dilation);
    return made;
}

/* Returns true if a dim's positions are all of its coordinates, and each has one tap. */
static bool is_whole(const tc_ampere_wgrad_dim &dim)
{
    return dim.taps == 1 && dim.at == 0 && dim.at_position == 1 && dim.positions == dim.a_extent;
}

static int32_t walk_of(const tc_ampere_wgrad_params &params)
{
    int64_t positions = 1;
    bool even = true, dense = true;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const tc_ampere_wgrad_dim &dim = params.dim[d], &last = params.dim[CONV_DIMS - 1];

        even &= is_whole(dim) && (dim.positions == 1 ||
                                  (dim.a == positions * last.a && dim.b == positions * last.b));
        dense &= dim.taps == 1 || dim.at_tap == 1;
        positions *= dim.positions;
        if (d == 0 && even &&
            (params.positions == positions ||
             (params.a_image == positions * last.a && params.b_image == positions * last.b)))
            return TC_AMPERE_WGRAD_EVEN;
    }
    return dense && is_whole(params.dim[0]) && params.dim[0].positions == 1 ? TC_AMPERE_WGRAD_PLANES
                                                                            : TC_AMPERE_WGRAD_DIMS;
}

tc_ampere_wgrad_params tc_ampere_wgrad_prepare(const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;
    int64_t per_chunk = 16 / element;
    tc_ampere_wgrad_params params = {};

    params.m_tiles = job.m_tiles;
    params.n_tiles = job.n_tiles;
    params.groups = (int32_t)conv.groups;
    params.by_m_tiles = cuda_divisor_of(job.m_tiles);
    params.by_n_tiles = cuda_divisor_of(job.n_tiles);
    params.k_per_split = job.k_per_split;
    params.by_groups = cuda_divisor_of(conv.groups);
    params.positions = (int32_t)(conv.images * conv_positions(&conv));
    params.a_image = (int32_t)conv.a_image;
    params.b_image = (int32_t)(conv.position_image / per_chunk);
    for (int d = 0; d < CONV_DIMS; d++)
        params.dim[d] = dim_of(conv.dim[CONV_FIRST + d], per_chunk);
    params.walk = walk_of(params);
    params.results = tc_wgrad_output_of(job, element);
    return params;
}
