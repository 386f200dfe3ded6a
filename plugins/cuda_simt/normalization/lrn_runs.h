/* SPDX-License-Identifier: Apache-2.0 */
/* LRN by runs of channels: a thread takes 8 neighbouring channels with what their windows reach,
 * all in registers. lrn_nhwc.cu has channels side by side, lrn_nchw.cu positions. */
#ifndef CUDA_SIMT_NORMALIZATION_LRN_RUNS_H
#define CUDA_SIMT_NORMALIZATION_LRN_RUNS_H

#include "window_sums.h"

/* Tensors of the walk: out, x, backward dy; then the first channel. A step is a run at a position,
 * or so many runs as a thread walks through. */
enum { LRN_OUT, LRN_X, LRN_DY, LRN_TENSORS };

/* So many bytes at once. */
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
    float through;                         /* 2 alpha beta by scale^2 */
    int64_t channels, stride[LRN_TENSORS]; /* of the channels */
    int64_t walked;                        /* runs of a step */
    int32_t before, after;
    int32_t vectors; /* rows: they can be read 16 bytes at a time */
};

/* Whether a problem can be run so; fills all but pointers, factors and `vectors`. `tensor` has out,
 * x, backward dy. */
int lrn_nhwc_prepare(struct lrn_runs *runs, const struct anydnn_plugin_tensor *const tensor[],
                     int32_t tensors);
int lrn_nchw_prepare(struct lrn_runs *runs, int32_t multiprocessors,
                     const struct anydnn_plugin_tensor *const tensor[], int32_t tensors);

/* Whether rows that can be read 16 bytes at a time are packed, with windows that reach few
 * channels; and its launch (lrn_nhwc_packed.cu). */
int lrn_packed_takes(const struct lrn_runs *runs, int tensors);
int32_t lrn_packed_run(const struct lrn_runs *runs, int32_t type, int backward,
                       const cuda_call *call);

/* Launches the form for windows of five and beta 3/4 where positions lie in pairs
 * (lrn_nchw_five.cu); returns whether it did, with what came of it. */
int lrn_nchw_five_run(const struct lrn_runs *runs, int32_t type, int backward,
                      const cuda_call *call, int32_t *status);

/* Launches; `runs` has pointers and factors. */
int32_t lrn_nhwc_run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call);
int32_t lrn_nchw_run(struct lrn_runs *runs, int32_t type, int backward, const cuda_call *call);

#endif
