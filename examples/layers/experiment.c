/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the trainings of a comparison one after the other, and keeps their results. */
#include "experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "progress.h"
#include "train.h"

/* A collector of the losses of steps into the points of a curve. */
struct curve {
    const struct experiment *x;
    struct run *run;
    int count[EXPERIMENT_POINTS];
};

static int point_of(const struct experiment *x, int step)
{
    return (int)((long long)step * x->points / x->steps);
}

int experiment_step(const struct experiment *x, int point)
{
    int step = (int)(((long long)point + 1) * x->steps / x->points);

    while (step < x->steps && point_of(x, step) == point)
        step++;
    return step;
}

static void note_loss(void *cookie, int step, double loss)
{
    struct curve *curve = cookie;
    int point = point_of(curve->x, step);
    double seen = curve->count[point]++;

    curve->run->loss[point] += (loss - curve->run->loss[point]) / (seen + 1);
}

static int allocate(struct experiment *x, struct run *run)
{
    run->accuracy = calloc((size_t)x->o->training.epochs, sizeof(double));
    run->weights = calloc(x->weights, sizeof(double));
    return run->accuracy != NULL && run->weights != NULL
               ? 0
               : complain("out of memory for the %zu weights of a training.", x->weights);
}

/* Stores the initial weights of the first run of a seed; each mode rounds them to its own type. */
static int note_beginning(struct experiment *x, const struct net *net, int seed)
{
    x->items = net->parameters.items;
    memcpy(x->item, net->parameters.item, sizeof x->item);
    x->weights = parameters_count(&net->parameters);
    x->begin[seed] = calloc(x->weights, sizeof(double));
    if (x->begin[seed] == NULL)
        return complain("out of memory for %zu weights.", x->weights);
    return parameters_read(&net->parameters, x->begin[seed]);
}

static int train_epochs(struct trainer *t, struct run *run)
{
    int right;

    for (int epoch = 0; epoch < t->how->epochs; epoch++) {
        double began = progress_clock();

        if (trainer_epoch(t, NULL, NULL, &run->final_loss) < 0)
            return -1;
        run->seconds += progress_clock() - began;
        if (trainer_test(t, &right) < 0)
            return -1;
        run->accuracy[epoch] = 100.0 * right / t->test_images->count;
    }
    return 0;
}

static int train(struct experiment *x, int m, int seed, const struct images *images,
                 anydnnHandle_t handle)
{
    static struct net net;
    const struct mode *mode = &x->o->compared[m];
    struct training how = x->o->training;
    struct trainer trainer = {0};
    struct run *run = &x->run[m][seed];
    struct curve curve = {.x = x, .run = run};
    int result = -1;

    how.seed += (uint64_t)seed;
    if (example_network(x->example, x->o, mode->element, mode->math, how.seed, handle, &net) < 0 ||
        (m == 0 && note_beginning(x, &net, seed) < 0) || allocate(x, run) < 0 ||
        trainer_create(&trainer, &net, &how, &images->train, &images->test) < 0)
        goto out;
    trainer.each = note_loss;
    trainer.cookie = &curve;
    if (train_epochs(&trainer, run) < 0 || parameters_read(&net.parameters, run->weights) < 0)
        goto out;
    run->skipped = net.parameters.skipped;
    printf("seed %llu, %s: loss %.6f, test accuracy %.2f %%, %.1f s\n",
           (unsigned long long)how.seed, mode->text, run->final_loss, run->accuracy[how.epochs - 1],
           run->seconds);
    fflush(stdout);
    result = 0;
out:
    trainer_destroy(&trainer);
    net_destroy(&net);
    return result;
}

static int train_all(struct experiment *x, const struct images *images, anydnnHandle_t handle)
{
    for (int seed = 0; seed < x->o->seeds; seed++)
        for (int m = 0; m < x->o->modes; m++)
            if (train(x, m, seed, images, handle) < 0)
                return -1;
    return 0;
}

static void release(struct experiment *x)
{
    for (int seed = 0; seed < SEEDS_AT_MOST; seed++) {
        for (int m = 0; m < MODES_AT_MOST; m++) {
            free(x->run[m][seed].accuracy);
            free(x->run[m][seed].weights);
        }
        free(x->begin[seed]);
    }
}

/* Checks before hours of training that a file can be written. */
static int check_file(const char *path)
{
    FILE *file = path != NULL ? fopen(path, "a") : NULL;

    if (path == NULL)
        return 0;
    if (file == NULL)
        return complain("%s: cannot be written.", path);
    fclose(file);
    return 0;
}

int experiment(const struct example *example, const struct options *o, const struct images *images,
               anydnnHandle_t handle)
{
    static struct experiment x;
    int result = -1;

    x = (struct experiment){
        .example = example,
        .o = o,
        .steps = trainer_steps(&o->training, &images->train),
    };
    x.points = x.steps < EXPERIMENT_POINTS ? x.steps : EXPERIMENT_POINTS;
    if (check_file(o->html) < 0 || check_file(o->csv) < 0 || train_all(&x, images, handle) < 0)
        goto out;
    experiment_measure(&x);
    putchar('\n');
    verdict_print(&x);
    if ((o->csv != NULL && table_write(&x, o->csv) < 0) ||
        (o->html != NULL && chart_write(&x, o->html) < 0))
        goto out;
    result = 0;
out:
    release(&x);
    return result;
}

int experiment_redraw(const struct example *example, struct options *o)
{
    static struct experiment x;
    int result = -1;

    x = (struct experiment){.example = example, .o = o};
    if (table_read(&x, o, o->redraw) < 0)
        goto out;
    verdict_print(&x);
    result = o->html != NULL ? chart_write(&x, o->html) : 0;
out:
    release(&x);
    return result;
}
