/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two recursions of the CTC loss. Each is a chain of steps. A block runs one of them for one
 * sequence, and its threads compute the states. Forward and backward do not wait for one another.
 *
 * In the first half of its work, each stores its own numbers: forward those of the first steps,
 * backward those of the last. In the second half, each adds its own numbers to those that the other
 * has stored. The sums are the logarithm of the paths through a state, not yet divided by that of
 * all paths.
 */
#ifndef CUDA_SIMT_SEQUENCE_CTC_PATHS_H
#define CUDA_SIMT_SEQUENCE_CTC_PATHS_H

#include "ctc.h"

/* The maximum states of a row in shared memory. */
#define CTC_NEAR 1024

/* Returns alpha of state s at step t without the step's own p: the sum over all paths to it. */
__device__ static inline double ctc_arrive(const ctc_sequence &at, const double *from, int64_t t,
                                           int64_t s)
{
    const double none = -(double)INFINITY;

    if (t == 0)
        return s < 2 ? 0 : none;
    return ctc_log_sum(from[s], s >= 1 ? from[s - 1] : none, ctc_skips(at, s) ? from[s - 2] : none);
}

/* Returns beta of state s at step t: the sum over all paths from it. `from` holds beta of the next
 * step, with that step's p. */
__device__ static inline double ctc_leave(const ctc_sequence &at, const double *from, int64_t t,
                                          int64_t s)
{
    const double none = -(double)INFINITY;

    if (t == at.steps - 1)
        return s >= at.states - 2 ? 0 : none;
    return ctc_log_sum(from[s], s + 1 < at.states ? from[s + 1] : none,
                       s + 2 < at.states && ctc_skips(at, s + 2) ? from[s + 2] : none);
}

/* Runs the steps from `begin` up or down to `end`. Returns the last row of alpha, or of beta with
 * p. */
template <class T>
__device__ static inline const double *ctc_go(const ctc_job &job, const ctc_sequence &at,
                                              const T *x, const double *from, double *const row[2],
                                              int64_t begin, int64_t end)
{
    int64_t by = begin <= end ? 1 : -1, mine = threadIdx.x;
    bool works = mine < at.states && begin != end;
    ctc_emission ahead = works ? ctc_load(job, at, x, begin, mine) : ctc_emission{0, 0};

    for (int64_t t = begin; t != end; t += by) {
        double *to = row[t % 2];

        for (int64_t s = mine; s < at.states; s += CUDA_THREADS) {
            double log_p = ctc_log_p(job, s == mine ? ahead : ctc_load(job, at, x, t, s));
            double with = log_p + (by > 0 ? ctc_arrive(at, from, t, s) : 0), kept = with;

            if (by < 0) {
                kept = ctc_leave(at, from, t, s);
                with = kept + log_p;
            }
            to[s] = with;
            if (job.gradients)
                at.paths[t * at.states + s] = job.half ? at.paths[t * at.states + s] + kept : kept;
        }
        if (works && t + by != end)
            ahead = ctc_load(job, at, x, t + by, mine);
        from = to;
        __syncthreads();
    }
    return from;
}

__device__ static inline void ctc_finish(const ctc_job &job, int64_t n, double all)
{
    if (threadIdx.x != 0)
        return;
    job.all[n] = all;
    if (job.is_double)
        ((double *)job.costs)[n] = 0 - all;
    else
        ((float *)job.costs)[n] = (float)(0 - all);
}

template <class T>
__device__ static inline void ctc_forward(const ctc_job &job, const ctc_sequence &at, const T *x,
                                          double *const row[2], int64_t n)
{
    const double none = -(double)INFINITY;
    int64_t begin = job.half ? at.middle : 0, end = job.half ? at.steps : at.middle;
    const double *last = ctc_go(job, at, x, at.edge[0], row, begin, end);

    if (job.half || !job.gradients) {
        ctc_finish(
            job, n,
            ctc_log_sum(last[at.states - 1], at.states > 1 ? last[at.states - 2] : none, none));
        return;
    }
    for (int64_t s = threadIdx.x; s < at.states && begin < end; s += CUDA_THREADS)
        at.edge[0][s] = last[s];
}

template <class T>
__device__ static inline void ctc_backward(const ctc_job &job, const ctc_sequence &at, const T *x,
                                           double *const row[2])
{
    int64_t begin = (job.half ? at.middle : at.steps) - 1, end = job.half ? -1 : at.middle - 1;
    const double *last = ctc_go(job, at, x, at.edge[1], row, begin, end);

    for (int64_t s = threadIdx.x; s < at.states && !job.half; s += CUDA_THREADS)
        at.edge[1][s] = last[s];
}

/* Runs the recursions. A grid's x is the sequence, its y is forward or backward. */
template <class T> __global__ void __launch_bounds__(CUDA_THREADS) ctc_paths(ctc_job job)
{
    __shared__ double near_row[2][CTC_NEAR];
    int64_t n = blockIdx.x;
    int back = blockIdx.y;
    ctc_sequence at = ctc_sequence_of(job, n);
    const T *x = (const T *)job.x + n * job.x_strides[CTC_SEQUENCE];
    double *row[2] = {at.row[back][0], at.row[back][1]};

    if (at.states <= CTC_NEAR)
        row[0] = near_row[0], row[1] = near_row[1];
    if (!at.runs) {
        if (!back)
            ctc_finish(job, n, at.labels == 0 && at.steps == 0 ? 0 : -(double)INFINITY);
    } else if (back) {
        ctc_backward(job, at, x, row);
    } else {
        ctc_forward(job, at, x, row, n);
    }
}

#endif
