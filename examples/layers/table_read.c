/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the output of table.c, so that a page can be drawn on a machine with gnuplot. Lines of
 * another form are refused with their number. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "experiment.h"

enum { EPOCHS_READ = 10000, FIELDS = 6 };

struct reader {
    struct experiment *x;
    struct options *o;
    const char *path;
    int line;
    unsigned long long first_seed;
};

static int refuse(const struct reader *r, const char *why)
{
    return complain("%s:%d: %s.", r->path, r->line, why);
}

/* Returns the mode of that name, which is added at its first line. Returns -1 if there are too
 * many. */
static int mode_of(struct reader *r, const char *name)
{
    struct options *o = r->o;

    for (int m = 0; m < o->modes; m++)
        if (strcmp(o->compared[m].text, name) == 0)
            return m;
    if (o->modes == MODES_AT_MOST)
        return refuse(r, "too many modes");
    snprintf(r->x->mode[o->modes], EXPERIMENT_LINE, "%s", name);
    o->compared[o->modes] = (struct mode){.text = r->x->mode[o->modes]};
    return o->modes++;
}

/* Returns the index of a seed, counted from that of the first line. */
static int seed_of(struct reader *r, const char *text)
{
    unsigned long long number = strtoull(text, NULL, 10);

    if (r->o->seeds == 0)
        r->first_seed = number;
    if (number < r->first_seed || number - r->first_seed >= SEEDS_AT_MOST)
        return refuse(r, "a seed out of order");
    if ((int)(number - r->first_seed) >= r->o->seeds)
        r->o->seeds = (int)(number - r->first_seed) + 1;
    return (int)(number - r->first_seed);
}

static int take_loss(struct reader *r, int m, int seed, int step, double value)
{
    struct experiment *x = r->x;
    int point = 0;

    if (m == 0 && seed == 0) {
        if (x->points == EXPERIMENT_POINTS)
            return refuse(r, "too many points of a curve");
        x->steps = step;
        point = x->points++;
    } else {
        while (point < x->points && experiment_step(x, point) != step)
            point++;
    }
    if (point == x->points)
        return refuse(r, "a step that the first training does not have");
    x->run[m][seed].loss[point] = value;
    return 0;
}

static int take_accuracy(struct reader *r, int m, int seed, int epoch, double value)
{
    struct run *run = &r->x->run[m][seed];

    if (epoch < 1 || epoch > EPOCHS_READ)
        return refuse(r, "an epoch out of range");
    if (run->accuracy == NULL)
        run->accuracy = calloc(EPOCHS_READ, sizeof(double));
    if (run->accuracy == NULL)
        return complain("out of memory for the table.");
    if (epoch > r->o->training.epochs)
        r->o->training.epochs = epoch;
    run->accuracy[epoch - 1] = value;
    return 0;
}

static int take_distance(struct reader *r, int m, const char *layer, double value)
{
    struct experiment *x = r->x;
    int l = 0;

    while (l < x->layers && strcmp(x->layer[l], layer) != 0)
        l++;
    if (l == EXPERIMENT_LAYERS)
        return refuse(r, "too many layers");
    if (l == x->layers)
        snprintf(x->layer[x->layers++], EXPERIMENT_NAME, "%s", layer);
    x->distance[m][l] = value;
    return 0;
}

/* Processes a line: network,mode,seed,what,at,value */
static int take_line(struct reader *r, char *fields[FIELDS])
{
    const char *what = fields[3];
    double value = strtod(fields[5], NULL);
    int m = mode_of(r, fields[1]), at = atoi(fields[4]), seed;

    if (strcmp(fields[0], r->x->example->name) != 0)
        return refuse(r, "a table of another network");
    if (m < 0)
        return -1;
    if (strcmp(what, "distance") == 0)
        return take_distance(r, m, fields[4], value);
    if (strcmp(what, "equal") == 0) {
        r->x->equal[m] = (int)value;
        return 0;
    }
    seed = seed_of(r, fields[2]);
    if (seed < 0)
        return -1;
    if (strcmp(what, "loss") == 0)
        return take_loss(r, m, seed, at, value);
    if (strcmp(what, "accuracy") == 0)
        return take_accuracy(r, m, seed, at, value);
    if (strcmp(what, "left_out") == 0)
        r->x->run[m][seed].skipped = (int)value;
    return 0;
}

static int split(char *line, char *fields[FIELDS])
{
    int count = 0;
    char *field;

    line[strcspn(line, "\r\n")] = '\0';
    while ((field = strsep(&line, ",")) != NULL && count < FIELDS)
        fields[count++] = field;
    return count == FIELDS && field == NULL;
}

/* Checks that every training has its accuracies, so that no figure misses one. */
static int check_whole(const struct reader *r)
{
    for (int m = 0; m < r->o->modes; m++)
        for (int seed = 0; seed < r->o->seeds; seed++)
            if (r->x->run[m][seed].accuracy == NULL)
                return complain("%s: the accuracy of %s with its seed %d is missing.", r->path,
                                r->o->compared[m].text, seed);
    return r->o->modes > 1 && r->x->points > 0
               ? 0
               : complain("%s: not a table of a comparison.", r->path);
}

/* Reads the lines. The first training must come first, since it determines the points of the
 * others. */
static int read_lines(struct reader *r, FILE *file)
{
    char line[EXPERIMENT_LINE], *fields[FIELDS];
    int result = 0;

    for (r->line = 1; result == 0 && fgets(line, sizeof(line), file) != NULL; r->line++)
        if (r->line > 1)
            result =
                split(line, fields) ? take_line(r, fields) : refuse(r, "a line without six fields");
    return result;
}

int table_read(struct experiment *x, struct options *o, const char *path)
{
    struct reader r = {.x = x, .o = o, .path = path};
    FILE *file = fopen(path, "r");
    int result;

    if (file == NULL)
        return complain("%s: cannot be opened: %s.", path, strerror(errno));
    o->modes = o->seeds = o->training.epochs = 0;
    result = read_lines(&r, file);
    fclose(file);
    return result < 0 ? -1 : check_whole(&r);
}
