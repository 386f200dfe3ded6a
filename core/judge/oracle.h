/* SPDX-License-Identifier: Apache-2.0 */
/* An oracle runs problems in double. Its results are the right ones. */
#ifndef ADN_JUDGE_ORACLE_H
#define ADN_JUDGE_ORACLE_H

#include "problem/problem.h"

/* A source of right results. */
struct adn_oracle {
    /* Runs a problem in double on images of packed operands by slot. Returns 0, 1 with a sentence
     * if it declines, or -1 if it fails. */
    int (*run)(struct adn_oracle *oracle, const struct adn_problem *wide,
               const struct adn_values *values, void *image[ADN_SLOTS], char *sentence);
    void *own; /* data of `run` */
};

/* Runs `problem` in double on packed operands. Reads `in`, and fills each `out` that is not NULL.
 * Returns what `run` returns, and 1 if there is no oracle. */
int adn_oracle_run(struct adn_oracle *oracle, const struct adn_problem *problem,
                   const struct adn_values *values, double *const in[ADN_SLOTS],
                   double *const out[ADN_SLOTS], char *sentence);

/* Does the same for a convolution of integers, whose sums wrap before scaling factors, bias and
 * activation apply. */
int adn_oracle_run_wrapping(struct adn_oracle *oracle, const struct adn_problem *problem,
                            const struct adn_values *values, double *const in[ADN_SLOTS],
                            double *const out[ADN_SLOTS], char *sentence);

#endif
