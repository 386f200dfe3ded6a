/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of compare's page share. */
#ifndef TOOLS_COMPARE_HTML_H
#define TOOLS_COMPARE_HTML_H

#include "tools/compare/compare.h"
#include "tools/report/page.h"

/* The maximum number of series, equal to the number of colours that everybody can distinguish. */
#define HTML_SERIES 7

/* A series: the results of one side in one type, from one comparison or several. */
struct html_series {
    long long side;
    const char *pair; /* the name in the answers */
    const char *type;
    char name[160];                   /* the name on the page */
    double shares[ADN_SPREAD_POWERS]; /* shares of values by their error in units */
    double zeros, values;
};

/* A point: one output of one series. */
struct html_point {
    int series;
    int row; /* row of the layer and direction, in the order of the suite */
    double terms, error, expected;
    double rate;      /* billion terms per second; 0: unknown */
    double intensity; /* operations per byte; 0: unknown */
    double flops;     /* per second */
};

/* A row: a layer in one direction, for all types. */
struct html_row {
    const json_t *answer, *output;
};

struct html_figures {
    const json_t *answers;
    const char *const *names; /* names of the sides; NULL: as in the answers */
    struct html_series series[HTML_SERIES];
    int count;    /* number of series */
    int left_out; /* results of further series */
    struct html_point *point;
    size_t points;
    struct html_row *row;
    int rows;
    double sampled; /* largest share of values that a sample may have missed; 0: no sample */
};

/* ---- html_data.c */

/* Fills all members except answers and names. */
void html_gather(struct html_figures *figures);
void html_free(struct html_figures *figures);

/* ---- html_figures.c */

void html_put_figures(struct page *page, struct html_figures *figures);

/* Makes space below a figure for the lines of its key. */
void html_reserve(FILE *script, int lines);
/* Computes the position of a point in a figure. Returns 0 if the figure omits it. */
typedef int (*html_point_fn)(const struct html_point *point, double *x, double *y);
int html_has(const struct html_figures *figures, html_point_fn where);
/* Write the points as data, and the start of the command that plots them. */
void html_put_points(FILE *script, const struct html_figures *figures, html_point_fn where);
void html_plot_points(FILE *script, const struct html_figures *figures);

/* ---- html_speeds.c */

void html_put_speeds(struct page *page, struct html_figures *figures);

/* ---- html_worst.c */

/* Writes a table of the outputs closest to their bound. */
void compare_html_worst(struct page *page, const json_t *answers);
/* Writes the error of each row in each series. */
void html_put_rows(struct page *page, const struct html_figures *figures);

#endif
