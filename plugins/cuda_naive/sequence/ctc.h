/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CTC loss by the forward-backward recursion of Graves et al. 2006, in logarithms of doubles: a
 * block for each sequence, which goes from step to step. State s = 0 .. 2 L of a sequence with L
 * labels is a blank where s is even, else label (s - 1) / 2.
 */
#ifndef CUDA_NAIVE_SEQUENCE_CTC_H
#define CUDA_NAIVE_SEQUENCE_CTC_H

#include "../naive.h"

/* Dims of x. */
enum { CTC_TIME, CTC_SEQUENCE, CTC_LETTER };

/* What the host knows of a sequence. */
struct ctc_slot {
    int64_t scratch; /* doubles of the sequences before it */
    int32_t first;   /* of its labels in the list of all */
    int32_t labels, steps;
    int32_t runs; /* some path of so many steps gives the labels */
};

struct ctc_job {
    naive_tensor x, costs, gradients; /* the last may be absent */
    int32_t softmax, propagates;
    const ctc_slot *slots; /* in scratch memory, as all below */
    const int32_t *labels;
    double *scratch;
};

/* A sequence and its scratch memory. */
struct ctc_sequence {
    int64_t n, labels, states, steps;
    const int32_t *label;
    double *scale; /* of each step: x less it is log p, with softmax */
    double *alpha; /* steps x states: log of all ways to get there, the step's own p included */
    double *beta;  /* steps x states: log of all ways on from there */
};

/* Returns the doubles that a sequence needs. */
CUDA_BOTH int64_t ctc_scratch(const ctc_slot &slot)
{
    return slot.runs ? slot.steps * (1 + 2 * (2 * (int64_t)slot.labels + 1)) : 0;
}

__device__ static inline ctc_sequence ctc_sequence_of(const ctc_job &job, int64_t n)
{
    const ctc_slot &slot = job.slots[n];
    ctc_sequence made = {};

    made.n = n;
    made.labels = slot.labels;
    made.states = 2 * made.labels + 1;
    made.steps = slot.steps;
    made.label = job.labels + slot.first;
    made.scale = job.scratch + slot.scratch;
    made.alpha = made.scale + made.steps;
    made.beta = made.alpha + made.steps * made.states;
    return made;
}

__device__ static inline double ctc_x(const ctc_job &job, int64_t t, int64_t n, int64_t letter)
{
    const int64_t at[3] = {t, n, letter};
    return naive_load_any(job.x, naive_offset(job.x, at));
}

/* Returns the letter of a state, 0 for the blank. */
__device__ static inline int64_t ctc_letter(const ctc_sequence &at, int64_t s)
{
    return s % 2 ? at.label[(s - 1) / 2] : 0;
}

__device__ static inline double ctc_log_p(const ctc_job &job, const ctc_sequence &at, int64_t t,
                                          int64_t s)
{
    double x = ctc_x(job, t, at.n, ctc_letter(at, s));
    return job.softmax ? x - at.scale[t] : log(x);
}

/* Returns whether a path may go from state s - 2 to s: over a blank between two different labels.
 */
__device__ static inline bool ctc_skips(const ctc_sequence &at, int64_t s)
{
    return s % 2 && s >= 3 && at.label[(s - 1) / 2] != at.label[(s - 3) / 2];
}

/* Returns log(exp(a) + exp(b) + exp(c)). */
__device__ static inline double ctc_log_sum(double a, double b, double c)
{
    double highest = fmax(fmax(a, b), c);

    if (highest == -(double)INFINITY)
        return a + b + c; /* -Inf, or NaN that fmax passed over */
    return highest + log(exp(a - highest) + exp(b - highest) + exp(c - highest));
}

#endif
