/* SPDX-License-Identifier: Apache-2.0 */
/* How far an epoch has come: a bar where standard output is a terminal, a few lines elsewhere. */
#ifndef LAYERS_PROGRESS_H
#define LAYERS_PROGRESS_H

struct progress {
    int terminal;
    int epoch;
    int epochs;
    int total; /* images of one epoch */
    double started;
    double drawn; /* when the bar was drawn last */
    int fifths;   /* how many fifths have been reported */
};

/* Seconds of a clock that never steps back. */
double progress_clock(void);

void progress_start(struct progress *p, int epoch, int epochs, int total);
void progress_show(struct progress *p, int done, double loss);

/* Takes the bar away, so that the line of the epoch can take its place. */
void progress_finish(const struct progress *p);

#endif
