/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the CTC loss that covers all steps at once: labels sorted by letter, the scales of a
 * softmax, and the gradients from the results of ctc_paths.h. */
#ifndef CUDA_SIMT_SEQUENCE_CTC_STEPS_H
#define CUDA_SIMT_SEQUENCE_CTC_STEPS_H

#include "ctc.h"

#define CTC_WARP      32
#define CTC_ALL_LANES 0xffffffffu
#define CTC_WARPS     (CUDA_THREADS / CTC_WARP)

/* ------------------------------------------------------------------ labels by letter */

/* Sorts the labels of a sequence by letter and finds where each letter begins; equal labels keep
 * their order. The paths through a letter are then a sum over neighbours in a fixed order. */
static __global__ void __launch_bounds__(CUDA_THREADS) ctc_letters(ctc_job job)
{
    ctc_sequence at = ctc_sequence_of(job, blockIdx.x);
    int32_t labels = at.runs ? (int32_t)at.labels : 0, groups = 0;
    unsigned lane = threadIdx.x % CTC_WARP;

    for (int32_t i = threadIdx.x; i < labels; i += CUDA_THREADS) {
        int32_t letter = at.label[i], rank = 0;

        for (int32_t j = 0; j < labels; j++)
            rank += at.label[j] < letter || (at.label[j] == letter && j < i);
        at.order[rank] = i;
    }
    __syncthreads();
    if (threadIdx.x >= CTC_WARP)
        return;
    for (int32_t first = 0; first < labels; first += CTC_WARP) {
        int32_t i = first + (int32_t)lane;
        bool begins = i < labels && (i == 0 || at.label[at.order[i]] != at.label[at.order[i - 1]]);
        unsigned mask = __ballot_sync(CTC_ALL_LANES, begins);

        if (begins)
            at.group[groups + __popc(mask & ((1u << lane) - 1))] = i;
        groups += __popc(mask);
    }
    if (lane == 0) {
        at.group[groups] = labels;
        job.groups[blockIdx.x] = groups;
    }
}

/* ------------------------------------------------------------------ scales of a softmax */

/* Computes the log of the sum of exp x over the letters; a warp has one step of a sequence. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS) ctc_scales(ctc_job job)
{
    int64_t row = (int64_t)blockIdx.x * CTC_WARPS + threadIdx.x / CTC_WARP, t = row / job.sequences;
    int64_t n = row % job.sequences, lane = threadIdx.x % CTC_WARP;
    double highest = -(double)INFINITY, sum = 0;
    const T *x = (const T *)job.x + t * job.x_strides[CTC_TIME] + n * job.x_strides[CTC_SEQUENCE];
    ctc_sequence at;

    if (t >= job.steps)
        return;
    at = ctc_sequence_of(job, n);
    if (!at.runs || t >= at.steps)
        return;
    for (int64_t k = lane; k < job.letters; k += CTC_WARP)
        highest = fmax(highest, (double)cuda_load(x[k * job.x_strides[CTC_LETTER]]));
    for (int by = CTC_WARP / 2; by > 0; by /= 2)
        highest = fmax(highest, __shfl_xor_sync(CTC_ALL_LANES, highest, by));
    for (int64_t k = lane; k < job.letters; k += CTC_WARP)
        sum += exp((double)cuda_load(x[k * job.x_strides[CTC_LETTER]]) - highest);
    for (int by = CTC_WARP / 2; by > 0; by /= 2)
        sum += __shfl_xor_sync(CTC_ALL_LANES, sum, by);
    if (lane == 0)
        at.scale[t] = highest + log(sum);
}

/* ------------------------------------------------------------------ gradients */

template <class T>
__device__ static inline double ctc_p(const ctc_job &job, const ctc_sequence &at, const T *row,
                                      int64_t t, int64_t letter)
{
    double value = (double)cuda_load(row[letter * job.x_strides[CTC_LETTER]]);

    return job.softmax ? exp(value - at.scale[t]) : value;
}

/* Returns the share of the paths that pass through a state of the group at a step, to all lanes of
 * the warp. Group 0 is the blank. */
__device__ static inline double ctc_share(const ctc_sequence &at, const double *paths, double all,
                                          int32_t group)
{
    int64_t lane = threadIdx.x % CTC_WARP, i = lane, end = at.labels + 1;
    double share = 0;

    if (group > 0) {
        i += at.group[group - 1];
        end = at.group[group];
    }
    for (; i < end; i += CTC_WARP)
        share += exp(paths[group ? 2 * at.order[i] + 1 : 2 * i] - all);
    for (int by = CTC_WARP / 2; by > 0; by /= 2)
        share += __shfl_xor_sync(CTC_ALL_LANES, share, by);
    return share;
}

/* Computes the gradients; a block has one step of a sequence. It stores p for every letter, then p
 * minus the share for letters that have one. Steps after the sequence's own are 0. `lost` marks a
 * sequence without a path. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS) ctc_gradients(ctc_job job)
{
    int64_t t = blockIdx.x / job.sequences, n = blockIdx.x % job.sequences;
    ctc_sequence at = ctc_sequence_of(job, n);
    const T *row = (const T *)job.x + t * job.x_strides[CTC_TIME] + n * job.x_strides[CTC_SEQUENCE];
    T *to = (T *)job.gradients + t * job.gradients_strides[CTC_TIME] +
            n * job.gradients_strides[CTC_SEQUENCE];
    double all = job.all[n];
    bool lost = all == -(double)INFINITY, own = t < at.steps && !lost;

    for (int64_t k = threadIdx.x; k < job.letters; k += CUDA_THREADS) {
        double value = lost && t < at.steps && job.propagates ? (double)NAN : 0;

        cuda_store(to + k * job.gradients_strides[CTC_LETTER],
                   own ? ctc_p(job, at, row, t, k) : value);
    }
    if (!own)
        return;
    __syncthreads();
    for (int32_t group = threadIdx.x / CTC_WARP; group <= job.groups[n]; group += CTC_WARPS) {
        double share = ctc_share(at, at.paths + t * at.states, all, group);
        int64_t letter = group ? at.label[at.order[at.group[group - 1]]] : 0;

        if (threadIdx.x % CTC_WARP == 0)
            cuda_store(to + letter * job.gradients_strides[CTC_LETTER],
                       ctc_p(job, at, row, t, letter) - share);
    }
}

#endif
