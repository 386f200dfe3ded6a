/* SPDX-License-Identifier: Apache-2.0 */
/* Declares layouts: copies of operands in the plan's workspace. Their channels are contiguous,
 * and the channels of each group are padded with zeros to a multiple of 16 bytes. Kernels that
 * load 16 bytes can then run for any layout, alignment and number of channels of the tensors. A
 * kernel runs on the geometry of the copies (the inner problem) and stores its results directly
 * in the caller's tensor. If the inner problem has results that the caller's problem does not
 * have, the results go through workspace as partial sums. The file compiles as C and as CUDA
 * C++. */
#ifndef CUDA_TENSORCORE_LAYOUT_LAYOUT_H
#define CUDA_TENSORCORE_LAYOUT_LAYOUT_H

#include "../tensorcore.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of a layout, which an engine number holds from bit TC_LAYOUT_SHIFT on. */
#define TC_LAYOUT_SHIFT 48
enum {
    TC_LAYOUT_A = 1, /* A is copied */
    TC_LAYOUT_B = 2, /* B is copied */
    /* The taps of a filter's row become channels. A is copied once for each tap. In dgrad, each
     * tap has results of its own, which are added afterwards. */
    TC_LAYOUT_FOLD_S = 4,
    /* Pixels have 4 channels, and rows a multiple of 4 pixels, for TC_LOAD_OWN kernels. */
    TC_LAYOUT_PIXELS = 8,
    /* fprop: all taps of a filter's plane become channels. */
    TC_LAYOUT_FOLD_RS = 16,
    /* dgrad of floats: filters become K-major, for TMA kernels. */
    TC_LAYOUT_B_K_MAJOR = 32
};

/* The lanes of a pixel, and the pixels that such kernels load at once. */
#define TC_PIXEL 4

/* The most layouts that are tried for a problem. */
#define TC_LAYOUTS 6

/* The dims of a copy, slowest first. The lanes follow them. */
enum { TC_OUTER, TC_INNER, TC_DEPTH, TC_HEIGHT, TC_WIDTH, TC_GROUP, TC_COPY_DIMS };

/* A window along the height or the width. Tap t of position j has coordinate j * step + begin +
 * t * tap. */
struct tc_window {
    int32_t taps, step, begin, tap;
    int32_t extent; /* extent of the source; coordinates outside are 0 */
};

/* A copy, packed as [outer][inner][depth][height][width][group][lane]. Lane l is channel l %
 * channels of tap l / channels of `window`; the width's taps vary fastest. Lanes beyond the last
 * tap are 0, and so are inner indices from `inner` on. */
struct tc_copy {
    int32_t size; /* bytes of an element */
    int32_t lanes, channels, inner;
    struct tc_window window[2]; /* height, width */
    int64_t dims[TC_COPY_DIMS];
    int64_t strides[TC_COPY_DIMS]; /* strides of the source, in elements */
    int64_t channel;               /* stride of the source's channels */
    int64_t first;                 /* offset of the source's coordinates 0 */
};

struct tc_layout {
    int32_t bits;
    int32_t through_workspace; /* 1 if results go through workspace, see above */
    struct conv conv;          /* geometry of the inner problem */
    struct tc_copy a, b;
    int64_t a_bytes, b_bytes; /* bytes of the copies, rounded up to their alignment */
};

/* ------------------------------------------------------------------ layout/candidates.c */

/* These functions return 1 if A, B or both can be loaded by 16 bytes along the dim that a kernel
 * of this direction reads. Tensors must begin at multiples of 16 bytes. */
int tc_a_reads_by_16(const struct conv *conv, int32_t type);
int tc_b_reads_by_16(const struct conv *conv, int32_t type);
int tc_reads_by_16(const struct conv *conv, int32_t type);

/* Lists the bits of the layouts to try, and returns their number. */
int32_t tc_layout_candidates(const struct conv *conv, int32_t type, int32_t bits[TC_LAYOUTS]);

/* ------------------------------------------------------------------ layout/layout.c */

/* Makes a layout. Returns 0 if it is not possible. */
int tc_layout_make(struct tc_layout *to, const struct conv *conv, int32_t type, int32_t bits);

/* Returns the bytes that a layout's copies read and write. */
double tc_layout_traffic(const struct tc_layout *layout);

#ifdef __cplusplus
}

/* Makes the step of a copy (layout/copy.cu, transpose.cu). */
void tc_copy_step(struct tc_step *step, const tc_copy &copy);

/* Makes the step that adds the partial sums of an inner problem in order, and stores the results
 * of the outer problem (layout/reduce.cu). `job` is the kernel's. In wgrad, kernels with their
 * own `reduce` store partial sums with contiguous M; others store them with contiguous N. */
void tc_layout_reduce(struct tc_step *step, const tc_layout &layout, const tc_kernel &kernel,
                      const conv &outer, const struct tc_job &job);
#endif

#endif
