/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of wgrad in the family ampere. M counts taps and channels, N filters,
 * and K positions. The host computes all values that it can, divisions are multiplications, and
 * the parameters fit in a few lines of constant memory. */
#ifndef CUDA_TENSORCORE_AMPERE_WGRAD_PARAMS_H
#define CUDA_TENSORCORE_AMPERE_WGRAD_PARAMS_H

#include "params.h"

/* The ways to store results: 16 contiguous bytes of them, either unchanged or blended, or single
 * elements. */
enum { TC_WGRAD_STORE_ROUNDED, TC_WGRAD_STORE_16_BYTES, TC_WGRAD_STORE_ELEMENTS };

/* The output: its strides from channel to channel, filter to filter, group to group and tap to
 * tap. */
struct tc_wgrad_output {
    void *data;
    cuda_blend blend;
    int64_t group;
    int32_t first, channel, filter, tap[CONV_DIMS];
    int32_t m, n, channels, taps[CONV_DIMS];
    cuda_divisor by_m, by_n, by_channels, by_taps[CONV_DIMS];
    int32_t lined; /* 1 if 16-byte groups of results are contiguous and aligned */
    int32_t how;
};

/* The ways to compute the offsets of positions. EVEN: they grow evenly over all positions, with
 * one tap. PLANES: by the last two dims, with adjacent taps. DIMS: by all dims. */
enum { TC_AMPERE_WGRAD_EVEN, TC_AMPERE_WGRAD_PLANES, TC_AMPERE_WGRAD_DIMS };

/* A dim of positions. `at`, `at_position` and `at_tap` are coordinates in A (x): of the first
 * tap at the first position, per position and per tap. Steps in A count elements; those in B
 * (dy) count chunks of 16 bytes. */
struct tc_ampere_wgrad_dim {
    cuda_divisor by_positions, by_at_tap;
    int32_t positions, taps, a_extent;
    int32_t at, at_position, at_tap;
    int32_t a, tap_a, b;
};

struct tc_ampere_wgrad_params {
    const void *a, *b;
    float *partial;                                /* NULL if K is not split */
    int32_t m_tiles, n_tiles, groups, k_per_split; /* k_per_split counts tiles */
    cuda_divisor by_n_tiles, by_m_tiles, by_groups;
    int32_t positions, a_image, b_image;
    int32_t walk; /* TC_AMPERE_WGRAD_EVEN and so on */
    tc_ampere_wgrad_dim dim[CONV_DIMS];
    tc_wgrad_output results;
};

/* The coordinates of a block. */
struct tc_ampere_wgrad_block {
    int32_t first_m, first_n, group, split;
};

/* Returns the coordinates of a block. Tiles along N vary fastest, so that blocks that read the
 * same part of A run at the same time. */
__device__ static inline tc_ampere_wgrad_block
tc_ampere_wgrad_block_at(const tc_ampere_wgrad_params &job, uint32_t id, int tile_m, int tile_n)
{
    uint32_t m_tile = cuda_divide(id, job.by_n_tiles);
    uint32_t group = cuda_divide(m_tile, job.by_m_tiles);
    uint32_t split = cuda_divide(group, job.by_groups);
    tc_ampere_wgrad_block block;

    block.first_n = (int32_t)(id - m_tile * (uint32_t)job.n_tiles) * tile_n;
    block.first_m = (int32_t)(m_tile - group * (uint32_t)job.m_tiles) * tile_m;
    block.group = (int32_t)(group - split * (uint32_t)job.groups);
    block.split = (int32_t)split;
    return block;
}

/* An index along M: its channel, and its tap along each dim. */
struct tc_wgrad_m_index {
    int32_t channel, tap[CONV_DIMS];
};

__device__ static inline tc_wgrad_m_index tc_wgrad_m_of(const tc_wgrad_output &results, uint32_t m)
{
    uint32_t left = cuda_divide(m, results.by_channels);
    tc_wgrad_m_index made;

    made.channel = (int32_t)(m - left * (uint32_t)results.channels);
#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        uint32_t next = cuda_divide(left, results.by_taps[d]);

        made.tap[d] = (int32_t)(left - next * (uint32_t)results.taps[d]);
        left = next;
    }
    return made;
}

/* Returns the offset of an index in a filter. */
__device__ static inline int32_t tc_wgrad_m_offset(const tc_wgrad_output &results,
                                                   const tc_wgrad_m_index &index)
{
    int32_t at = results.first + index.channel * results.channel;

#pragma unroll
    for (int d = 0; d < CONV_DIMS; d++)
        at += index.tap[d] * results.tap[d];
    return at;
}

/* Stores N contiguous results, aligned to their bytes. */
template <class E, int N, class A>
__device__ static inline void tc_wgrad_store_vector(E *to, const A (&sum)[N],
                                                    const cuda_blend &blend)
{
    struct alignas(N * sizeof(E)) vector {
        E value[N];
    } results;

    if (blend.beta != 0)
        results = *(const vector *)to;
#pragma unroll
    for (int n = 0; n < N; n++)
        cuda_blend_store(&results.value[n], sum[n], blend);
    *(vector *)to = results;
}

/* Returns the index of a partial sum. Taps and channels are contiguous in a split, as in a
 * packed filter. */
CUDA_BOTH int64_t tc_wgrad_partial_at(int64_t groups, int64_t n_end, int64_t m_end, int32_t split,
                                      int32_t group, int32_t n, int32_t m)
{
    return ((split * groups + group) * n_end + n) * m_end + m;
}

/* ------------------------------------------------------------------ on the host */

/* Returns the output without the arguments of a call. `element` is the size of a result in
 * bytes. */
tc_wgrad_output tc_wgrad_output_of(const tc_job &job, int32_t element);

/* Returns true if results have the layout of a split. */
bool tc_wgrad_is_packed(const tc_wgrad_output &results);

tc_ampere_wgrad_params tc_ampere_wgrad_prepare(const tc_job &job, int32_t element);

static inline void tc_bind(tc_wgrad_output *results, const tc_arguments &args)
{
    bool plain = args.blend.alpha == 1 && args.blend.beta == 0;

    results->data = args.output;
    results->blend = args.blend;
    results->how = !results->lined || (uintptr_t)args.output % 16 != 0 ? TC_WGRAD_STORE_ELEMENTS
                   : plain                                             ? TC_WGRAD_STORE_ROUNDED
                                                                       : TC_WGRAD_STORE_16_BYTES;
}

static inline void tc_bind(tc_ampere_wgrad_params *job, const tc_arguments &args)
{
    job->a = args.a;
    job->b = args.b;
    job->partial = (float *)args.partial;
    tc_bind(&job->results, args);
}

static inline int32_t tc_settle(tc_ampere_wgrad_params *)
{
    return 0;
}

#endif
