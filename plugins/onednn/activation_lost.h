/* SPDX-License-Identifier: Apache-2.0 */
/* Restores results that oneDNN's sigmoid and swish lose. Far below 0 they are exponentials, and
 * oneDNN returns 0 where the exponential is subnormal, even if swish multiplies it by a large
 * argument. One step before oneDNN's and one after it replace these results with our own. */
#ifndef ONEDNN_ACTIVATION_LOST_H
#define ONEDNN_ACTIVATION_LOST_H

#include "activate.h"
#include "layer.h"

struct onednn_lost {
    struct onednn_activation activation;
    int backward, in_place; /* the result overwrites x or, backward, dy */
    int64_t count;
    struct onednn_place x, dy, out;
    struct onednn_place kept; /* the flag and, in place, the overwritten operand */
};

/* Returns 1 if oneDNN's function can lose results. */
int onednn_loses(const struct onednn_activation *activation, int backward);

/* Adds the step before oneDNN's. The caller has set all members but `out` and `kept`. */
void onednn_lost_look(struct onednn_build *build, struct onednn_lost *lost);
/* Adds the step after oneDNN's. The caller has also set `out`. */
void onednn_lost_mend(struct onednn_build *build, const struct onednn_lost *lost);

#endif
