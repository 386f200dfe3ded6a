/* SPDX-License-Identifier: Apache-2.0 */
/* The answers as a page: figures of the errors, and of what speed costs. */
#include "tools/compare/html.h"

#include <math.h>
#include <stdlib.h>

struct figures {
    const char *const *names; /* of the sides */
    const json_t *answers;
    double shares[COMPARE_SIDES][ADN_SPREAD_POWERS]; /* of values, by their error in units */
    double zeros[COMPARE_SIDES];
    double values[COMPARE_SIDES];
    double shortest, longest; /* sums */
    int points;               /* with a length, an error and a time */
    FILE *script;
    int side;
};

/* ---- gathering */

static double terms_of(const json_t *errors)
{
    return compare_real(errors, "terms");
}

/* A point of the figures over lengths and speeds. */
static int is_point(const json_t *errors)
{
    double error = compare_real(errors, "relative_l2");

    return error > 0 && isfinite(error) && terms_of(errors) >= 1;
}

static void gather(void *cookie, const json_t *answer, const json_t *output, const json_t *errors)
{
    struct figures *figures = cookie;
    long long side = compare_count(errors, "side");
    const json_t *units = json_object_get(errors, "ulps");
    const json_t *powers = json_object_get(units, "powers");

    (void)answer;
    (void)output;
    figures->zeros[side] += (double)compare_count(units, "zeros");
    figures->values[side] += (double)compare_count(units, "zeros");
    for (size_t i = 0; i < json_array_size(powers); i++) {
        const json_t *pair = json_array_get(powers, i);
        json_int_t power = json_integer_value(json_array_get(pair, 0)) - ADN_SPREAD_LEAST;
        double count = json_number_value(json_array_get(pair, 1));

        if (power < 0 || power >= ADN_SPREAD_POWERS)
            continue;
        figures->shares[side][power] += count;
        figures->values[side] += count;
    }
    if (!is_point(errors))
        return;
    figures->points++;
    figures->shortest = fmin(figures->shortest, terms_of(errors));
    figures->longest = fmax(figures->longest, terms_of(errors));
}

/* ---- figures */

static void name_side(FILE *script, const struct figures *figures, int side, const char *style)
{
    fprintf(script, " %s linecolor rgb '%s' title ", style, page_colour((size_t)side));
    page_plot_text(script, figures->names[side]);
}

static void draw_units(FILE *script, void *cookie)
{
    const struct figures *figures = cookie;

    for (int side = 0; side < COMPARE_SIDES; side++) {
        fprintf(script, "$side%d << END\n", side);
        for (int i = 0; i < ADN_SPREAD_POWERS; i++)
            if (figures->shares[side][i] > 0)
                fprintf(script, "%d %.6g\n", i + ADN_SPREAD_LEAST,
                        100 * figures->shares[side][i] / figures->values[side]);
        fputs("99 ?\nEND\n", script); /* never empty */
    }
    fputs("set datafile missing '?'\nset xrange [-12:*]\nset yrange [0:*]\n"
          "set xlabel 'error in last places, as a power of 2'\n"
          "set ylabel 'values, percent'\nset style fill solid 0.8\nset boxwidth 0.4\n"
          "plot $side0 using ($1-0.2):2",
          script);
    name_side(script, figures, 0, "with boxes");
    fputs(", $side1 using ($1+0.2):2", script);
    name_side(script, figures, 1, "with boxes fillstyle pattern 2");
    fputs("\n", script);
}

static void put_length(void *cookie, const json_t *answer, const json_t *output,
                       const json_t *errors)
{
    struct figures *figures = cookie;

    (void)answer;
    (void)output;
    if (compare_count(errors, "side") == figures->side && is_point(errors))
        fprintf(figures->script, "%.9g %.9g\n", terms_of(errors),
                compare_real(errors, "relative_l2"));
}

/* Products a second, of the problem's first output. */
static void put_speed(void *cookie, const json_t *answer, const json_t *output,
                      const json_t *errors)
{
    struct figures *figures = cookie;
    double time = compare_time(answer, (size_t)figures->side);

    if (compare_count(errors, "side") == figures->side && is_point(errors) && time > 0)
        fprintf(figures->script, "%.9g %.9g\n",
                terms_of(errors) * (double)compare_count(output, "count") / time * 1e-3,
                compare_real(errors, "relative_l2"));
}

static void put_points(FILE *script, struct figures *figures, compare_each_fn put)
{
    figures->script = script;
    for (figures->side = 0; figures->side < COMPARE_SIDES; figures->side++) {
        fprintf(script, "$side%d << END\n", figures->side);
        compare_each_of(figures->answers, put, figures);
        fputs("1 ?\nEND\n", script);
    }
    fputs("set datafile missing '?'\nset logscale xy\nset format y '1e%L'\n"
          "set ylabel 'relative L2 error'\n",
          script);
}

static void plot_sides(FILE *script, const struct figures *figures)
{
    fputs("plot $side0 using 1:2", script);
    name_side(script, figures, 0, "with points pointtype 7 pointsize 0.9");
    fputs(", $side1 using 1:2", script);
    name_side(script, figures, 1, "with points pointtype 10 pointsize 1.1 linewidth 2");
}

/* The yardsticks: a random walk of rounded float sums, and what rounding both operands costs, which
 * does not grow. Measured with N(0,1) and 64 to 50,176 terms. */
static void draw_lengths(FILE *script, void *cookie)
{
    struct figures *figures = cookie;

    put_points(script, figures, put_length);
    fprintf(script, "set xlabel 'terms of a sum'\nset xrange [%.9g:%.9g]\n", figures->shortest / 2,
            figures->longest * 2);
    plot_sides(script, figures);
    fputs(", 0.3*2**-24*sqrt(x) with lines linewidth 2 dashtype 2 linecolor rgb '#000000' title "
          "'float sums: 0.3 sqrt(K) 2^-24'"
          ", 2.9e-4 with lines linewidth 2 dashtype 3 linecolor rgb '#009E73' title "
          "'TF32 or half operands'"
          ", 2.3e-3 with lines linewidth 2 dashtype 4 linecolor rgb '#56B4E9' title "
          "'bfloat16 operands'\n",
          script);
}

static void draw_speeds(FILE *script, void *cookie)
{
    put_points(script, cookie, put_speed);
    fputs("set xlabel 'billion terms a second'\n", script);
    plot_sides(script, cookie);
    fputs("\n", script);
}

static void put_figures(struct page *page, struct figures *figures)
{
    page_heading(page, "How large the errors are");
    for (int side = 0; side < COMPARE_SIDES; side++)
        page_paragraph(page, "%s: %.0f values, of which %.0f have no error at all.",
                       figures->names[side], figures->values[side], figures->zeros[side]);
    if (figures->values[0] + figures->values[1] > figures->zeros[0] + figures->zeros[1])
        page_figure(page,
                    "Errors of single values against double precision. A result that is rounded "
                    "once has at most half a unit, that is 2^-1.",
                    draw_units, figures);
    if (figures->points == 0)
        return;
    page_heading(page, "How the error grows with the sum");
    page_figure(page,
                "Each point is an output of a problem. Beside the points: what sums in float, one "
                "term after the other, lose of N(0,1) data, and what rounded operands cost.",
                draw_lengths, figures);
    page_heading(page, "What speed costs");
    page_figure(page, "Further right is faster, further down is more exact.", draw_speeds, figures);
}

/* ---- the page */

/* Sides that did not run, and why. */
static void put_absent(struct page *page, const json_t *answers)
{
    for (size_t i = 0; i < json_array_size(answers); i++)
        for (size_t side = 0; side < COMPARE_SIDES; side++) {
            const json_t *answer = json_array_get(answers, i);
            const json_t *at = compare_side(answer, side);

            if (json_object_get(at, "reason") != NULL)
                page_paragraph(page, "%s: %s %s: %s", tool_text_of(answer, "layer"),
                               tool_text_of(at, "pair"), tool_text_of(at, "outcome"),
                               tool_text_of(at, "reason"));
        }
}

int compare_html(struct tool *tool, const char *path, const char *title, const char *const *names,
                 const json_t *answers)
{
    struct figures *figures = tool_alloc(sizeof(*figures));
    struct page page;
    int code = page_open(tool, path, title, &page);

    if (code == TOOL_FINE) {
        *figures =
            (struct figures){.names = names, .answers = answers, .shortest = (double)INFINITY};
        compare_each_of(answers, gather, figures);
        page_paragraph(&page,
                       "%zu problems. A is %s, B is %s; both are held to a reference in "
                       "double precision.",
                       json_array_size(answers), names[0], names[1]);
        put_absent(&page, answers);
        put_figures(&page, figures);
        compare_html_worst(&page, answers);
        code = page_close(tool, &page);
    }
    free(figures);
    return code;
}
