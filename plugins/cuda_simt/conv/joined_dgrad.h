/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines dgrad of float to few channels, as in first layers (conv/joined_dgrad.cu). In strided
 * dgrad, each class of positions has taps of its own. This kernel joins the classes: M counts
 * positions of one class, N counts channels of all classes, and K counts the taps that any class
 * has.
 */
#ifndef CUDA_SIMT_CONV_JOINED_DGRAD_H
#define CUDA_SIMT_CONV_JOINED_DGRAD_H

#include "../../cuda_common/conv_job.h"
#include "../../cuda_common/divide.h"

#define JOINED_DIMS 2

/* A dim. Position S * m + e of dx belongs to class e. It meets position m + first + u of dy in tap
 * e + pad - S * (first + u). */
struct joined_dim {
    int32_t a_extent, extent, positions; /* of dy, of dx, of a class of dx */
    int32_t stride, pad, filter, first;
    int32_t taps;             /* number of values of u */
    int32_t a, tap, position; /* strides in dy, w and dx */
    struct cuda_divisor by_positions, by_taps;
};

struct joined_job {
    struct joined_dim dim[JOINED_DIMS];
    const float *a, *b;
    conv_output output;
    int64_t position_image;
    int32_t a_image, a_step, position_step;
    int32_t tap_first, tap_depth, tap_n;
    int32_t m, n, channels, depth; /* n: channels of all classes; depth: channels of dy */
    int32_t taps, steps;
};

struct joined_state {
    int32_t is_possible;
    int32_t is_full;       /* 1 if there are blocks for every multiprocessor */
    int32_t is_wide;       /* 1 if 16 bytes of dy hold 4 channels */
    int32_t shape;         /* number of the kernel */
    struct joined_job job; /* without pointers and factors */
};

/* Fills in the state. Sets is_possible to 1 if the kernel accepts the problem. */
void joined_prepare(joined_state *state, const conv &conv, int32_t multiprocessors);

int32_t joined_run(const joined_state *state, const cuda_call *call, const conv_job &job);

#endif
