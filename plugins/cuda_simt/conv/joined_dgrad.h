/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dgrad of float to few channels, as first layers have it (conv/joined_dgrad.cu). In strided dgrad
 * each class of positions has taps of its own; here the classes are joined: M are positions of one
 * class, N channels of all classes, K the taps that any of them has.
 */
#ifndef CUDA_SIMT_CONV_JOINED_DGRAD_H
#define CUDA_SIMT_CONV_JOINED_DGRAD_H

#include "../../cuda_common/conv_job.h"
#include "../../cuda_common/divide.h"

#define JOINED_DIMS 2

/* Position S m + e of dx (e: its class) and position m + first + u of dy meet in tap
 * e + pad - S (first + u). */
struct joined_dim {
    int32_t a_extent, extent, positions; /* of dy, of dx, of a class of dx */
    int32_t stride, pad, filter, first;
    int32_t taps;             /* u */
    int32_t a, tap, position; /* steps in dy, w, dx */
    struct cuda_divisor by_positions, by_taps;
};

struct joined_job {
    struct joined_dim dim[JOINED_DIMS];
    const float *a, *b;
    conv_output output;
    int64_t position_image;
    int32_t a_image, a_step, position_step;
    int32_t tap_first, tap_depth, tap_n;
    int32_t m, n, channels, depth; /* n: channels of all classes; of a class */
    int32_t taps, steps;
};

struct joined_state {
    int32_t is_possible;
    int32_t is_full;       /* there are blocks for every multiprocessor */
    int32_t is_wide;       /* dy has 4 channels in 16 bytes */
    int32_t shape;         /* number of the kernel */
    struct joined_job job; /* without pointers and factors */
};

/* is_possible says whether there is a way. */
void joined_prepare(joined_state *state, const conv &conv, int32_t multiprocessors);

int32_t joined_run(const joined_state *state, const cuda_call *call, const conv_job &job);

#endif
