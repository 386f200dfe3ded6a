/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the arguments of the convolution kernels, and the second stage of split-K. */
#ifndef CUDA_COMMON_CONV_JOB_H
#define CUDA_COMMON_CONV_JOB_H

#include "conv.h"
#include "conv_output.h"

/*
 * The arguments of a kernel. Adjacent threads access adjacent elements: A is read along M or along
 * K, B along N or along K, and C is stored along M or along N. With `channels_inside`, a count of
 * taps of channels runs over the channels first. A kernel uses the members that it needs.
 */
struct conv_job {
    struct conv conv;
    const void *a, *b; /* A is x, or dy in dgrad; B is w, or dy in wgrad */
    conv_output output;
    void *partial;          /* sums of each split; NULL if there is one, which goes to the output */
    int32_t a_type, b_type; /* for kernels that select types at run time */
    int32_t m_tiles, n_tiles, splits;
    int32_t k_per_split; /* split-K: tiles along K, or k, in each split */
    int32_t m;           /* M of the largest class */
    int32_t lanes;       /* filters of a block without tiles, in wgrad */
    int32_t channels_inside, a_is_m_major, b_is_n_major, c_is_m_major;
};

/* The slots of A, B and C, and of z and bias of the fused operation. The last two are -1
 * elsewhere. */
struct conv_slots {
    int32_t a, b, output, z, bias;
};

conv_slots conv_slots_of(int32_t operation);

/* Stores the operands of a call in a job. */
void conv_set_operands(conv_job *job, const conv_slots &slots,
                       const struct anydnn_plugin_operands *operands);

/* Runs the second stage of split-K, which adds the splits in order. The partial sums of a class of
 * a group lie in [split][group][class][m][n]. */
int32_t conv_reduce_splits(const cuda_call *call, const conv_job &job);

template <class JOB>
CUDA_BOTH int64_t conv_partial_at(const JOB &job, int64_t split, int64_t unit, int64_t m, int64_t n)
{
    const auto &conv = job.conv;

    return ((split * conv.groups * conv.classes + unit) * job.m + m) * conv.n + n;
}

#endif
