/* SPDX-License-Identifier: Apache-2.0 */
/* Draws figures of a report. gnuplot turns a script into SVG, and the page contains this as an
 * image, in which a browser runs no scripts. No shell is involved. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/report/page.h"

const char *page_colour(size_t number)
{
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#8A2BE2",
                                          "#E8B800", "#56B4E9", "#000000"};

    return colours[number % (sizeof(colours) / sizeof(colours[0]))];
}

static void put_cleaned(FILE *script, const char *text, char quote)
{
    fputc(quote, script);
    for (; *text != '\0'; text++) {
        int byte = (unsigned char)*text;

        fputc(byte < 0x20 || byte > 0x7e || strchr("'\"`\\<>&$@", byte) != NULL ? '_' : byte,
              script);
    }
    fputc(quote, script);
}

void page_plot_text(FILE *script, const char *text)
{
    put_cleaned(script, text, '\'');
}

void page_plot_data(FILE *script, const char *text)
{
    put_cleaned(script, text, '"');
}

/* ---- gnuplot */

/* Turns the child process into gnuplot, with the script as its only input. */
static void become_gnuplot(FILE *script, int out)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere >= 0 && dup2(fileno(script), 0) == 0 && dup2(out, 1) == 1 && dup2(nowhere, 2) == 2)
        execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
    _exit(127);
}

static char *read_all(int from, size_t *size)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t got;

    *size = 0;
    do {
        if (*size == capacity) {
            char *larger = realloc(text, capacity = 2 * capacity + 65536);

            if (larger == NULL) {
                free(text);
                return NULL;
            }
            text = larger;
        }
        do
            got = read(from, text + *size, capacity - *size);
        while (got < 0 && errno == EINTR);
        *size += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    return text;
}

/* Returns the image, or NULL if there is none. The caller frees it. */
static char *run_gnuplot(FILE *script, size_t *size)
{
    int ends[2], status = -1;
    char *image;
    pid_t child;

    if (pipe(ends) != 0)
        return NULL;
    fflush(NULL); /* else the child would inherit buffered output */
    child = fork();
    if (child == 0)
        become_gnuplot(script, ends[1]);
    close(ends[1]);
    image = child > 0 ? read_all(ends[0], size) : NULL;
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (image != NULL && status == 0 && *size > 0)
        return image;
    free(image);
    return NULL;
}

/* ---- the page's part */

static void put_base64(FILE *file, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 |
                         (i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (i + 2 < size ? bytes[i + 2] : 0u);

        for (size_t k = 0; k < 4; k++)
            fputc(i + k > size ? '=' : digits[group >> (18 - 6 * k) & 63], file);
    }
}

void page_figure(struct page *page, const char *caption, void (*draw)(FILE *script, void *cookie),
                 void *cookie)
{
    FILE *script = tmpfile();
    char *image = NULL;
    size_t size;

    if (script != NULL) {
        fputs("set terminal svg size 480,440 font 'sans-serif,16' background rgb '#ffffff'\n"
              "set encoding utf8\nset grid lc rgb '#cccccc'\nset key below left Left reverse "
              "noenhanced title ' '\n",
              script);
        draw(script, cookie);
        fflush(script);
        lseek(fileno(script), 0, SEEK_SET);
        image = run_gnuplot(script, &size);
        fclose(script);
    }
    fputs("<figure>\n", page->file);
    if (image != NULL) {
        fputs("<div class=\"wide\"><img alt=\"", page->file);
        page_escape(page->file, caption);
        fputs("\" src=\"data:image/svg+xml;base64,", page->file);
        put_base64(page->file, (const unsigned char *)image, size);
        fputs("\"/></div>\n", page->file);
    } else {
        page->undrawn++;
        page_paragraph(page, "This figure is missing: gnuplot is not installed or failed.");
    }
    fputs("<figcaption>", page->file);
    page_escape(page->file, caption);
    fputs("</figcaption>\n</figure>\n", page->file);
    free(image);
}
