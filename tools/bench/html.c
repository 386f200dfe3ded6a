/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the results as a page: the pairs, the figures, the means and all numbers. */
#include <stdio.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/common.h"
#include "tools/report/page.h"

/* Formats a value, or returns "" if it was not measured. */
static const char *real(char text[32], double value)
{
    if (value > 0)
        snprintf(text, 32, "%.4g", value);
    else
        text[0] = '\0';
    return text;
}

static void put_row(struct page *page, const struct bench *bench, int at, int pair)
{
    const struct layer *layer = &bench->layer[at];
    const struct row *row = &layer->row[pair];
    char number[16], text[6][32];
    const char *const cells[] = {number,
                                 layer->item->layer,
                                 bench->pair[pair].name,
                                 real(text[0], row->median),
                                 real(text[1], row->rounds > 1 ? 100 * row->spread : 0),
                                 real(text[2], row->tflops),
                                 real(text[3], row->gbps),
                                 real(text[4], row->roofline),
                                 real(text[5], row->ratio),
                                 row->declined != NULL ? row->declined : layer->item->problem,
                                 NULL};

    snprintf(number, sizeof(number), "%d", at + 1);
    page_row(page, 0, cells);
}

static void put_layers(struct page *page, const struct bench *bench)
{
    static const char *const heading[] = {
        "no.",     "layer", "pair",     "time us", "spread %",
        "TFLOP/s", "GB/s",  "roofline", "ratio",   "problem, or why it did not run",
        NULL};

    page_heading(page, "All layers");
    page_table_begin(page);
    page_row(page, 1, heading);
    for (int i = 0; i < bench->suite.count; i++)
        for (int p = 0; p < bench->pairs; p++)
            put_row(page, bench, i, p);
    page_table_end(page);
}

/* Writes the table of the pairs with their devices and settings. The times apply only to these. */
static void put_pairs(struct page *page, const struct bench *bench)
{
    json_t *pairs = bench_pairs(bench);

    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);

        page_paragraph(page, "%s: version %s on %s", tool_text_of(pair, "pair"),
                       tool_text_of(pair, "version"), tool_text_of(pair, "device"));
    }
    json_decref(pairs);
}

/* Writes the means of each operation, over the layers that every pair ran. */
static void put_means(struct page *page, const struct bench *bench)
{
    static const char *const heading[] = {"operation", "pair",  "time us",  "TFLOP/s", "GB/s",
                                          "roofline",  "ratio", "total us", NULL};
    json_t *summary = bench_summary(bench);

    page_heading(page, "Geometric means");
    page_paragraph(page, "Means over the distinct layers that every pair ran. The total counts "
                         "each layer as often as the network contains it.");
    page_table_begin(page);
    page_row(page, 1, heading);
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const json_t *operation = json_array_get(summary, i);
        const json_t *pairs = json_object_get(operation, "pairs");

        for (size_t p = 0; p < json_array_size(pairs); p++) {
            const json_t *pair = json_array_get(pairs, p);
            char text[6][32];
            const char *const cells[] = {tool_text_of(operation, "operation"),
                                         tool_text_of(pair, "pair"),
                                         real(text[0], tool_number_of(pair, "time_us")),
                                         real(text[1], tool_number_of(pair, "tflops")),
                                         real(text[2], tool_number_of(pair, "gbps")),
                                         real(text[3], tool_number_of(pair, "roofline")),
                                         real(text[4], tool_number_of(pair, "ratio")),
                                         real(text[5], tool_number_of(pair, "total_us")),
                                         NULL};

            page_row(page, 0, cells);
        }
    }
    page_table_end(page);
    json_decref(summary);
}

int bench_write_html(const struct bench *bench)
{
    struct page page;
    char title[512] = "Speed: ";
    int code;

    for (int p = 0; p < bench->pairs; p++)
        snprintf(title + strlen(title), sizeof(title) - strlen(title), "%s%.40s", p > 0 ? ", " : "",
                 bench->pair[p].name);
    snprintf(title + strlen(title), sizeof(title) - strlen(title), ": %.100s", bench->suite.name);
    code = page_open(bench->tool, bench->options.html, title, &page);
    if (code != TOOL_FINE)
        return code;
    page_paragraph(&page,
                   "%d problems, timed in turn on one machine. Compare only times of one run.",
                   bench->suite.count);
    put_pairs(&page, bench);
    bench_put_figures(&page, bench);
    put_means(&page, bench);
    put_layers(&page, bench);
    return page_close(bench->tool, &page);
}
