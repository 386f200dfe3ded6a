/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of compare's page. */
#ifndef TOOLS_COMPARE_HTML_H
#define TOOLS_COMPARE_HTML_H

#include "tools/compare/compare.h"
#include "tools/report/page.h"

/* As many as there are colours that everybody tells apart. */
#define HTML_SERIES 7

/* One side's results in one type, of one comparison or of several. */
struct html_series {
    long long side;
    const char *pair; /* by which the answers name it */
    const char *type;
    char name[160];                   /* on the page */
    double shares[ADN_SPREAD_POWERS]; /* values, by their error in units */
    double zeros, values;
};

/* One output of one series. */
struct html_point {
    int series;
    int row; /* of the layer and direction, in the order of the suite */
    double terms, error, expected;
    double rate;      /* billion terms a second; 0: not known */
    double intensity; /* operations a byte; 0: not known */
    double flops;     /* a second */
};

/* A layer in one direction, whatever the type. */
struct html_row {
    const json_t *answer, *output;
};

struct html_figures {
    const json_t *answers;
    const char *const *names; /* of the sides; NULL: as the answers name them */
    struct html_series series[HTML_SERIES];
    int count;    /* of series */
    int left_out; /* results of further series */
    struct html_point *point;
    size_t points;
    struct html_row *row;
    int rows;
    double sampled; /* least share of values that a sample may have missed; 0: no sample */
};

/* ---- html_data.c */

/* Fills all but answers and names. */
void html_gather(struct html_figures *figures);
void html_free(struct html_figures *figures);

/* ---- html_figures.c */

void html_put_figures(struct page *page, struct html_figures *figures);

/* Lines of a figure's key have their room below it. */
void html_make_room(FILE *script, int lines);
/* Where a point lies in a figure; 0: not in it. */
typedef int (*html_point_fn)(const struct html_point *point, double *x, double *y);
int html_has(const struct html_figures *figures, html_point_fn where);
/* The points as data, and the command that plots them, to go on. */
void html_put_points(FILE *script, const struct html_figures *figures, html_point_fn where);
void html_plot_points(FILE *script, const struct html_figures *figures);

/* ---- html_speeds.c */

void html_put_speeds(struct page *page, struct html_figures *figures);

/* ---- html_worst.c */

/* The outputs nearest to their bound as a table. */
void compare_html_worst(struct page *page, const json_t *answers);
/* Each row's error in each series. */
void html_put_rows(struct page *page, const struct html_figures *figures);

#endif
