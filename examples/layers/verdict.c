/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of an experiment: numbers, and a sentence for each mode. */
#include <math.h>
#include <stdio.h>

#include "statistics.h"
#include "verdict.h"

/* Returns 1 if all runs reach twice the accuracy of guessing, which is 100 / CLASSES percent. */
static int has_learnt(const struct experiment *x, int m)
{
    const double guessing = 100.0 / CLASSES;

    for (int seed = 0; seed < x->o->seeds; seed++)
        if (!(x->run[m][seed].accuracy[x->o->training.epochs - 1] > 2 * guessing))
            return 0;
    return 1;
}

void verdict_sentence(const struct experiment *x, int m, char *text, size_t size)
{
    const char *mode = x->o->compared[m].text, *first = x->o->compared[0].text;
    int seeds = x->o->seeds, equal = x->equal[m];
    struct spread d = statistics_difference(x, m);
    double alone = statistics_seeds(x);

    if (equal == seeds)
        snprintf(text, size, "%s leaves the same bits as %s in all %d trainings.", mode, first,
                 seeds);
    else if (!has_learnt(x, m))
        snprintf(text, size, "%s does not train: at least one run ends near guessing.", mode);
    else if (seeds == 1)
        snprintf(text, size,
                 "%s ends %+.2f points of accuracy from %s; one seed does not show more.", mode,
                 d.mean, first);
    else if (fabs(d.mean) <= d.half)
        snprintf(text, size,
                 "%s: no difference from %s was found: %+.2f points of accuracy, with 95 %% "
                 "confidence between %+.2f and %+.2f; another seed alone changes it by %.2f.",
                 mode, first, d.mean, d.mean - d.half, d.mean + d.half, alone);
    else
        snprintf(text, size,
                 "%s differs from %s by %+.2f points of accuracy, with 95 %% confidence between "
                 "%+.2f and %+.2f, which is %s than the change of %.2f by another seed alone.",
                 mode, first, d.mean, d.mean - d.half, d.mean + d.half,
                 fabs(d.mean) <= alone ? "less" : "more", alone);
}

void verdict_steps(const struct experiment *x, int m, double target, char *text, size_t size)
{
    double values[SEEDS_AT_MOST];
    int reached = 0;
    struct spread s;

    for (int seed = 0; seed < x->o->seeds; seed++) {
        int steps = statistics_steps(x, m, seed, target);

        if (steps > 0)
            values[reached++] = steps;
    }
    if (reached == 0) {
        snprintf(text, size, "never");
        return;
    }
    s = statistics_spread(values, reached);
    snprintf(text, size, "%.0f (%.0f to %.0f)%s", s.mean, s.least, s.most,
             reached < x->o->seeds ? ", not all" : "");
}

static void print_accuracies(const struct experiment *x)
{
    printf("%-24s  %-28s  %-26s  %s\n", "mode", "final accuracy, %", "steps to the loss",
           "skipped");
    for (int m = 0; m < x->o->modes; m++) {
        struct spread s = statistics_accuracy(x, m);
        char range[64], steps[64];
        int skipped = 0;

        for (int seed = 0; seed < x->o->seeds; seed++)
            skipped += x->run[m][seed].skipped;
        snprintf(range, sizeof range, "%.2f (%.2f to %.2f)", s.mean, s.least, s.most);
        verdict_steps(x, m, statistics_target(x), steps, sizeof steps);
        printf("%-24s  %-28s  %-26s  %d steps of %d\n", x->o->compared[m].text, range, steps,
               skipped, x->steps * x->o->seeds);
    }
    printf("The loss is %.4g; a curve's point is a mean over %d steps.\n", statistics_target(x),
           x->steps / x->points);
}

static void print_distances(const struct experiment *x)
{
    printf("\n"
           "Weights after training: their distance from those of %s, divided by the distance that "
           "training moved these\n"
           "%-12s",
           x->o->compared[0].text, "layer");
    for (int m = 1; m < x->o->modes; m++)
        printf("  %20s", x->o->compared[m].text);
    putchar('\n');
    for (int l = 0; l < x->layers; l++) {
        printf("%-12s", x->layer[l]);
        for (int m = 1; m < x->o->modes; m++)
            printf("  %20.3g", x->distance[m][l]);
        putchar('\n');
    }
}

void verdict_print(const struct experiment *x)
{
    char text[512];

    print_accuracies(x);
    print_distances(x);
    putchar('\n');
    for (int m = 1; m < x->o->modes; m++) {
        verdict_sentence(x, m, text, sizeof text);
        puts(text);
    }
}
