/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the CTC loss by the forward-backward recursion of Graves et al. 2006, in logarithms of
 * doubles. A block per sequence iterates over the steps. A sequence with L labels has the states
 * s = 0 .. 2 L. State s is a blank if s is even, otherwise label (s - 1) / 2. */
#ifndef CUDA_NAIVE_SEQUENCE_CTC_H
#define CUDA_NAIVE_SEQUENCE_CTC_H

#include "../naive.h"

/* The dims of x. */
enum { CTC_TIME, CTC_SEQUENCE, CTC_LETTER };

/* The properties of a sequence that the host computes. */
struct ctc_slot {
    int64_t scratch; /* offset of its scratch memory, in doubles */
    int32_t first;   /* index of its first label in the list of all labels */
    int32_t labels, steps;
    int32_t runs; /* 1 if some path of `steps` steps produces the labels */
};

struct ctc_job {
    naive_tensor x, costs, gradients; /* `gradients` may be absent */
    int32_t softmax, propagates;
    const ctc_slot *slots; /* in scratch memory, like the two below */
    const int32_t *labels;
    double *scratch;
};

/* A sequence and its scratch memory. */
struct ctc_sequence {
    int64_t n, labels, states, steps;
    const int32_t *label;
    double *scale; /* per step: log p is x minus this value, with softmax */
    double *alpha; /* steps x states: log p of all paths to a state, with its own p */
    double *beta;  /* steps x states: log p of all paths onward from a state */
};

/* Returns the number of doubles for a sequence. */
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

/* Returns the letter of a state; the blank is 0. */
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

/* Returns true if a path may go from state s - 2 to s, skipping a blank between two different
 * labels. */
__device__ static inline bool ctc_skips(const ctc_sequence &at, int64_t s)
{
    return s % 2 && s >= 3 && at.label[(s - 1) / 2] != at.label[(s - 3) / 2];
}

/* Returns log(exp(a) + exp(b) + exp(c)). */
__device__ static inline double ctc_log_sum(double a, double b, double c)
{
    double highest = fmax(fmax(a, b), c);

    if (highest == -(double)INFINITY)
        return a + b + c; /* -Inf, or a NaN that fmax ignored */
    return highest + log(exp(a - highest) + exp(b - highest) + exp(c - highest));
}

#endif
