/* SPDX-License-Identifier: Apache-2.0 */
/* Describes how the elements of a normalization lie in memory, for the choice of kernels. */
#ifndef CUDA_SIMT_NORMALIZATION_KINDS_VIEW_H
#define CUDA_SIMT_NORMALIZATION_KINDS_VIEW_H

#include "../../cuda_common/plan.h"
#include "../shared/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tensors of both directions: forward y, x, z, sum; backward dx, x, dy, dsum. */
enum {
    KINDS_OUT,
    KINDS_X,
    KINDS_SECOND,
    KINDS_THIRD,
    KINDS_DATA, /* number of tensors with x's dims */
    KINDS_SCALE = KINDS_DATA,
    KINDS_BIAS,
    KINDS_MEAN,
    KINDS_DEVIATION,
    KINDS_TENSORS
};

/* The sets of a normalization: each has pieces of neighbouring elements. */
struct cuda_kinds_rows {
    int32_t exist;            /* 0 if the elements do not lie so */
    int32_t have_own_factors; /* 1 if factors or biases differ between sets */
    struct cuda_walk sets;    /* of KINDS_TENSORS tensors: the first element of a set */
    int64_t size;             /* elements of a set */
    int64_t piece, pitch[KINDS_DATA];
    int64_t plane, factor_step[2]; /* 0, or as many elements share a factor and a bias */
};

/* Images whose channels are neighbours in memory, with groups of channels. */
struct cuda_kinds_images {
    int32_t exist;
    int64_t images, pixels, channels, groups;
    int64_t image[KINDS_DATA], pixel[KINDS_DATA]; /* strides */
    int64_t factor_step[2], gradient_step[2];
    int64_t saved_image[2], saved_group[2]; /* strides of mean and deviation */
};

struct cuda_kinds_view {
    struct cuda_kinds_rows rows;
    struct cuda_kinds_images images;
    int32_t slot[KINDS_TENSORS]; /* slots of the operation; -1 if absent */
    int32_t gradient[2];         /* slots of dscale and dbias; -1 if absent */
};

void cuda_kinds_view_make(struct cuda_kinds_view *view,
                          const struct anydnn_plugin_problem *problem);

/* Return 1 if the sets, or the images, can be accessed in vectors of so many elements. */
int cuda_kinds_rows_are_wide(const struct cuda_kinds_view *view, int32_t lanes);
int cuda_kinds_images_are_wide(const struct cuda_kinds_view *view, int32_t lanes);

#ifdef __cplusplus
}
#endif

#endif
