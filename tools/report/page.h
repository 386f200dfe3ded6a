/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: one HTML page that needs nothing beside itself. It is well-formed XML, too. Its policy
 * lets a browser load nothing and run nothing; figures are images in the page, drawn by gnuplot.
 * Whatever is handed in as text may hold anything.
 */
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

struct tool;

struct page {
    FILE *file;
    const char *path;
    int undrawn; /* figures that gnuplot did not draw */
};

/* Whether the file can be written, before anything is measured. `option` is named in the sentence.
 */
int page_check(struct tool *tool, void *own, const char *path);

/* Opens the file and writes the head; NULL for the file where that fails, with a sentence. */
int page_open(struct tool *tool, const char *path, const char *title, struct page *page);
/* Writes what is missing, closes; a sentence where not all could be written. */
int page_close(struct tool *tool, struct page *page);

/* Text with what HTML means by < > & " ' written as entities; what XML cannot hold, and bytes that
 * are no UTF-8, become U+FFFD. */
void page_escape(FILE *file, const char *text);

void page_heading(struct page *page, const char *text);
void page_paragraph(struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Cells of a row, NULL at the end; the first row of a table is its heading. */
void page_table_begin(struct page *page);
void page_row(struct page *page, int heading, const char *const *cells);
void page_table_end(struct page *page);

/* A figure: `draw` writes what gnuplot shall do behind its terminal's lines. Without gnuplot, or
 * where it fails, the page says so in the figure's place. */
void page_figure(struct page *page, const char *caption, void (*draw)(FILE *script, void *cookie),
                 void *cookie);

/* A string of gnuplot's, in its quotes: bytes that its language or SVG could take for their own
 * become _. */
void page_plot_text(FILE *script, const char *text);
/* The same as a word of a data block, whose quotes are others. */
void page_plot_data(FILE *script, const char *text);

/* Colours that most people tell apart, as `linecolor rgb "..."` wants them: those of Okabe and Ito,
 * 2008, but for purple and orange, which are too near to green and red for who sees no green. */
const char *page_colour(size_t number);

#endif
