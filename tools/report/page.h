/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as one self-contained HTML page, which is also well-formed XML. Its content policy lets a
 * browser load and run nothing. Figures are images in the page, drawn by gnuplot. All text
 * arguments may be untrusted. */
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

struct tool;

struct page {
    FILE *file;
    const char *path;
    int undrawn; /* figures that gnuplot could not draw */
};

/* Checks that the file can be written, before any measurement. The message names `option`. */
int page_check(struct tool *tool, void *own, const char *path);

/* Opens the file and writes the head. On failure, the page has a NULL file and the message is
 * printed. */
int page_open(struct tool *tool, const char *path, const char *title, struct page *page);
/* Writes the end and closes the file. Prints a message if not everything could be written. */
int page_close(struct tool *tool, struct page *page);

/* Writes text and converts < > & " ' to entities. Characters that XML cannot contain, and bytes
 * that are not UTF-8, become U+FFFD. */
void page_escape(FILE *file, const char *text);

void page_heading(struct page *page, const char *text);
void page_paragraph(struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the cells of a row, NULL-terminated. The first row of a table is its heading. */
void page_table_begin(struct page *page);
void page_row(struct page *page, int heading, const char *const *cells);
void page_table_end(struct page *page);

/* Writes a figure: `draw` writes the gnuplot commands that follow those of the terminal. If gnuplot
 * is missing or fails, the page says so instead. */
void page_figure(struct page *page, const char *caption, void (*draw)(FILE *script, void *cookie),
                 void *cookie);

/* Writes a quoted gnuplot string. Bytes that are special in gnuplot or SVG become _. */
void page_plot_text(FILE *script, const char *text);
/* Writes the same as a word of a data block, which uses other quotes. */
void page_plot_data(FILE *script, const char *text);

/* Returns a colour for `linecolor rgb "..."` that most people can distinguish. The palette is that
 * of Okabe and Ito, 2008, without purple and orange: red-green colour blindness confuses them with
 * green and red. */
const char *page_colour(size_t number);

#endif
