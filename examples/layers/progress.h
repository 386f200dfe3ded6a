/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the progress of an epoch: a bar if standard output is a terminal, else a few lines. */
#ifndef LAYERS_PROGRESS_H
#define LAYERS_PROGRESS_H

struct progress {
    int terminal;
    int epoch;
    int epochs;
    int total; /* images per epoch */
    double started;
    double drawn; /* time of the last drawing */
    int fifths;   /* fifths reported so far */
};

/* Returns the seconds of a monotonic clock. */
double progress_clock(void);

void progress_start(struct progress *p, int epoch, int epochs, int total);
void progress_show(struct progress *p, int done, double loss);

/* Removes the bar, so that the line of the epoch can replace it. */
void progress_finish(const struct progress *p);

#endif
