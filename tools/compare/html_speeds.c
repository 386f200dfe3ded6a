/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the figures of a page about speed: its cost, and its limits. */
#include "tools/compare/html.h"

#include <math.h>

static int at_speed(const struct html_point *point, double *x, double *y)
{
    *x = point->rate;
    *y = point->error;
    return point->rate > 0;
}

static int at_intensity(const struct html_point *point, double *x, double *y)
{
    *x = point->intensity;
    *y = point->flops / 1e12;
    return point->intensity > 0 && point->flops > 0;
}

/* Draws the points in these axes, with space for `lines` more lines in the key. */
static void draw_points(FILE *script, const struct html_figures *figures, html_point_fn where,
                        const char *axes, int lines)
{
    html_reserve(script, figures->count + lines);
    html_put_points(script, figures, where);
    fprintf(script, "set logscale x\nset format x '%%g'\n%s", axes);
    html_plot_points(script, figures);
}

static void draw_speeds(FILE *script, void *cookie)
{
    draw_points(script, cookie, at_speed,
                "set format y '1e%L'\nset xlabel 'billion terms a second'\n"
                "set ylabel 'relative L2 error'\n",
                0);
    fputs("\n", script);
}

/* Draws the roofline of a series. No ceiling was measured, so the best layers of the series define
 * both. */
static void plot_roof(FILE *script, const struct html_figures *figures, int series)
{
    double flops = 0, bytes = 0;
    double x, y;

    for (size_t i = 0; i < figures->points; i++) {
        const struct html_point *point = &figures->point[i];

        if (point->series != series || !at_intensity(point, &x, &y))
            continue;
        flops = fmax(flops, y);
        bytes = fmax(bytes, y / x);
    }
    if (flops > 0)
        fprintf(script,
                ", (x*%.9g < %.9g ? x*%.9g : %.9g) with lines linewidth 1 linecolor rgb '%s' "
                "notitle",
                bytes, flops, bytes, flops, page_colour((size_t)series));
}

static void draw_rates(FILE *script, void *cookie)
{
    const struct html_figures *figures = cookie;

    fputs("set samples 400\n", script);
    draw_points(script, figures, at_intensity,
                "set format y '%g'\nset ylabel 'TFLOP/s'\n"
                "set xlabel 'operations for each byte that must move'\n",
                1);
    for (int i = 0; i < figures->count; i++)
        plot_roof(script, figures, i);
    fputs(", NaN with lines linewidth 1 linecolor rgb '#000000' title "
          "'lines: the best of all layers'\n",
          script);
}

void html_put_speeds(struct page *page, struct html_figures *figures)
{
    if (html_has(figures, at_speed)) {
        page_heading(page, "Error and speed");
        page_figure(page, "Further right is faster; further down is more accurate.", draw_speeds,
                    figures);
    }
    if (html_has(figures, at_intensity)) {
        page_heading(page, "What limits the speed");
        page_figure(page,
                    "Each point is a layer. On the left, memory is the limit, and points rise with "
                    "the operations per byte; on the right, arithmetic is the limit. The lines "
                    "show the highest rates that any layer of the side reached. anydnn bench "
                    "measures the limits of the device.",
                    draw_rates, figures);
    }
}
