/* SPDX-License-Identifier: Apache-2.0 */
/* Draws an experiment as a page: the verdict, curves with bands over the seeds, distances by
 * layer. */
#include <math.h>
#include <stdio.h>

#include "complain.h"
#include "statistics.h"
#include "tools/common.h"
#include "tools/report/page.h"
#include "verdict.h"

/* Returns value `i` of a run's curve. */
typedef double (*curve_fn)(const struct run *run, int i);

static double loss_at(const struct run *run, int i)
{
    return run->loss[i];
}

static double accuracy_at(const struct run *run, int i)
{
    return run->accuracy[i];
}

/* Writes a block for each mode: position, mean, least and largest value over the seeds. */
static void put_curves(FILE *script, const struct experiment *x, curve_fn value, int count,
                       int by_step)
{
    for (int m = 0; m < x->o->modes; m++) {
        fprintf(script, "$mode%d << END\n", m);
        for (int i = 0; i < count; i++) {
            double values[SEEDS_AT_MOST];
            struct spread s;

            for (int seed = 0; seed < x->o->seeds; seed++)
                values[seed] = value(&x->run[m][seed], i);
            s = statistics_spread(values, x->o->seeds);
            if (isfinite(s.mean))
                fprintf(script, "%d %.9g %.9g %.9g\n", by_step ? experiment_step(x, i) : i + 1,
                        s.mean, s.least, s.most);
        }
        fputs("1 ? ? ?\nEND\n", script); /* never empty */
    }
    fputs("set datafile missing '?'\n", script);
}

static void plot_curves(FILE *script, const struct experiment *x)
{
    for (int m = 0; m < x->o->modes; m++)
        fprintf(
            script,
            "%s $mode%d using 1:3:4 with filledcurves fillstyle transparent solid 0.18 noborder "
            "linecolor rgb '%s' notitle",
            m == 0 ? "plot" : ",", m, page_colour((size_t)m));
    for (int m = 0; m < x->o->modes; m++) {
        fprintf(script,
                ", $mode%d using 1:2 with lines linewidth 2 dashtype %d linecolor rgb '%s' "
                "title ",
                m, m + 1, page_colour((size_t)m));
        page_plot_text(script, x->o->compared[m].text);
    }
    fputc('\n', script);
}

static void draw_losses(FILE *script, void *cookie)
{
    const struct experiment *x = cookie;

    put_curves(script, x, loss_at, x->points, 1);
    fputs("set logscale y\nset xlabel 'steps'\nset ylabel 'training loss'\n", script);
    plot_curves(script, x);
}

static void draw_accuracies(FILE *script, void *cookie)
{
    const struct experiment *x = cookie;

    put_curves(script, x, accuracy_at, x->o->training.epochs, 0);
    fputs("set xlabel 'epochs'\nset ylabel 'test accuracy, percent'\nset xtics 1\n", script);
    plot_curves(script, x);
}

static void draw_finals(FILE *script, void *cookie)
{
    const struct experiment *x = cookie;
    int last = x->o->training.epochs - 1;

    for (int m = 0; m < x->o->modes; m++) {
        fprintf(script, "$mode%d << END\n", m);
        for (int seed = 0; seed < x->o->seeds; seed++)
            fprintf(script, "%.4f %.9g\n", m + 0.5 * ((seed + 0.5) / x->o->seeds - 0.5),
                    x->run[m][seed].accuracy[last]);
        fputs("END\n", script);
    }
    fprintf(script,
            "set xrange [-0.6:%.1f]\nunset xtics\nset ylabel 'final test accuracy, percent'\n",
            x->o->modes - 0.4);
    for (int m = 0; m < x->o->modes; m++) {
        fprintf(script,
                "%s $mode%d using 1:2 with points pointtype %d pointsize 1.2 linecolor rgb '%s' "
                "title ",
                m == 0 ? "plot" : ",", m, m + 4, page_colour((size_t)m));
        page_plot_text(script, x->o->compared[m].text);
    }
    fputc('\n', script);
}

static void draw_distances(FILE *script, void *cookie)
{
    const struct experiment *x = cookie;

    for (int m = 1; m < x->o->modes; m++) {
        fprintf(script, "$mode%d << END\n", m);
        for (int l = 0; l < x->layers; l++)
            if (x->distance[m][l] > 0 && isfinite(x->distance[m][l]))
                fprintf(script, "%d %.9g\n", l + 1, x->distance[m][l]);
        fputs("1 ?\nEND\n", script);
    }
    fprintf(script,
            "set datafile missing '?'\n"
            "set logscale y\n"
            "set format y '10^{%%L}'\n"
            "set xrange [0.5:%d.5]\n"
            "set xlabel 'layer, from the images on'\n"
            "set ylabel 'distance of the weights'\n",
            x->layers);
    for (int m = 1; m < x->o->modes; m++) {
        fprintf(script,
                "%s $mode%d using 1:2 with linespoints pointtype %d linewidth 2 dashtype %d "
                "linecolor rgb '%s' title ",
                m == 1 ? "plot" : ",", m, m + 4, m + 1, page_colour((size_t)m));
        page_plot_text(script, x->o->compared[m].text);
    }
    fputc('\n', script);
}

static void put_table(struct page *page, const struct experiment *x)
{
    double target = statistics_target(x);
    const char *head[] = {"mode",    "final accuracy, %", "range over seeds",
                          "skipped", "steps to the loss", NULL};

    page_table_begin(page);
    page_row(page, 1, head);
    for (int m = 0; m < x->o->modes; m++) {
        struct spread s = statistics_accuracy(x, m);
        char mean[32], range[64], skipped[32], steps[64];
        const char *cells[] = {x->o->compared[m].text, mean, range, skipped, steps, NULL};
        int left_out = 0;

        for (int seed = 0; seed < x->o->seeds; seed++)
            left_out += x->run[m][seed].skipped;
        snprintf(mean, sizeof mean, "%.2f", s.mean);
        snprintf(range, sizeof range, "%.2f to %.2f", s.least, s.most);
        snprintf(skipped, sizeof skipped, "%d of %d", left_out, x->steps * x->o->seeds);
        verdict_steps(x, m, target, steps, sizeof steps);
        page_row(page, 0, cells);
    }
    page_table_end(page);
    page_paragraph(page,
                   "The loss is %.4g. Steps with non-finite gradients are skipped; this determines "
                   "the scale of the loss.",
                   target);
}

static void put_figures(struct page *page, struct experiment *x)
{
    page_heading(page, "Learning curves");
    page_figure(
        page,
        "Training loss: the mean over the seeds, and the range from the smallest to the largest.",
        draw_losses, x);
    page_figure(page, "Test accuracy: mean and range over the seeds.", draw_accuracies, x);
    page_heading(page, "Final accuracy");
    page_figure(page, "Final test accuracy: a point for each seed, seeds from left to right.",
                draw_finals, x);
    page_heading(page, "Distance of the weights");
    page_figure(
        page,
        "Distance of a layer's weights from those of the first mode with the same seed, divided by "
        "the distance that training moved these. Layers with equal bits have no point.",
        draw_distances, x);
}

int chart_write(const struct experiment *x, const char *path)
{
    struct experiment copy = *x; /* figures take no const pointer */
    char title[200], sentence[512];
    struct tool tool = {.quiet = 1}; /* its messages are printed here */
    struct page page;
    int code;

    snprintf(title, sizeof title, "%s in %d modes, %d seeds each", x->example->title, x->o->modes,
             x->o->seeds);
    if (page_open(&tool, path, title, &page) != TOOL_FINE)
        return complain("%s.", tool.sentence);
    for (int m = 1; m < x->o->modes; m++) {
        verdict_sentence(x, m, sentence, sizeof sentence);
        page_paragraph(&page, "%s", sentence);
    }
    put_table(&page, x);
    put_figures(&page, &copy);
    code = page_close(&tool, &page);
    return code == TOOL_FINE ? 0 : complain("%s.", tool.sentence);
}
