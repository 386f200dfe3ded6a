/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the progress bar ten times a second, or prints a line for each fifth of an epoch. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

double progress_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(struct progress *p, int epoch, int epochs, int total)
{
    *p = (struct progress){
        .terminal = isatty(STDOUT_FILENO),
        .epoch = epoch,
        .epochs = epochs,
        .total = total,
        .started = progress_clock(),
    };
}

static void draw_bar(struct progress *p, int done, double loss)
{
    static const char full[] = "##############################";
    double now = progress_clock();
    int filled = (int)((double)done / p->total * BAR_WIDTH);
    double rate = done / (now - p->started);

    if (now - p->drawn < 0.1)
        return;
    p->drawn = now;
    printf("\repoch %d/%d [%-*.*s] %3d %%  loss %.4f  %.0f images/s  %.0f s left \033[K", p->epoch,
           p->epochs, BAR_WIDTH, filled, full, (int)(100.0 * done / p->total), loss, rate,
           (p->total - done) / rate);
    fflush(stdout);
}

void progress_show(struct progress *p, int done, double loss)
{
    int fifths = (int)(5.0 * done / p->total);

    if (p->terminal) {
        draw_bar(p, done, loss);
    } else if (fifths > p->fifths && fifths < 5) {
        p->fifths = fifths;
        printf("epoch %d/%d: %d %% done, loss %.4f so far\n", p->epoch, p->epochs, 20 * fifths,
               loss);
        fflush(stdout);
    }
}

void progress_finish(const struct progress *p)
{
    if (p->terminal)
        fputs("\r\033[K", stdout);
}
