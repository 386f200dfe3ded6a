/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolutions of two dims whose filters are squares of 3, 5 or 7 taps: a result has one
 * channel of x (or some of dy, in dgrad with a multiplier), so that they move
 * memory and nothing else, if each element is read once.
 *
 * A thread walks along one dim, W where channels lie side by side and H where positions do. Of the
 * other dim, across, it has a tile of a few results. At each step it reads a column of A as high as
 * the tile's results reach, and adds it to all results that it is under: those are a ring of sums
 * in registers, a column of which is ready at each step. So an element is read once a tile, and no
 * shared memory is taken. Neighbouring threads have neighbouring channels, or tiles.
 *
 * Dilation: taps that are `step` apart join every step-th element, so that results fall into
 * classes that go their own ways, each like a convolution without dilation.
 */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_H
#define CUDA_SIMT_CONV_DEPTHWISE_H

#include "../../cuda_common/conv_job.h"
#include "../../cuda_common/divide.h"

/* Where an element lies, and how a tensor's are counted. */
struct depthwise_side {
    int64_t image, channel;
    int32_t across, along;
};

/*
 * One dim. Result i of class c is position c + i classes. Its tap t lies over element
 * origin + c stride + (i U + t) step of A, U being the template's stride. In
 * dgrad with a stride of 2 (depthwise_dgrad_stride2.cu) `origin` is the padding.
 */
struct depthwise_line {
    int32_t a_extent, positions;
    int32_t results; /* what pieces are cut of: positions, or pairs of them */
    int32_t origin, stride, step, classes;
    int32_t pieces; /* tiles, or strips, of a class */
};

/* How one problem is cut, made on the host. */
struct depthwise_job {
    struct depthwise_line across, along;
    struct depthwise_side x, out, z; /* A; by position */
    const void *a, *b;               /* A, x or dy; filters, or dy in wgrad */
    conv_output output;
    float *partials;                           /* wgrad: [stream][tap][channel] */
    int64_t tap_first, tap_channel, tap_depth; /* of the filter */
    int32_t tap_across, tap_along;
    int32_t channels;                     /* of the tensor by position */
    int32_t multiplier;                   /* its channels to one of A */
    int32_t depth;                        /* dgrad: the other way round */
    int32_t length;                       /* results of a strip, of its class, or of a halo tile */
    int32_t vectors;                      /* of channels */
    int32_t channels_inside;              /* neighbouring threads: channels, or tiles */
    int32_t slabs, lanes, slots, streams; /* wgrad: see depthwise_wgrad.cu */
    int64_t threads;
    int32_t tiles; /* DEPTHWISE_BY_HALO: of all images */
    struct cuda_divisor by_first, by_second, by_third, by_across, by_along, by_multiplier;
    int32_t first, second, third; /* extents of channels and tiles, in order, and of strips */
};

/* How x comes to threads with two channels of 16 bits: DEPTHWISE_BY_RING column by column, for a
 * tile that fits all; DEPTHWISE_BY_TALL likewise, for tiles of DEPTHWISE_TALL rows;
 * DEPTHWISE_BY_HALO through shared memory. */
enum depthwise_form { DEPTHWISE_BY_RING, DEPTHWISE_BY_TALL, DEPTHWISE_BY_HALO };

struct depthwise_state {
    int32_t is_possible;
    int32_t type, taps, stride; /* U */
    int32_t lanes;              /* channels of a thread: 1, or 2 */
    int32_t form;
    int32_t shape;         /* DEPTHWISE_BY_HALO: see depthwise_halo.cu */
    int32_t is_full;       /* blocks come in waves that are full, or nearly */
    int32_t spreads, deep; /* dgrad: stride 2; sums over several channels */
    int64_t workspace;
    struct depthwise_job job; /* without pointers and factors */
};

/* Fills `state`, with `lanes` channels for a thread; is_possible says whether there is a way. */
void depthwise_prepare(depthwise_state *state, const struct anydnn_plugin_plan *plan,
                       const conv &conv, int lanes, enum depthwise_form form);

/* `single`: how the same is cut with one channel a thread, which alone has factors, bias and
 * activation. */
int32_t depthwise_run(const depthwise_state *state, const depthwise_state *single,
                      const cuda_call *call, const conv_job &conv);

/* Cuts a problem into halo tiles, of wgrad if `filter`; 0 where they do not fit. */
int depthwise_halo_prepare(depthwise_state *state, int64_t images, int32_t multiprocessors,
                           int filter);

/* The kernels' launches, by type, taps, stride and lanes. */
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
int32_t depthwise_dgrad_stride2(const depthwise_state *state, const cuda_call *call,
                                const depthwise_job &job);
int32_t depthwise_wgrad(const depthwise_state *state, const cuda_call *call,
                        const depthwise_job &job);
/* Adds up wgrad's partial sums. */
int32_t depthwise_wgrad_join(const depthwise_state *state, const cuda_call *call,
                             const depthwise_job &job);

/* Results of a tile across, of a thread with so many channels. */
#define DEPTHWISE_TILE(lanes, taps, stride)                                                        \
    ((lanes) == 1 ? 1 : (stride) == 1 && (taps) == 3 ? 4 : 2)
/* For images whose height is a multiple of it, as many networks' are. */
#define DEPTHWISE_TALL 7
#define DEPTHWISE_TILE_WGRAD(lanes, taps, stride)                                                  \
    ((taps) == 7 ? 1 : DEPTHWISE_TILE(lanes, taps, stride))
#define DEPTHWISE_TILE_DGRAD_STRIDE2(lanes, taps) ((lanes) == 2 && (taps) == 3 ? 4 : 2)

#endif
