/* SPDX-License-Identifier: Apache-2.0 */
/* LRN by runs of channels: a thread computes 8 neighbouring channels and keeps the reach of their
 * windows in registers. lrn_nhwc.cu is for NHWC, lrn_nchw.cu for NCHW. */
#ifndef CUDA_SIMT_NORMALIZATION_LRN_RUNS_H
#define CUDA_SIMT_NORMALIZATION_LRN_RUNS_H

#include "window_sums.h"

/* The tensors of the iteration: out, x, backward dy; then the first channel. A step is one run at a
 * position, or the `walked` runs of a thread. */
enum { LRN_OUT, LRN_X, LRN_DY, LRN_TENSORS };

/* The integer type of BYTES bytes, for one access. */
template <int BYTES> struct lrn_word;
template <> struct lrn_word<2> {
    typedef uint16_t type;
};
template <> struct lrn_word<4> {
    typedef uint32_t type;
};
template <> struct lrn_word<8> {
    typedef uint2 type;
};
template <> struct lrn_word<16> {
    typedef uint4 type;
};

struct lrn_runs {
    cuda_walk walk;
    void *data[LRN_TENSORS];
    cuda_blend blend;
    lrn_factors f;
    float through;                         /* 2 alpha beta, with alpha divided by scale^2 */
    int64_t channels, stride[LRN_TENSORS]; /* strides of the channels */
    int64_t walked;                        /* runs of a step */
    int32_t before, after;
    int32_t vectors; /* 1 if rows can be read 16 bytes at a time */
};

/* Each function returns 1 if it accepts the problem, and fills `runs` except pointers, factors and
 * `vectors`. `tensor` has out, x, backward dy. */
int lrn_nhwc_prepare(struct lrn_runs *runs, const struct anydnn_plugin_tensor *const tensor[],
                     int32_t tensors);
int lrn_nchw_prepare(struct lrn_runs *runs, int32_t multiprocessors,
                     const struct anydnn_plugin_tensor *const tensor[], int32_t tensors);

/* Returns 1 if the rows, which must allow 16-byte access, are packed and windows reach few
 * channels. The second function launches that form (lrn_nhwc_packed.cu). */
int lrn_packed_takes(const struct lrn_runs *runs, int tensors);
int32_t lrn_packed_run(const struct lrn_runs *runs, int32_t type, int backward,
                       const cuda_call *call);

/* Launches the form for windows of five and beta 3/4 if positions can be read in pairs
 * (lrn_nchw_five.cu). Returns 1 and sets `status` if it did. */
int lrn_nchw_five_run(const struct lrn_runs *runs, int32_t type, int backward,
                      const cuda_call *call, int32_t *status);

/* Each function launches a form; `runs` has pointers and factors. */
int32_t lrn_nhwc_run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call);
int32_t lrn_nchw_run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call);

#endif
