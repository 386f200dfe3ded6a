/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of convolutions take, and the second stage of split-K. */
#ifndef CUDA_COMMON_CONV_JOB_H
#define CUDA_COMMON_CONV_JOB_H

#include "conv.h"
#include "conv_output.h"

/*
 * Neighbouring threads go where there are neighbouring elements: A is read along M or along K, B
 * along N or along K, C is stored along M or along N. `channels_inside`: a count of taps of
 * channels runs over channels first. A kernel uses what it needs of this.
 */
struct conv_job {
    struct conv conv;
    const void *a, *b; /* A: x, or dy in dgrad; B: w, or dy in wgrad */
    conv_output output;
    void *partial;          /* sums of each split; NULL: there is one, and it goes to the output */
    int32_t a_type, b_type; /* where they are found at run time */
    int32_t m_tiles, n_tiles, splits;
    int32_t k_per_split; /* of split-K: tiles along K, or k, in each */
    int32_t m;           /* M of the largest class */
    int32_t lanes;       /* filters of a block without tiles, in wgrad */
    int32_t channels_inside, a_is_m_major, b_is_n_major, c_is_m_major;
};

/* Slots of A, B and C; of the fused operation z and bias, too, which others lack (-1). */
struct conv_slots {
    int32_t a, b, output, z, bias;
};

conv_slots conv_slots_of(int32_t operation);

/* Puts the operands of a call into a job. */
void conv_set_operands(conv_job *job, const conv_slots &slots,
                       const struct anydnn_plugin_operands *operands);

/* The second stage of split-K: adds up the splits in order. Partial sums of a class of a group lie
 * in [split][group][class][m][n]. */
int32_t conv_reduce_splits(const cuda_call *call, const conv_job &job);

template <class JOB>
CUDA_BOTH int64_t conv_partial_at(const JOB &job, int64_t split, int64_t unit, int64_t m, int64_t n)
{
    const auto &conv = job.conv;

    return ((split * conv.groups * conv.classes + unit) * job.m + m) * conv.n + n;
}

#endif
