/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax in its plain form, for tensors of any strides and types (plain.cu). */
#ifndef CUDA_SIMT_SOFTMAX_PLAIN_H
#define CUDA_SIMT_SOFTMAX_PLAIN_H

#include "../shared/reduce.h"
#include "softmax.h"

struct softmax_plain_job {
    cuda_walk vectors, vector; /* iterates over the vectors; iterates within one */
    void *data[CUDA_SOFTMAX_TENSORS];
    cuda_blend blend;
    cuda_tile tile;
    int32_t algorithm;
};

typedef void (*softmax_plain_kernel)(softmax_plain_job);

softmax_plain_kernel softmax_plain_forward_kernel(int32_t type);
softmax_plain_kernel softmax_plain_backward_kernel(int32_t type);

/* Fills a job, except pointers and factors, for its tensors. */
void softmax_plain_prepare(softmax_plain_job *job,
                           const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                           uint32_t along, int32_t algorithm);

/* Launches a job, which has pointers and factors. */
int32_t softmax_plain_run(const softmax_plain_job &job, softmax_plain_kernel kernel,
                          const cuda_call *call);

#endif
