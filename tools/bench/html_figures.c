/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the figures of bench's page: how close the layers come to the roofline, and how the pairs
 * compare. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/common.h"
#include "tools/report/page.h"

#define ROOFS 4 /* the maximum drawn */

struct roof {
    double flops;
    double bytes; /* per second */
    char name[128];
};

struct drawing {
    const struct bench *bench;
    struct roof roof[ROOFS];
    int roofs;
    double least, most; /* operations per byte */
};

/* ---- gathering */

static double intensity_of(const struct layer *layer)
{
    return layer->traffic.bytes > 0 ? layer->traffic.flops / layer->traffic.bytes : 0;
}

static int ran(const struct row *row)
{
    return row->declined == NULL && row->median > 0;
}

/* Returns 1 if the operations of the layer are counted and measured. */
static int is_point(const struct layer *layer, const struct row *row)
{
    return ran(row) && row->tflops > 0 && intensity_of(layer) > 0;
}

/* Returns the memory rate of the same device, else of any; 0 if there is none. */
static double bytes_of(const json_t *ceilings, const char *device)
{
    double bytes = 0;

    for (size_t i = 0; i < json_array_size(ceilings); i++) {
        const json_t *one = json_array_get(ceilings, i);

        if (tool_number_of(one, "bytes") > 0 &&
            (bytes <= 0 || strcmp(tool_text_of(one, "device"), device) == 0))
            bytes = tool_number_of(one, "bytes");
    }
    return bytes;
}

static void gather_roofs(struct drawing *drawing)
{
    json_t *ceilings = bench_ceilings(drawing->bench);

    for (size_t i = 0; i < json_array_size(ceilings) && drawing->roofs < ROOFS; i++) {
        const json_t *one = json_array_get(ceilings, i);
        const char *device = tool_text_of(one, "device");
        struct roof *roof = &drawing->roof[drawing->roofs];

        roof->flops = tool_number_of(one, "flops");
        roof->bytes = bytes_of(ceilings, device);
        if (!(roof->flops > 0 && roof->bytes > 0))
            continue;
        snprintf(roof->name, sizeof(roof->name), "roof%s%.30s%s%.30s%s%.30s",
                 device[0] != '\0' ? " of " : "", device,
                 tool_text_of(one, "type")[0] != '\0' ? ", " : "", tool_text_of(one, "type"),
                 tool_text_of(one, "math")[0] != '\0' ? ", math " : "", tool_text_of(one, "math"));
        drawing->roofs++;
    }
    json_decref(ceilings);
}

static void gather(struct drawing *drawing)
{
    const struct bench *bench = drawing->bench;

    drawing->least = (double)INFINITY;
    for (int i = 0; i < bench->suite.count; i++)
        for (int p = 0; p < bench->pairs; p++)
            if (is_point(&bench->layer[i], &bench->layer[i].row[p])) {
                drawing->least = fmin(drawing->least, intensity_of(&bench->layer[i]));
                drawing->most = fmax(drawing->most, intensity_of(&bench->layer[i]));
            }
    gather_roofs(drawing);
}

/* ---- figures */

static void plot_pair(FILE *script, const struct bench *bench, int pair, int first)
{
    static const int shapes[] = {7, 10, 5, 12, 9, 4};

    fprintf(script, "%s$pair%d using 1:2 with points pointtype %d pointsize 0.9 linewidth 2 ",
            first ? "plot " : ", ", pair, shapes[pair % 6]);
    fprintf(script, "linecolor rgb '%s' title ", page_colour((size_t)pair));
    page_plot_text(script, bench->pair[pair].name);
}

static void draw_roofline(FILE *script, void *cookie)
{
    const struct drawing *drawing = cookie;
    const struct bench *bench = drawing->bench;

    for (int p = 0; p < bench->pairs; p++) {
        fprintf(script, "$pair%d << END\n", p);
        for (int i = 0; i < bench->suite.count; i++)
            if (is_point(&bench->layer[i], &bench->layer[i].row[p]))
                fprintf(script, "%.9g %.9g\n", intensity_of(&bench->layer[i]),
                        bench->layer[i].row[p].tflops);
        fputs("1 ?\nEND\n", script); /* gnuplot rejects empty data */
    }
    fprintf(script,
            "set datafile missing '?'\nset logscale xy\nset samples 400\n"
            "set xrange [%.9g:%.9g]\nset xlabel 'operations for each byte that must move'\n"
            "set ylabel 'TFLOP/s'\nset format y '%%g'\n",
            drawing->least / 2, drawing->most * 2);
    for (int p = 0; p < bench->pairs; p++)
        plot_pair(script, bench, p, p == 0);
    for (int r = 0; r < drawing->roofs; r++) {
        const struct roof *roof = &drawing->roof[r];

        fprintf(script,
                ", (x*%.9g < %.9g ? x*%.9g : %.9g)/1e12 with lines linewidth 2 dashtype %d "
                "linecolor rgb '#000000' title ",
                roof->bytes, roof->flops, roof->bytes, roof->flops, r + 1);
        page_plot_text(script, roof->name);
    }
    fputs("\n", script);
}

/* Returns the speed relative to the first pair, or, with only one pair, to the roofline. */
static double speed_of(const struct bench *bench, const struct row *row)
{
    return !ran(row) ? 0 : bench->pairs > 1 ? row->ratio : row->roofline;
}

static void draw_speeds(FILE *script, void *cookie)
{
    const struct bench *bench = ((const struct drawing *)cookie)->bench;
    int first = bench->pairs > 1;

    for (int p = first; p < bench->pairs; p++) {
        fprintf(script, "$pair%d << END\n", p);
        for (int i = 0; i < bench->suite.count; i++)
            if (speed_of(bench, &bench->layer[i].row[p]) > 0)
                fprintf(script, "%d %.9g\n", i + 1, speed_of(bench, &bench->layer[i].row[p]));
        fputs("1 ?\nEND\n", script);
    }
    fprintf(script,
            "set datafile missing '?'\nset logscale y\nset format y '%%g'\n"
            "set xrange [0:%d]\nset xlabel 'number of the layer in the table'\nset ylabel '%s'\n",
            bench->suite.count + 1,
            bench->pairs > 1 ? "times as fast as the first" : "fraction of the roofline");
    for (int p = first; p < bench->pairs; p++)
        plot_pair(script, bench, p, p == first);
    fputs(", 1 with lines linewidth 2 dashtype 2 linecolor rgb '#000000' title ", script);
    page_plot_text(script, bench->pairs > 1 ? bench->pair[0].name : "the roofline");
    fputs("\n", script);
}

static int has_speeds(const struct bench *bench)
{
    for (int i = 0; i < bench->suite.count; i++)
        for (int p = bench->pairs > 1; p < bench->pairs; p++)
            if (speed_of(bench, &bench->layer[i].row[p]) > 0)
                return 1;
    return 0;
}

void bench_put_figures(struct page *page, const struct bench *bench)
{
    struct drawing drawing = {.bench = bench};

    gather(&drawing);
    if (drawing.most > 0) {
        page_heading(page, "Distance from the roofline");
        page_figure(page,
                    "Each point is a layer. Left of the bend of the roofline, memory is the limit; "
                    "right of it, arithmetic is. A point on the line reaches the device's peak.",
                    draw_roofline, &drawing);
    }
    if (!has_speeds(bench))
        return;
    page_heading(page, bench->pairs > 1 ? "Relative speed" : "Fraction of the roofline");
    page_figure(page,
                bench->pairs > 1
                    ? "Above the line a layer takes less time than on the first pair."
                    : "The least possible time divided by the measured time, for each layer.",
                draw_speeds, &drawing);
}
