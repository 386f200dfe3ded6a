/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the arguments of the convolution kernels, and declares the second stage of split-K. */
#ifndef CUDA_COMMON_CONV_JOB_H
#define CUDA_COMMON_CONV_JOB_H

#include "conv.h"
#include "conv_output.h"

/* The arguments of a kernel; each kernel reads only the members it needs. Adjacent threads
 * access adjacent elements: a_is_m_major, b_is_n_major and c_is_m_major select the dim along
 * which they lie. A is read along M or K, B along N or K, and C is stored along M or N. If
 * channels_inside is 1, channels vary fastest in the index over taps and channels. */
struct conv_job {
    struct conv conv;
    const void *a, *b; /* A is x, or dy in dgrad; B is w, or dy in wgrad */
    conv_output output;
    void *partial;  /* partial sums of the splits; NULL if there is only one split */
    int32_t a_type; /* type of A's elements */
    int32_t m_tiles, n_tiles, splits;
    int32_t k_per_split; /* K steps per split: tiles, or single k in kernels without tiles */
    int32_t m;           /* M of the largest class */
    int32_t lanes;       /* filters per block in kernels without tiles, in wgrad */
    int32_t channels_inside, a_is_m_major, b_is_n_major, c_is_m_major;
};

/* The operand slots of A, B and C, and of z and the bias. z and bias are -1 unless the operation
 * is fused. */
struct conv_slots {
    int32_t a, b, output, z, bias;
};

conv_slots conv_slots_of(int32_t operation);

/* Stores the operands of a call in a job. */
void conv_set_operands(conv_job *job, const conv_slots &slots,
                       const struct anydnn_plugin_operands *operands);

/* Launches the second stage of split-K, which adds the splits in order. The partial sums are
 * stored as [split][group][class][m][n]. */
int32_t conv_reduce_splits(const cuda_call *call, const conv_job &job);

template <class JOB>
CUDA_BOTH int64_t conv_partial_at(const JOB &job, int64_t split, int64_t unit, int64_t m, int64_t n)
{
    const auto &conv = job.conv;

    return ((split * conv.groups * conv.classes + unit) * job.m + m) * conv.n + n;
}

#endif
