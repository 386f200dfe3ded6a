/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a result: as many elements as asked for, one out of each of as many equal parts of
 * the result in logical order, drawn by a seed. */
#ifndef TOOLS_ORACLE_SAMPLE_H
#define TOOLS_ORACLE_SAMPLE_H

#include "judge/oracle.h"
#include "tools/oracle/oracle.h"

struct oracle_sample {
    int64_t count; /* no more than the result has; 0: no sample, but all of it */
    uint64_t seed;
};

/* Whether single elements of the operation's result can be worked out. */
int oracle_can_sample(int32_t operation);
/* The place of the i-th of a result of `count` elements, which rises with i. */
int64_t oracle_sample_place(const struct oracle_sample *sample, int64_t count, int64_t i);
/* An oracle that works out those elements alone and leaves the others 0. `sample` lives as long. */
void oracle_on_sample(struct adn_oracle *oracle, struct oracle_sample *sample);

#endif
