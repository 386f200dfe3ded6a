/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization in its plain form, for tensors of any strides and types
 * (divisive_plain.cu). */
#ifndef CUDA_SIMT_NORMALIZATION_DIVISIVE_PLAIN_H
#define CUDA_SIMT_NORMALIZATION_DIVISIVE_PLAIN_H

#include "../shared/window.h"
#include "window.h"

#define DIVISIVE_FORWARD(name)  slot_divisive_normalization_forward_##name
#define DIVISIVE_BACKWARD(name) slot_divisive_normalization_backward_##name

struct divisive_params {
    cuda_lrn lrn;
    int64_t dims[CUDA_MANY_DIMS];
    int64_t x[CUDA_MANY_DIMS], means[CUDA_MANY_DIMS], logical[CUDA_MANY_DIMS]; /* strides */
    double *shared; /* dy x s^(-b-1) of every element, in logical order */
    double *direct; /* dy s^-b */
    int32_t with_means, with_dmeans;
};

struct divisive_plain {
    cuda_walk walk;
    int32_t (*launch)(const divisive_plain *plain, const cuda_call *call);
    divisive_params params;
    int64_t elements;
};

/* Each function fills `plain` for a problem. */
void divisive_plain_forward(divisive_plain *plain, const struct anydnn_plugin_problem *problem);
void divisive_plain_backward(divisive_plain *plain, const struct anydnn_plugin_problem *problem);

#endif
