/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN's sigmoid and swish lose: they are exponentials far below 0, and oneDNN's are 0 where
 * the exponential is no normal number, though swish multiplies it by its argument. Two steps round
 * oneDNN's put our own results there. */
#ifndef ONEDNN_ACTIVATION_LOST_H
#define ONEDNN_ACTIVATION_LOST_H

#include "activate.h"
#include "layer.h"

struct onednn_lost {
    struct onednn_activation activation;
    int backward, in_place; /* the result is written over x or, backward, over dy */
    int64_t count;
    struct onednn_place x, dy, out;
    struct onednn_place kept; /* whether anything is lost and, in place, what is written over */
};

/* Whether oneDNN's function loses anything. */
int onednn_loses(const struct onednn_activation *activation, int backward);

/* With all but `out` and `kept` set: adds the step before oneDNN's. */
void onednn_lost_look(struct onednn_build *build, struct onednn_lost *lost);
/* With `out` set, too: adds the step after it. */
void onednn_lost_mend(struct onednn_build *build, const struct onednn_lost *lost);

#endif
