/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements of convolutions: the right result and the sums that bound its error, without a
 * run of the whole problem. */
#ifndef ADN_JUDGE_SAMPLED_H
#define ADN_JUDGE_SAMPLED_H

#include "problem/problem.h"

/* The content of the inputs. It repeats: the element at an offset is content[offset & mask]. */
struct adn_sampled {
    const struct adn_problem *problem;
    const double *scale; /* the factors of the call, by plugin.h's order */
    const double *content[ADN_SLOTS];
    int64_t mask[ADN_SLOTS]; /* a power of two minus 1 */
};

/* The right value of an element, the sum of its absolute terms and that of their squares. */
struct adn_sample {
    double want;
    double sum;
    double squares;
};

/* Returns the output's slot if elements of the problem can be computed one by one, or -1. This is
 * so for convolutions of floating types in which no output is blended with its old content. */
int adn_sampled_slot(const struct adn_problem *problem);
/* Computes the element of that output at an index. */
void adn_sampled_compute(const struct adn_sampled *sampled, const int64_t *index,
                         struct adn_sample *sample);

#endif
