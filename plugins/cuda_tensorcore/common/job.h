/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of the kernels, in the host's form and in a slim form, and computes
 * which tile a block processes. */
#ifndef CUDA_TENSORCORE_COMMON_JOB_H
#define CUDA_TENSORCORE_COMMON_JOB_H

#include "../../cuda_common/conv_coords.h"
#include "../../cuda_common/index.h"
#include "../tensorcore.h"

/* The largest number of classes whose order a job stores. If there are more, they run in
 * numerical order. */
#define TC_CLASSES 64

/* The job of a kernel. `k_per_split` counts tiles along K. In dgrad, classes with many taps run
 * first, so that the blocks that begin last are short. */
struct tc_job : conv_job {
    const anydnn_plugin_context *context; /* context of the device, for the host only */
    int32_t tile[5];                      /* chosen by the kernel's `plan` function */
    int32_t has_order;
    uint8_t order[TC_CLASSES];
};

/* ------------------------------------------------------------------ slim parameters */

/* The part of a geometry that the kernels of all families except mma use, with the names of
 * struct conv. There are three dims. 31 bits hold all values except those that enter offsets of
 * results and of partial sums. Parameters are small, because each launch copies them and each
 * multiprocessor fetches them. */
struct tc_conv_dim {
    int64_t position, z;
    int32_t a_extent, a, tap;
};

/* The last CONV_DIMS dims, indexed as in struct conv. */
template <class DIM> struct tc_dims {
    DIM last[CONV_DIMS];

    __host__ __device__ const DIM &operator[](int d) const
    {
        return last[d - CONV_FIRST];
    }
};

struct tc_conv_step {
    int64_t step;
};

struct tc_conv {
    int32_t channels, classes, a_image, tap_first;
    int64_t groups, n;
    int64_t tap_group, tap_channel, tap_n;
    int64_t position_image, z_image;
    tc_conv_step position, z;
    tc_dims<tc_conv_dim> dim;
};

struct tc_slim_params {
    int32_t m_tiles, n_tiles, splits;
    int32_t m; /* M of the largest class */
    int32_t c_is_m_major;
    int32_t stores_by_16; /* 1 if unchanged results go to packed lines of N, by 16 bytes */
    const void *a, *b;
    void *partial;
    tc_conv conv;
    conv_output output;
};

static inline tc_conv tc_conv_of(const conv &from)
{
    tc_conv to = {};

    to.channels = (int32_t)from.channels;
    to.classes = (int32_t)from.classes;
    to.a_image = (int32_t)from.a_image;
    to.tap_first = (int32_t)from.tap_first;
    to.groups = from.groups;
    to.n = from.n;
    to.tap_group = from.tap_group;
    to.tap_channel = from.tap_channel;
    to.tap_n = from.tap_n;
    to.position_image = from.position_image;
    to.z_image = from.z_image;
    to.position.step = from.position.step;
    to.z.step = from.z.step;
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = from.dim[CONV_FIRST + d];

        to.dim.last[d] = {dim.position, dim.z, (int32_t)dim.a_extent, (int32_t)dim.a,
                          (int32_t)dim.tap};
    }
    return to;
}

/* Fills in everything except the arguments of a call. */
static inline void tc_slim_of(tc_slim_params *to, const tc_job &from)
{
    to->m_tiles = from.m_tiles;
    to->n_tiles = from.n_tiles;
    to->splits = from.splits;
    to->m = from.m;
    to->c_is_m_major = from.c_is_m_major;
    to->conv = tc_conv_of(from.conv);
    to->output = from.output;
}

/* Computes the offset of a tap's channel in the filters; channels vary fastest. The other
 * coordinates are not computed. */
CUDA_BOTH void conv_coords_of_tap(conv_coords *coords, const tc_conv &conv, const conv_view &view,
                                  int32_t index, bool)
{
    int32_t channel = index % conv.channels;

    index /= conv.channels;
    coords->bc = conv.tap_first + channel * conv.tap_channel;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        int32_t t = index % dim.taps;

        index /= dim.taps;
        coords->bc += (dim.tap_first + (int64_t)t * dim.tap_step) * conv.dim[CONV_FIRST + d].tap;
    }
}

/* ------------------------------------------------------------------ blocks */

/* The coordinates of a block. */
struct tc_block {
    int32_t first_m, n_tile, unit, group, split;
    int32_t m, n, k;    /* sizes of its class; n counts from the tile's first n on */
    int32_t begin, end; /* tiles along K */
    int64_t a, b;       /* A: offset of the group; B: of the group and the tile's first n */
    conv_view view;
};

/* Computes the coordinates of a block. Tiles along N vary fastest, so that blocks that read the
 * same part of A run at the same time. */
__device__ static inline void tc_block_at(tc_block *block, const tc_job &job, int32_t id,
                                          int tile_m, int tile_n, int tile_k)
{
    const conv &conv = job.conv;
    int32_t classes = (int32_t)conv.classes, groups = (int32_t)conv.groups, number, first;
    bool is_wgrad = conv_job_is_wgrad(job);

    block->n_tile = id % job.n_tiles;
    id /= job.n_tiles;
    block->first_m = id % job.m_tiles * tile_m;
    id /= job.m_tiles;
    block->group = id % groups;
    id /= groups;
    number = job.has_order ? job.order[id % classes] : id % classes;
    block->split = id / classes;
    block->unit = block->group * classes + number;
    conv_view_make(&block->view, conv, number);
    first = block->n_tile * tile_n;
    block->m = is_wgrad ? block->view.taps : block->view.positions;
    block->k = is_wgrad ? block->view.positions : block->view.taps;
    block->n = (int32_t)conv.n - first;
    block->begin = block->split * job.k_per_split;
    block->end = conv_least((block->k + tile_k - 1) / tile_k, block->begin + job.k_per_split);
    block->a = conv_channel(conv.a, block->group * conv.channels);
    block->b = is_wgrad ? (block->group * conv.n + first) * conv.position.step
                        : block->group * conv.tap_group + (int64_t)first * conv.tap_n;
}

#endif
