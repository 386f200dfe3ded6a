/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a gnuplot script: bars of the roofline fraction of each pair, with one panel per
 * operation. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tools/bench/bench.h"
#include "tools/common.h"
#include "tools/files.h"
#include "tools/report/page.h"

static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strchr(dot, '/') == NULL ? dot : "";
}

int bench_check_files(struct tool *tool, const struct bench_options *options)
{
    static const char *const endings[] = {".png", ".svg", ".gp"};
    char why[TOOL_WHY_MAX];
    struct stat status;
    FILE *file;

    for (size_t i = 0; options->plot != NULL; i++) {
        if (i == sizeof(endings) / sizeof(endings[0]))
            return tool_fail(tool, TOOL_USAGE,
                             "--plot=%s: the name must end in .png, .svg or .gp (script only)",
                             options->plot);
        if (strcmp(ending(options->plot), endings[i]) == 0)
            break;
    }
    if (options->plot != NULL && strcmp(ending(options->plot), ".gp") != 0 &&
        system("command -v gnuplot >/dev/null 2>&1") != 0)
        return tool_fail(
            tool, TOOL_FAILED,
            "--plot=%s: gnuplot is not installed; use a name ending in .gp to write its script",
            options->plot);
    for (const char *c = options->plot; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return tool_fail(
                tool, TOOL_USAGE,
                "--plot=%s: the name must not contain control characters, which end a gnuplot line",
                options->plot);
    /* gnuplot would block on a FIFO without a reader. */
    if (options->plot != NULL && stat(options->plot, &status) == 0 && !S_ISREG(status.st_mode))
        return tool_fail(tool, TOOL_USAGE, "--plot=%s: not a regular file", options->plot);
    file = options->csv != NULL ? tool_open_write(options->csv, "w", why) : NULL;
    if (options->csv != NULL && file == NULL)
        return tool_fail(tool, TOOL_USAGE, "--csv=%s: %s", options->csv, why);
    if (file != NULL)
        fclose(file);
    return TOOL_FINE;
}

/* ---- the script */

/* Prints a path in gnuplot's single quotes, where '' stands for '. Prepends the current folder to a
 * name that begins with |, which gnuplot would run as a command. */
static void print_path(FILE *file, const char *text)
{
    fputs(text[0] == '/' ? "'" : "'./", file);
    for (; *text != '\0'; text++)
        fprintf(file, *text == '\'' ? "''" : "%c", *text);
    fputc('\'', file);
}

static int has_operation_before(const struct bench *bench, int at)
{
    for (int i = 0; i < at; i++)
        if (strcmp(bench->layer[i].operation, bench->layer[at].operation) == 0)
            return 1;
    return 0;
}

/* Prints one column per pair, and ? where it did not run. */
static void print_data(FILE *file, const struct bench *bench, const char *operation, int panel)
{
    fprintf(file, "$data%d << END\n", panel);
    for (int i = 0; i < bench->suite.count; i++) {
        const struct layer *layer = &bench->layer[i];

        if (strcmp(layer->operation, operation) != 0)
            continue;
        page_plot_data(file, layer->item->layer);
        for (int p = 0; p < bench->pairs; p++)
            if (layer->row[p].roofline > 0)
                fprintf(file, " %.6g", layer->row[p].roofline);
            else
                fprintf(file, " ?");
        fprintf(file, "\n");
    }
    fprintf(file, "END\n");
}

static void print_panel(FILE *file, const struct bench *bench, int panel, const char *operation)
{
    fprintf(file, "set title ");
    page_plot_text(file, operation);
    fprintf(file, " noenhanced\nplot ");
    for (int p = 0; p < bench->pairs; p++) {
        fprintf(file, "%s$data%d using %d%s title ", p > 0 ? ", " : "", panel, p + 2,
                p == 0 ? ":xtic(1)" : "");
        page_plot_text(file, bench->pair[p].name);
        fprintf(file, " noenhanced");
    }
    fprintf(file, "\n");
}

static void print_script(FILE *file, const struct bench *bench, const char *terminal,
                         const char *output)
{
    int panels = 0;

    for (int i = 0; i < bench->suite.count; i++)
        if (!has_operation_before(bench, i))
            print_data(file, bench, bench->layer[i].operation, panels++);
    fprintf(file, "set terminal %s size 1400,%d\nset output ", terminal, 420 * panels);
    print_path(file, output);
    fprintf(file,
            "\nset datafile missing '?'\nset style data histogram\n"
            "set style histogram clustered gap 1\nset style fill solid 0.8\n"
            "set yrange [0:*]\nset ylabel 'fraction of the roofline'\nset grid ytics\n"
            "set key outside top right\nset xtics rotate by -60 noenhanced\n"
            "set multiplot layout %d,1 title ",
            panels);
    page_plot_text(file, bench->suite.name);
    fprintf(file, " noenhanced\n");
    panels = 0;
    for (int i = 0; i < bench->suite.count; i++)
        if (!has_operation_before(bench, i))
            print_panel(file, bench, panels++, bench->layer[i].operation);
    fprintf(file, "unset multiplot\n");
}

int bench_write_plot(const struct bench *bench)
{
    const char *path = bench->options.plot;
    int script = strcmp(ending(path), ".gp") == 0;
    FILE *file = script ? fopen(path, "w") : popen("gnuplot", "w");
    int status;

    if (file == NULL)
        return tool_fail(bench->tool, TOOL_FAILED, "--plot=%s: %s", path, strerror(errno));
    if (script) {
        char image[4096];

        snprintf(image, sizeof(image), "%.*s.svg", (int)(strlen(path) - 3), path);
        print_script(file, bench, "svg", image);
        status = fclose(file);
    } else {
        print_script(file, bench, strcmp(ending(path), ".png") == 0 ? "pngcairo" : "svg", path);
        status = pclose(file);
    }
    if (status == 0)
        return TOOL_FINE;
    return tool_fail(bench->tool, TOOL_FAILED, "--plot=%s: %s", path,
                     script ? strerror(errno) : "gnuplot failed to draw it");
}
