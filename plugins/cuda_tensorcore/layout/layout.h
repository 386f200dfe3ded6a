/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands laid out anew in the plan's workspace: copies whose channels lie side by side, those of
 * each group padded by zeros to multiples of 16 bytes, so that kernels that load 16 bytes run on
 * them, whatever the layout, the alignment and the number of channels of the tensors themselves. A
 * kernel sees the geometry of the copies (an inner problem); results go to the caller's tensor at
 * once, or as partial sums through workspace where the inner problem has results that the caller's
 * has not. C and CUDA C++ alike.
 */
#ifndef CUDA_TENSORCORE_LAYOUT_LAYOUT_H
#define CUDA_TENSORCORE_LAYOUT_LAYOUT_H

#include "../tensorcore.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is arranged, in the bits of an engine number above TC_LAYOUT_SHIFT. */
#define TC_LAYOUT_SHIFT 48
enum {
    TC_LAYOUT_A = 1, /* A is copied */
    TC_LAYOUT_B = 2, /* and operand B */
    /* The taps of a filter's row become channels: A is copied once for each of
     * them, or in dgrad each gives results of its own, which are added up behind. */
    TC_LAYOUT_FOLD_S = 4,
    /* Pixels of 4 channels in rows of multiples of 4, for kernels with TC_LOAD_OWN. */
    TC_LAYOUT_PIXELS = 8,
    /* fprop: all taps of a filter's plane become channels. */
    TC_LAYOUT_FOLD_RS = 16,
    /* dgrad, of floats: filters K-major, for kernels by TMA. */
    TC_LAYOUT_B_K_MAJOR = 32
};

/* Lanes of a pixel, and pixels that such kernels read at once. */
#define TC_PIXEL 4

/* Layouts that a problem may be tried in. */
#define TC_LAYOUTS 6

/* Dims of a copy, slowest first; its lanes follow. */
enum { TC_OUTER, TC_INNER, TC_DEPTH, TC_HEIGHT, TC_WIDTH, TC_GROUP, TC_COPY_DIMS };

/* Along the height or the width, tap t of position j is coordinate j * step + begin + t * tap. */
struct tc_window {
    int32_t taps, step, begin, tap;
    int32_t extent; /* of what is copied: coordinates outside are 0 */
};

/*
 * A copy is packed: [outer][inner][depth][height][width][group][lane]. Lane l is channel l %
 * channels under tap l / channels of `window`, the width's taps fastest; lanes
 * behind the last tap, and inner indices from `inner` on, are 0.
 */
struct tc_copy {
    int32_t size; /* bytes of an element */
    int32_t lanes, channels, inner;
    struct tc_window window[2]; /* height, width */
    int64_t dims[TC_COPY_DIMS];
    int64_t strides[TC_COPY_DIMS]; /* of what is copied, in elements */
    int64_t channel;               /* from channel to channel */
    int64_t first;                 /* where coordinates of 0 lie */
};

struct tc_layout {
    int32_t bits;
    int32_t through_workspace; /* results go through workspace, see above */
    struct conv conv;          /* what the kernel sees */
    struct tc_copy a, b;
    int64_t a_bytes, b_bytes; /* of the copies, rounded up to where another may begin */
};

/* ------------------------------------------------------------------ layout/candidates.c */

/* Whether tensors that begin at multiples of 16 bytes can be read by 16 bytes along what a kernel
 * of this direction reads: A, B, both. */
int tc_a_reads_by_16(const struct conv *conv, int32_t type);
int tc_b_reads_by_16(const struct conv *conv, int32_t type);
int tc_reads_by_16(const struct conv *conv, int32_t type);

/* The layouts worth trying, by their bits; returns how many. */
int32_t tc_layout_candidates(const struct conv *conv, int32_t type, int32_t bits[TC_LAYOUTS]);

/* ------------------------------------------------------------------ layout/layout.c */

/* Makes one; 0 if it cannot be. */
int tc_layout_make(struct tc_layout *to, const struct conv *conv, int32_t type, int32_t bits);

/* Bytes that its copies read and write. */
double tc_layout_traffic(const struct tc_layout *layout);

#ifdef __cplusplus
}

/* layout/copy.cu, transpose.cu: the step that makes a copy. */
void tc_copy_step(struct tc_step *step, const tc_copy &copy);

/* layout/reduce.cu: the step that adds up the partial sums of an inner problem, in order, and
 * stores what the outer one has of them. `job` is the kernel's. In wgrad, kernels with
 * a `reduce` of their own leave partial sums with M as neighbours, others with N. */
void tc_layout_reduce(struct tc_step *step, const tc_layout &layout, const tc_kernel &kernel,
                      const conv &outer, const struct tc_job &job);
#endif

#endif
