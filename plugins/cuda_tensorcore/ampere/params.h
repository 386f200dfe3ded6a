/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of the kernels of fprop and dgrad in the family ampere. These kernels
 * work like mma/gemm.h, but require that almost all coordinates can be computed before the main
 * loop. Operands must be loaded by 16 bytes, there must be few classes, and offsets must have 31
 * bits. The host makes the view of each class. A block computes the offset of each m under the
 * first tap, and masks of the taps of each dim that are inside. In the loop, a step to the next
 * tile takes one addition and one test per 16 bytes. */
#ifndef CUDA_TENSORCORE_AMPERE_PARAMS_H
#define CUDA_TENSORCORE_AMPERE_PARAMS_H

#include "../common/launch.h"

/* The most classes of a job, and the taps along a dim for which a mask has bits. */
#define TC_AMPERE_CLASSES 8
#define TC_AMPERE_BITS    10

struct tc_ampere_view {
    conv_view view;
    int32_t taps;                   /* taps of all dims, without channels */
    int32_t first_b;                /* offset of the first tap in B */
    cuda_divisor by[CONV_DIMS];     /* divisors by positions */
    cuda_divisor by_tap[CONV_DIMS]; /* divisors by the distance of taps in A */
    int32_t tap_a[CONV_DIMS];       /* from tap to tap in A */
    int32_t tap_b[CONV_DIMS];       /* from tap to tap in B */
    int32_t images;
    int32_t begin;   /* earlier dims have one position and one tap */
    uint32_t inside; /* mask of these dims' taps, which are inside */
};

struct tc_ampere_params : tc_slim_params {
    cuda_divisor by_n_tiles, by_m_tiles, by_groups, by_classes;
    tc_ampere_view class_of[1]; /* the view of the first class */
};

/* A choice for one dim in dgrad with several classes. Each dim has min(stride, positions)
 * choices, and a class consists of one choice per dim. This struct holds the values in which
 * choices differ; the first class's view holds the rest. */
struct tc_ampere_residue {
    int32_t positions, first, at, taps, tap_first;
    cuda_divisor by;
};

/* A class: its number and its choices. */
struct tc_ampere_class {
    uint8_t number, choice[CONV_DIMS];
};

struct tc_ampere_classes {
    tc_ampere_class class_of[TC_AMPERE_CLASSES];
    tc_ampere_residue choices[TC_AMPERE_CLASSES + CONV_DIMS - 1];
};

/* The parameters of dgrad with several classes. Classes with many taps come first. */
struct tc_ampere_classes_params : tc_ampere_params {
    tc_ampere_classes classes;
};

/* The coordinates of a block. */
struct tc_ampere_block {
    int32_t first_m, first_n, number, group, split;
};

/* Returns the coordinates of a block. `number` is the index in the order of the classes. */
__device__ static inline tc_ampere_block tc_ampere_block_at(const tc_ampere_params &job, int32_t id,
                                                            int tile_m, int tile_n)
{
    tc_ampere_block block;
    uint32_t left = (uint32_t)id, next = cuda_divide(left, job.by_n_tiles);

    block.first_n = (int32_t)(left - next * (uint32_t)job.n_tiles) * tile_n;
    left = next;
    next = cuda_divide(left, job.by_m_tiles);
    block.first_m = (int32_t)(left - next * (uint32_t)job.m_tiles) * tile_m;
    left = next;
    next = cuda_divide(left, job.by_groups);
    block.group = (int32_t)(left - next * (uint32_t)job.conv.groups);
    left = next;
    next = cuda_divide(left, job.by_classes);
    block.number = (int32_t)(left - next * (uint32_t)job.conv.classes);
    block.split = (int32_t)next;
    return block;
}

/* Copies the choice of a dim into a view. */
CUDA_BOTH void tc_ampere_apply_residue(tc_ampere_view *view, int d, const tc_ampere_residue &choice)
{
    conv_view_dim &dim = view->view.dim[d];

    dim.positions = choice.positions;
    dim.first = choice.first;
    dim.at = choice.at;
    dim.taps = choice.taps;
    dim.tap_first = choice.tap_first;
    view->by[d] = choice.by;
}

/* Makes the view of a class in shared memory. The caller must synchronize the block afterwards. */
__device__ static inline void tc_ampere_make_view(tc_ampere_view *view,
                                                  const tc_ampere_classes_params &job,
                                                  const tc_ampere_class &of)
{
    const tc_ampere_view &first = job.class_of[0];
    int d = (int)threadIdx.x;

    if (d < CONV_DIMS) {
        view->view.dim[d].step = first.view.dim[d].step;
        view->view.dim[d].at_position = first.view.dim[d].at_position;
        view->view.dim[d].at_tap = first.view.dim[d].at_tap;
        view->by_tap[d] = first.by_tap[d];
        view->tap_a[d] = first.tap_a[d];
        view->tap_b[d] = first.tap_b[d];
        tc_ampere_apply_residue(view, d, job.classes.choices[of.choice[d]]);
    } else if (d == CONV_DIMS) {
        int32_t positions = first.images, taps = 1, first_b = job.conv.tap_first;

#pragma unroll
        for (int e = 0; e < CONV_DIMS; e++) {
            const tc_ampere_residue &choice = job.classes.choices[of.choice[e]];

            positions *= choice.positions;
            taps *= choice.taps;
            first_b += choice.tap_first * job.conv.dim[CONV_FIRST + e].tap;
        }
        view->view.positions = positions;
        view->view.taps = taps * job.conv.channels;
        view->taps = taps;
        view->first_b = first_b;
        view->images = first.images;
        view->begin = first.begin;
        view->inside = first.inside;
    }
}

/* A position: its offset in A under the first tap, a mask of the taps that are inside, and its
 * offset in C. The offset in C is < 0 if the position does not exist. It is computed while the
 * first copies are in flight (tc_ampere_output_offset). The mask has TC_AMPERE_BITS bits per
 * dim, from the low bits on. */
struct alignas(16) tc_ampere_position {
    int32_t a;
    uint32_t inside;
    int64_t c;
};

/* Returns the mask of a dim's taps that are inside. The first tap reads coordinate `at`. If taps
 * go backwards, coordinates are counted from the tensor's other end. */
__device__ static inline uint32_t
tc_ampere_mask(const conv_view_dim &dim, const cuda_divisor &by_tap, int32_t a_extent, int32_t at)
{
    int32_t apart = dim.at_tap < 0 ? -dim.at_tap : dim.at_tap;
    int32_t from = dim.at_tap < 0 ? a_extent - 1 - at : at, room = a_extent - from;
    int32_t before = from < 0 ? (int32_t)cuda_divide((uint32_t)(apart - 1 - from), by_tap) : 0;
    int32_t until = room > 0 ? (int32_t)cuda_divide((uint32_t)(room + apart - 1), by_tap) : 0;

    return ((1u << conv_least(until, dim.taps)) - 1) & (~0u << conv_least(before, dim.taps));
}

__device__ static inline tc_ampere_position
tc_ampere_position_at(const tc_conv &conv, const tc_ampere_view &view, int32_t index)
{
    tc_ampere_position coords = {0, view.inside, 0};
    uint32_t left = (uint32_t)index;

    if (index >= view.view.positions)
        return {0, 0, 0};
#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.view.dim[d];
        const tc_conv_dim &of = conv.dim[CONV_FIRST + d];

        if (d < view.begin)
            break;
        uint32_t next = cuda_divide(left, view.by[d]);
        int32_t along = (int32_t)(left - next * (uint32_t)dim.positions);
        int32_t at = dim.at + along * dim.at_position;

        left = next;
        coords.a += at * of.a;
        coords.inside |= tc_ampere_mask(dim, view.by_tap[d], of.a_extent, at)
                         << (TC_AMPERE_BITS * d);
    }
    coords.a += (int32_t)left * conv.a_image;
    return coords;
}

/* Returns the offset of a position in C, or in z. */
__device__ static inline int64_t
tc_ampere_output_offset(const tc_conv &conv, const tc_ampere_view &view, int32_t index, bool z)
{
    uint32_t left = (uint32_t)index;
    int64_t position = 0;

#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.view.dim[d];
        const tc_conv_dim &of = conv.dim[CONV_FIRST + d];
        uint32_t next = cuda_divide(left, view.by[d]);
        int32_t along = (int32_t)(left - next * (uint32_t)dim.positions);

        left = next;
        position += (dim.first + along * dim.step) * (z ? of.z : of.position);
    }
    return position + left * (z ? conv.z_image : conv.position_image);
}

/* ------------------------------------------------------------------ on the host, ampere/params.cu
 */

/* These functions return 1 if the kernels support a geometry. */
extern "C" int32_t tc_ampere_takes(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_ampere_takes_one_class(const struct conv *conv,
                                             const struct tc_target *target);

/* Returns 1 if unscaled results are contiguous along N, in groups of `width` that begin at
 * multiples of `width`. */
int32_t tc_ampere_is_packed(const conv &conv, int32_t width);

/* Fills the parameters, except for the arguments of a call. `element` is the size of an output
 * element in bytes. */
void tc_ampere_prepare(tc_ampere_params *taps, const tc_job &job, int32_t element);

/* Lists the classes of dgrad, in the job's order or in numerical order. */
void tc_ampere_list_classes(tc_ampere_classes *classes, const tc_job &job, bool in_order);

#endif
