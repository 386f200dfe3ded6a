/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an experiment's curves and distances as comma-separated values. */
#include <stdio.h>

#include "complain.h"
#include "statistics.h"

static void write_run(const struct experiment *x, int m, int seed, FILE *file)
{
    const struct run *run = &x->run[m][seed];
    unsigned long long number = x->o->training.seed + (unsigned long long)seed;
    const char *name = x->example->name, *mode = x->o->compared[m].text;

    for (int p = 0; p < x->points; p++)
        fprintf(file, "%s,%s,%llu,loss,%d,%.17g\n", name, mode, number, experiment_step(x, p),
                run->loss[p]);
    for (int epoch = 0; epoch < x->o->training.epochs; epoch++)
        fprintf(file, "%s,%s,%llu,accuracy,%d,%.17g\n", name, mode, number, epoch + 1,
                run->accuracy[epoch]);
    fprintf(file, "%s,%s,%llu,final_loss,%d,%.17g\n", name, mode, number, x->steps,
            run->final_loss);
    fprintf(file, "%s,%s,%llu,left_out,%d,%d\n", name, mode, number, x->steps, run->skipped);
    fprintf(file, "%s,%s,%llu,seconds,%d,%.4g\n", name, mode, number, x->steps, run->seconds);
}

int table_write(const struct experiment *x, const char *path)
{
    FILE *file = fopen(path, "w");
    int failed;

    if (file == NULL)
        return complain("%s: cannot be written.", path);
    fputs("network,mode,seed,what,at,value\n", file);
    for (int m = 0; m < x->o->modes; m++)
        for (int seed = 0; seed < x->o->seeds; seed++)
            write_run(x, m, seed, file);
    for (int m = 1; m < x->o->modes; m++) {
        for (int l = 0; l < x->layers; l++)
            fprintf(file, "%s,%s,,distance,%s,%.17g\n", x->example->name, x->o->compared[m].text,
                    x->layer[l], x->distance[m][l]);
        fprintf(file, "%s,%s,,equal,%d,%d\n", x->example->name, x->o->compared[m].text, x->o->seeds,
                x->equal[m]);
    }
    failed = ferror(file);
    failed |= fclose(file);
    return failed ? complain("%s: cannot be written.", path) : 0;
}
