/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the table of the outputs closest to their bound, or beyond it. */
#include "tools/compare/html.h"

#include <stdlib.h>

#define WORST 12 /* rows in the list */

struct row {
    const json_t *answer, *output, *errors;
};
struct rows {
    struct row *row; /* NULL: rows are only counted */
    size_t count;
};

static void take_row(void *cookie, const json_t *answer, const json_t *output, const json_t *errors)
{
    struct rows *rows = cookie;

    if (rows->row != NULL)
        rows->row[rows->count] = (struct row){answer, output, errors};
    rows->count++;
}

/* Returns the error as a fraction of its bound: infinite if only one number is right. */
static double ratio_of(const struct row *row)
{
    return compare_real(json_object_get(row->errors, "bound"), "ratio");
}

static int by_ratio(const void *left, const void *right)
{
    double one = ratio_of(left);
    double other = ratio_of(right);

    return (other > one) - (other < one);
}

static const char *number(char *text, size_t size, const json_t *object, const char *key)
{
    const char *word = tool_text_of(object, key);

    if (word[0] != '\0')
        return word;
    if (json_object_get(object, key) == NULL)
        return "";
    snprintf(text, size, "%.4g", compare_real(object, key));
    return text;
}

static void put_row(struct page *page, const struct row *row)
{
    const json_t *bound = json_object_get(row->errors, "bound");
    char text[5][32];
    const char *const cells[] = {tool_text_of(row->errors, "pair"),
                                 tool_text_of(row->answer, "layer"),
                                 tool_text_of(row->output, "role"),
                                 number(text[0], 32, row->errors, "relative_l2"),
                                 number(text[1], 32, row->errors, "ulp_p99"),
                                 number(text[2], 32, bound, "ratio"),
                                 compare_holds(row->errors) ? "holds" : "BROKEN",
                                 tool_text_of(bound, "at"),
                                 number(text[3], 32, bound, "got"),
                                 number(text[4], 32, bound, "want"),
                                 tool_text_of(row->answer, "problem"),
                                 NULL};

    page_row(page, 0, cells);
}

/* ---- all rows */

static const char *error_of(char *text, size_t size, const struct html_figures *figures, int row,
                            int series)
{
    for (size_t i = 0; i < figures->points; i++)
        if (figures->point[i].row == row && figures->point[i].series == series) {
            snprintf(text, size, "%.2e", figures->point[i].error);
            return text;
        }
    return "";
}

void html_put_rows(struct page *page, const struct html_figures *figures)
{
    enum { LEAD = 3 };
    const char *cells[LEAD + HTML_SERIES + 2] = {"", "layer", "output"};
    char text[HTML_SERIES + 1][32];

    if (figures->rows < 2)
        return;
    for (int i = 0; i < figures->count; i++)
        cells[LEAD + i] = figures->series[i].name;
    cells[LEAD + figures->count] = "problem";
    page_heading(page, "All layers");
    page_paragraph(page, "Relative L2 errors, with the problem of the first side that is shown.");
    page_table_begin(page);
    page_row(page, 1, cells);
    for (int row = 0; row < figures->rows; row++) {
        snprintf(text[HTML_SERIES], sizeof(text[0]), "%d", row + 1);
        cells[0] = text[HTML_SERIES];
        cells[1] = tool_text_of(figures->row[row].answer, "layer");
        cells[2] = tool_text_of(figures->row[row].output, "role");
        for (int i = 0; i < figures->count; i++)
            cells[LEAD + i] = error_of(text[i], sizeof(text[i]), figures, row, i);
        cells[LEAD + figures->count] = tool_text_of(figures->row[row].answer, "problem");
        page_row(page, 0, cells);
    }
    page_table_end(page);
}

void compare_html_worst(struct page *page, const json_t *answers)
{
    static const char *const heading[] = {"side",     "layer", "output",  "relative L2",
                                          "99 % ulp", "ratio", "bound",   "worst element",
                                          "got",      "want",  "problem", NULL};
    struct rows rows = {NULL, 0};

    compare_each_of(answers, take_row, &rows);
    rows.row = tool_alloc(rows.count * sizeof(*rows.row));
    rows.count = 0;
    compare_each_of(answers, take_row, &rows);
    qsort(rows.row, rows.count, sizeof(*rows.row), by_ratio);
    page_heading(page, "Worst elements");
    page_paragraph(page,
                   "The outputs nearest to their bound or beyond it, of %zu. The ratio is the "
                   "largest error of one element divided by its rounding bound.",
                   rows.count);
    page_table_begin(page);
    page_row(page, 1, heading);
    for (size_t i = 0; i < rows.count && i < WORST; i++)
        put_row(page, &rows.row[i]);
    page_table_end(page);
    free(rows.row);
}
