/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the kernels of the CTC loss share: the position of a sequence and its scratch,
 * and the numbers that both recursions add up. A sequence with L labels has the states s = 0 .. 2
 * L. State s is a blank if s is even, else label (s - 1) / 2. */
#ifndef CUDA_SIMT_SEQUENCE_CTC_H
#define CUDA_SIMT_SEQUENCE_CTC_H

#include "../shared/map.h"

#include <math.h>

/* The dims of x. */
enum { CTC_TIME, CTC_SEQUENCE, CTC_LETTER };

/* The position of a sequence in the lists of all labels and in the scratch; the host fills it. */
struct ctc_slot {
    int64_t offset; /* offset of its doubles in the scratch */
    int32_t first, labels, steps;
    int32_t runs; /* 1 if some path of this many steps gives the labels */
};

struct ctc_job {
    int64_t letters, steps, sequences;
    int64_t x_strides[3], gradients_strides[3];
    const void *x;
    void *costs, *gradients; /* gradients may be NULL */
    int32_t softmax, propagates, is_double;
    int32_t half; /* half of the steps, for ctc_paths */
    /* in the scratch */
    const ctc_slot *slots;
    const int32_t *labels;
    int32_t *order, *group, *groups; /* filled by ctc_letters */
    double *doubles, *all; /* `all` has the log of the sum of all paths of each sequence */
};

/* A sequence and its part of the scratch. */
struct ctc_sequence {
    const int32_t *label;
    int32_t *order; /* its labels sorted by letter */
    int32_t *group; /* start of each letter in that order; then the end */
    int64_t labels, states, steps, middle;
    int32_t runs;
    double *scale;   /* one per step, with softmax: log p is x minus it */
    double *paths;   /* steps by states: one recursion's numbers, then the sum of both */
    double *edge[2]; /* one row of states each, where the halves of the steps meet */
    double *row[2][2];
};

/* Returns the doubles of a sequence's scratch. */
CUDA_BOTH int64_t ctc_doubles(const ctc_slot &slot, int has_gradients)
{
    int64_t states = 2 * (int64_t)slot.labels + 1;

    return slot.runs ? slot.steps + ((has_gradients ? slot.steps : 0) + 6) * states : 0;
}

__device__ static inline ctc_sequence ctc_sequence_of(const ctc_job &job, int64_t n)
{
    const ctc_slot slot = job.slots[n];
    ctc_sequence at = {};

    at.label = job.labels + slot.first;
    at.order = job.order + slot.first;
    at.group = job.group + slot.first + n;
    at.labels = slot.labels;
    at.steps = slot.steps;
    at.states = 2 * at.labels + 1;
    at.middle = job.gradients ? at.steps / 2 : at.steps;
    at.runs = slot.runs;
    at.scale = job.doubles + slot.offset;
    at.edge[0] = at.scale + at.steps;
    at.edge[1] = at.edge[0] + at.states;
    for (int i = 0; i < 4; i++)
        at.row[i / 2][i % 2] = at.edge[1] + (i + 1) * at.states;
    at.paths = at.edge[1] + 5 * at.states;
    return at;
}

__device__ static inline double ctc_log_sum(double a, double b, double c)
{
    double highest = fmax(fmax(a, b), c);

    if (highest == -(double)INFINITY)
        return a + b + c; /* -Inf, or NaN, which fmax ignores */
    return highest + log(exp(a - highest) + exp(b - highest) + exp(c - highest));
}

/* The inputs of a log p; they are loaded long before they are used. */
struct ctc_emission {
    double x, scale;
};

template <class T>
__device__ static inline ctc_emission ctc_load(const ctc_job &job, const ctc_sequence &at,
                                               const T *x, int64_t t, int64_t s)
{
    int64_t letter = s % 2 ? at.label[(s - 1) / 2] : 0;

    return {(double)cuda_load(x[t * job.x_strides[CTC_TIME] + letter * job.x_strides[CTC_LETTER]]),
            job.softmax ? at.scale[t] : 0};
}

__device__ static inline double ctc_log_p(const ctc_job &job, const ctc_emission &from)
{
    return job.softmax ? from.x - from.scale : log(from.x);
}

/* Returns true if a path may go from state s - 2 to s: over a blank between two different
 * labels. */
__device__ static inline bool ctc_skips(const ctc_sequence &at, int64_t s)
{
    return s % 2 && s >= 3 && at.label[(s - 1) / 2] != at.label[(s - 3) / 2];
}

#endif
