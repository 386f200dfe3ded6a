/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines depthwise convolutions of two dims with square filters of 3, 5 or 7 taps. A result
 * depends on one channel of x; in dgrad with a multiplier, it depends on several channels of dy.
 * Memory bandwidth limits these kernels, so they should read each element only once.
 *
 * A thread moves along one dim: W where channels are adjacent in memory, H where positions are. In
 * the other dim, named `across`, it has a tile of a few results. At each step it reads a column of
 * A that covers the tile, and adds it to every result that uses it. The sums form a ring in
 * registers, one column of which is complete at each step. Thus each tile reads an element once,
 * and no shared memory is needed. Adjacent threads have adjacent channels or adjacent tiles.
 *
 * If there is dilation, taps that are `step` apart meet only every step-th element. The results
 * then form classes, each of which is a convolution without dilation.
 */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_H
#define CUDA_SIMT_CONV_DEPTHWISE_H

#include "../../cuda_common/conv_job.h"
#include "../../cuda_common/divide.h"

/* The strides of a tensor, in elements. */
struct depthwise_side {
    int64_t image, channel;
    int32_t across, along;
};

/*
 * A dim. Result i of class c is position c + i * classes. Its tap t meets element
 * origin + c * stride + (i * U + t) * step of A. U is the stride in the kernel's template. In
 * dgrad with a stride of 2 (depthwise_dgrad_stride2.cu), `origin` is the padding.
 */
struct depthwise_line {
    int32_t a_extent, positions;
    int32_t results; /* extent that is cut into pieces: positions, or pairs of positions */
    int32_t origin, stride, step, classes;
    int32_t pieces; /* tiles, or strips, of a class */
};

/* The arguments of the kernels: a problem and how it is cut. The host computes them. */
struct depthwise_job {
    struct depthwise_line across, along;
    struct depthwise_side x, out, z; /* of A, of the tensor by position, and of z */
    const void *a, *b;               /* A is x, or dy in dgrad; B is the filter, or dy in wgrad */
    conv_output output;
    float *partials;                           /* wgrad: [stream][tap][channel] */
    int64_t tap_first, tap_channel, tap_depth; /* offset and strides in the filter */
    int32_t tap_across, tap_along;
    int32_t channels;   /* of the tensor by position */
    int32_t multiplier; /* channels of the tensor by position for each channel of A */
    int32_t depth;      /* dgrad: channels of dy for each channel of dx */
    int32_t length;  /* results of a strip, within its class; or rows of results of a halo tile */
    int32_t vectors; /* vectors of channels */
    int32_t channels_inside; /* 1 if adjacent threads have adjacent channels, 0 if adjacent tiles */
    int32_t slabs, lanes, slots, streams; /* wgrad: see depthwise_wgrad.cu */
    int64_t threads;
    int32_t tiles; /* DEPTHWISE_BY_HALO and DEPTHWISE_BY_LARGE: tiles of all images */
    struct cuda_divisor by_first, by_second, by_third, by_across, by_along, by_multiplier;
    int32_t first, second, third; /* extents of channels and tiles, in order, then of strips */
};

/* The way in which x reaches threads with two channels of 16 bits. DEPTHWISE_BY_RING reads column
 * by column, with tiles that suit every problem. DEPTHWISE_BY_TALL does the same with tiles of
 * DEPTHWISE_TALL rows. DEPTHWISE_BY_HALO passes x through shared memory, and DEPTHWISE_BY_LARGE
 * does so for filters of 5 x 5 and 7 x 7 taps. */
enum depthwise_form { DEPTHWISE_BY_RING, DEPTHWISE_BY_TALL, DEPTHWISE_BY_HALO, DEPTHWISE_BY_LARGE };

struct depthwise_state {
    int32_t is_possible;
    int32_t type, taps, stride; /* the stride is U, see depthwise_line */
    int32_t lanes;              /* channels of a thread: 1 or 2 */
    int32_t form;
    int32_t shape;         /* number in a list of depthwise_halo.h or depthwise_large_shapes.h */
    int32_t is_full;       /* 1 if the blocks fill at least 7/8 of their waves */
    int32_t spreads, deep; /* dgrad: 1 if the stride is 2; 1 if a result sums several channels */
    int64_t workspace;
    struct depthwise_job job; /* without pointers and factors */
};

/* Fills in `state` for threads with `lanes` channels. Sets is_possible to 1 if the kernels accept
 * the problem. `rank` is for depthwise_large_prepare. */
void depthwise_prepare(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                       const conv &conv, int lanes, enum depthwise_form form, int32_t rank);

/* Runs a convolution. `single` is the same problem cut for threads with one channel. Only those
 * threads support factors, bias and activation. */
int32_t depthwise_run(const depthwise_state *state, const depthwise_state *single,
                      const cuda_call *call, const conv_job &conv);

/* Cuts a problem into halo tiles, those of wgrad if `filter` is 1. Returns 0 if they do not fit. */
int depthwise_halo_prepare(depthwise_state *state, int64_t images, int32_t multiprocessors,
                           int filter);

/* Does the same for filters of 5 x 5 and 7 x 7 taps, by the shape with this rank, see
 * depthwise_large.cu. There are up to DEPTHWISE_LARGE_SHAPES shapes for a problem. */
#define DEPTHWISE_LARGE_SHAPES 4
int depthwise_large_prepare(depthwise_state *state, int64_t images, int32_t multiprocessors,
                            int filter, int32_t rank);

/* These functions launch the kernels for the type, taps, stride and lanes of the state. */
int32_t depthwise_fprop(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job);
int32_t depthwise_halo(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job);
int32_t depthwise_halo_stride2(const depthwise_state *state, const cuda_call *call,
                               const depthwise_job &job);
int32_t depthwise_halo_wgrad(const depthwise_state *state, const cuda_call *call,
                             const depthwise_job &job);
int32_t depthwise_halo_wgrad_stride2(const depthwise_state *state, const cuda_call *call,
                                     const depthwise_job &job);
typedef int32_t large_run(const depthwise_state *state, const cuda_call *call,
                          const depthwise_job &job);
large_run depthwise_large, depthwise_large_fprop5, depthwise_large_fprop7, depthwise_large_wgrad5,
    depthwise_large_wgrad7, depthwise_large_dgrad_stride2;
int32_t depthwise_dgrad_stride2(const depthwise_state *state, const cuda_call *call,
                                const depthwise_job &job);
int32_t depthwise_wgrad(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job);
/* Adds up the partial sums of wgrad. */
int32_t depthwise_wgrad_join(const depthwise_state *state, const cuda_call *call,
                             const depthwise_job &job);

/* The results across in the tile of a thread with `lanes` channels. */
#define DEPTHWISE_TILE(lanes, taps, stride)                                                        \
    ((lanes) == 1 ? 1 : (stride) == 1 && (taps) == 3 ? 4 : 2)
/* The rows of a tall tile. The height of images in many networks is a multiple of 7. */
#define DEPTHWISE_TALL 7
#define DEPTHWISE_TILE_WGRAD(lanes, taps, stride)                                                  \
    ((taps) == 7 ? 1 : DEPTHWISE_TILE(lanes, taps, stride))
#define DEPTHWISE_TILE_DGRAD_STRIDE2(lanes, taps) ((lanes) == 2 && (taps) == 3 ? 4 : 2)

#endif
