/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page of a report: its head, text, tables and end. */
#include "tools/report/page.h"

#include "tools/common.h"
#include "tools/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
    "<meta charset=\"utf-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
    "<style>\n"
    "body{font:16px/1.5 sans-serif;color:#111;background:#fff;margin:0 auto;max-width:1100px;"
    "padding:0 16px 48px}\n"
    "h1{font-size:1.6em;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.2em;margin:2em 0 "
    "0.5em}\n"
    "p{max-width:46em;overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:0.85em}\n"
    "th,td{border-bottom:1px solid #ccc;padding:4px 10px 4px 0;text-align:left;vertical-align:top}"
    "\n"
    "figure{margin:0 0 1.5em}figcaption{color:#333;max-width:46em}\n"
    "td,th{white-space:nowrap}td:last-child{white-space:normal;min-width:40em;overflow-wrap:"
    "anywhere}\n"
    "img{display:block;width:100%;max-width:580px;height:auto}\n"
    "</style>\n<title>";

int page_check(struct tool *tool, void *own, const char *path)
{
    char why[TOOL_WHY_MAX];
    FILE *file;

    (void)own;
    file = tool_open_write(path, "a", why);
    if (file == NULL)
        return tool_fail(tool, TOOL_USAGE, "--html=%s: %s", path, why);
    fclose(file);
    return TOOL_FINE;
}

int page_open(struct tool *tool, const char *path, const char *title, struct page *page)
{
    char why[TOOL_WHY_MAX];

    *page = (struct page){.file = tool_open_write(path, "w", why), .path = path};
    if (page->file == NULL)
        return tool_fail(tool, TOOL_FAILED, "--html=%s: %s", path, why);
    fputs(head, page->file);
    page_escape(page->file, title);
    fputs("</title>\n</head>\n<body>\n<h1>", page->file);
    page_escape(page->file, title);
    fputs("</h1>\n", page->file);
    return TOOL_FINE;
}

int page_close(struct tool *tool, struct page *page)
{
    int failed;

    if (page->undrawn > 0)
        page_paragraph(page, "%d figures are missing: gnuplot is not installed or failed.",
                       page->undrawn);
    fputs("</body>\n</html>\n", page->file);
    failed = ferror(page->file);
    failed |= fclose(page->file);
    if (!failed)
        return TOOL_FINE;
    return tool_fail(tool, TOOL_FAILED, "--html=%s: cannot be written: %s", page->path,
                     strerror(errno));
}

/* ---- text */

/* Returns the number of bytes of the UTF-8 sequence that begins here, or 0 if none does. */
static int sequence(const unsigned char *at)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = at[0] < 0x80       ? 1
                 : at[0] >> 5 == 6  ? 2
                 : at[0] >> 4 == 14 ? 3
                 : at[0] >> 3 == 30 ? 4
                                    : 0;
    unsigned point = length == 1 ? at[0] : at[0] & (0x7fu >> length);

    for (int i = 1; i < length; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        point = point << 6 | (at[i] & 0x3fu);
    }
    if (length == 1)
        return point >= 0x20 || point == '\t' || point == '\n';
    return length > 1 && point >= least[length] && point <= 0x10ffff && point >> 11 != 0x1b &&
                   (point & 0xfffe) != 0xfffe && !(point >= 0x80 && point < 0xa0)
               ? length
               : 0;
}

void page_escape(FILE *file, const char *text)
{
    static const char special[] = "<>&\"'";
    static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    const unsigned char *at = (const unsigned char *)text;

    while (*at != '\0') {
        const char *found = strchr(special, *at);
        int length = sequence(at);

        if (found != NULL)
            fputs(entity[found - special], file);
        else if (length > 0)
            fwrite(at, 1, (size_t)length, file);
        else
            fputs("\xef\xbf\xbd", file);
        at += length > 0 ? length : 1;
    }
}

void page_heading(struct page *page, const char *text)
{
    fputs("<h2>", page->file);
    page_escape(page->file, text);
    fputs("</h2>\n", page->file);
}

void page_paragraph(struct page *page, const char *format, ...)
{
    va_list arguments;
    char *text;
    int size;

    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text = tool_alloc((size_t)size + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    fputs("<p>", page->file);
    page_escape(page->file, text);
    fputs("</p>\n", page->file);
    free(text);
}

/* ---- tables */

void page_table_begin(struct page *page)
{
    fputs("<div class=\"wide\"><table>\n", page->file);
}

void page_row(struct page *page, int heading, const char *const *cells)
{
    const char *cell = heading ? "th" : "td";

    fputs("<tr>", page->file);
    for (; *cells != NULL; cells++) {
        fprintf(page->file, "<%s>", cell);
        page_escape(page->file, *cells);
        fprintf(page->file, "</%s>", cell);
    }
    fputs("</tr>\n", page->file);
}

void page_table_end(struct page *page)
{
    fputs("</table></div>\n", page->file);
}
