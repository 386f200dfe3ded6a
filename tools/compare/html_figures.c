/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the figures of a page that show the size and the growth of errors. */
#include "tools/compare/html.h"

#include <math.h>
#include <string.h>

void html_reserve(FILE *script, int lines)
{
    fputs("set key samplen 2\n", script);
    if (lines > 4)
        fprintf(script,
                "set terminal svg size 480,%d font 'sans-serif,16' background rgb '#ffffff'\n",
                440 + 26 * (lines - 4));
}

static void name_series(FILE *script, const struct html_figures *figures, int series,
                        const char *style)
{
    static const int shapes[HTML_SERIES] = {7, 10, 5, 12, 9, 4, 8};

    fprintf(script, " with %s linecolor rgb '%s' pointtype %d pointsize 0.9 title ", style,
            page_colour((size_t)series), shapes[series]);
    page_plot_text(script, figures->series[series].name);
}

/* ---- errors of single values */

static void put_shares(FILE *script, const struct html_series *series, int number)
{
    fprintf(script, "$series%d << END\n", number);
    for (int i = 0; i < ADN_SPREAD_POWERS; i++)
        if (series->shares[i] > 0)
            fprintf(script, "%d %.6g\n", i + ADN_SPREAD_LEAST,
                    100 * series->shares[i] / series->values);
    fputs("99 ?\nEND\n", script); /* gnuplot rejects empty data */
}

static void draw_units(FILE *script, void *cookie)
{
    const struct html_figures *figures = cookie;

    html_reserve(script, figures->count);
    for (int i = 0; i < figures->count; i++)
        put_shares(script, &figures->series[i], i);
    fputs("set datafile missing '?'\nset xrange [-12:*]\nset yrange [0:*]\n"
          "set xlabel 'error in last places, as a power of 2'\n"
          "set ylabel 'values, percent'\n",
          script);
    for (int i = 0; i < figures->count; i++) {
        fprintf(script, "%s$series%d using 1:2", i == 0 ? "plot " : ", ", i);
        name_series(script, figures, i, "linespoints linewidth 2");
    }
    fputs("\n", script);
}

/* ---- points */

void html_put_points(FILE *script, const struct html_figures *figures, html_point_fn where)
{
    double x, y;

    for (int i = 0; i < figures->count; i++) {
        fprintf(script, "$series%d << END\n", i);
        for (size_t k = 0; k < figures->points; k++)
            if (figures->point[k].series == i && where(&figures->point[k], &x, &y))
                fprintf(script, "%.9g %.9g\n", x, y);
        fputs("1 ?\nEND\n", script);
    }
    fputs("set datafile missing '?'\nset logscale y\n", script);
}

void html_plot_points(FILE *script, const struct html_figures *figures)
{
    for (int i = 0; i < figures->count; i++) {
        fprintf(script, "%s$series%d using 1:2", i == 0 ? "plot " : ", ", i);
        name_series(script, figures, i, "points linewidth 2");
    }
}

int html_has(const struct html_figures *figures, html_point_fn where)
{
    double x, y;

    for (size_t i = 0; i < figures->points; i++)
        if (where(&figures->point[i], &x, &y))
            return 1;
    return 0;
}

static int at_length(const struct html_point *point, double *x, double *y)
{
    *x = point->terms;
    *y = point->error;
    return 1;
}

static int at_row(const struct html_point *point, double *x, double *y)
{
    *x = point->row + 1;
    *y = point->error;
    return 1;
}

static int at_expected(const struct html_point *point, double *x, double *y)
{
    *x = point->row + 1;
    *y = point->expected;
    return point->expected > 0;
}

/* ---- the reference lines */

static int has_type(const struct html_figures *figures, const char *type)
{
    for (int i = 0; i < figures->count; i++)
        if (strcmp(figures->series[i].type, type) == 0)
            return 1;
    return 0;
}

/* The reference lines. Rounded float sums are a random walk. Rounding both operands, and rounding
 * the result once, give errors that do not grow. Measured with N(0,1) and 64 to 50,176 terms. */
static const struct yardstick {
    const char *type; /* type of the results; NULL: always drawn */
    const char *curve, *name;
} yardsticks[] = {
    {NULL, "0.3*2**-24*sqrt(x)", "float sums: 0.3 sqrt(K) 2^-24"},
    {NULL, "2.9e-4", "TF32 or half operands: 2.9e-4"},
    {NULL, "2.3e-3", "bfloat16 operands: 2.3e-3"},
    {"f16", "2.1e-4", "results rounded to half: 2.1e-4"},
    {"bf16", "1.7e-3", "results rounded to bfloat16: 1.7e-3"},
};

#define YARDSTICKS ((int)(sizeof(yardsticks) / sizeof(yardsticks[0])))

static void draw_lengths(FILE *script, void *cookie)
{
    const struct html_figures *figures = cookie;
    double shortest = (double)INFINITY;
    double longest = 0;

    for (size_t i = 0; i < figures->points; i++) {
        shortest = fmin(shortest, figures->point[i].terms);
        longest = fmax(longest, figures->point[i].terms);
    }
    html_reserve(script, figures->count + YARDSTICKS);
    html_put_points(script, figures, at_length);
    fprintf(
        script,
        "set logscale x\nset format x '%%g'\nset format y '1e%%L'\nset xlabel 'terms of a sum'\n"
        "set ylabel 'relative L2 error'\nset xrange [%.9g:%.9g]\n",
        shortest / 2, longest * 2);
    html_plot_points(script, figures);
    for (int i = 0; i < YARDSTICKS; i++)
        if (yardsticks[i].type == NULL || has_type(figures, yardsticks[i].type))
            fprintf(script, ", %s with lines linewidth 2 dashtype %d linecolor rgb '%s' title '%s'",
                    yardsticks[i].curve, i + 1, i == 0 ? "#000000" : "#666666", yardsticks[i].name);
    fputs("\n", script);
}

/* ---- errors by layer */

static void draw_rows(FILE *script, void *cookie)
{
    const struct html_figures *figures = cookie;
    int any = html_has(figures, at_expected);
    double x, y;

    html_reserve(script, figures->count + any);
    for (int i = 0; i < figures->count; i++) {
        fprintf(script, "$expected%d << END\n", i);
        for (size_t k = 0; k < figures->points; k++)
            if (figures->point[k].series == i && at_expected(&figures->point[k], &x, &y))
                fprintf(script, "%.9g %.9g\n", x, y);
        fputs("1 ?\nEND\n", script);
    }
    html_put_points(script, figures, at_row);
    fprintf(script,
            "set format y '1e%%L'\nset xrange [0:%d]\n"
            "set xlabel 'number of the layer in the table'\nset ylabel 'relative L2 error'\n",
            figures->rows + 1);
    html_plot_points(script, figures);
    for (int i = 0; any && i < figures->count; i++)
        fprintf(script,
                ", $expected%d using 1:2 smooth unique with lines linewidth 1 linecolor rgb '%s' "
                "notitle",
                i, page_colour((size_t)i));
    if (any)
        fputs(", NaN with lines linewidth 1 linecolor rgb '#000000' title "
              "'lines: expected of N(0,1) data'",
              script);
    fputs("\n", script);
}

static double errors_of(const struct html_figures *figures)
{
    double count = 0;

    for (int i = 0; i < figures->count; i++)
        count += figures->series[i].values - figures->series[i].zeros;
    return count;
}

void html_put_figures(struct page *page, struct html_figures *figures)
{
    page_heading(page, "Size of the errors");
    for (int i = 0; i < figures->count; i++)
        page_paragraph(page, "%s: %.0f values, of which %.0f have no error at all.",
                       figures->series[i].name, figures->series[i].values,
                       figures->series[i].zeros);
    if (errors_of(figures) > 0)
        page_figure(page,
                    "Errors of single values against double precision. A result that is rounded "
                    "once has an error of at most half a unit, 2^-1.",
                    draw_units, figures);
    if (figures->points == 0)
        return;
    page_heading(page, "Error by length of the sum");
    page_figure(page,
                "Each point is an output of a problem. The lines show the errors of sequential "
                "float sums of N(0,1) data, and of rounded operands and results.",
                draw_lengths, figures);
    if (figures->rows > 1) {
        page_heading(page, "Error by layer");
        page_figure(
            page,
            "The same errors in the order of the suite. The table at the end names the layers.",
            draw_rows, figures);
    }
    html_put_speeds(page, figures);
}
