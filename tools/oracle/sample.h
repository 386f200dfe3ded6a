/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a result: the result in logical order is split into equal parts, and a seed selects
 * one element of each. */
#ifndef TOOLS_ORACLE_SAMPLE_H
#define TOOLS_ORACLE_SAMPLE_H

#include "judge/oracle.h"
#include "tools/oracle/oracle.h"

struct oracle_sample {
    int64_t count; /* at most the size of the result; 0: the whole result */
    uint64_t seed;
};

/* Returns 1 if single elements of the operation's result can be computed. */
int oracle_can_sample(int32_t operation);
/* Returns the position of the i-th sampled element of a result of `count` elements. It increases
 * with i. */
int64_t oracle_sample_place(const struct oracle_sample *sample, int64_t count, int64_t i);
/* Makes an oracle that computes only these elements and leaves the others 0. `sample` must live as
 * long. */
void oracle_on_sample(struct adn_oracle *oracle, struct oracle_sample *sample);

#endif
